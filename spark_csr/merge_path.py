"""Where equal tiles of segments begin: one binary search per tile, the same on every device.

Source: Merrill & Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication*, SC16.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


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
    entry = min(np.int64(tile) * items, np.int64(offsets[segments]) - base + segments)
    low, high = np.int64(0), np.int64(segments)
    while low < high:
        middle = (low + high) >> 1
        if np.int64(offsets[middle + 1]) - base + middle < entry:
            low = middle + 1
        else:
            high = middle
    rows[tile] = low
