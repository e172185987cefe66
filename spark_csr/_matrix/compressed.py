"""The index arrays of a matrix that is compressed by rows or by columns, and the order of its entries."""

import copy as copying

from spark_csr._array import read_only
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form import build, canonical, check, convert, facts
from spark_csr._operations.select.in_place import drop_zeros


class Compressed(SparseArray):
    """What a `csr_array` says of its rows, a `csc_array` says of its columns."""

    @property
    def indptr(self):
        """Where each row (of a `csc_array`: column) begins; read-only, since plans are made of it. May be replaced."""
        return read_only(self._csr.indptr)

    @indptr.setter
    def indptr(self, offsets):
        self._replace(indptr=offsets)

    @property
    def indices(self):
        """The column (of a `csc_array`: row) of every entry; read-only. May be replaced."""
        return read_only(self._csr.indices)

    @indices.setter
    def indices(self, columns):
        self._replace(indices=columns)

    def _replace(self, **array):
        """Another pattern of as many entries, checked as the constructor's."""
        (name, values), csr = *array.items(), self._csr
        arrays = {"indptr": csr.indptr, "indices": csr.indices, name: build.as_array(values, name, self.device)}
        self._csr = convert.from_arrays(**arrays, data=csr.data, shape=csr.shape)

    @property
    def has_sorted_indices(self):
        """Whether the columns of every row ascend. *Cost*: one pass the first time, then kept.

        May be set, as in SciPy: True is believed, so that a wrong one gives wrong results; False lets `sort_indices` sort.
        """
        return self._csr.plan(facts.has_sorted_columns)

    @has_sorted_indices.setter
    def has_sorted_indices(self, known):
        self._csr = canonical.with_facts(self._csr, is_sorted=bool(known), is_canonical=None if known else False)

    @property
    def has_canonical_format(self):
        """Whether the columns of every row ascend and none appears twice. *Cost*: one pass the first time, then kept.

        May be set, as `has_sorted_indices`; True says that the columns of every row ascend too.
        """
        return self._csr.plan(facts.has_canonical_columns)

    @has_canonical_format.setter
    def has_canonical_format(self, known):
        self._csr = canonical.with_facts(self._csr, is_sorted=True if known else None, is_canonical=bool(known))

    def sort_indices(self):
        """Sort the entries of every row by column, in place; of one position, in the order they are in."""
        self._csr = canonical.sort_indices(self._csr)

    def sorted_indices(self):
        """A matrix with the entries of every row sorted by column."""
        sorted_copy = copying.copy(self)
        sorted_copy._csr = canonical.sort_indices(self._csr)
        return sorted_copy if sorted_copy._csr is not self._csr else self.copy()

    def sum_duplicates(self):
        """Sort the entries of every row, and sum those of one position in the order they are in; in place."""
        self._csr = canonical.sum_duplicates(self._csr)

    def eliminate_zeros(self):
        """Drop the entries that are zero, in place; NaN stays. No other thread may read the matrix meanwhile.

        Arrays that were handed out before, as `A.data` or `A.T`, keep their entries. *Cost*: one pass in the memory of the
        matrix, on the cores, if it made its arrays itself and has handed out none; else two passes, which write new arrays.
        """
        drop_zeros(self)

    def prune(self):
        """Nothing, as there never is room behind the last entry: here since SciPy's users call it. See `spark_csr.prune`."""

    def check_format(self, full_check=True):
        """ValueError where the arrays are no matrix: lengths; with `full_check` also that every index is within the shape."""
        csr = self._csr
        with check.config(validate=bool(full_check)):
            check.pattern(csr.indptr, csr.indices, csr.data, csr.shape)
