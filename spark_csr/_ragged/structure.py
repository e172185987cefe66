"""Lengths of lists, arrays of one level less, and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase

if TYPE_CHECKING:
    from spark_csr._types import Array, DTypeLike


class Levels(RaggedBase):
    """Lengths, levels and copies."""

    def counts(self, level: int = 0) -> Array:
        """Return the number of items that each list of a level holds.

        Parameters
        ----------
        level : int, default 0
            0 for the items of the array, 1 for the lists in them, up to `ndim - 2`. Negative numbers count from the end: -1 for
            the innermost lists.

        Returns
        -------
        (n,) array
            One count for each list of that level, in the order of the lists: int32 or int64, as the offsets.

        Raises
        ------
        ValueError
            If there is no such level.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[[1, 2, 3], [4, 5]], [], [[6]]])
        >>> R.counts(), R.counts(1)
        (array([2, 0, 1], dtype=int32), array([3, 2, 1], dtype=int32))
        """
        offsets = self.packed().offsets[self._level(level)]
        return offsets[1:] - offsets[:-1]

    def flatten(self, level: int | None = None) -> Any:
        """Remove a level of lists, and put what these lists hold in their place.

        Parameters
        ----------
        level : int, optional
            The level of offsets to remove: 0 joins the items, 1 the lists inside of each item, and so on. Default: all levels
            are removed.

        Returns
        -------
        Ragged or array
            A Ragged of one axis less. Where one axis is left, and by default, an array of the values. The values are shared.

        Raises
        ------
        ValueError
            If there is no such level.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[[1, 2, 3], [4, 5]], [], [[6]]])
        >>> R.flatten(0).to_lists(), R.flatten(1).to_lists(), R.flatten()
        ([[1, 2, 3], [4, 5], [6]], [[1, 2, 3, 4, 5], [], [6]], array([1, 2, 3, 4, 5, 6]))
        """
        values, offsets = self.packed().values, list(self.packed().offsets)
        if level is None:
            return values
        level = self._level(level)
        if level:
            offsets[level - 1] = offsets[level][offsets[level - 1]]
        del offsets[level]
        return self._of_packed(values, offsets) if offsets else values

    def copy(self) -> Self:
        """Return a packed copy whose values and offsets share no memory with this array.

        Returns
        -------
        Ragged
            An array with the same lists and values.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5], [2]])
        >>> S = R.copy()
        >>> S.values[0] = 7
        >>> R, S
        (Ragged([[6, 5], [2]], dtype=int64), Ragged([[7, 5], [2]], dtype=int64))
        """
        packed = self.packed()
        return self._of_packed(packed.values.copy(), [x.copy() for x in packed.offsets])

    def astype(self, dtype: DTypeLike) -> Self:
        """Return an array with the same lists and values of another dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype of the result.

        Returns
        -------
        Ragged
            A new array of values with the same lists; the offsets are shared.

        Raises
        ------
        TypeError
            If `dtype` is not one of the dtypes that a `Ragged` may have.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5], [2]]).astype("float32")
        Ragged([[6.0, 5.0], [2.0]], dtype=float32)
        """
        return self._with(as_array(self.packed().values.astype(dtype), "values", None))
