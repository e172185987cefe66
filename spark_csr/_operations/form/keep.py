"""Some entries of a matrix, in their order: one stable compaction, out of which the new `indptr` comes too."""

import functools

import numpy as np

from spark_csr._array import by_width, index_dtype, to_host_scalar, trim
from spark_csr._operations.form.record import MAKER, Csr

ALL = 2**64 - 1


@functools.lru_cache(64)
def make_test(limit=0, mask=ALL, shift=0, width=ALL):
    """Return the test `((number & mask) + shift) & width > limit` of an unsigned number, as kernels take it; by default: not
    zero.

    That is a comparison of magnitudes in every real dtype, so kernels know widths only: floats without their sign bit are
    in the order of their magnitudes, with NaN above all; `abs(a) > t` of a signed integer is `a + t > 2 * t` in unsigned
    arithmetic.
    """
    return tuple(np.uint64(part) for part in (mask, shift, width, limit))


def select_entries(csr, mask):
    """Return the entries that a mask (bool, one for each entry) selects.

    *Cost*: two reads of the mask, one of the matrix, one write of the result; three launches on a GPU, one host read.
    """
    return select_passing(csr, mask, make_test())


def select_passing(csr, tested, test, spend=False):
    """Return the entries whose element of `tested` (of up to eight bytes), seen as an unsigned number, passes the test.

    `spend`: the caller needs `csr` no more. Its arrays are then used again if it was made by `Csr.new` and nobody took them.
    """
    if not csr.indices.size:
        return csr
    if spend and csr.is_seen_only_by(MAKER):
        indptr = allocate_offsets(csr)
        move_to_front(csr, tested, test, indptr)
        return take_front(csr, indptr)
    xp, backend, tested = csr.xp, csr.backend, by_width(tested)
    before = xp.empty(backend.keep_tiles(tested.size) + 1, np.int64)
    backend.count_selected_entries(tested, test, before)
    kept = to_host_scalar(before[-1])
    indptr = xp.empty(csr.indptr.size, index_dtype(kept))
    indices, data = xp.empty(kept, csr.indices.dtype), xp.empty(kept, csr.data.dtype)
    backend.keep(tested, test, csr.indptr, csr.indices, by_width(csr.data), before, indptr, indices, by_width(data))
    return Csr.new(indptr, indices, data, csr.shape)


UNWRITTEN = -1
"""The last of some offsets before these are known."""


def allocate_offsets(csr):
    """Allocate the offsets of what is left of the rows; the last one says that they are not written yet."""
    indptr = np.empty_like(csr.indptr)
    indptr[-1] = UNWRITTEN
    return indptr


def move_to_front(csr, tested, test, indptr):
    """Move the entries that pass to the front of the same arrays, and write where their rows begin."""
    csr.backend.keep_in_place(by_width(tested), test, csr.indptr, csr.indices, by_width(csr.data), indptr)


def take_front(csr, indptr):
    """Return the record of the entries in front; the memory behind them is given back."""
    kept = to_host_scalar(indptr[-1])
    indptr = indptr.astype(index_dtype(kept), copy=False)
    return Csr.new(indptr, trim(csr.indices, kept), trim(csr.data, kept), csr.shape)
