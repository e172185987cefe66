"""`cupyx.scipy.sparse`, as far as matrices are handed to it and taken from it.

Its products are not known here. Its solvers are in `solvers.py`.
"""

import numpy as np

from .array import checked_dtype, ndarray
from .errors import unknown

DTYPES = "?fdFD"
"""The only values that matrices hold: cupyx/scipy/sparse/_data.py and _compressed.py (v14.2)."""


class spmatrix:
    """As `cupyx.scipy.sparse.spmatrix`: cupyx/scipy/sparse/_base.py."""

    __array_priority__ = 101
    format = "und"
    ndim = 2

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz() or shape[0]")

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.data.dtype

    def getnnz(self):
        """How many values are stored."""
        return self.data.size

    nnz = property(getnnz)

    @property
    def device(self):
        """Where the values are."""
        return self.data.device

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown(f"cupyx.scipy.sparse.{type(self).__name__}.{name}")


def _checked_values(data):
    if not isinstance(data, ndarray):
        raise TypeError(f"Only int or ndarray are supported, got {type(data)}")
    if checked_dtype(data.dtype).char not in DTYPES:
        raise ValueError("Only bool, float32, float64, complex64 and complex128 are supported")
    return data


class _Compressed(spmatrix):
    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if not isinstance(arg1, tuple) or len(arg1) != 3:
            raise unknown(f"{type(self).__name__} of anything but (data, indices, indptr)")
        data, indices, indptr = arg1
        if not all(isinstance(x, ndarray) and x.ndim == 1 for x in arg1):
            raise ValueError("data, indices, and indptr should be 1-D")
        if len(data) != len(indices):
            raise ValueError("indices and data should have the same size")
        self._shape = tuple(map(int, shape))
        major = self._shape[0 if self.format == "csr" else 1]
        if len(indptr) != major + 1:
            raise ValueError(f"index pointer size ({len(indptr)}) should be ({major + 1})")
        dtype = data.dtype if dtype is None else np.dtype(dtype)
        self.data = _checked_values(data.astype(dtype, copy=copy))
        # _compressed.py: `indices.astype("i", copy=copy)`: always 32 bits
        self.indices, self.indptr = indices.astype("i", copy=copy), indptr.astype("i", copy=copy)

    shape = property(lambda self: self._shape)

    def copy(self):
        """The same in new memory."""
        return type(self)((self.data, self.indices, self.indptr), self._shape, copy=True)

    def get(self, stream=None):
        """SciPy's matrix of the same format."""
        import scipy.sparse

        make = getattr(scipy.sparse, f"{self.format}_matrix")
        return make((self.data.get(stream), self.indices.get(stream), self.indptr.get(stream)), shape=self._shape)


class csr_matrix(_Compressed):
    """As `cupyx.scipy.sparse.csr_matrix`."""

    format = "csr"


class csc_matrix(_Compressed):
    """As `cupyx.scipy.sparse.csc_matrix`."""

    format = "csc"


class coo_matrix(spmatrix):
    """As `cupyx.scipy.sparse.coo_matrix`."""

    format = "coo"

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if not isinstance(arg1, tuple) or len(arg1) != 2 or not isinstance(arg1[1], tuple):
            raise unknown("coo_matrix of anything but (data, (row, col))")
        data, (row, col) = arg1
        if not all(isinstance(x, ndarray) and x.ndim == 1 for x in (data, row, col)):
            raise ValueError("row, column, and data arrays must be 1-D")
        if not len(data) == len(row) == len(col):
            raise ValueError("row, column, and data array must all be the same length")
        dtype = data.dtype if dtype is None else np.dtype(dtype)
        self.data = _checked_values(data.astype(dtype, copy=copy))
        self.row, self.col = row.astype("i", copy=copy), col.astype("i", copy=copy)
        self._shape = tuple(map(int, shape))

    shape = property(lambda self: self._shape)

    def get(self, stream=None):
        """SciPy's matrix of the same format."""
        import scipy.sparse

        return scipy.sparse.coo_matrix((self.data.get(stream), (self.row.get(stream), self.col.get(stream))), shape=self._shape)


def issparse(x):
    """Whether something is one of CuPy's matrices."""
    return isinstance(x, spmatrix)
