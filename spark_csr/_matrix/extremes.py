"""Reductions of matrices: extremes, and where they are."""

from spark_csr._matrix.axes import axis_of_record
from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.reduce.extreme_positions import find_extreme_position, find_extreme_positions
from spark_csr._operations.reduce.extremes import extreme, extremes


class Extremes(SparseArray):
    """The greatest and the least elements along an axis, or of all; `axis` as in `Reductions`. The matrix is only read."""

    def max(self, axis=None, out=None, *, explicit=False):
        """The greatest element of all, of every column, or of every row; NaN counts as the greatest.

        Parameters
        ----------
        axis : int, tuple of ints or None
            As in `sum`.
        out : None
            Is there since NumPy passes it.
        explicit : bool
            Of stored entries only; where there are none the result is 0.

        Returns
        -------
        coo_array of shape (n,) or (m,), or a scalar
            Of the dtype of the matrix; zeros are not stored. Complex numbers are ordered by real, then imaginary part.

        Raises
        ------
        ValueError
            Where there are no elements, for an axis as in `sum`, or if `out` is given.

        Notes
        -----
        *Cost*: one pass over the data (of columns: over the indices too), a few over the result; entries of one position are
        summed first, in a copy. *Order*: same bits every run. *Empty input*: ValueError.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, -2, -3]])
        >>> A.max(axis=1).toarray(), A.max(axis=0).toarray(), int(A.max())
        (array([ 2, -1]), array([1, 0, 2]), 2)
        """
        return self._extreme("max", axis, out, explicit)

    def min(self, axis=None, out=None, *, explicit=False):
        """The least element of all, of every column, or of every row; NaN counts as the least. All as in `max`."""
        return self._extreme("min", axis, out, explicit)

    def nanmax(self, axis=None, out=None, *, explicit=False):
        """`max` without NaN, which is the result only where there is nothing else."""
        return self._extreme("nanmax", axis, out, explicit)

    def nanmin(self, axis=None, out=None, *, explicit=False):
        """`min` without NaN, which is the result only where there is nothing else."""
        return self._extreme("nanmin", axis, out, explicit)

    def argmax(self, axis=None, out=None, *, explicit=False):
        """Where the greatest element is: the first of equals; NaN counts as the greatest.

        Parameters
        ----------
        axis, out
            As in `max`.
        explicit : bool
            Among stored entries only. A row or column without entries gives 0; of the whole matrix it is the position among
            the stored entries, in canonical order.

        Returns
        -------
        (n,) or (m,) array of the platform's integers, or an int
            Of the whole matrix: the position in the elements read row by row.

        Raises
        ------
        ValueError
            As `max`; of the whole matrix also where `explicit` finds no entries.

        Notes
        -----
        *Cost*: of rows five passes over arrays as long as the entries; of columns (of a `csc_array`: of rows) a transposition
        first. *Order*: exact. *Empty input*: ValueError. In SciPy a missing zero wins over NaN.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, 0, -3]])
        >>> A.argmax(axis=1), A.argmax()
        (array([2, 1]), 2)
        """
        return self._position("max", axis, out, explicit)

    def argmin(self, axis=None, out=None, *, explicit=False):
        """Where the least element is. All as in `argmax`."""
        return self._position("min", axis, out, explicit)

    def _extreme(self, op, axis, out, explicit):
        axis = axis_of_record(self, axis)
        _refuse(out, op)
        if axis is None:
            return extreme(self._csr, op, explicit)
        return FORMATS["coo"]._of(extremes(self._csr, axis, op, explicit), 1)

    def _position(self, op, axis, out, explicit):
        axis = axis_of_record(self, axis)
        _refuse(out, f"arg{op}")
        if axis is None:
            return find_extreme_position(rows_of(self), op, explicit)
        return find_extreme_positions(self._csr, axis, op, explicit)


def _refuse(out, name):
    if out is not None:
        raise ValueError(f"Sparse {name} does not support an 'out' parameter: its result may be sparse")
