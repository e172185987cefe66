"""The canonical format: entries in order, without duplicates and, if asked for, without zeros."""

from __future__ import annotations

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.in_place import drop_zeros
from spark_csr._operations.form import canonical, facts


class Canonical(SparseArray):
    """What is asked and changed in place about the order of entries, duplicates and stored zeros."""

    @property
    def has_canonical_format(self) -> bool:
        """Whether the entries ascend by row and column (in a `csc_array` by column and row) and there are no duplicates.

        *Cost*: one pass over the index arrays the first time, then the answer is kept. It may be set, as in SciPy: True is
        believed, so a wrong True gives wrong results; False lets `sum_duplicates` sort. True also says that the entries are
        sorted.
        """
        return self._csr.plan(facts.has_canonical_columns)

    @has_canonical_format.setter
    def has_canonical_format(self, known: bool) -> None:
        self._csr = canonical.with_facts(self._csr, is_sorted=True if known else None, is_canonical=bool(known))

    def sum_duplicates(self) -> None:
        """Sort the entries by row and column (in a `csc_array` by column and row), and sum duplicates, in place.

        Notes
        -----
        *Cost*: nothing if the format is canonical; else a sort of the rows that need it, and a pass over the entries. *Order*:
        duplicates are summed in the order in which they are stored.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array(([1, 2, 3], [1, 0, 1], [0, 3]))
        >>> A.sum_duplicates()
        >>> A.indices, A.data
        (array([0, 1], dtype=int32), array([2, 4]))
        """
        self._csr = canonical.sum_duplicates(self._csr)

    def eliminate_zeros(self) -> None:
        """Drop the entries whose value is zero, in place.

        Notes
        -----
        NaN is kept. Arrays that were handed out before, as `A.data` or `A.T`, keep their entries. No other thread may read the
        matrix meanwhile. *Cost*: on cores, one pass within the memory of the matrix if the matrix made its arrays itself and
        has handed out none; else two passes, which write new arrays.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 2], [3, 0]])
        >>> A.data[1] = 0
        >>> A.eliminate_zeros()
        >>> A.nnz
        2
        """
        drop_zeros(self)
