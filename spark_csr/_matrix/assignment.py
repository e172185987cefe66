"""`A[key] = value`, with the keys of `A[key]`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spark_csr._array import as_positions, copy_if_shared, namespace_of
from spark_csr._foreign import warn_user
from spark_csr._matrix.base import SparseArray, issparse, rows_of
from spark_csr._operations.form import build
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.select.assign import assign, assign_cleared, replace
from spark_csr._operations.select.clear import drop_flagged, flag_entries_at, flag_entries_in
from spark_csr._operations.select.keys import make_grid, parse
from spark_csr._operations.select.values import as_values, broadcast, broadcast_positions, has_repeats, spread

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike


class Assignment(SparseArray):
    """The setting of values by keys.

    As in SciPy, `csr_array` and `csc_array` store the zeros that are set; `coo_array` stores a zero only if it is set alone.
    """

    def __setitem__(self, key: Any, value: ArrayLike | MatrixLike) -> None:
        """Set the elements that `key` selects to a number, a dense array or a sparse matrix, in place.

        Keys are those of `A[key]`. Values are cast to the dtype of the matrix and broadcast to the positions.
        """
        index, _ = parse(key, self.shape, self._csr.data)
        data = self._csr.data
        rows, columns = make_grid(index, self.shape, namespace_of(data))
        single = all(isinstance(k, int) for k in index)
        if not single:
            rows, columns = copy_if_shared(rows, data), copy_if_shared(columns, data)
        if issparse(value) and not single:
            self._set_entries(rows, columns, value)
            return
        value = as_values(value.toarray() if issparse(value) else value, data)
        if single and value.size != 1:
            raise ValueError(f"trying to assign a sequence to an item: got shape {value.shape} for one position")
        shape, (rows, columns) = broadcast_positions(rows, columns)
        self._set(rows.ravel(), columns.ravel(), broadcast(value, shape).ravel(), single)

    def _set_entries(self, rows, columns, value):
        """Set the positions to a sparse value: clear them, and set the entries of the value."""
        csr = build.move_to(rows_of(value), self.device)
        shape, _ = broadcast_positions(rows, columns)
        if value.ndim == 1 and shape == (csr.shape[1], 1):
            rows, columns, shape = rows.T, columns.T, shape[::-1]
        if any(theirs not in (1, ours) for theirs, ours in zip(csr.shape, shape, strict=True)):
            raise ValueError(
                f"shape mismatch in assignment: a sparse matrix of shape {value.shape} does not fit positions of shape {shape}"
            )
        csr = sum_duplicates(csr)
        if has_repeats(rows, columns):  # the last of several values stays, also if it is a missing one
            dense = as_values(value.toarray(), self._csr.data)
            every = broadcast_positions(rows, columns)[1]
            self._set(*(k.ravel() for k in every), broadcast(dense.reshape(csr.shape), shape).ravel())
            return
        at, values = spread(csr, shape)
        at = tuple(as_positions(copy_if_shared(k, self._csr.data)) for k in at)
        values = values.astype(self.dtype)  # a copy: the value may be this matrix
        positions = (k[at] for k in broadcast_positions(rows, columns)[1])
        self._set(*positions, values, cleared=self._flag(rows, columns))

    def _flag(self, rows, columns):
        """Return the record in canonical form, and flags of its entries at these positions."""
        rows, columns = (columns.T, rows.T) if self._transposed else (rows, columns)
        csr = sum_duplicates(self._csr)
        shape, every = broadcast_positions(rows, columns)
        if shape[0] * shape[1] > csr.indices.size and rows.size + columns.size == shape[0] + shape[1]:
            return csr, flag_entries_in(csr, rows.ravel(), columns.ravel())
        return csr, flag_entries_at(csr, *(k.ravel() for k in every))

    def _set(self, rows, columns, values, single=False, cleared=None):
        """Set values at positions, given as two arrays of indices and one of values.

        `cleared`: the record and flags of its entries that are set to zero first, or dropped from a `coo_array`.
        """
        rows, columns = (columns, rows) if self._transposed else (rows, columns)
        if self.format == "coo":
            csr = self._csr if cleared is None else drop_flagged(*cleared)
            self._csr = replace(csr, rows, columns, values, keep_zeros=single)
            return
        given = rows, columns, values
        self._csr, changed = assign(self._csr, *given) if cleared is None else assign_cleared(*cleared, *given)
        if changed:
            warn_user(
                f"Changing the sparsity structure of a {type(self).__name__} is expensive: set many values in one call",
                importlib.import_module("scipy.sparse").SparseEfficiencyWarning,
            )
