"""`csr_array`: the matrix type. Methods are a few lines each, and stand by kind in the files it inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._matrix import Methods
from spark_csr._matrix.base import read
from spark_csr._matrix.compressed import Compressed

if TYPE_CHECKING:
    from spark_csr._matrix.csc import csc_array
    from spark_csr._types import ArrayLike, DTypeLike, MatrixLike


class csr_array(Methods, Compressed):
    """A sparse matrix in compressed sparse row form, on cores or on a GPU.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        The data of the matrix, as one of these:

        - a dense array of one or two dimensions, or nested lists;
        - a sparse matrix of this package, of SciPy or of CuPy;
        - `(M, N)`, the shape of a matrix without entries;
        - `(data, (row, col))`, the coordinates of the entries, whose duplicates are summed in the order given;
        - `(data, indices, indptr)`, the arrays of the compressed form.

        A 1-D array, `(N,)` or `(data, (index,))` makes a vector.
    shape : tuple of ints, optional
        The shape of the matrix. By default it is inferred from the largest indices.
    dtype : dtype, optional
        The dtype of the values: bool, a signed or unsigned integer of 8 to 64 bits, float16, float32, float64, complex64 or
        complex128. By default it is that of the data. float16 values are stored as float16 and summed in float32.
    copy : bool, default False
        If True, copy the given arrays. Otherwise the matrix shares arrays of the compressed form if their dtypes allow it, but
        copies those of a matrix of SciPy that is not canonical.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device of the matrix. By default it is where the data is.
    maxprint : int, optional
        The largest number of entries that `str(A)` shows. By default it is 50; it may be set later, as `A.maxprint`.

    Attributes
    ----------
    indptr, indices, data : 1-D arrays
        The arrays that hold the matrix, of NumPy or CuPy. The entries of row `i` have the columns
        `indices[indptr[i]:indptr[i+1]]` and the values `data[indptr[i]:indptr[i+1]]`. `indices` is int32 if the
        number of columns fits, else int64; `indptr` is int32 if the numbers of entries and of columns fit, else int64. `data`
        may be written into. The index arrays are read-only, because results for the pattern are kept with the matrix. Do not
        write into their memory through other arrays, nor on a GPU, where CuPy cannot prevent it.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, nested lists have different lengths, `indptr` decreases, or an index is out of range.
        The message names the first offending value. `config(validate=False)` skips the checks of index arrays.
    TypeError
        If a dtype is not supported, an object cannot be read as a matrix, or arrays are on several devices.
    RuntimeError
        If a GPU is asked for and there is none.

    Notes
    -----
    *Cost*: arrays given in compressed form are checked in one pass and shared; `(data, (row, col))` takes one stable sort; a
    dense array takes two passes. The behaviour follows `scipy.sparse.csr_array`.

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

    if TYPE_CHECKING:
        _merged: csr_array
        _flipped: csc_array

    def __init__(
        self,
        arg: ArrayLike | MatrixLike | tuple[Any, ...],
        shape: tuple[int, ...] | None = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        device: str | None = None,
        maxprint: int | None = None,
    ) -> None:
        self._hold(*read(arg, shape, dtype, copy, device), maxprint)
