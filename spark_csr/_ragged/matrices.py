"""The rows of a sparse matrix as a ragged array, and a ragged array as the pattern of a matrix."""

import operator

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import convert
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase, describe_difference


class Matrices(RaggedBase):
    """Matrices in and out."""

    @classmethod
    def from_csr(cls, matrix, array="data"):
        """The rows of a sparse matrix, a list each.

        Parameters
        ----------
        matrix : sparse matrix
            A `csr_array`, or whatever that takes of sparse matrices.
        array : {"data", "indices"}
            The lists of the entries' values, or of their columns.

        Returns
        -------
        Ragged
            Of two axes, one item for each row. It shares the arrays of a `csr_array`: values written into it are those of the
            matrix. Columns are read-only, as the matrix's.

        Raises
        ------
        TypeError
            For what is no sparse matrix.
        ValueError
            For another `array`.

        Notes
        -----
        *Cost*: nothing is copied; another form of matrix is converted first. *Order*: entries as the matrix has them.

        Examples
        --------
        >>> from spark_csr import Ragged, csr_array
        >>> A = csr_array([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]])
        >>> Ragged.from_csr(A), Ragged.from_csr(A, "indices")
        (Ragged([[1.0, 2.0], [], [3.0, 4.0]], dtype=float64), Ragged([[0, 2], [], [1, 2]], dtype=int32))
        """
        if not issparse(matrix):
            raise TypeError(f"from_csr takes a sparse matrix, got {type(matrix).__name__}: see csr_array, Ragged.from_padded")
        if array not in ("data", "indices"):
            raise ValueError(f"array must be 'data' or 'indices', got {array!r}")
        rows = matrix if isinstance(matrix, csr_array) else csr_array(matrix)
        return cls._of_packed(getattr(rows, array), (rows._csr.indptr,))

    def to_csr(self, columns, data=None):
        """The matrix whose rows have entries in the columns that this array lists.

        Parameters
        ----------
        columns : int
            How many columns the matrix has.
        data : scalar, array or Ragged, optional
            The entries' values: one for all, one each in the order of the values, or of the same lists; default: 1.0.

        Returns
        -------
        csr_array
            It shares the offsets and values of this array, where they have a matrix's dtypes (int32 where that holds the number
            of columns), and `data`: do not write into the values then. Columns of a row may be unsorted, or appear twice.

        Raises
        ------
        ValueError
            For other than two axes, values outside of `[0, columns)` (the first is named), data of another length.
        TypeError
            For values that are no integers, and mixed devices.

        Notes
        -----
        *Cost*: one pass that checks the columns. *Empty input*: legal.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[0, 2], [], [1, 2]]).to_csr(3).toarray()
        array([[1., 0., 1.],
               [0., 0., 0.],
               [0., 1., 1.]])
        """
        if self.ndim != 2:
            raise ValueError(f"a matrix has two axes, this array {self.ndim}: use R.flatten(level)")
        if self.dtype.kind not in "iu":
            raise TypeError(f"columns must be integers, got dtype {self.dtype}")
        packed = self.packed()
        data = _entries(packed, 1.0 if data is None else data)
        return csr_array._of(convert.from_arrays(*packed.offsets, packed.values, data, (len(self), operator.index(columns))))


def _entries(packed, data):
    """A value for each entry."""
    if isinstance(data, RaggedBase):
        differ = "their depth" if data.ndim != packed.ndim else describe_difference(packed, data)
        if differ:
            raise ValueError(f"data must have the lists of the columns, but they differ: {differ}")
        return data.packed().values
    data = as_array(data, "data", None if is_array(data) else packed.device)
    return data if data.ndim else namespace_of(packed.values).full(packed.size, data, data.dtype)
