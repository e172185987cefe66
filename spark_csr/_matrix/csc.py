"""`csc_array`: a matrix by columns, which is the transpose of rows."""

from spark_csr._matrix import Methods
from spark_csr._matrix.base import SparseArray, read
from spark_csr._matrix.compressed import Compressed
from spark_csr._operations.form import build
from spark_csr._operations.form.transpose import transpose


class csc_array(Methods, Compressed):
    """A sparse matrix in compressed sparse column form, as `A.T` and `A.tocsc()` give it.

    Column `j` has rows `indices[indptr[j]:indptr[j+1]]`. The transpose of a `csr_array` is one that shares all its arrays.
    """

    format = "csc"
    _transposed = True

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None, maxprint=None):
        by_columns = isinstance(arg, SparseArray) and arg._transposed
        columns = by_columns or (isinstance(arg, tuple) and len(arg) == 3)  # (data, indices, indptr): rows of the transpose
        extents = tuple(shape)[::-1] if columns and shape is not None else shape
        if by_columns:
            csr, ndim = build.from_record(arg._csr, 2, extents, dtype, copy, device)
        else:
            csr, ndim = read(arg, extents, dtype, copy, device)
        if ndim == 1:
            raise ValueError(f"csc_array needs two dimensions, got shape {csr.shape[1:]}: use x[:, None] for a column")
        self._csr = csr if columns else transpose(csr)
        if maxprint is not None:
            self.maxprint = maxprint
