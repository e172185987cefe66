"""Reductions of matrices: sums, means, extremes and where they are, counts."""

import operator

from spark_csr.methods.base import FORMATS, SparseArray, rows_of
from spark_csr.operations.extremes import extreme, extremes
from spark_csr.operations.positions import extreme_position, extreme_positions
from spark_csr.operations.reduce import counts_of_nonzeros, means, sums


class Reductions(SparseArray):
    """Reductions along an axis, or of everything.

    `axis` is None for all elements, 0 for every column, 1 for every row, the same from the end (-2, -1), or a tuple of these.
    Missing entries are zeros; entries of one place are summed first. The matrix is only read.
    """

    def sum(self, axis=None, dtype=None, out=None):
        """The sum of all elements, of every column, or of every row.

        Parameters
        ----------
        axis : int, tuple of ints or None
            Along which the sums run: 0 gives one sum for each column, 1 for each row, None the sum of all.
        dtype : dtype, optional
            Of the result; default: int64 or uint64 of integers and bools, else that of the matrix.
        out : array, optional
            Where the result goes, cast to its dtype; of the shape of the result.

        Returns
        -------
        (n,) or (m,) array, or a scalar
            Where the matrix is; on a GPU an array of no dimensions for a scalar.

        Raises
        ------
        ValueError
            For an axis that is out of range or given twice, or `out` of another shape.
        TypeError
            For an axis that is no integer, an unsupported dtype.

        Notes
        -----
        *Cost*: one pass over the data; of columns (of a `csc_array`: of rows) over the indices too, and the plan of the
        transposed product. Nothing is multiplied: NaN and infinities stay in their rows. *Order*: same bits every run;
        float16 is summed in float32. *Empty input*: 0.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 0, 3]])
        >>> A.sum(axis=1), A.sum(axis=0), int(A.sum())
        (array([3, 3]), array([1, 0, 5]), 6)
        """
        return delivered(sums(self._csr, self._along(axis), dtype), out)

    def mean(self, axis=None, dtype=None, out=None):
        """The mean of all elements, of every column, or of every row, missing ones included.

        Parameters, results, cost and order are those of `sum`, but that means of integers and bools are float64; summed first,
        then divided. ZeroDivisionError for the mean of nothing, as SciPy.
        """
        return delivered(means(self._csr, self._along(axis), dtype), out)

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
        *Cost*: one pass over the data (of columns: over the indices too), a few over the result; entries of one place are
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

    def count_nonzero(self, axis=None):
        """How many elements are not zero: of all, of every column, or of every row.

        Returns an array of the platform's integers, or one of them. Zeros that are stored do not count, see `nnz`; entries of
        one place are summed first, in a copy. *Cost*: one pass over the data.
        """
        return counts_of_nonzeros(self._csr, self._along(axis))

    def trace(self, offset=0):
        """The sum of the diagonal that begins `offset` columns to the right of the first; 0 outside of the matrix."""
        return self.diagonal(k=offset).sum()

    def _along(self, axis):
        """The axis of the record that is reduced, or None for both."""
        axis = reduced_axis(axis, self.ndim)
        return axis if axis is None or not self._transposed else 1 - axis

    def _extreme(self, op, axis, out, explicit):
        axis = refused_out(out, self._along(axis), op)
        if axis is None:
            return extreme(self._csr, op, explicit)
        return FORMATS["coo"]._of(extremes(self._csr, axis, op, explicit), 1)

    def _position(self, op, axis, out, explicit):
        axis = refused_out(out, self._along(axis), f"arg{op}")
        if axis is None:
            return extreme_position(rows_of(self), op, explicit)
        return extreme_positions(self._csr, axis, op, explicit)


def reduced_axis(axis, ndim):
    """0 or 1; None where all axes are reduced."""
    if axis is None:
        return None
    if isinstance(axis, tuple) and not axis:
        raise ValueError("sparse does not accept 0D axis (): use A.toarray() for a dense array, A.copy() for a sparse one")
    given = [as_integer(n, axis) for n in (axis if isinstance(axis, tuple) else (axis,))]
    if not all(-ndim <= n < ndim for n in given):
        raise ValueError(f"axis out of range for ndim: got {axis} for {ndim} dimension(s)")
    axes = {n % ndim for n in given}
    if len(axes) < len(given):
        raise ValueError(f"duplicate value in axis: got {axis}")
    return None if len(axes) == ndim else axes.pop()


def as_integer(n, axis):
    try:
        if not isinstance(n, bool):
            return operator.index(n)
    except TypeError:
        pass
    raise TypeError(f"axis must be an integer/tuple of ints, not {axis!r}")


def refused_out(out, axis, name):
    if out is not None:
        raise ValueError(f"Sparse {name} does not support an 'out' parameter: its result may be sparse")
    return axis


def delivered(result, out):
    """`result`, or `out` with it."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out dimensions do not match shape: the result has {result.shape}, out {out.shape}")
    out[...] = result
    return out
