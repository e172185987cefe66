"""What flows through operations: the three arrays of a CSR matrix, its shape, and what was found out about its pattern.

Design: entries may be moved within their arrays only where nobody else can see these. A record says who may see them: `MAKER`,
the operation that allocated the arrays and said so (`Csr.new`); `MATRIX`, the one matrix that was given the record; `ANYBODY`.
It never goes back. Other records start at `ANYBODY`, and whoever reads `matrix._csr` sets that, so code that hands out arrays
has nothing to remember. Cost: after any such read, operations in place write new arrays.
"""

from spark_csr._array import finish_writing, index_dtype, may_be_spent, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.primitives.search import merge_path_tiles, segment_ids

MAKER, MATRIX, ANYBODY = range(3)


class Csr:
    """A matrix in compressed sparse row form.

    `plans` holds what depends on `indptr` and `indices` alone (tile cuts, length statistics, column ranges): computed when
    first asked for, dropped with the record. Whoever changes the pattern makes a new record. `seen_by` says who may see
    `indices` and `data`.
    """

    __slots__ = ("data", "indices", "indptr", "plans", "seen_by", "shape")

    def __init__(self, indptr, indices, data, shape, plans=None):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape
        self.plans = {} if plans is None else plans
        self.seen_by = ANYBODY

    @classmethod
    def new(cls, indptr, indices, data, shape, plans=None):
        """Return a record whose maker has just allocated `indices` and `data`, and keeps no other reference to them."""
        csr = cls(indptr, indices, data, shape, plans)
        csr.seen_by = MAKER
        return csr

    @property
    def arrays(self):
        """`indptr`, `indices` and `data`."""
        return self.indptr, self.indices, self.data

    @property
    def xp(self):
        """The library of the arrays: `numpy` or `cupy`."""
        return namespace_of(self.indptr)

    @property
    def backend(self):
        """The kernels for the device of the arrays: `spark_csr._cpu` or `spark_csr._cuda`."""
        return backend_of(self.indptr)

    def share(self):
        """Let this record be seen by anybody from now on; return it."""
        self.seen_by = ANYBODY
        return self

    def by_rows(self):
        """Return this record, whose entries are by rows: `Coordinates` has the same method."""
        return self

    def is_seen_only_by(self, holder):
        """Return whether `holder`, `MAKER` or `MATRIX`, may move entries within `indices` and `data`, which are NumPy's."""
        return self.seen_by == holder and may_be_spent(self.indices) and may_be_spent(self.data)

    def copy(self):
        """Return the same matrix in arrays of its own."""
        return Csr.new(*(x.copy() for x in self.arrays), self.shape)

    def copy_of_pattern(self):
        """Return the same values with the pattern in arrays of its own."""
        return Csr(self.indptr.copy(), self.indices.copy(), self.share().data, self.shape)

    def with_data(self, data):
        """Return the same pattern, its plans included, with other values."""
        return Csr(self.indptr, self.share().indices, data, self.shape, self.plans)

    def plan(self, make):
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
