"""Where equal tiles of segments, or of the merge of two runs, begin: one binary search per tile, the same on every device.

Sources: Merrill & Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication*, SC16; Odeh, Green, Mwassi, Shmueli &
Birk, *Merge Path: Parallel Merging Made Simple*, 2012.
"""

from typing import NamedTuple

import numpy as np

from spark_csr._engine import njit
from spark_csr._shared.order import is_less


class Tiles(NamedTuple):
    """Equal cuts of the list "items of segment 0, its end, items of segment 1, its end, ...".

    `rows[t]` segments end before tile `t` begins; each tile takes `items` of the list's `entries` (the last one what is left).
    """

    rows: object
    items: int
    entries: int


@njit
def cut(tile, offsets, segments, items, rows):
    """Count the segments whose end comes before entry `tile * items` of the list."""
    base = np.int64(offsets[0])
    entry, entries = tile * items, np.int64(offsets[segments]) - base + segments
    entry = entry if entry < entries else entries
    low, high = np.int64(0), segments
    while low < high:
        middle = (low + high) >> 1
        if np.int64(offsets[middle + 1]) - base + middle < entry:
            low = middle + 1
        else:
            high = middle
    rows[tile] = low


@njit(forceinline=True)
def tile_bounds(tile, behind, rows, items, entries, base):
    """Return the first segment of the tiles before `behind`, from `tile` on, and the first that does not end in them, their
    first item and the one behind their last.

    `entries` is the length of the list; items are counted from `base` on.
    """
    row, last_row = np.uint64(rows[tile]), np.uint64(rows[behind])
    start, stop, entries = tile * np.uint64(items), behind * np.uint64(items), np.uint64(entries)
    stop = stop if stop < entries else entries  # each function that is called, such as min, is compiled for itself
    return row, last_row, base + start - row, base + stop - last_row


@njit(forceinline=True)
def split(a, a_start, a_length, b, b_start, b_length, diagonal):
    """Return how many of the first `diagonal` elements of the merge of two sorted runs come from `a`; ties are `a`'s first."""
    low = max(diagonal, b_length) - b_length
    high = min(diagonal, a_length)
    while low < high:
        middle = (low + high) >> 1
        if is_less(b[b_start + (diagonal - middle) - 1], a[a_start + middle]):
            high = middle
        else:
            low = middle + 1
    return low
