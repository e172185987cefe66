"""Select the largest elements of every segment.

Design: few elements are picked in one pass, with one thread for a segment, which inserts what is larger than the least element
it holds. Many elements are selected by sorting. On a GPU the threads of a warp wait for their longest segment, so elements are
picked from short segments only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.order import as_comparable, is_more
from spark_csr.primitives._check import count_of
from spark_csr.primitives.counts import offsets_from_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented_sort import check_sortable_segments, sort_segments
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike

FEW = 16
"""Up to this many elements are picked, more are sorted. In the worst case, ascending segments, picking loses from 32 on (two
cores of an EPYC of the Zen 4 generation, 2026-11)."""


@njit
def _pick(row, offsets, out_offsets, x, index):
    """Insert the positions of a segment one by one in descending order, and drop the least."""
    first, start = np.uint64(out_offsets[row]), np.uint64(offsets[row])
    kept = np.uint64(out_offsets[row + 1]) - first
    for rank in range(np.uint64(offsets[row + 1]) - start):
        position = start + rank
        value = x[position]
        slot = first + min(rank, kept)
        if rank >= kept:
            slot -= 1
            if not is_more(value, x[index[slot]]):
                continue
        while slot > first and is_more(value, x[index[slot - 1]]):
            index[slot] = index[slot - 1]
            slot -= 1
        index[slot] = position


@njit
def _take_first(i, offsets, out_offsets, segment, order, index):
    row = segment[i]
    index[i] = order[offsets[row] + (i - out_offsets[row])]


def segmented_topk(x: ArrayLike, offsets: ArrayLike, k: int) -> tuple[Array, Array, Array]:
    """Return the `k` largest elements of every segment, the largest first.

    Parameters
    ----------
    x : (n,) array
        The elements, of any real dtype.
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero and end before n.
    k : int
        The number of elements to select from each segment. Shorter segments give all their elements.

    Returns
    -------
    out_offsets : (m+1,) array
        The results of segment `i` are `values[out_offsets[i]:out_offsets[i+1]]`. The dtype is int32 if the total fits, else
        int64.
    values : (out_offsets[-1],) array of the dtype of `x`
        The largest elements.
    index : (out_offsets[-1],) int32 array (int64 for n >= 2**31)
        Their positions in `x`: `values == x[index]`.

    Raises
    ------
    ValueError
        If `k` is negative, if `offsets` decreases, starts below 0 or ends past n (the message names the position), or if `x`
        has other than one dimension.
    TypeError
        If `k` is not an integer, `x` is complex, a dtype is not supported, or devices are mixed.

    Notes
    -----
    *Order*: Equal elements are ordered by position. NaN count as smaller than every number, so they are taken last. *Cost*: The
    function makes a scan of the m counts. For k up to 16 it reads `x` once, with at worst k comparisons and moves for each
    element, if elements ascend. For larger k, and on a GPU for segments longer than 64 elements, it makes a `segmented_argsort`
    and gathers the results with their segments. On a GPU there are five host reads, or seven with the sort. *Scratch*: The
    counts. With the sort, an array like `x`, n positions and the segment of every result, besides the scratch memory of the
    sort. *Empty input*: The result is empty; an empty segment has no results.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_topk
    >>> segmented_topk(np.array([3, 1, 2, 9, 7, 8]), np.array([0, 3, 3, 5]), 2)
    (array([0, 2, 2, 4], dtype=int32), array([3, 2, 9, 7]), array([0, 2, 3, 4], dtype=int32))
    """
    k = count_of("k", k)
    x, offsets, start, stop = check_sortable_segments(x, offsets)
    xp, lengths = namespace_of(x), (offsets[1:] - offsets[:-1]).astype(np.int64)
    out_offsets = offsets_from_counts(xp.minimum(lengths, min(k, x.size)))
    index = xp.empty(to_host_scalar(out_offsets[-1]), index_dtype(x.size))
    if index.size and k <= FEW and backend_of(x).is_picking_faster(to_host_scalar(lengths.max())):
        for_each(lengths.size, _pick, offsets, out_offsets, as_comparable(x), index)
    elif index.size:
        _, order = sort_segments(x, offsets, start, stop, True, True)
        for_each(index.size, _take_first, offsets, out_offsets, segment_ids(out_offsets), order, index)
    return out_offsets, gather(x, index), index
