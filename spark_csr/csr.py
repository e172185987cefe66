"""`csr_array`: the matrix type. A method is a few lines that call one operation."""

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._base import SparseArray
from spark_csr.operations import build, check, convert, transpose
from spark_csr.operations.record import Csr


class csr_array(SparseArray):
    """A sparse matrix in compressed sparse row form, on the processor's cores or on a GPU.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        Dense rows; any SciPy or CuPy sparse matrix; another `csr_array`; `(M, N)` for an empty matrix;
        `(data, (row, col))` with the entries of one place summed; `(data, indices, indptr)`.
    shape : (int, int), optional
        Default: inferred from the largest indices.
    dtype : dtype, optional
        bool, (u)int8..64, float16/32/64, complex64/128; default: that of the data. float16 is stored, and summed in float32.
    copy : bool
        Copy the arrays given. Otherwise they are shared where their dtypes allow it.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        Default: where the data is.

    Attributes
    ----------
    indptr, indices, data : 1-D arrays
        NumPy or CuPy. Row `i` has columns `indices[indptr[i]:indptr[i+1]]` with these values. Each index array is int32 where
        its values fit, else int64. `data` may be written into. The index arrays are read-only: what is learnt about them is
        kept. (Do not write into them through other references, nor on a GPU.)

    Raises
    ------
    ValueError
        For shapes, lengths and ragged rows that do not fit, an `indptr` that decreases, indices out of range: the first
        offending one is named. `config(validate=False)` skips the checks of index arrays.
    TypeError
        For dtypes, foreign objects and mixed devices.
    RuntimeError
        If a GPU is asked for and there is none.

    Notes
    -----
    *Cost*: given arrays are checked in one pass and shared; `(data, (row, col))` is one stable sort; dense is two passes.
    Behaviour follows `scipy.sparse.csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> A = csr_array([[1.0, 0, 2], [3, 4, 5], [0, 0, 6]])
    >>> A
    <csr_array of dtype 'float64' on cpu, shape (3, 3), with 6 stored elements>
    >>> A @ np.array([1.0, 10, 100])
    array([201., 543., 600.])
    """

    format = "csr"
    _transposed = False

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None):
        if isinstance(arg, SparseArray):
            arg = arg.tocsr()._csr
        self._csr = build.from_anything(arg, shape, dtype, copy, device)

    @SparseArray.data.setter
    def data(self, values):
        values = build.as_array(values, "data", self.device)
        if values.shape != self.data.shape:
            raise ValueError(f"data must have shape {self.data.shape}, got {values.shape}")
        self._csr = self._csr.with_data(namespace_of(values).ascontiguousarray(values))

    @property
    def has_sorted_indices(self):
        """Whether the columns of every row ascend. *Cost*: two passes the first time, then kept."""
        return self._csr.plan(convert.has_sorted_columns)

    @property
    def has_canonical_format(self):
        """Whether the columns of every row ascend and none appears twice. *Cost*: two passes the first time, then kept."""
        return self._csr.plan(convert.has_canonical_columns)

    def tocsr(self, copy=False):
        """This matrix, or a copy of it."""
        return self.copy() if copy else self

    def astype(self, dtype, casting="unsafe", copy=True):
        """The same pattern (shared unless `copy`) with values of another dtype."""
        dtype = check.supported(dtype)
        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"cannot cast {self.dtype} to {dtype} by the rule {casting!r}")
        csr = self._csr
        if copy:
            return csr_array._of(Csr(csr.indptr.copy(), csr.indices.copy(), csr.data.astype(dtype), csr.shape))
        return csr_array._of(csr.with_data(csr.data.astype(dtype, copy=False)))


class csc_array(SparseArray):
    """The transpose of a `csr_array`, as `A.T` gives it: a view that shares all arrays.

    Columns are compressed: column `j` has rows `indices[indptr[j]:indptr[j+1]]`. It multiplies, converts and transposes
    back; for all else make a row form of it with `tocsr()`.
    """

    format = "csc"
    _transposed = True

    def tocsr(self, copy=False):
        """The same matrix by rows; entries of one place stay apart. *Cost*: one stable sort of the entries."""
        return csr_array._of(transpose.transposed(self._csr))


csr_array._mirror, csc_array._mirror = csc_array, csr_array
