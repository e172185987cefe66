"""Indexing by a ragged array of bools or of integers: values taken from every list."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.select.ranges import SUM
from spark_csr._ragged import take
from spark_csr._ragged.base import describe_difference
from spark_csr.primitives import _check
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.search import segment_ids_of_trusted
from spark_csr.primitives.sort import gather

FAR = 2**62
"""A position that is beyond the end of any list."""


def pick(ragged, key):
    """Return what a ragged array of bools selects, or one of integers takes, in each list of the axis that its values belong
    to.
    """
    same_device(ragged.values, key.values)
    depth = key.ndim - 1
    if key.ndim > ragged.ndim:
        raise IndexError(
            f"a ragged index cannot have more axes than the array: the index has {key.ndim}, the array has {ragged.ndim}"
        )
    if key.dtype.kind not in "biu":
        raise IndexError(f"a ragged index must hold integers or bools, got dtype {key.dtype}")
    if key.values.ndim > 1:
        raise IndexError(f"a ragged index must hold single integers or bools, got elements of shape {key.values.shape[1:]}")
    masks = key.dtype.kind == "b"
    differ = describe_difference(ragged, key, depth if masks else max(depth - 1, 0)) if depth or masks else None
    if differ:
        raise IndexError(f"a ragged index must have the lists of the array, but they differ: {differ}")
    packed, index = ragged.packed(), key.packed()
    outer, inner = packed.offsets[:depth], packed._of_packed(packed.values, packed.offsets[depth:])
    new = (_select if masks else _take_indexed)(inner, outer, index)
    return packed._of_packed(new[0].values, (*outer[:-1], *new[1], *new[0].packed().offsets))


def _select(inner, outer, mask):
    """Return the selected items, and the offsets of their lists if they are in lists."""
    flags = by_width(as_operand(mask.values))
    before = count_selected_before(flags)
    kept, xp = to_host_scalar(before[-1]), namespace_of(flags)
    if inner._items_are_numbers:
        values = xp.empty(kept, inner.dtype)
        write_selected(by_width(as_operand(inner.values)), flags, before, by_width(values))
        chosen = inner._of_packed(values, ())
    else:
        rows = xp.empty(kept, np.int64)
        write_selected(None, flags, before, rows)
        chosen = take.take_items(inner, rows)
    return chosen, [offsets_of_selected(flags, offsets, kept) for offsets in outer[-1:]]


def offsets_of_selected(flags, offsets, kept):
    """Return the offsets of lists that hold only the items whose flags (bytes) are not 0."""
    xp, n = namespace_of(flags), flags.size
    before = xp.zeros(n + 1, index_dtype(kept))
    if n:
        operands = flags, before[1:]
        backend_of(flags).scan(SUM, np.dtype(np.int64), n, ops.element, ops.store, operands, xp.empty(1, np.int64))
    return gather(before, offsets)


# The store of the flag must be the last statement, and the only one of its branch: else Numba counts references to every array
# for every value, which takes five times as long as the rest.
@njit
def _place(i, ids, offsets, index, places, flag):
    """Write the position of the item that index `i` selects in its list; every index out of range stores the same flag."""
    r = ids[i]
    start, stop, j = np.int64(offsets[r]), np.int64(offsets[r + 1]), np.int64(index[i])
    place = (start if j >= 0 else stop) + j
    wrong = (place < start) | (place >= stop)
    places[i] = place
    if wrong:
        flag[0] = True


@njit
def _take_place(i, ids, offsets, index, values, out, flag):
    """Do the same where items are values; there is at least one value."""
    r = ids[i]
    start, stop, j = np.int64(offsets[r]), np.int64(offsets[r + 1]), np.int64(index[i])
    place = (start if j >= 0 else stop) + j
    wrong = (place < start) | (place >= stop)
    out[i] = values[0 if wrong else place]
    if wrong:
        flag[0] = True


def as_signed(x):
    """Return `x` as int32 or int64, the dtypes that kernels are compiled for.

    A number that int64 does not hold is out of range in any case.
    """
    if x.dtype == np.uint64:
        x = namespace_of(x).minimum(x, np.uint64(FAR))
    return x if x.dtype == np.int32 else x.astype(np.int64, copy=False)


def _take_indexed(inner, outer, index):
    """Return the items at the given ranks, and the offsets of their lists if they are in lists."""
    xp, wanted = namespace_of(inner.values), as_signed(as_operand(index.values))
    lists = outer[-1] if outer else xp.asarray([0, len(inner)], dtype=np.int64)
    offsets = index.offsets[-1] if outer else xp.asarray([0, wanted.size], dtype=np.int64)
    ids = segment_ids_of_trusted(offsets, wanted.size)
    return take_from_lists(inner, lists, ids, wanted), [offsets for _ in outer[-1:]]


def take_from_lists(inner, lists, ids, wanted):
    """Return item `wanted[k]` of list `ids[k]`, for every k. The items of all lists are those of `inner`.

    An IndexError names the first index that is out of range.
    """
    if not inner._items_are_numbers:
        return take.take_items(inner, find_places(lists, ids, wanted, len(inner)))
    if wanted.size and not len(inner):
        raise _range_error(wanted, ids, lists[1:] - lists[:-1])
    xp, values = namespace_of(inner.values), as_operand(inner.values)
    out, flag = xp.empty(wanted.size, values.dtype), xp.zeros(1, bool)
    backend_of(out).for_each(wanted.size, _take_place, ids, lists, wanted, by_width(values), by_width(out), flag)
    if to_host_scalar(flag[0]):
        raise _range_error(wanted, ids, lists[1:] - lists[:-1])
    return inner._of_packed(out, ())


def find_places(lists, ids, wanted, total):
    """Return the position of item `wanted[k]` of list `ids[k]` among all `total` items, for every k."""
    if wanted.size and not total:
        raise _range_error(wanted, ids, lists[1:] - lists[:-1])
    xp = namespace_of(lists)
    out, flag = xp.empty(wanted.size, np.int64), xp.zeros(1, bool)
    backend_of(out).for_each(wanted.size, _place, ids, lists, wanted, out, flag)
    if to_host_scalar(flag[0]):
        raise _range_error(wanted, ids, lists[1:] - lists[:-1])
    return out


def _range_error(wanted, ids, counts):
    counts = counts[ids]
    at = _check.find_first_true((wanted < -counts) | (wanted >= counts))
    place, count = to_host_scalar(ids[at]), to_host_scalar(counts[at])
    return IndexError(f"index {to_host_scalar(wanted[at])} is out of range: list {place} holds {count} items")
