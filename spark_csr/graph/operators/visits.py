"""Run a user's function in kernels, and collect what it accepts.

Design: a tile of visits writes the items that it selects from the tile's own position on, and how many they are; then the
results of all tiles are moved together. Their order is that of the visits, whatever the number of tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._operations.select.ranges import copy_range_values
from spark_csr.primitives._calls import INT64
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each_tile

if TYPE_CHECKING:
    from spark_csr._types import Array


def select_visits(
    visits: int, body: Any, dtype: np.dtype[Any], arrays: tuple[Any, ...], state: tuple[Any, ...], scratch: Any
) -> Array:
    """Return the items that `body(start, stop, *arrays, shift, counts, out, *state)` selects in so many visits.

    It writes them to `out` from `start` on, and their number to `counts[start >> shift]`. Cost: four launches and one host
    read. `scratch` is a list that keeps the last `out`.
    """
    return join_tiles(*run_visits(visits, body, dtype, arrays, state, scratch), scratch)


def run_visits(
    visits: int, body: Any, dtype: np.dtype[Any], arrays: tuple[Any, ...], state: tuple[Any, ...], scratch: Any
) -> tuple[Array, Array, int]:
    """Run the visits of `select_visits`; return `out` and `counts`, and the number of visits for each count."""
    xp, tile = namespace_of(arrays[0]), backend_of(arrays[0]).visit_tile_size(visits)
    out = _borrow(scratch, visits, dtype) if visits > tile > 1 else None
    if out is None:
        out = allocate_array(xp, visits, dtype, f"{visits} visits")
    counts = xp.empty(-(-visits // tile), INT64 if tile > 1 else np.uint8)
    if visits:
        for_each_tile(visits, body, *arrays, tile.bit_length() - 1, counts, out, *state)
    return out, counts, tile


def join_tiles(out: Array, counts: Array, tile: int, scratch: Any) -> Array:
    """Return the items that the tiles selected, one tile behind the other."""
    if not counts.size:
        return out
    if tile == 1:
        before = count_selected_before(counts)
        return join_flagged(out, counts, before, to_host_scalar(before[-1]))
    if counts.size == 1:
        return out[: to_host_scalar(counts[0])]
    joined = _join_beginnings(out, counts, tile)
    scratch[:] = [out]
    return joined


def _borrow(scratch, size, dtype):
    """Return an unused array of those in `scratch`, or None.

    On the cores, allocating fresh memory takes as long as the visits. On a GPU, CuPy keeps memory for reuse.
    """
    try:
        out = scratch.pop()
    except IndexError:
        return None
    return out if out.size >= size and out.dtype == dtype else None


def join_flagged(out: Array, flags: Array, before: Array, count: int) -> Array:
    """Return the items that tiles of one visit selected, by their flags and the number of flags `before` each."""
    chosen = namespace_of(out).empty(count, out.dtype)
    write_selected(by_width(out), flags, before, by_width(chosen))
    return chosen


def _join_beginnings(out, counts, tile):
    """Return the items at the beginnings of tiles, one tile behind the other."""
    offsets = scan_trusted_counts(counts)
    total = to_host_scalar(offsets[-1])
    starts = namespace_of(out).arange(0, counts.size * tile, tile)
    return copy_range_values(starts, offsets, total, out)
