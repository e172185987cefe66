"""The rows of a sparse matrix as a ragged array, and a ragged array as the pattern of a matrix."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Literal, Self

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import convert
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase, describe_difference, of_numbers, refuse_vectors

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike, Number


class Matrices(RaggedBase):
    """Conversion from and to matrices."""

    @classmethod
    def from_csr(cls, matrix: MatrixLike, array: Literal["data", "indices"] = "data") -> Self:
        """Return the rows of a sparse matrix as lists.

        Parameters
        ----------
        matrix : sparse matrix
            A `csr_array`, or any sparse matrix that `csr_array` takes.
        array : {"data", "indices"}, default "data"
            Whether the lists hold the values of the entries or their columns.

        Returns
        -------
        Ragged
            An array of two axes with one item for each row. It shares the arrays of a `csr_array`: values written into it
            change the matrix. Columns are read-only, as they are in the matrix.

        Raises
        ------
        TypeError
            If `matrix` is not a sparse matrix.
        ValueError
            If `array` is neither "data" nor "indices".

        Notes
        -----
        *Cost*: offsets and indices are copied and values are not; a matrix in another format is converted first. *Order*: the
        entries keep the order of the matrix.

        Examples
        --------
        >>> from spark_csr import Ragged, csr_array
        >>> A = csr_array([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]])
        >>> Ragged.from_csr(A), Ragged.from_csr(A, "indices")
        (Ragged([[1.0, 2.0], [], [3.0, 4.0]], dtype=float64), Ragged([[0, 2], [], [1, 2]], dtype=int32))
        """
        if not issparse(matrix):
            raise TypeError(
                f"from_csr takes a sparse matrix, got {type(matrix).__name__}: use csr_array(...) or Ragged.from_padded"
            )
        if array not in ("data", "indices"):
            raise ValueError(f"array must be 'data' or 'indices', got {array!r}")
        rows = matrix if isinstance(matrix, csr_array) else csr_array(matrix)
        csr = rows._csr
        return cls._of_packed(csr.data if array == "data" else csr.indices.copy(), (csr.indptr.copy(),))

    @of_numbers
    def to_csr(self, columns: int, data: Number | ArrayLike | RaggedBase | None = None) -> csr_array:
        """Return a matrix whose column indices are the values of this array: row `i` has an entry for each value of list `i`.

        Parameters
        ----------
        columns : int
            The number of columns of the matrix.
        data : scalar, array or Ragged, optional
            The values of the entries: one value for all entries, an array with one value for each entry, in the order of the
            values of this array, or a `Ragged` with the same lists. Default: 1.0.

        Returns
        -------
        csr_array
            A matrix that shares `data`, and has a copy of the values as its columns. Columns of a row may be unsorted, and may
            appear twice.

        Raises
        ------
        ValueError
            If the array does not have two axes, if a value is outside of `[0, columns)` (the message names the first), or if
            `data` has another length.
        TypeError
            If the values are not integers, or if `data` is on another device.

        Notes
        -----
        *Cost*: one pass that checks the columns. *Empty input*: a matrix without rows or without entries.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[0, 2], [], [1, 2]]).to_csr(3).toarray()
        array([[1., 0., 1.],
               [0., 0., 0.],
               [0., 1., 1.]])
        """
        if self.ndim != 2:
            raise ValueError(f"a matrix has two axes, but this array has {self.ndim}: use R.flatten(level)")
        if self.dtype.kind not in "iu":
            raise TypeError(f"columns must be integers, got dtype {self.dtype}: use R.astype(int)")
        packed = self.packed()
        data = _entries(packed, 1.0 if data is None else data)
        shape = len(self), operator.index(columns)
        return csr_array._of(convert.from_arrays(*packed.offsets, packed.values.copy(), data, shape))


def _entries(packed, data):
    """Return one value for each entry."""
    if isinstance(data, RaggedBase):
        same_depth = data.ndim == packed.ndim
        differ = describe_difference(packed, data) if same_depth else f"data has {data.ndim} axes instead of {packed.ndim}"
        if differ:
            raise ValueError(f"data must have the lists of the columns, but they differ: {differ}")
        refuse_vectors(data, "to_csr")
        return data.packed().values
    data = as_array(data, "data", None if is_array(data) else packed.device)
    return data if data.ndim else namespace_of(packed.values).full(packed.size, data, data.dtype)
