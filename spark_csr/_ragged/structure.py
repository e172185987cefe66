"""How long lists are, lists without a level, and copies."""

from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase


class Levels(RaggedBase):
    """Lengths, levels, copies."""

    def counts(self, level=0):
        """How many items each list of a level holds.

        Parameters
        ----------
        level : int
            0 for the items of the array, 1 for theirs, up to `ndim - 2`, or the same from the end: -1 for the innermost lists.

        Returns
        -------
        (n,) array
            One count for each list of that level, in the order of the values; int32, or int64 where it is needed.

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

    def flatten(self, level=None):
        """Join the lists of a level with those that hold them.

        Parameters
        ----------
        level : int, optional
            Which level of offsets goes: 0 joins the items, 1 the lists inside of each item, and so on; default: all.

        Returns
        -------
        Ragged or array
            Of one axis less; without axes to choose from, or by default, the array of all values. It shares the values.

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

    def copy(self):
        """The same array in memory of its own."""
        packed = self.packed()
        return self._of_packed(packed.values.copy(), [x.copy() for x in packed.offsets])

    def astype(self, dtype):
        """The same lists with values of another dtype."""
        return self._with(as_array(self.packed().values.astype(dtype), "values", None))
