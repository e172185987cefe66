"""What flows through operations: the three arrays of a CSR matrix, its shape, and what was found out about its pattern."""

from spark_csr._array import index_dtype
from spark_csr.primitives.search import merge_path_tiles, segment_ids


class Csr:
    """A matrix in compressed sparse row form.

    `plans` holds what depends on `indptr` and `indices` alone (tile cuts, length statistics, column ranges): computed when
    first asked for, dropped with the record. Whoever changes the pattern makes a new record.
    """

    __slots__ = ("data", "indices", "indptr", "plans", "shape")

    def __init__(self, indptr, indices, data, shape, plans=None):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape
        self.plans = {} if plans is None else plans

    @property
    def arrays(self):
        return self.indptr, self.indices, self.data

    def copy(self):
        """The same matrix in arrays of its own."""
        return Csr(*(x.copy() for x in self.arrays), self.shape)

    def copy_of_pattern(self):
        """The pattern in arrays of its own, with the same values."""
        return Csr(self.indptr.copy(), self.indices.copy(), self.data, self.shape)

    def with_data(self, data):
        """The same pattern, its plans included, with other values."""
        return Csr(self.indptr, self.indices, data, self.shape, self.plans)

    def plan(self, make):
        """`make(self)`, computed once. Two threads that come first at once compute the same; one result is kept."""
        found = self.plans.get(make)
        return self.plans.setdefault(make, make(self)) if found is None else found


def tiles(csr):
    """The cuts of the matrix into tiles of equal work; see `merge_path_tiles`."""
    return merge_path_tiles(csr.indptr, csr.indices.size)


def rows_of_entries(csr):
    """The row of every entry, in the dtype of a row's number."""
    return segment_ids(csr.indptr).astype(index_dtype(csr.shape[0]), copy=False)
