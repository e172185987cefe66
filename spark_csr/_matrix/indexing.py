"""`A[key]`, `A[key] = value` and iteration, with the keys of SciPy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, overload

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import FORMATS, SparseArray
from spark_csr._operations.compose.reshape import reshape
from spark_csr._operations.form import convert
from spark_csr._operations.select.index import select
from spark_csr._operations.select.keys import parse
from spark_csr._operations.select.points import value_at, values_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, SupportsIndex

    from spark_csr._matrix.coo import coo_array


class Indexing(SparseArray):
    """The selection of elements, rows and columns. A selection is a copy, on the device of the matrix."""

    @overload
    def __getitem__(self, key: tuple[SupportsIndex, SupportsIndex]) -> Any: ...
    @overload
    def __getitem__(self, key: slice | tuple[slice, slice]) -> Self: ...
    @overload
    def __getitem__(self, key: tuple[int, slice] | tuple[slice, int]) -> coo_array: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        """Return the elements that `key` selects: a number, a copy of the same format, a `coo_array` or a dense array.

        Keys are NumPy's: integers, slices, arrays of indices, masks, `...` and `None`, for one axis or for both. *Cost*: one
        read of the rows that are selected (of a `csc_array`: columns), and one write of the result. If the rows are not sorted,
        or columns are selected by a slice with a step or by an array, it also takes some passes over the entries of these rows.
        """
        csr = self._csr
        index, shape = parse(key, self.shape, csr.data)
        if len(shape) > 2:
            if self.format == "coo":
                return self._many_axes._select(self, key)  # type: ignore[attr-defined]
            hint = ". If this comes from `A @ B` of two arrays of Dask, use spark_csr.interop.dask.matmul(A, B)"
            raise IndexError(
                f"more than two dimensions (>2D is not supported): the key leads to shape {shape}, see A.reshape"
                f"{hint * ('dask.array' in sys.modules)}"
            )
        rows, columns = index if self.ndim == 2 else (0, *index)
        if is_array(rows) and is_array(columns) and not _is_outer(rows, columns):
            return self._points(rows, columns, shape)
        rows, columns = (columns, rows) if self._transposed else (rows, columns)
        if isinstance(rows, int) and isinstance(columns, int):
            return self._scalar(value_at(csr, rows, columns), shape)
        return self._selection(select(csr, _is_one_axis(rows), _is_one_axis(columns)), index, shape)

    def _scalar(self, value, shape):
        """Return a number; with `None` in the key an array of one element, dense where SciPy's is."""
        if not shape:
            return value
        value = self._csr.xp.full(shape, value)
        return value if self.ndim == 2 and self.format != "coo" else _from_dense(type(self), value)

    def _points(self, rows, columns, shape):
        """Select by arrays of positions. If these have one dimension the result is dense, except that of a `coo_array`."""
        if rows.shape != columns.shape:
            rows, columns = namespace_of(rows).broadcast_arrays(rows, columns)
        at = rows.ravel(), columns.ravel()
        values = values_at(self._csr, *(at[::-1] if self._transposed else at)).reshape(shape)
        return values if rows.ndim == 1 and self.format != "coo" else _from_dense(type(self), values)

    def _selection(self, chosen, index, shape):
        """Return a selection in the same format if it has the shape that was asked for, else as a `coo_array`."""
        lies = chosen.shape[::-1] if self._transposed else chosen.shape
        lies = lies if self.ndim == 2 else lies[1:]
        folded = self.ndim == 1 and is_array(index[0]) and index[0].ndim == 2 and index[0].shape[0] > 1  # csr as SciPy's
        if shape != lies:  # one row or one column, or a fold of it: their elements are in the same order
            two_dimensional = shape if len(shape) == 2 else (1, *shape)
            chosen = chosen if chosen.shape == two_dimensional else reshape(chosen, two_dimensional)
        form = type(self) if folded or shape == lies else FORMATS["coo"]
        return form._of(chosen, len(shape))

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows, as sparse vectors; over the elements of a vector."""
        if self.ndim == 1:
            yield from self.toarray()
            return
        rows = self if self.format == "coo" else self.tocsr()
        for i in range(self.shape[0]):
            yield type(rows)._of(select(rows._csr, slice(i, i + 1), slice(None)), 1)


def _is_outer(rows, columns):
    """Return whether two arrays of indices select every row with every column, as `numpy.ix_` makes them."""
    return rows.ndim == 2 and rows.shape[1] == 1 and (columns.ndim == 1 or columns.shape[0] == 1)


def _is_one_axis(k):
    """Return whether an index is a slice or an array of one dimension."""
    if isinstance(k, int):
        return slice(k, k + 1)
    return k.ravel() if is_array(k) else k


def _from_dense(form, values):
    """Return the nonzeros of a dense array as a matrix or vector of the given format."""
    dense = values if values.ndim == 2 else values[None]
    return form._of(convert.from_dense(dense.T if form._transposed else dense), values.ndim)
