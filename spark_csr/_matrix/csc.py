"""`csc_array`: a matrix by columns, which is the transpose of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._matrix import Methods
from spark_csr._matrix.base import SparseArray, read
from spark_csr._matrix.compressed import Compressed
from spark_csr._operations.form import build, check
from spark_csr._operations.form.transpose import transpose

if TYPE_CHECKING:
    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike, DTypeLike


class csc_array(Methods, Compressed):
    """A sparse matrix in compressed sparse column form (CSC). `A.T` and `A.tocsc()` of a `csr_array` return one.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        What the matrix is made of, as for `csr_array`, but with two dimensions. In `(data, indices, indptr)`, column `j` has
        the rows `indices[indptr[j]:indptr[j+1]]`.
    shape : (int, int), optional
        The shape of the matrix. By default it follows from `arg`, as for `csr_array`.
    dtype : dtype, optional
        The dtype of the values, as for `csr_array`. The default is the dtype of the values in `arg`.
    copy : bool, default False
        If True, copy the given arrays. Otherwise the matrix shares them if their dtypes allow it.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device of the matrix. The default is the device of the arrays in `arg`.
    maxprint : int, optional
        The largest number of entries that `str(A)` shows. The default is 50. You can change it later: `A.maxprint = 100`.

    Attributes
    ----------
    indptr, indices, data : 1-D arrays
        The arrays that hold the matrix: the entries of column `j` have the rows `indices[indptr[j]:indptr[j+1]]` and the values
        `data[indptr[j]:indptr[j+1]]`. You can write into them as into those of a `csr_array`.

    Raises
    ------
    ValueError
        If `arg` has one dimension, and in the cases in which `csr_array` raises it.
    TypeError
        If a dtype is not supported, an object cannot be read as a matrix, or arrays are on several devices.
    RuntimeError
        If `device` is a GPU and there is none.

    Notes
    -----
    The transpose of a `csr_array` is a `csc_array` that shares all its arrays. *Cost*: arrays in compressed column form, and
    matrices of SciPy and CuPy in this form, are checked in one pass; coordinates are sorted by column; anything else is first
    read row by row and then sorted by column, in a stable sort.

    Examples
    --------
    >>> from spark_csr import csc_array
    >>> A = csc_array([[1, 0, 2], [3, 4, 5]])
    >>> A.indptr, A.indices, A.data
    (array([0, 2, 3, 5], dtype=int32), array([0, 1, 1, 0, 1], dtype=int32), array([1, 3, 4, 2, 5]))
    """

    format = "csc"
    _transposed = True

    if TYPE_CHECKING:
        _merged: csc_array
        _flipped: csr_array

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
        ours = isinstance(arg, SparseArray)
        by_columns = arg._transposed if ours else getattr(arg, "format", None) == "csc"
        columns = by_columns or (isinstance(arg, tuple) and len(arg) == 3)  # (data, indices, indptr): rows of the transpose
        if by_columns and shape is not None and check.shape_of(shape) != arg.shape:
            raise ValueError(f"inconsistent shapes: shape {shape} was asked for, but the matrix has shape {arg.shape}")
        extents = tuple(shape)[::-1] if columns and shape is not None else shape
        is_read = ours or columns or (hasattr(arg, "tocsr") and not shape is dtype is None)
        entries = None if is_read else build.in_order(arg, shape, dtype, device)
        if by_columns and ours:
            csr, ndim = build.from_record(arg._csr, 2, extents, dtype, copy, device)
        elif entries is not None:  # they are sorted once, by column: of many rows no offsets are made
            coordinates, ndim = entries
            csr, columns = coordinates.sum_by_columns(), True
        else:
            csr, ndim = read(arg.T if by_columns else arg, extents, dtype, copy, device)
        if ndim == 1:
            raise ValueError(f"csc_array needs two dimensions, got shape {csr.shape[1:]}: use x[:, None] for a column")
        self._hold(csr if columns else transpose(csr), ndim, maxprint)
