"""Names for the annotations of public signatures: imported under `TYPE_CHECKING` only, so they cost no call and no import.

Arrays of CuPy are annotated as NumPy's are: a function returns the kind that it is given, and both kinds have one interface.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

    from spark_csr._matrix.base import SparseArray
    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._ops import Monoid, Semiring
    from spark_csr._ragged import Ragged

Array: TypeAlias = npt.NDArray[Any]
"""A NumPy or a CuPy array."""

ArrayLike: TypeAlias = npt.ArrayLike
Dense: TypeAlias = npt.NDArray[Any] | Sequence[Any]
"""A dense operand that is no number: an array, or nested lists."""

DTypeLike: TypeAlias = npt.DTypeLike

Number: TypeAlias = "int | float | complex | np.generic"
Shape: TypeAlias = "tuple[int, ...]"
ShapeLike: TypeAlias = "int | Sequence[int]"

Matrix: TypeAlias = "csr_array | csc_array | coo_array"
"""A `csr_array`, `csc_array` or `coo_array`."""

MatrixLike: TypeAlias = "SparseArray | sparray | spmatrix"
"""A matrix of this package, of SciPy or of CuPy."""


class SupportsProducts(Protocol):
    """A linear operator: an object that multiplies with vectors."""

    def matvec(self, x: Any, /) -> Any: ...


OperatorLike: TypeAlias = "SparseArray | sparray | spmatrix | SupportsProducts | npt.ArrayLike"
"""A matrix, a dense array or a linear operator."""

Records: TypeAlias = "dict[str, Ragged | npt.NDArray[Any] | Records]"
"""Records by their fields: ragged arrays, arrays of one axis, or further records."""

MonoidLike: TypeAlias = "str | Monoid"
SemiringLike: TypeAlias = "str | Semiring"

Progress: TypeAlias = "bool | Callable[[int, Any], Any] | None"
"""What `progress` is given: True for a bar or lines, or a function that is called after every step."""
