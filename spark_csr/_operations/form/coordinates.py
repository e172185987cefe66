"""Entries by their coordinates, in the order in which they were given: what a `coo_array` holds that is made of coordinates.

Design: everything that is computed needs rows, so `by_rows` returns a record of the same entries, sorted by row and column,
with duplicates side by side in their order. Where each of them comes from depends on the coordinates alone and is found once;
the values are gathered at every call, because they may be written into in between. Cost: a stable sort the first time, later a
pass over the values. Entries that come by row and column are not moved: their record has the same values.
"""

from spark_csr._array import index_dtype
from spark_csr._operations.form import check, convert
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns
from spark_csr._operations.form.record import ANYBODY, rows_of_entries
from spark_csr.primitives.compact import compact
from spark_csr.primitives.sort import gather


class Coordinates:
    """The row, column and value of every entry, and the shape of the matrix; a vector is one row.

    It has the methods of `Csr` that do not depend on the order. The arrays of rows and columns are its own. They change
    only where `Shown` looks at them.
    """

    __slots__ = ("arranged", "data", "indices", "rows", "seen_by", "shape")

    def __init__(self, rows, indices, data, shape, arranged=None):
        self.rows, self.indices, self.data, self.shape = rows, indices, data, shape
        self.arranged = [] if arranged is None else arranged
        self.seen_by = ANYBODY

    @property
    def arrays(self):
        """The rows, the columns and the values."""
        return self.rows, self.indices, self.data

    def share(self):
        """Return this record: its arrays may be seen by anybody."""
        return self

    lend = share

    def copy(self):
        """Return the same entries in arrays of their own."""
        return Coordinates(*(x.copy() for x in self.arrays), self.shape)

    def copy_of_pattern(self):
        """Return the same values with coordinates in arrays of their own."""
        return Coordinates(self.rows.copy(), self.indices.copy(), self.data, self.shape, self.arranged)

    def with_data(self, data):
        """Return the same coordinates with other values."""
        return Coordinates(self.rows, self.indices, data, self.shape, self.arranged)

    def transpose(self):
        """Return the entries with rows and columns exchanged, in the same order, with values of their own."""
        return Coordinates(self.indices, self.rows, self.data.copy(), self.shape[::-1])

    def plan(self, make):
        """Return the plan of the record by rows: `make` reads its pattern only."""
        return self._arrange().plan(make)

    def has_canonical_order(self):
        """Return whether the entries come by row and column, and no position has two."""
        pattern = self._arrange()
        return pattern.data is None and pattern.plan(has_canonical_columns)

    def order(self):
        """Return the entry that each entry of `by_rows` comes from; None if they come in that order."""
        return self._arrange().data

    def by_rows(self):
        """Return the record of the same entries by row and column, with duplicates side by side in their order."""
        pattern = self._arrange()
        return pattern.with_data(self.data if pattern.data is None else gather(self.data, pattern.data))

    def sum_by_rows(self):
        """Return the record by rows with the duplicates summed, in new arrays."""
        return convert.from_checked_coo(self.rows, self.indices, self.data, self.shape)

    def sum_by_columns(self):
        """Return the record of the transpose by rows with the duplicates summed, in new arrays."""
        check.row_count(self.shape[1])
        return convert.from_checked_coo(self.indices, self.rows, self.data, self.shape[::-1])

    def without_zeros(self):
        """Return the entries whose value is not zero, in their order; NaN is kept."""
        nonzero = self.data != 0
        return Coordinates(*(compact(x, nonzero) for x in self.arrays), self.shape)

    def _arrange(self):
        """Return the pattern by rows, whose data says which entry each comes from; None if they come in that order."""
        if not self.arranged:
            self.arranged.append(convert.arrange(self.rows, self.indices, self.shape))
        return self.arranged[0]


def keep(rows, columns, data, shape=None):
    """Return the entries in the order given, checked; without `shape` it is the least that holds all of them.

    The coordinates are copied and the values are shared.
    """
    return hold(rows, columns, data, shape, copy=True)


def hold(rows, columns, data, shape, copy=False):
    """Return the same in the coordinates that are given, if their dtypes are right and no copy is asked for."""
    shape, data = convert.check_coordinates(rows, columns, data, shape)
    rows, columns = (x.astype(index_dtype(extent), copy=copy) for x, extent in zip((rows, columns), shape, strict=True))
    return Coordinates(rows, columns, data, shape)


def as_coordinates(csr):
    """Return the entries of a record by rows; if they are sorted, `by_rows` has nothing to do."""
    arranged = [csr.with_data(None)] if csr.plan(has_sorted_columns) else None
    return Coordinates(rows_of_entries(csr), csr.indices, csr.data, csr.shape, arranged)
