"""The arrays of a matrix while a user sets one after the other, of other lengths than before."""

from spark_csr._operations.form.shown import Lender, Shown


class Unfinished(Lender):
    """Arrays in place of the record of a matrix, which do not fit each other yet.

    They can be read and set. Whoever needs the record gets what `make` makes of the arrays, which raises ValueError if they
    still do not fit. Some arrays may be those of the record before.
    """

    __slots__ = ("_make", "_matrix", "arrays", "shape")

    def __init__(self, matrix, make, arrays, before):
        super().__init__(before.handed_out if isinstance(before, Lender) else ())
        self._matrix, self._make, self.arrays, self.shape = matrix, make, arrays, before.shape

    indptr = rows = property(lambda self: self.arrays[0])
    indices = property(lambda self: self.arrays[1])
    data = property(lambda self: self.arrays[2])

    def share(self):
        """Give the matrix its record, and return that, which may be seen by anybody."""
        record = self._make(*self.arrays, self.shape)
        self._matrix._csr = Shown(record, self.handed_out) if self.handed_out else record
        return self._matrix._csr

    lend = share

    def show(self, number):
        """Return an array in the memory of the first or the second index array, for a caller that hands it out."""
        return self.hand_out(self.arrays[number])
