"""`coo_array`: a matrix by the coordinates of its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import read_only
from spark_csr._matrix import Methods
from spark_csr._matrix.base import read
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.transpose import transpose

if TYPE_CHECKING:
    from spark_csr._matrix.csr import csr_array
    from spark_csr._types import Array, ArrayLike, DTypeLike, MatrixLike


class coo_array(Methods):
    """A sparse matrix or vector in coordinate form; `A.tocoo()`, `A[i]` and `A.max(axis=0)` return one.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        The data of the matrix, as for `csr_array`. Duplicates in `(data, (row, col))` are summed when the matrix is made.
    shape : tuple of ints, optional
        The shape of the matrix. By default it is inferred from the largest indices.
    dtype : dtype, optional
        The dtype of the values, as for `csr_array`. By default it is that of the data.
    copy : bool, default False
        If True, copy the given arrays. Otherwise the matrix shares those of a matrix in compressed form if their dtypes allow
        it. Coordinates are always copied.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device of the matrix. By default it is where the data is.
    maxprint : int, optional
        The largest number of entries that `str(A)` shows. By default it is 50; it may be set later, as `A.maxprint`.

    Attributes
    ----------
    coords : tuple of 1-D arrays
        The coordinates of the entries, one index array for each axis: entry `k` of a matrix has the value `data[k]` and the
        position `(coords[0][k], coords[1][k])`. The index arrays are read-only.
    data : 1-D array
        The values of the entries. It may be written into.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, or an index is out of range. The message names the first offending value.
    TypeError
        If a dtype is not supported, an object cannot be read as a matrix, or arrays are on several devices.
    RuntimeError
        If a GPU is asked for and there is none.

    Notes
    -----
    The entries are stored row by row. *Cost*: as for `csr_array`; the array of rows is computed when it is first used.

    Examples
    --------
    >>> from spark_csr import coo_array
    >>> A = coo_array(([3.0, 4.0, 5.0], ([1, 0, 1], [2, 0, 2])))
    >>> A.row, A.col, A.data
    (array([0, 1], dtype=int32), array([0, 2], dtype=int32), array([4., 8.]))
    """

    format = "coo"

    if TYPE_CHECKING:
        _merged: csr_array
        _flipped: coo_array

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

    def transpose(self, axes: tuple[int, ...] | None = None, copy: bool = False) -> coo_array:
        """Transpose the matrix; the result has arrays of its own.

        Parameters
        ----------
        axes : tuple of ints, optional
            None or `(1, 0)`, or for a vector `(0,)`. `numpy.transpose` passes this argument.
        copy : bool, default False
            Whether a vector is copied. The transpose of a matrix has arrays of its own in any case.

        Returns
        -------
        coo_array
            A matrix of shape `(N, M)`, or the vector, whose transpose is the same vector.

        Raises
        ------
        ValueError
            If `axes` is anything else.

        Notes
        -----
        *Cost*: a stable sort of the entries by column.

        Examples
        --------
        >>> from spark_csr import coo_array
        >>> coo_array([[1, 0, 2]]).transpose().toarray()
        array([[1],
               [0],
               [2]])
        """
        mirrored = super().transpose(axes, copy)
        return mirrored if self.ndim == 1 else self._of(transpose(self._csr))

    @property
    def coords(self) -> tuple[Array, ...]:
        """The coordinates of the entries: one index array for each axis. The arrays are read-only."""
        columns = read_only(self._csr.indices)
        return (columns,) if self.ndim == 1 else (read_only(self._csr.plan(rows_of_entries)), columns)

    @property
    def row(self) -> Array:
        """The row of every entry, which is 0 in a vector. The array is read-only."""
        return read_only(self._csr.plan(rows_of_entries))

    @property
    def col(self) -> Array:
        """The column of every entry. The array is read-only."""
        return self.coords[-1]

    def _as_foreign(self, module, name, csr):
        rows = super()._as_foreign(module, name.replace("coo", "csr"), csr)
        if rows.dtype != np.float16:
            return rows.tocoo(copy=False)
        rows.data = rows.data.view(np.uint16)  # SciPy's coordinates hold float16, but refuse it when they are made
        entries = rows.tocoo(copy=False)
        entries.data = entries.data.view(np.float16)
        return entries
