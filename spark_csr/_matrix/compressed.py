"""The index arrays of a matrix that is compressed by rows or by columns, and the order of its entries."""

from __future__ import annotations

import copy as copying
from typing import TYPE_CHECKING

from spark_csr._array import to_host_scalar
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form import build, canonical, check, convert, facts

if TYPE_CHECKING:
    from typing import Self

    from spark_csr._types import Array, ArrayLike


class Compressed(SparseArray):
    """Members of `csr_array` and `csc_array`: where one speaks of rows, the other speaks of columns."""

    @property
    def indptr(self) -> Array:
        """The offsets of the rows (of the columns of a `csc_array`): row `i` has the entries `indptr[i]:indptr[i+1]`.

        You can write into the array: the matrix is checked and follows when it is used next, see :doc:`/guide/memory`. Assign
        another array to replace it, which is copied: it is checked as the constructor checks it, when the arrays have lengths
        that fit.
        """
        return self._show(0)

    @indptr.setter
    def indptr(self, offsets: ArrayLike) -> None:
        if not self._has_handed_out(offsets, 0):
            self._replace(indptr=offsets)

    @property
    def indices(self) -> Array:
        """The column of every entry (the row in a `csc_array`).

        You can write into the array: the matrix is checked and follows when it is used next, see :doc:`/guide/memory`. Assign
        another array to replace it, which is copied: it is checked as the constructor checks it, when the arrays have lengths
        that fit.
        """
        return self._show(1)

    @indices.setter
    def indices(self, columns: ArrayLike) -> None:
        if not self._has_handed_out(columns, 1):
            self._replace(indices=columns)

    def _replace(self, **array):
        """Replace one array by another; index arrays are checked as the constructor checks them."""
        record, ((name, values),) = self._given, array.items()
        values = values if name == "data" else build.as_indices(values, name, self.device).copy()
        arrays = {"indptr": record.indptr, "indices": record.indices, "data": record.data, name: values}
        indptr, indices, data = arrays.values()
        fit = indices.size == data.size and not (indptr.size and to_host_scalar(indptr.ravel()[-1]) != data.size)
        self._set_arrays(convert.from_arrays, (indptr, indices, data), fit)

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the columns of every row ascend (in a `csc_array`: the rows of every column); duplicates are allowed.

        *Cost*: one pass over the index arrays the first time, then the answer is kept. It may be set, as in SciPy: True is
        believed, so a wrong True gives wrong results; False lets `sort_indices` sort.
        """
        return self._csr.plan(facts.has_sorted_columns)

    @has_sorted_indices.setter
    def has_sorted_indices(self, known: bool) -> None:
        self._csr = canonical.with_facts(self._csr, is_sorted=bool(known), is_canonical=None if known else False)

    def sort_indices(self) -> None:
        """Sort the entries of every row by column (in a `csc_array`: of every column by row), in place.

        Notes
        -----
        The sort is stable: duplicates stay in their order. *Cost*: nothing if the entries are sorted already.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array(([5, 4], [2, 0], [0, 2]))
        >>> A.sort_indices()
        >>> A.indices, A.data
        (array([0, 2], dtype=int32), array([4, 5]))
        """
        self._csr = canonical.sort_indices(self._csr)

    def sorted_indices(self) -> Self:
        """Return a copy with the entries of every row sorted by column (in a `csc_array`: of every column by row).

        Returns
        -------
        csr_array or csc_array
            A matrix of the same format. Duplicates stay in their order.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array(([5, 4], [2, 0], [0, 2]))
        >>> A.sorted_indices().indices
        array([0, 2], dtype=int32)
        """
        sorted_copy = copying.copy(self)
        sorted_copy._csr = canonical.sort_indices(self._csr)
        return sorted_copy if sorted_copy._csr is not self._csr else self.copy()

    def prune(self) -> None:
        """Do nothing; the method exists for compatibility with SciPy.

        The arrays have no spare room behind the last entry that could be given back. To drop entries by their magnitude, use
        `spark_csr.prune`.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).prune()
        """

    def check_format(self, full_check: bool = True) -> None:
        """Check that the arrays form a valid matrix.

        Parameters
        ----------
        full_check : bool, default True
            Whether to check every offset and every index. Otherwise only the lengths and dtypes of the arrays are checked.

        Raises
        ------
        ValueError
            If the arrays form no matrix. The message names the first offending value.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).check_format()
        """
        csr = self._csr
        with check.config(validate=bool(full_check)):
            check.pattern(csr.indptr, csr.indices, csr.data, csr.shape)
