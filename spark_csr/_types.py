"""Names for the annotations of public signatures: imported under `TYPE_CHECKING` only, so they cost no call and no import.

Names for objects of this package stand with these: in `_matrix.types`, `_ops` and `_ragged`.

Arrays of CuPy are annotated as NumPy's are: a function returns the kind that it is given, and both kinds have one interface.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""A NumPy or a CuPy array."""

ArrayLike: TypeAlias = npt.ArrayLike
Dense: TypeAlias = npt.NDArray[Any] | Sequence[Any]
"""A dense operand that is no number: an array, or nested lists."""

Axes: TypeAlias = "int | tuple[int, ...]"
"""One axis, or several."""

DTypeLike: TypeAlias = npt.DTypeLike

Number: TypeAlias = "int | float | complex | np.generic"
Shape: TypeAlias = "tuple[int, ...]"
ShapeLike: TypeAlias = "int | Sequence[int]"

Progress: TypeAlias = "bool | Callable[[int, Any], Any] | None"
"""What `progress` is given: True for a bar or lines, or a function that is called after every step."""
