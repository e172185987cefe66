"""`coo_array`: a matrix by the coordinates of its entries.

Design: a matrix that is made of coordinates holds `Coordinates`: the entries in the order in which they were given, so that
their values may be replaced in that order. One that comes from rows, or that was changed in place, holds the record of its
rows. Cost: operations on `Coordinates` arrange the values by rows each time; the positions are sorted once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_device_array, namespace_of
from spark_csr._matrix import (
    Methods,
    numpy_functions,  # noqa: F401 what NumPy's functions mean
)
from spark_csr._matrix.base import FORMATS, SparseArray, read
from spark_csr._matrix.formats import check_axes
from spark_csr._operations.form import build, canonical, facts, shown
from spark_csr._operations.form.coordinates import Coordinates, as_coordinates, hold, keep
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.form.shown import Shown
from spark_csr._operations.form.transpose import transpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike, DTypeLike


def read_in_order(arg, shape, dtype, copy, device):
    """Do as `read`, but let entries that are given by coordinates keep their order and their duplicates."""
    if isinstance(arg, SparseArray):
        found = (arg._held, arg.ndim) if arg.format == "coo" else None
    else:
        found = build.in_order(arg, shape, dtype, device)
    return read(arg, shape, dtype, copy, device) if found is None else build.from_record(*found, shape, dtype, copy, device)


class OfManyAxes:
    """What lets `coo_array(x)` be of the class for three axes or more, where `x` has as many."""

    _many_axes: type[coo_array]

    def __new__(cls, arg: Any = None, *args: Any, **options: Any) -> Any:
        many = cls is coo_array and build.count_axes(arg) > 2
        return object.__new__(cls._many_axes if many else cls)


class coo_array(Methods, OfManyAxes):
    """A sparse matrix or vector in coordinate form (COO), or an array of more axes.

    `A.tocoo()`, `A[i]` and `A.max(axis=0)` return one.

    Parameters
    ----------
    arg : array_like, sparse matrix or tuple
        What the matrix is made of, as for `csr_array`. If `arg` is `(data, (row, col))`, or a matrix of SciPy in coordinate
        form, the entries keep their order, and duplicates (several entries at one position) are kept. An array of three axes or
        more is made of as many ints (its shape), of `(data, coords)` with as many index arrays, of a dense array, or of a
        `coo_array` of this package or of SciPy.
    shape : tuple of ints, optional
        The shape of the matrix. By default it follows from `arg`, as for `csr_array`.
    dtype : dtype, optional
        The dtype of the values, as for `csr_array`. The default is the dtype of the values in `arg`.
    copy : bool, default False
        If True, copy the given arrays. Otherwise the matrix shares the values, and the arrays of a matrix in compressed form,
        if their dtypes allow it. Coordinates are always copied.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device of the matrix. The default is the device of the arrays in `arg`.
    maxprint : int, optional
        The largest number of entries that `str(A)` shows. The default is 50. You can change it later: `A.maxprint = 100`.

    Attributes
    ----------
    coords : tuple of 1-D arrays
        The coordinates of the entries, one index array for each axis: entry `k` of a matrix has the value `data[k]` and the
        position `(coords[0][k], coords[1][k])`. You can write into them or set others. Those of an array of three axes or more
        can be set only.
    data : 1-D array
        The values of the entries. You can write into this array.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, or an index is out of range. The message names the first offending value.
    TypeError
        If a dtype is not supported, an object cannot be read as a matrix, or arrays are on several devices.
    RuntimeError
        If `device` is a GPU and there is none.

    Notes
    -----
    `tocsr`, `tocsc` and `sum_duplicates` sum duplicates in the order in which they are stored. `copy`, `astype`, `transpose`,
    `conj`, `real`, `imag`, `-A`, products with numbers, `tocoo`, `to_device`, `to_scipy` and `save_npz` keep the order of the
    entries, unless `astype` or the product sums duplicates. Other operations may return the entries row by row. Assignments to
    elements and `resize` sort the entries of the matrix itself row by row.

    An array of three axes or more has the methods of SciPy's `coo_array` of as many axes: functions of entries, operators with
    numbers and with arrays of the same shape, reductions along one axis or several, keys, `transpose(axes)`, and the products
    `@`, `dot` and `tensordot`. Everything that needs a matrix raises a ValueError, and so does the assignment of elements: use
    `reshape(m, n)`, which returns a matrix, and whose `reshape` leads back. Most operations number elements along some axes,
    and raise a ValueError if the product of the sizes of these axes is 2**63 or more.

    *Cost*: coordinates are checked in one pass and copied. The first operation on a matrix that was made of coordinates sorts
    their positions, and every operation copies the values into that order: before many operations, convert the matrix with
    `tocsr`. If the matrix is made of anything else, the cost is that of `csr_array`, and the array of rows is computed when it
    is first used. An operation on an array of three axes or more makes a matrix of it, in a few passes over the entries, and
    sorts that; a sparse result takes no memory for the length of axes.

    Examples
    --------
    >>> from spark_csr import coo_array
    >>> A = coo_array(([3.0, 4.0, 5.0], ([1, 0, 1], [2, 0, 2])))
    >>> A.row, A.col, A.data
    (array([1, 0, 1], dtype=int32), array([2, 0, 2], dtype=int32), array([3., 4., 5.]))
    >>> A.tocsr().data
    array([4., 8.])

    Give the entries other values:

    >>> A.data[:] = [30, 40, 50]
    >>> A.tocsr().data
    array([40., 80.])

    Make an array of three axes:

    >>> T = coo_array(([1.0, 2, 3], ([0, 0, 1], [0, 1, 2], [3, 0, 1])))
    >>> T
    <coo_array of dtype 'float64' on cpu, shape (2, 3, 4), with 3 stored elements>
    >>> T.mean(axis=(0, 2)), T[0, 1].toarray()
    (array([0.125, 0.25 , 0.375]), array([2., 0., 0., 0.]))
    >>> T.reshape(6, 4).tocsr().indptr
    array([0, 1, 2, 2, 2, 2, 3], dtype=int32)
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
        self._hold(*read_in_order(arg, shape, dtype, copy, device), maxprint)

    _csr = SparseArray._csr.getter(lambda self: self._held.by_rows())  # type: ignore[attr-defined]

    _lent = _csr

    def __getstate__(self) -> tuple[Any, ...]:
        record = self._held
        if not isinstance(record, Coordinates):
            return super().__getstate__()
        others = {name: value for name, value in vars(self).items() if name not in ("_record", "_ndim")}
        return (*record.arrays, record.shape, self.ndim, others, "coordinates")

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[-1] != "coordinates":
            super().__setstate__(state)
            return
        *entries, ndim, others, _ = state
        self._hold(keep(*entries), ndim)
        vars(self).update(others)

    def _in_format(self, name, copy):
        if name == "coo":
            return super()._in_format(name, copy)
        record, form = self._held, FORMATS[name]
        if isinstance(record, Coordinates):
            return form._of(record.sum_by_columns() if form._transposed else record.sum_by_rows(), self.ndim)
        csr = canonical.sum_duplicates(record)
        if form._transposed:
            return form._of(transpose(csr))
        if csr is record:  # SciPy copies the values
            csr = csr.copy() if copy else csr.with_data(csr.data.copy())
        return form._of(csr, self.ndim)

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
        *Cost*: a stable sort of the entries by column; a copy of the values if the matrix was made of coordinates.

        Examples
        --------
        >>> from spark_csr import coo_array
        >>> coo_array([[1, 0, 2]]).transpose().toarray()
        array([[1],
               [0],
               [2]])
        """
        if self.ndim == 1:
            return super().transpose(axes, copy)
        check_axes(self, axes)
        record = self._held
        return self._of(record.transpose() if isinstance(record, Coordinates) else transpose(record))

    @property
    def coords(self) -> tuple[Array, ...]:
        """The coordinates of the entries: one index array for each axis.

        You can write into the arrays: the matrix is checked and follows when it is used next, see :doc:`/guide/memory`. Assign
        other arrays to replace them, which are copied: they are checked as the constructor checks them, when all lengths are
        equal.
        """
        return tuple(map(self._show, (0, 1)[-self.ndim :]))

    @coords.setter
    def coords(self, arrays: Sequence[ArrayLike]) -> None:
        if len(arrays) != self.ndim:
            raise ValueError(f"coords must be {self.ndim} index array(s), one for each axis, got {len(arrays)}")
        self._replace(**dict(zip(("row", "col")[-self.ndim :], arrays, strict=True)))

    @property
    def row(self) -> Array:
        """The row of every entry, which is 0 in a vector. You can write into the array or assign another one, see `coords`."""
        return self._show(0)

    @row.setter
    def row(self, rows: ArrayLike) -> None:
        if self.ndim == 1:
            raise ValueError("a vector has no rows that can be set: use A.col")
        if not self._has_handed_out(rows, 0):
            self._replace(row=rows)

    @property
    def col(self) -> Array:
        """The column of every entry. You can write into the array or assign another one, see `coords`."""
        return self._show(1)

    @col.setter
    def col(self, columns: ArrayLike) -> None:
        if not self._has_handed_out(columns, 1):
            self._replace(col=columns)

    def _replace(self, **arrays):
        """Replace some arrays by others; coordinates are checked as the constructor checks them."""
        arrays = {name: x if name == "data" else build.as_indices(x, name, self.device).copy() for name, x in arrays.items()}
        record = self._given
        kept = dict(zip(("row", "col", "data"), record.arrays, strict=True))
        if isinstance(record, Csr):
            kept["row"] = rows_of_entries(record)
        if self.ndim == 1 and "col" in arrays:
            kept["row"] = namespace_of(arrays["col"]).zeros_like(arrays["col"])
        rows, columns, data = (kept | arrays).values()
        self._set_arrays(hold, (rows, columns, data), rows.size == columns.size == data.size)

    @property
    def has_canonical_format(self) -> bool:
        """Whether the entries ascend by row and column and there are no duplicates.

        *Cost*: one pass over the index arrays the first time, or a sort of coordinates that were given in another order; then
        the answer is kept. You can set this property, as in SciPy. After True, the entries are sorted row by row, and
        operations rely on it that there are no duplicates: if there are some, results are wrong. After False,
        `sum_duplicates` sorts the entries again.
        """
        record = self._held
        if isinstance(record, Coordinates):
            return record.has_canonical_order()
        return record.plan(facts.has_canonical_columns)

    @has_canonical_format.setter
    def has_canonical_format(self, known: bool) -> None:
        if known or not isinstance(self._held, Coordinates):
            self._csr = canonical.with_facts(self._csr, is_sorted=True if known else None, is_canonical=bool(known))

    def sum_duplicates(self) -> None:
        """Sort the entries by row and column, and sum duplicates, in place.

        Notes
        -----
        *Cost*: that of `tocsr`; nothing if the entries are known to be in this form. *Order*: duplicates are summed in the
        order in which they are stored.

        Examples
        --------
        >>> from spark_csr import coo_array
        >>> A = coo_array(([1, 2], ([0, 0], [3, 3])))
        >>> A.nnz
        2
        >>> A.sum_duplicates()
        >>> A.nnz, A.data
        (1, array([3]))
        """
        record = self._held
        self._csr = record.sum_by_rows() if isinstance(record, Coordinates) else canonical.sum_duplicates(record)

    def tensordot(self, other: Any, axes: Any = 2) -> Any:
        """Sum products of this array and another one over some axes of each, as `numpy.tensordot` does.

        Parameters
        ----------
        other : array_like or sparse array
            The other operand.
        axes : int or two lists of ints, default 2
            The axes to sum over: those of this array, and those of `other`. `n` stands for the last `n` axes of this array and
            the first `n` of `other`.

        Returns
        -------
        coo_array or array
            The other axes of this array, then those of `other`; it is dense if `other` is. A number if there are none.

        Raises
        ------
        ValueError
            If axes are out of range, given twice, or of different sizes.
        TypeError
            If `other` is no array.

        Notes
        -----
        *Cost*: that of one product of two matrices, which are made of the operands.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import coo_array
        >>> A = coo_array(([1.0, 2.0], ([0, 1], [0, 2], [1, 0])), shape=(2, 3, 2))
        >>> A.tensordot(np.ones((3, 2)), axes=([1, 2], [0, 1]))
        array([1., 2.])
        """
        return self._many_axes._tensordot(self, other, axes)

    def _show(self, number):
        """Return the rows or the columns of the entries, for a user who may write into them."""
        record = self._record
        if isinstance(record, Csr) and is_device_array(record.data):
            return record.indices if number else record.plan(rows_of_entries)
        with shown.lock:
            if isinstance(self._record, Csr):
                self._record = Shown(as_coordinates(self._record.share()))
            return super()._show(number)

    def _as_foreign(self, module, kind, copy=False):
        record = self._held
        record = record.copy() if copy else record.copy_of_pattern()
        record = as_coordinates(record) if isinstance(record, Csr) else record
        half = record.data.dtype == np.float16  # SciPy's coordinates hold float16, but refuse it when they are made
        coords = (record.rows, record.indices)[-self.ndim :]
        make = getattr(importlib.import_module(module), f"coo_{kind}")
        entries = make((record.data.view(np.uint16) if half else record.data, coords), shape=self.shape)
        if half:
            entries.data = record.data
        return entries
