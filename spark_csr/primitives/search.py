"""Find the segment of each item by load-balancing search, and cut segments into tiles of equal work.

Source: Baxter, *moderngpu*, 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.bisection import segment_of
from spark_csr._shared.merge_path import Tiles
from spark_csr._shared.visits import write_both, write_rank, write_segment
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike

_WRITES = {"segment_ids": write_segment, "local_index": write_rank, "load_balance_search": write_both}
"""What each search writes for an item."""


def merge_path_tiles(offsets: Array, total: int | None = None, tile_size: int | None = None) -> Tiles:
    """Cut segments into tiles of equal work, for kernels that go tile by tile.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets are not checked.
    total : int, optional
        `offsets[-1] - offsets[0]`, if the caller knows it.
    tile_size : function, optional
        A function of the number of items and segment ends that returns the tile size. The default is the backend's tile size
        for reductions.

    Returns
    -------
    Tiles
        `rows` has one element more than there are tiles; its dtype holds `n`.

    Notes
    -----
    *Cost*: There is a binary search for each tile. On a GPU there are one launch, and two host reads unless `total` is given.
    """
    segments = offsets.size - 1
    if total is None:
        total = to_host_scalar(offsets[-1]) - to_host_scalar(offsets[0])
    entries = total + segments
    items = (tile_size or backend_of(offsets).tile_size)(entries)
    rows = namespace_of(offsets).empty(-(-entries // items) + 1, index_dtype(segments))
    if 0 < entries <= items:  # one tile: nothing to search for
        rows[:1], rows[1:] = 0, segments
    else:
        backend_of(offsets).cut_segments(offsets, segments, items, rows)
    return Tiles(rows, items, entries)


def segment_ids(offsets: ArrayLike) -> Array:
    """Return the segment of every item.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero.

    Returns
    -------
    (offsets[-1] - offsets[0],) array
        The segment of every item, of dtype int32, or int64 for 2**31 segments and more.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below zero, reaches 2**63 or is empty.
    TypeError
        If `offsets` is not an integer array.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: The function reads the offsets and writes the result once. On a GPU it makes two launches, one launch that checks
    and one host read. Scratch memory holds the cuts between tiles. *Order*: The result is exact. *Empty input*: Segments
    without items do not occur in the result; without items the result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segment_ids
    >>> segment_ids(np.array([0, 3, 4, 4, 6]))
    array([0, 0, 0, 1, 3, 3], dtype=int32)
    """
    return _search_every_item(offsets, "segment_ids")[0]


def _search_every_item(offsets, search):
    """Return what a search of the backend finds for every item."""
    offsets, start, stop = _check.offsets("offsets", offsets)
    return search_trusted(offsets, stop - start, search)


def search_trusted(offsets: Array, total: int, search: str = "load_balance_search") -> tuple[Array, ...]:
    """Search for the segments of `total` items in offsets that this package made: nothing is checked or read by the host."""
    xp, out = namespace_of(offsets), []
    if search != "local_index":
        out.append(allocate_array(xp, total, index_dtype(offsets.size - 1), f"the segments of {total} items"))
    if search != "segment_ids":
        out.append(allocate_array(xp, total, index_dtype(total), f"the ranks of {total} items"))
    if total:
        backend_of(offsets).visit_items(_WRITES[search], merge_path_tiles(offsets, total), offsets, tuple(out))
    return tuple(out)


def segment_ids_of_trusted(offsets: Array, total: int) -> Array:
    """Return `segment_ids` of offsets that this package made itself."""
    return search_trusted(offsets, total, "segment_ids")[0]


def local_index(offsets: ArrayLike) -> Array:
    """Return the rank of every item in its segment: 0, 1, 2, ... from the start of each segment.

    Parameters, result and exceptions are those of `segment_ids`, but ranks are int64 for 2**31 items and more.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import local_index
    >>> local_index(np.array([0, 3, 4, 4, 6]))
    array([0, 1, 2, 0, 0, 1], dtype=int32)
    """
    return _search_every_item(offsets, "local_index")[0]


@njit
def _find(i, offsets, segments, positions, segment, rank):
    position = np.int64(positions[i])
    found = segment_of(offsets, segments, position)
    segment[i] = found
    rank[i] = position - np.int64(offsets[found])


def load_balance_search(offsets: ArrayLike, k: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return the segment of each item that is looked up, and the rank of the item in its segment.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero.
    k : (m,) integer array, optional
        The positions to look up, each in `[offsets[0], offsets[-1])`. By default every item is looked up, in order.

    Returns
    -------
    segment : (m,) array
        The segment of every item, of dtype int32, or int64 for 2**31 segments and more.
    rank : (m,) array
        The rank of every item, with `k == offsets[segment] + rank`. The dtype is int32, or int64 if positions do not fit it.

    Raises
    ------
    ValueError
        If `offsets` is malformed, or an element of `k` lies in no segment. The message names its position.
    TypeError
        If `offsets` or `k` is not an integer array, or devices are mixed.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: For all items the cost is that of `segment_ids`, with two results. For given positions there is a binary search for
    each, and one pass that checks `k`. On a GPU there are one launch and two host reads. *Order*: The result is exact. *Empty
    input*: Without items the results are empty; empty segments are never returned.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import load_balance_search
    >>> load_balance_search(np.array([0, 3, 4, 4, 6]), np.array([5, 0]))
    (array([3, 0], dtype=int32), array([1, 0], dtype=int32))
    """
    if k is None:
        return _search_every_item(offsets, "load_balance_search")
    same_device(offsets, k)
    offsets, start, stop = _check.offsets("offsets", offsets)
    k = as_operand(_check.integers("k", k))
    at = _check.find_first_true((k < start) | (k >= stop))
    if at is not None:
        raise ValueError(f"k must lie in [offsets[0], offsets[-1]), got k[{at}] = {to_host_scalar(k[at])}")
    xp = namespace_of(offsets)
    segment = xp.empty(k.size, index_dtype(offsets.size - 1))
    rank = xp.empty(k.size, index_dtype(stop))
    for_each(k.size, _find, offsets, offsets.size - 1, k, segment, rank)
    return segment, rank
