"""Names of ragged arrays for the annotations of public signatures, imported under `TYPE_CHECKING` only."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    from spark_csr._ragged import Ragged

Records: TypeAlias = "dict[str, Ragged | npt.NDArray[Any] | Records]"
"""Records by their fields: ragged arrays, arrays of one axis, or further records."""
