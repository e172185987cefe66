"""Some entries of a matrix, in their order: one stable compaction, out of which the new `indptr` comes too."""

import functools

import numpy as np

from spark_csr._array import by_width, index_dtype, may_be_spent, namespace_of, trimmed
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import Csr

ALL = 2**64 - 1


@functools.lru_cache(64)
def above(limit=0, mask=ALL, shift=0, width=ALL):
    """The test `((number & mask) + shift) & width > limit` of an unsigned number, as kernels take it; by itself: not zero.

    That is a comparison of magnitudes in every real dtype, so kernels know widths only: floats without their sign bit are
    in the order of their magnitudes, with NaN above all; `abs(a) > t` of a signed integer is `a + t > 2 * t` in unsigned
    arithmetic.
    """
    return tuple(np.uint64(part) for part in (mask, shift, width, limit))


def keep(csr, mask):
    """The entries that a mask (bool, one for each entry) selects.

    *Cost*: two reads of the mask, one of the matrix, one write of the result; five launches on a GPU, one host read.
    """
    return passing(csr, mask, above())


def passing(csr, tested, test, spend=False):
    """The entries whose element of `tested` (of up to eight bytes), seen as an unsigned number, passes.

    With `spend`, nobody else sees the arrays of `csr`: where their memory is their own, the entries stay in it, and `csr` is no
    matrix any more.
    """
    if not csr.indices.size:
        return csr
    xp, backend, tested = namespace_of(csr.data), backend_of(csr.data), by_width(tested)
    spend = spend and may_be_spent(csr.indices) and may_be_spent(csr.data)
    before = xp.empty(backend.keep_tiles(tested.size) + 1, np.int64)
    room = backend.room_to_keep(tested, test, before, spend)
    indptr, indices, data = xp.empty(csr.indptr.size, index_dtype(room)), csr.indices, csr.data
    if not spend or room < data.size:
        indices, data = xp.empty(room, indices.dtype), xp.empty(room, data.dtype)
    kept = backend.keep(tested, test, csr.indptr, csr.indices, by_width(csr.data), before, indptr, indices, by_width(data))
    indptr = indptr.astype(index_dtype(kept), copy=False)
    return Csr(indptr, trimmed(indices, kept), trimmed(data, kept), csr.shape)
