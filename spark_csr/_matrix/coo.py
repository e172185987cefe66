"""`coo_array`: a matrix by the coordinates of its entries."""

import numpy as np

from spark_csr._array import read_only
from spark_csr._matrix import Methods
from spark_csr._matrix.base import read
from spark_csr._operations.form import canonical, facts
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.select.in_place import drop_zeros


class coo_array(Methods):
    """A sparse matrix or vector in coordinate form, as `A.tocoo()`, a row of a matrix, or its maximum along an axis give it.

    Entry `k` is `data[k]` at `coords[0][k], coords[1][k]`. Entries lie row by row: the row of each is written down when first
    asked for. Made from what `csr_array` takes; entries of one position are summed.
    """

    format = "coo"

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None, maxprint=None):
        self._csr, self.ndim = read(arg, shape, dtype, copy, device)
        if maxprint is not None:
            self.maxprint = maxprint

    def transpose(self, axes=None, copy=False):
        """The transpose, with values of its own. *Cost*: a stable sort of the entries by column."""
        mirrored = super().transpose(axes, copy)
        return mirrored if self.ndim == 1 else self._of(transpose(self._csr))

    @property
    def coords(self):
        """One index array for each axis; read-only."""
        columns = read_only(self._csr.indices)
        return (columns,) if self.ndim == 1 else (read_only(self._csr.plan(rows_of_entries)), columns)

    @property
    def row(self):
        """The row of every entry: 0 in a vector; read-only."""
        return read_only(self._csr.plan(rows_of_entries))

    @property
    def col(self):
        """The column of every entry; read-only."""
        return self.coords[-1]

    @property
    def has_canonical_format(self):
        """Whether the entries ascend by row and column, and no two have one position.

        May be set, as in SciPy: True is believed, so that a wrong one gives wrong results; False lets `sum_duplicates` sort.
        """
        return self._csr.plan(facts.has_canonical_columns)

    @has_canonical_format.setter
    def has_canonical_format(self, known):
        self._csr = canonical.with_facts(self._csr, is_sorted=True if known else None, is_canonical=bool(known))

    def sum_duplicates(self):
        """Sort the entries by row and column, and sum those of one position in the order they are in; in place."""
        self._csr = canonical.sum_duplicates(self._csr)

    def eliminate_zeros(self):
        """Drop the entries that are zero, in place; NaN stays. No other thread may read the matrix meanwhile.

        Arrays that were handed out before, as `A.data` or `A.T`, keep their entries. *Cost*: one pass in the memory of the
        matrix, on the cores, if it made its arrays itself and has handed out none; else two passes, which write new arrays.
        """
        drop_zeros(self)

    def _as_foreign(self, module, name, csr):
        rows = super()._as_foreign(module, name.replace("coo", "csr"), csr)
        if rows.dtype != np.float16:
            return rows.tocoo(copy=False)
        rows.data = rows.data.view(np.uint16)  # SciPy's coordinates hold float16, but refuse it when they are made
        entries = rows.tocoo(copy=False)
        entries.data = entries.data.view(np.float16)
        return entries
