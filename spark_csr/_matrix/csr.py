"""`csr_array`: the matrix type. Methods are a few lines each, and stand by kind in the files it inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._matrix import Methods
from spark_csr._matrix.base import read
from spark_csr._matrix.compressed import Compressed

if TYPE_CHECKING:
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike, DTypeLike


class csr_array(Methods, Compressed):
    """A sparse matrix in compressed sparse row form (CSR), in the memory of the host or of a GPU.

    Methods and operators, most of which are those of `scipy.sparse.csr_array`, by kind:

    ===================  ================================================================================================
    products             `A @ x`, `x @ A`, `A @ B`, `dot()`, `matmul()` (with `out`, `mask` and `semiring`), `matvec()`,
                         `rmatvec()`, `matmat()`, `rmatmat()`
    arithmetic           `+`, `-`, `*`, `/`, `**`, `==`, `<` and so on; `multiply()`, `power()`, `maximum()`, `minimum()`
    reductions           `sum()`, `mean()`, `var()`, `std()`, `mean_var()`, `min()`, `max()`, `nanmin()`, `nanmax()`,
                         `argmin()`, `argmax()`, `trace()`, `count_nonzero()`
    indexing             `A[i, j]`, `A[i, j] = value`, `diagonal()`, `setdiag()`, `nonzero()`, `prune()`
    shape                `shape`, `ndim`, `size`, `nnz`, `T`, `mT`, `transpose()`, `reshape()`, `resize()`, `ravel()`,
                         `flatten()`
    structure            `indptr`, `indices`, `data`, `format`, `sum_duplicates()`, `sort_indices()`, `sorted_indices()`,
                         `eliminate_zeros()`, `has_canonical_format`, `has_sorted_indices`, `check_format()`
    values               `dtype`, `astype()`, `real`, `imag`, `conj()`, `conjugate()`
    functions of values  `sqrt()`, `log1p()`, `expm1()`, `sign()`, `rint()`, `floor()`, `ceil()`, `trunc()`, `sin()`, `tan()`,
                         `sinh()`, `tanh()`, `arcsin()`, `arctan()`, `arcsinh()`, `arctanh()`, `deg2rad()`, `rad2deg()`
    your own functions   `select()`, `apply()`, `ewise_add()`, `ewise_mult()`
    conversion           `toarray()`, `todense()`, `tocsr()`, `tocsc()`, `tocoo()`, `tobsr()`, `todia()`, `todok()`,
                         `tolil()`, `asformat()`, `copy()`, `to_scipy()`, `to_cupy()`, `to_torch()`,
                         `to_tuple()`
    memory and device    `device`, `to_device()`, `nbytes`, `maxprint`
    ===================  ================================================================================================

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        What the matrix is made of, as one of these:

        - a dense array of one or two dimensions, or nested lists;
        - a sparse matrix of this package, of SciPy or of CuPy;
        - `(M, N)`, the shape of a matrix without entries;
        - `(data, (row, col))`, the values and positions of the entries. Duplicates, that is, several entries at one position,
          are summed in the order given;
        - `(data, indices, indptr)`, the arrays of the compressed form: see the attributes.

        An array of one dimension, `(N,)` or `(data, (index,))` makes a vector.
    shape : tuple of ints, optional
        The shape of the matrix. By default it follows from `arg`. For coordinates and compressed arrays, it is just large
        enough for the largest row and column.
    dtype : dtype, optional
        The dtype of the values: bool, a signed or unsigned integer of 8 to 64 bits, float16, float32, float64, complex64 or
        complex128. The default is the dtype of the values in `arg`. float16 values are stored as float16 and summed in float32.
    copy : bool, default False
        If True, copy the given arrays. Otherwise the matrix shares arrays of the compressed form if their dtypes allow it. The
        arrays of a matrix of SciPy that is not canonical are always copied. A matrix is canonical if the columns of every row
        ascend, without duplicates.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device of the matrix. The default is the device of the arrays in `arg`.
    maxprint : int, optional
        The largest number of entries that `str(A)` shows. The default is 50. You can change it later: `A.maxprint = 100`.

    Attributes
    ----------
    indptr, indices, data : 1-D arrays
        The arrays that hold the matrix, of NumPy or CuPy. The entries of row `i` have the columns
        `indices[indptr[i]:indptr[i+1]]` and the values `data[indptr[i]:indptr[i+1]]`. `indices` is int32 if the
        number of columns fits, else int64; `indptr` is int32 if the numbers of entries and of columns fit, else int64. You can
        write into all three; the matrix is checked and follows, see :doc:`/guide/memory`. Do not write into index arrays that
        you gave to the constructor, nor into those on a GPU: that is not seen.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, nested lists have different lengths, `indptr` decreases, or an index is out of range.
        The message names the first offending value. `config(validate=False)` skips the checks of index arrays.
    TypeError
        If a dtype is not supported, an object cannot be read as a matrix, or arrays are on several devices.
    RuntimeError
        If `device` is a GPU and there is none.

    Notes
    -----
    *Cost*: arrays in compressed form are checked in one pass; `(data, (row, col))` takes one stable sort; a dense array takes
    two passes. The class behaves as `scipy.sparse.csr_array` does; the page "Coming from SciPy" lists the differences.

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
