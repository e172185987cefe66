"""The arrays of a matrix while a user sets one after the other, of other lengths than before."""


class Unfinished:
    """Arrays in place of the record of a matrix, which do not fit each other yet.

    They can be read and set. Whoever needs the record gets what `make` makes of the arrays, which raises ValueError if they
    still do not fit.
    """

    __slots__ = ("_make", "_matrix", "arrays", "shape")

    def __init__(self, matrix, make, arrays, shape):
        self._matrix, self._make, self.arrays, self.shape = matrix, make, arrays, shape

    indptr = rows = property(lambda self: self.arrays[0])
    indices = property(lambda self: self.arrays[1])
    data = property(lambda self: self.arrays[2])

    def share(self):
        """Give the matrix its record, and return that, which may be seen by anybody."""
        self._matrix._csr = self._make(*self.arrays, self.shape)
        return self._matrix._csr

    lend = share
