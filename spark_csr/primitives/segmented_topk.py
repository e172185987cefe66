"""The largest elements of every segment.

Design: a few are picked out in one pass by one thread for a segment, which inserts what is larger than the least it holds;
many, by sorting. On a GPU the threads of a warp wait for their longest segment, so there short ones only are picked from.
"""

import operator

import numpy as np

from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._shared.order import comparable, more
from spark_csr.primitives.counts import offsets_from_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented_sort import check_sortable_segments, sort_segments
from spark_csr.primitives.sort import gather

FEW = 16
"""Elements that are picked out rather than sorted: ascending segments, the worst case, lose from 32 on (two cores of an EPYC of
the Zen 4 generation, 2026-11)."""


@njit
def _pick(row, offsets, out_offsets, x, index):
    """Insert the positions of a segment one by one where they belong; the least falls out."""
    one = np.uint64(1)
    first, start = np.uint64(out_offsets[row]), np.uint64(offsets[row])
    kept = np.uint64(np.uint64(out_offsets[row + 1]) - first)
    for rank in range(np.uint64(np.uint64(offsets[row + 1]) - start)):
        position = np.uint64(start + np.uint64(rank))
        value = x[position]
        slot = np.uint64(first + min(np.uint64(rank), kept))
        if np.uint64(rank) >= kept:
            slot = np.uint64(slot - one)
            if not more(value, x[np.uint64(index[slot])]):
                continue
        while slot > first and more(value, x[np.uint64(index[np.uint64(slot - one)])]):
            index[slot] = index[np.uint64(slot - one)]
            slot = np.uint64(slot - one)
        index[slot] = position


@njit
def _take_first(i, offsets, out_offsets, segment, order, index):
    row = segment[i]
    index[i] = order[np.int64(offsets[row]) + (i - np.int64(out_offsets[row]))]


def segmented_topk(x, offsets, k):
    """The `k` largest elements of every segment, largest first.

    Parameters
    ----------
    x : (n,) array
        Of any real dtype.
    offsets : (m+1,) integer array
        As in `segmented_sort`.
    k : int
        How many of each segment; all of a segment that is shorter.

    Returns
    -------
    out_offsets : (m+1,) array
        Where each segment's share of the results begins; int32 where the total fits, else int64.
    values : (out_offsets[-1],) array of the dtype of `x`
    index : (out_offsets[-1],) int32 array (int64 for n >= 2**31)
        Where in `x` they stand: `values == x[index]`.

    Raises
    ------
    ValueError
        If `k` is negative; else as `segmented_sort`.
    TypeError
        If `k` is not an integer; else as `segmented_sort`.

    Notes
    -----
    *Order*: equal elements by position; NaN count as smaller than every number, so they are taken last. *Cost*: a scan of
    the m counts and, for k up to 16, one read of `x`, at worst k comparisons and moves for each element (where it ascends);
    for larger k, and on a GPU for segments longer than 64, a `segmented_argsort`, and a gather of the results with their
    segments. *Scratch*: the counts; with the sort an array like `x`, n positions and the segment of every result, beside
    that of the sort. On a GPU five host reads; with the sort seven.
    *Empty input*: empty; an empty segment has no results.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_topk
    >>> segmented_topk(np.array([3, 1, 2, 9, 7, 8]), np.array([0, 3, 3, 5]), 2)
    (array([0, 2, 2, 4], dtype=int32), array([3, 2, 9, 7]), array([0, 2, 3, 4], dtype=int32))
    """
    k = operator.index(k)
    if k < 0:
        raise ValueError(f"k must be 0 or above, got {k}")
    x, offsets, start, stop = check_sortable_segments(x, offsets)
    xp, lengths = namespace_of(x), (offsets[1:] - offsets[:-1]).astype(np.int64)
    out_offsets = offsets_from_counts(xp.minimum(lengths, min(k, x.size)))
    index = xp.empty(to_host_scalar(out_offsets[-1]), index_dtype(x.size))
    if index.size and k <= FEW and backend_of(x).picks(to_host_scalar(lengths.max())):
        for_each(lengths.size, _pick, offsets, out_offsets, comparable(x), index)
    elif index.size:
        _, order = sort_segments(x, offsets, start, stop, True, True)
        for_each(index.size, _take_first, offsets, out_offsets, segment_ids(out_offsets), order, index)
    return out_offsets, gather(x, index), index
