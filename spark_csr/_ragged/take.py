"""Copies of items of a ragged array: single items or ranges of them, in any order and any number of times.

Design: the lists that an item holds are neighbours on every level, so an item is one range on each of them. Ranges are copied
in one pass for each level, which divides lists and values among cores, not items. Offsets are shifted by as much as their item.
"""

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.select.ranges import Ranges, copy_range_values, expand_ranges
from spark_csr.primitives.search import segment_ids_of_trusted
from spark_csr.primitives.sort import gather


def take_items(ragged, rows):
    """Return some items, by their numbers (int64, within bounds).

    *Cost*: reads and writes the selected items, and on every level but the outermost also the item of each list. One host read
    for each level.
    """
    packed = ragged.packed()
    if not packed.offsets:
        return packed._of_packed(gather(packed.values, rows), ())
    outer, *inner = packed.offsets
    starts, bounds, total = expand_ranges(Ranges.of_rows(rows, outer))
    taken = _take_levels(packed.values, inner, starts, bounds, total)
    return packed._of_packed(taken[0], (bounds, *taken[1]))


def take_ranges(ragged, starts, bounds, total):
    """Return ranges of items, one behind the other.

    Range `r` begins at item `starts[r]` and becomes items `bounds[r]:bounds[r+1]`.

    *Cost*: as in `take_items`.
    """
    packed = ragged.packed()
    return packed._of_packed(*_take_levels(packed.values, packed.offsets, starts, bounds, total))


def _take_levels(values, levels, starts, bounds, total):
    """Return the values and offsets of ranges, level by level."""
    count, xp, moved = bounds.size - 1, namespace_of(values), []
    backend = backend_of(values)
    for level in levels:
        within = xp.empty(2 * count, level.dtype)
        backend.for_each(count, _bound, starts, bounds, level, within)
        new_starts, new_bounds, new_total = expand_ranges(Ranges.by_step(0, 2, count, within))
        ends = xp.zeros(total + 1, index_dtype(new_total))
        ids = segment_ids_of_trusted(bounds, total)
        backend.for_each(total, _move_end, ids, starts, bounds, level, new_starts, new_bounds, ends)
        moved.append(ends)
        starts, bounds, total = new_starts, new_bounds, new_total
    return copy_range_values(starts, bounds, total, values), moved


@njit
def _bound(i, starts, bounds, level, within):
    """Write the two bounds of what range `i` holds on the next level."""
    here, start = np.uint64(i), np.uint64(starts[i])
    length = np.uint64(bounds[here + 1]) - np.uint64(bounds[here])
    within[2 * here] = level[start]
    within[2 * here + 1] = level[start + length]


@njit
def _move_end(i, ids, starts, bounds, level, new_starts, new_bounds, ends):
    """Write where list `i` of the result ends: as far behind the new start of its range as behind the old one."""
    here, r = np.uint64(i), ids[i]
    source = np.uint64(starts[r]) + (here - np.uint64(bounds[r]))
    ends[here + 1] = np.uint64(level[source + 1]) - np.uint64(new_starts[r]) + np.uint64(new_bounds[r])
