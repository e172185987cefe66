"""A record whose index arrays somebody else may write into, as users of SciPy do.

Design: what is found out about a pattern is kept, and NumPy's arrays do not tell when they change. So a matrix that hands out
its index arrays holds `Shown` around its record: the arrays are in no other record, and as long as the arrays that were handed
out live, the fingerprint of the memory is compared before each use. If it differs, the arrays are checked like those that a
constructor is given, and become another record. Products read the arrays themselves; all else gets a copy of the pattern, which
nobody changes. Cost: a pass over the index arrays when they are handed out, and one for each use until the first one after the
last of them is gone; the copy; and the plans of products, which are made again. What is written through an address alone is not
seen.
"""

import os
import sys
import threading
import weakref

import numpy as np

from spark_csr._array import HandedOut, goes_to_gpu
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import convert
from spark_csr._operations.form.coordinates import Coordinates, hold
from spark_csr._operations.form.record import ANYBODY, Csr


def _references(record):
    """Return how many references there are to the index array that has the most of them; each view of it is one."""
    return max(sys.getrefcount(record.arrays[0]), sys.getrefcount(record.arrays[1]))


OWN = _references(Csr(np.zeros(1, np.int32), np.zeros(0, np.int32), None, (0, 0)))
"""References to what one object alone holds, those of the call that counts them included."""

lock = threading.RLock()
"""Held while a matrix takes a `Shown`, while an array is handed out, and while it is noted that none is left."""


def _after_fork():
    """Reset the lock of a forked child, in which nobody would release it."""
    global lock
    lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Lender:
    """What has handed out arrays in the memory of its own, and knows which of them live."""

    __slots__ = ("handed_out",)

    def __init__(self, handed_out):
        self.handed_out = handed_out

    def held(self):
        """Return the memory of what was handed out and is still there."""
        return [memory for memory in (found() for found in self.handed_out) if memory is not None]

    def has_handed_out(self, x, number):
        """Return whether `x` is all of the first or the second index array: what `A.indices += 1` sets has been written."""
        memory, array = getattr(x, "base", None), self.arrays[number]
        return isinstance(memory, HandedOut) and memory.owner is array and x.size == array.size

    def hand_out(self, array):
        """Return an array in the memory of another."""
        held = self.held()
        memory = next((x for x in held if x.owner is array), None) or HandedOut(array)
        self.handed_out = tuple(map(weakref.ref, {*held, memory}))
        return memory.as_array()


class Shown(Lender):
    """`Csr` or `Coordinates` that others may see: for a matrix, which takes one of these by `share` or `lend`.

    `_whole` are the arrays that were handed out and the values, of which `_record` is made; `_mark` is what their fingerprints
    were then, or None if nobody can have changed them since; `_copy` is a record of what they held then.
    """

    __slots__ = ("_copy", "_mark", "_record", "_times", "_whole", "seen_by")

    def __init__(self, record, handed_out=()):
        super().__init__(handed_out)
        self._record, self._whole, self._copy, self.seen_by, self._times = record, record.arrays, None, ANYBODY, 0
        self._mark = self._fingerprints() if self.held() else None

    arrays = property(lambda self: self._whole)
    indptr = property(lambda self: self._record.indptr)
    rows = property(lambda self: self._record.rows)
    indices = property(lambda self: self._record.indices)
    data = property(lambda self: self._record.data)
    shape = property(lambda self: self._record.shape)

    def show(self, number):
        """Return an array in the memory of the first or the second index array, for a caller that hands it out."""
        with lock:
            if not self.held():
                self._own_arrays()
            if self._mark is None:
                self._mark = self._fingerprints()
            array = self.hand_out(self._whole[number])
            self._times += 1  # only now: who has read this number knows what was handed out before
            return array

    def share(self):
        """Return a record of what is in the arrays now, which does not change."""
        self._look()
        if self._mark is None:
            return self._record.share()
        if self._copy is None:
            self._copy = self._record.copy_of_pattern()
        return self._copy.share()

    def lend(self):
        """Return a record of what is in the arrays now, for matrices that hand out none of them."""
        self._look()
        return self._record.lend()

    def common(self):
        """Return this, or the record if nobody can change its arrays any more: for another matrix of the same arrays."""
        self._look()
        return self._record if self._mark is None else self

    def with_data(self, data):
        """Return the same arrays with other values. Do not look at them: the next use does."""
        return self._around(self._record.with_data(data))

    def follow(self, record):
        """Return a record that takes the place of this one. If it has the pattern that was shared last, it is put into the
        arrays that others have."""
        pattern = self._copy
        if (
            self._mark is None
            or pattern is None
            or record.arrays[0] is not pattern.arrays[0]
            or record.indices is not pattern.indices
        ):
            return record
        if record is pattern:
            return self
        made = self._around(type(pattern)(*self._record.arrays[:2], record.data, record.shape))
        made._copy = record
        return made

    def _around(self, record):
        """Return `Shown` around another record with the same index arrays, which remembers the same."""
        made = Shown(record)
        made.handed_out, made._mark, made._times = self.handed_out, self._mark, self._times
        return made

    def _own_arrays(self):
        """Let the arrays be in no other record, so that what is written into them changes this one alone."""
        plans = list(getattr(self._record, "plans", {}).items())
        facts = {make: found for make, found in plans if isinstance(found, bool)}
        del plans
        if isinstance(self._record, Csr):
            self._record.plans = {}  # kernels that were kept hold the arrays
        others = max(sys.getrefcount(self._record) - OWN, _references(self._record) - OWN - 1)  # `_whole` has them, too
        if others > 0 or _are_views(self._record):
            old = self._record
            self._record = type(old)(old.arrays[0].copy(), old.indices.copy(), old.data, old.shape)
            if isinstance(old, Coordinates):
                self._record.arranged = old.arranged
        self._whole = self._record.arrays
        if facts:
            self._record.plans = facts

    def _look(self):
        """Take another record if the arrays have changed; remember when nobody can change them any more."""
        if self._mark is None:
            return
        times, is_last, mark = self._times, not self.held(), self._fingerprints()
        if mark != self._mark:
            self._record, self._copy = _read_again(self._record, self._whole), None
            self._mark = mark
        if is_last:
            with lock:
                if times == self._times:
                    self._record, self._copy, self._mark = self._copy or self._record, None, None
                    self._whole = self._record.arrays

    def _fingerprints(self):
        """Return the fingerprints of the index arrays."""
        return tuple(hash(x.tobytes()) if goes_to_gpu(x) else backend_of(x).fingerprint(x) for x in self._whole[:2])


def _are_views(record):
    """Return whether the memory of one of the index arrays belongs to another object."""
    return any(x.base is not None or not x.flags.owndata for x in record.arrays[:2])


def _read_again(record, arrays):
    """Return a record of arrays, which some other was made of before; raise ValueError if they form no matrix now."""
    make = hold if isinstance(record, Coordinates) else convert.from_arrays
    return make(*arrays, record.shape)
