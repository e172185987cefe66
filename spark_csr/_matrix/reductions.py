"""Reductions of matrices: sums, means, counts."""

from spark_csr._matrix.axes import axis_of_record
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.reduce.sums import count_nonzeros, means, sums


class Reductions(SparseArray):
    """Reductions along an axis, or of everything.

    `axis` is None for all elements, 0 for every column, 1 for every row, the same from the end (-2, -1), or a tuple of these.
    Missing entries are zeros; entries of one position are summed first. The matrix is only read.
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
        return write_out(sums(self._csr, axis_of_record(self, axis), dtype), out)

    def mean(self, axis=None, dtype=None, out=None):
        """The mean of all elements, of every column, or of every row, missing ones included.

        Parameters, results, cost and order are those of `sum`, but that means of integers and bools are float64; summed first,
        then divided. ZeroDivisionError for the mean of nothing, as SciPy.
        """
        return write_out(means(self._csr, axis_of_record(self, axis), dtype), out)

    def count_nonzero(self, axis=None):
        """How many elements are not zero: of all, of every column, or of every row.

        Returns an array of the platform's integers, or one of them. Zeros that are stored do not count, see `nnz`; entries of
        one position are summed first, in a copy. *Cost*: one pass over the data.
        """
        return count_nonzeros(self._csr, axis_of_record(self, axis))

    def trace(self, offset=0):
        """The sum of the diagonal that begins `offset` columns to the right of the first; 0 outside of the matrix."""
        return self.diagonal(k=offset).sum()


def write_out(result, out):
    """Return `result`, or `out` with it."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(
            f"output parameter out has wrong dimensions: its shape is {out.shape}, that of the result {result.shape}"
        )
    out[...] = result
    return out
