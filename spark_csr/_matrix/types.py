"""Names of matrices and operators for the annotations of public signatures, imported under `TYPE_CHECKING` only."""

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

    from spark_csr._matrix.base import SparseArray
    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array

Matrix: TypeAlias = "csr_array | csc_array | coo_array"
"""A `csr_array`, `csc_array` or `coo_array`."""

MatrixLike: TypeAlias = "SparseArray | sparray | spmatrix"
"""A matrix of this package, of SciPy or of CuPy."""


class SupportsProducts(Protocol):
    """A linear operator: an object that multiplies with vectors."""

    def matvec(self, x: Any, /) -> Any: ...


OperatorLike: TypeAlias = "SparseArray | sparray | spmatrix | SupportsProducts | npt.ArrayLike"
"""A matrix, a dense array or a linear operator."""
