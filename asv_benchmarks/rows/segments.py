"""Segmented primitives on segments of 1, 4, 16, ... items up to all of them: the same bandwidth everywhere is wanted."""

import functools

import numpy as np

from rows import once, sized
from timing import Row

PRIMITIVES = "segment_ids", "segmented_scan", "segmented_reduce", "repeat", "segmented_sort"


def rows(options):
    """A row for each primitive and length, of four million items."""
    items = sized(options, 1 << 22)
    lengths = [4**k for k in range(20) if 4**k < items] + [items]
    for name in PRIMITIVES:
        for length in lengths:
            operands = once(functools.partial(_operands, name, items, length))
            yield Row(f"{name}, segments of {length:,}", name, operands, None, lambda *_: 8 * items, without=("numpy",))


def _operands(name, items, length):
    x = np.random.default_rng(0).random(items)
    offsets = np.minimum(np.arange(-(-items // length) + 1) * length, items).astype(np.int32)
    counts = np.diff(offsets)
    return {"segment_ids": (offsets,), "repeat": (x[: counts.size], counts)}.get(name, (x, offsets))
