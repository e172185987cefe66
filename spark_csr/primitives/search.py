"""Which segment does each item belong to? Load-balancing search, and the cuts that share segments out evenly.

Source: Baxter, *moderngpu*, 2013.
"""

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._shared.bisection import segment_of
from spark_csr._shared.merge_path import Tiles
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each


def merge_path_tiles(offsets, total=None, tile_items=None):
    """Cut segments into tiles of equal work, for kernels that go tile by tile.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; not checked.
    total : int, optional
        `offsets[-1] - offsets[0]`, where the caller knows it.
    tile_items : function, optional
        From the number of items and segment ends to how many a tile takes; default: what the backend reduces.

    Returns
    -------
    Tiles
        `rows` has one entry more than there are tiles; its dtype holds `n`.

    Notes
    -----
    *Cost*: a binary search per tile, one launch, two host reads unless `total` is given.
    """
    segments = offsets.size - 1
    if total is None:
        total = to_host_scalar(offsets[-1]) - to_host_scalar(offsets[0])
    entries = total + segments
    items = (tile_items or backend_of(offsets).tile_items)(entries)
    rows = namespace_of(offsets).empty(-(-entries // items) + 1, index_dtype(segments))
    if 0 < entries <= items:  # one tile: nothing to search for
        rows[:1], rows[1:] = 0, segments
    else:
        backend_of(offsets).cut_segments(offsets, segments, items, rows)
    return Tiles(rows, items, entries)


def segment_ids(offsets):
    """The segment of every item.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero.

    Returns
    -------
    (offsets[-1] - offsets[0],) array
        Of int32, or int64 for 2**31 segments and more.

    Raises
    ------
    ValueError, TypeError
        If offsets decrease, start below zero, reach 2**63 or are not integers.
    MemoryError
        If there is no room for the result: named with its size.

    Notes
    -----
    *Cost*: reads the offsets, writes the result once; two launches on a GPU, and one that checks; one host read. Scratch: the
    tiles' cuts. *Order*: exact. *Empty input*: segments without items appear in no entry; no segments, no entries.

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


def search_trusted(offsets, total, search="load_balance_search"):
    """Do as a checked search for offsets that this package made itself, of `total` items: nothing is checked, nothing read by
    the host."""
    xp, backend = namespace_of(offsets), backend_of(offsets)
    out = []
    if search != "local_index":
        out.append(allocate_array(xp, total, index_dtype(offsets.size - 1), f"the segments of {total} items"))
    if search != "segment_ids":
        out.append(allocate_array(xp, total, index_dtype(total), f"the ranks of {total} items"))
    if total:
        getattr(backend, search)(merge_path_tiles(offsets, total), offsets, *out)
    return tuple(out)


def segment_ids_of_trusted(offsets, total):
    """Return `segment_ids` of such offsets."""
    return search_trusted(offsets, total, "segment_ids")[0]


def local_index(offsets):
    """The rank of every item in its segment: 0, 1, 2, ... from each segment's start.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero.

    Returns
    -------
    (offsets[-1] - offsets[0],) array
        Of int32, or int64 for 2**31 items and more.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `segment_ids`.

    Notes
    -----
    *Cost*: as `segment_ids`. *Order*: exact. *Empty input*: as `segment_ids`.

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


def load_balance_search(offsets, k=None):
    """The segment of items and their rank in it.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero.
    k : (m,) integer array, optional
        Positions to look up, each in `[offsets[0], offsets[-1])`; default: every item in order.

    Returns
    -------
    segment : (m,) array
        Of int32, or int64 for 2**31 segments and more.
    rank : (m,) array
        Of int32, or int64 where positions do not fit: `k == offsets[segment] + rank`.

    Raises
    ------
    ValueError
        If offsets are malformed or an entry of `k` lies in no segment: named with its position.
    TypeError
        For what is not an integer array, or mixed devices.

    Notes
    -----
    *Cost*: for all items as `segment_ids`, with two results; for given ones a binary search each, one launch, one pass that
    checks `k`, and two host reads.
    *Order*: exact. *Empty input*: legal; empty segments are never returned.

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
