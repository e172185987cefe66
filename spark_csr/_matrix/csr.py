"""`csr_array`: the matrix type. Methods are a few lines each, and stand by kind in the files it inherits."""

from spark_csr._matrix import Methods
from spark_csr._matrix.base import SparseArray, read
from spark_csr._matrix.compressed import Compressed


class csr_array(Methods, Compressed):
    """A sparse matrix in compressed sparse row form, on the processor's cores or on a GPU.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        Dense rows; any SciPy or CuPy sparse matrix; another `csr_array`; `(M, N)` for an empty matrix;
        `(data, (row, col))` with the entries of one position summed; `(data, indices, indptr)`.
    shape : (int, int), optional
        Default: inferred from the largest indices.
    dtype : dtype, optional
        bool, (u)int8..64, float16/32/64, complex64/128; default: that of the data. float16 is stored, and summed in float32.
    copy : bool
        Copy the arrays given. Otherwise they are shared where their dtypes allow it.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        Default: where the data is.
    maxprint : int, optional
        How many entries `str(A)` shows at most; default: 50. It may be set later, as `A.maxprint`.

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

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None, maxprint=None):
        self._csr, self.ndim = read(arg, shape, dtype, copy, device)
        if isinstance(arg, SparseArray) and arg.format == "coo" and self._csr is arg._csr:
            self._csr = self._csr.with_data(self._csr.data.copy())  # SciPy copies what it converts
        if maxprint is not None:
            self.maxprint = maxprint
