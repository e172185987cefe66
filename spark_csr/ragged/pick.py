"""Values picked in every list, by a ragged array of bools or of integers."""

import numpy as np
from numba import njit

from spark_csr import ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.operations.ranges import SUM
from spark_csr.primitives import _check
from spark_csr.primitives.compact import kept_before, write_kept
from spark_csr.primitives.search import trusted_segment_ids
from spark_csr.primitives.sort import gather
from spark_csr.ragged import take
from spark_csr.ragged.base import difference

FAR = 2**62
"""Further than any list reaches."""


def picked(ragged, key):
    """What a ragged array of bools keeps, or one of integers picks, in each list of the axis that its values belong to."""
    same_device(ragged.values, key.values)
    depth = key.ndim - 1
    if key.ndim > ragged.ndim:
        raise IndexError(f"the ragged index has {key.ndim} axes, the array {ragged.ndim}: it may not have more")
    if key.dtype.kind not in "biu":
        raise IndexError(f"a ragged index must hold integers or bools, got dtype {key.dtype}")
    masks = key.dtype.kind == "b"
    differ = difference(ragged, key, depth if masks else max(depth - 1, 0)) if depth or masks else None
    if differ:
        raise IndexError(f"a ragged index must have the lists of the array: {differ}")
    packed, index = ragged.packed(), key.packed()
    outer, inner = packed.offsets[:depth], packed._of_packed(packed.values, packed.offsets[depth:])
    new = (_kept if masks else _indexed)(inner, outer, index)
    return packed._of_packed(new[0].values, (*outer[:-1], *new[1], *new[0].packed().offsets))


def _kept(inner, outer, mask):
    """The items that stay, and the offsets of their lists, where they are in lists."""
    flags = by_width(as_operand(mask.values))
    before = kept_before(flags)
    kept, xp = to_host_scalar(before[-1]), namespace_of(flags)
    if inner.ndim == 1:
        values = xp.empty(kept, inner.dtype)
        write_kept(by_width(as_operand(inner.values)), flags, before, by_width(values))
        chosen = inner._of_packed(values, ())
    else:
        rows = xp.empty(kept, np.int64)
        write_kept(None, flags, before, rows)
        chosen = take.items(inner, rows)
    return chosen, [kept_offsets(flags, offsets, kept) for offsets in outer[-1:]]


def kept_offsets(flags, offsets, kept):
    """The offsets of lists that hold only the items whose flags (bytes) are not 0."""
    xp, n = namespace_of(flags), flags.size
    before = xp.zeros(n + 1, index_dtype(kept))
    if n:
        operands = flags, before[1:]
        backend_of(flags).scan(SUM, np.dtype(np.int64), n, ops.element, ops.store, operands, xp.empty(1, np.int64))
    return gather(before, offsets)


@njit
def _place(i, ids, offsets, index, places, flag):
    """The item that index `i` means in its list. All that find one out of range store the same value."""
    here, r = np.uint64(i), np.uint64(ids[i])
    start = np.int64(offsets[r])
    count = np.int64(offsets[r + np.uint64(1)]) - start
    j = np.int64(index[here])
    if j < -count or j >= count:
        flag[0] = True
    places[here] = start + (j + count if j < 0 else j)


def _signed(x):
    """As int32 or int64, which kernels are compiled for; what int64 does not hold is too large in any case."""
    if x.dtype == np.uint64:
        x = namespace_of(x).minimum(x, np.uint64(FAR))
    return x if x.dtype == np.int32 else x.astype(np.int64, copy=False)


def _indexed(inner, outer, index):
    """The items that are picked, and the offsets of their lists, where they are in lists."""
    xp, wanted = namespace_of(inner.values), _signed(as_operand(index.values))
    lists = outer[-1] if outer else xp.asarray([0, len(inner)], dtype=np.int64)
    offsets = index.offsets[-1] if outer else xp.asarray([0, wanted.size], dtype=np.int64)
    places, flag, ids = xp.empty(wanted.size, np.int64), xp.zeros(1, bool), trusted_segment_ids(offsets, wanted.size)
    backend_of(places).for_each(wanted.size, _place, ids, lists, wanted, places, flag)
    if to_host_scalar(flag[0]):
        counts = (lists[1:] - lists[:-1])[ids]
        at = _check.first_true((wanted < -counts) | (wanted >= counts))
        place, count = to_host_scalar(ids[at]), to_host_scalar(counts[at])
        raise IndexError(f"index {to_host_scalar(wanted[at])} is out of range: list {place} holds {count} items")
    return take.items(inner, places), [offsets for _ in outer[-1:]]
