"""Items of a ragged array, as NumPy and awkward-array pick them."""

import operator

from spark_csr._array import to_host_scalar
from spark_csr.ragged.base import RaggedBase


class Selection(RaggedBase):
    """Indexing."""

    def __getitem__(self, key):
        return self._row(operator.index(key))._plain()

    def _row(self, i):
        """One item, a view."""
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range for a ragged array of {n} items")
        start, stop = (to_host_scalar(x) for x in self.offsets[0][i % n : i % n + 2])
        if self.ndim == 2:
            return self._of(self.values[start:stop], ())
        return self._of(self.values, (self.offsets[1][start : stop + 1], *self.offsets[2:]))

    def _plain(self):
        """An array of one axis as an array."""
        return self if self.offsets else self.values
