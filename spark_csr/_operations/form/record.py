"""What flows through operations: the three arrays of a CSR matrix, its shape, and what was found out about its pattern.

Design: entries may be moved within their arrays only where nobody else can see these. A record says who may see them: `MAKER`,
the operation that allocated the arrays and said so (`Csr.new`); `MATRIX`, the one matrix that was given the record; `MATRICES`,
which multiply by it and hand out nothing; `ANYBODY`. It never goes back. Other records start at `ANYBODY`, and whoever reads
`matrix._csr` sets that, so code that hands out arrays has nothing to remember. Cost: after any such read, operations in place
write new arrays.

Until somebody may see them, values do not change either: whoever writes into them has read `matrix._csr`. So `by_column` may
hold what was made of the values. NumPy's and CuPy's arrays have no version that would tell of a change, and a comparison with a
copy reads as much as it saves.

`indices` is int32 where the number of columns fits, else int64. `indptr` is int32 where the numbers of entries and of columns
fit, else int64: as in SciPy, a wide matrix has two int64 arrays, however it was made. But `indices` stays int32 for 2**31
entries and more, which saves four bytes for each of them. Whoever makes a record chooses dtypes by the numbers of entries and
columns; the record itself sees to the offsets of wide matrices. Cost: a copy of the offsets of a matrix of 2**31 columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import INT32_MAX, finish_writing, index_dtype, may_be_spent, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.primitives.search import merge_path_tiles, segment_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, Shape

MAKER, MATRIX, MATRICES, ANYBODY = range(4)


class Csr:
    """A matrix in compressed sparse row form.

    `plans` holds what depends on `indptr` and `indices` alone (tile cuts, length statistics, column ranges): computed when
    first asked for, dropped with the record. Whoever changes the pattern makes a new record. `seen_by` says who may see
    `indices` and `data`; `by_column` is for `spmv_transposed`.
    """

    __slots__ = ("by_column", "data", "indices", "indptr", "plans", "seen_by", "shape")

    indptr: Array
    indices: Array
    data: Any  # an array; None where only the pattern counts
    shape: Shape
    plans: dict[Any, Any]
    seen_by: int
    by_column: Any

    def __init__(self, indptr: Array, indices: Array, data: Any, shape: Shape, plans: dict[Any, Any] | None = None) -> None:
        if shape[1] > INT32_MAX and indptr.dtype != np.int64:
            indptr = indptr.astype(np.int64)
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape
        self.plans = {} if plans is None else plans
        self.seen_by, self.by_column = ANYBODY, None

    @classmethod
    def new(cls, indptr: Array, indices: Array, data: Any, shape: Shape, plans: dict[Any, Any] | None = None) -> Csr:
        """Return a record whose maker has just allocated `indices` and `data`, and keeps no other reference to them."""
        csr = cls(indptr, indices, data, shape, plans)
        csr.seen_by = MAKER
        return csr

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what `pickle` makes an equal record from: no plans, which may hold functions."""
        return Csr, (*self.arrays, self.shape)

    @property
    def arrays(self) -> tuple[Array, Array, Any]:
        """`indptr`, `indices` and `data`."""
        return self.indptr, self.indices, self.data

    @property
    def xp(self) -> Any:
        """The library of the arrays: `numpy` or `cupy`."""
        return namespace_of(self.indptr)

    @property
    def backend(self) -> Any:
        """The kernels for the device of the arrays: `spark_csr._cpu` or `spark_csr._cuda`."""
        return backend_of(self.indptr)

    def share(self) -> Csr:
        """Let this record be seen by anybody from now on; return it."""
        self._check_offsets()
        self.seen_by, self.by_column = ANYBODY, None
        return self

    def lend(self) -> Csr:
        """Let this record be read by matrices that hand out none of its arrays; return it."""
        self._check_offsets()
        self.seen_by = max(self.seen_by, MATRICES)
        return self

    def _check_offsets(self) -> None:
        """Raise ValueError if whoever shares the offsets has written others, by which kernels would leave the arrays.

        All operations take a record by `share` or `lend`, so this is the place. One element is read, in 0.2 us; none on a GPU.
        The lengths of arrays do not change while a record holds them.
        """
        indptr = self.indptr
        if self.seen_by == ANYBODY and isinstance(indptr, np.ndarray) and indptr.item(-1) != self.indices.size:
            raise ValueError(
                f"indptr ends at {indptr[-1]}, but there are {self.indices.size} entries: others share its memory, and wrote "
                "there, as SciPy's eliminate_zeros and sum_duplicates do: use csr_array(matrix, copy=True)"
            )

    def by_rows(self) -> Csr:
        """Return this record, whose entries are by rows: `Coordinates` has the same method."""
        return self

    def is_seen_only_by(self, holder: int) -> bool:
        """Return whether `holder`, `MAKER` or `MATRIX`, may move entries within `indices` and `data`, which are NumPy's."""
        return self.seen_by == holder and may_be_spent(self.indices) and may_be_spent(self.data)

    def copy(self) -> Csr:
        """Return the same matrix in arrays of its own."""
        return Csr.new(*(x.copy() for x in self.arrays), self.shape)

    def copy_of_pattern(self) -> Csr:
        """Return the same values with the pattern in arrays of its own."""
        return Csr(self.indptr.copy(), self.indices.copy(), self.share().data, self.shape)

    def with_data(self, data: Any) -> Csr:
        """Return the same pattern, its plans included, with other values."""
        return Csr(self.indptr, self.share().indices, data, self.shape, self.plans)

    def as_dtype(self, dtype: Any) -> Csr:
        """Return the same pattern with values of a dtype: this record if they have it."""
        return self if self.data.dtype == dtype else self.with_data(self.data.astype(dtype))

    def plan(self, make: Callable[[Csr], Any]) -> Any:
        """Return `make(self)`, computed once. Two threads that come first at once compute the same; one result is kept.

        On a GPU this waits until the plan is written: later products may run on other streams.
        """
        found = self.plans.get(make)
        if found is not None:
            return found
        made = make(self)
        finish_writing(self.indptr)
        return self.plans.setdefault(make, made.share() if isinstance(made, Csr) else made)


def tiles(csr):
    """Return the cuts of the matrix into tiles of equal work; see `merge_path_tiles`."""
    return merge_path_tiles(csr.indptr, csr.indices.size)


def rows_of_entries(csr):
    """Return the row of every entry, in the dtype of a row's number."""
    return segment_ids(csr.indptr).astype(index_dtype(csr.shape[0]), copy=False)
