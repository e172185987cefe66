"""Combinations and permutations, segment by segment, in the order of `itertools`.

Design: as in `cartesian`: offsets say which segment a result belongs to, and the position inside the segment is the result,
unranked once for a run of results. Ranks are counted in whole numbers (`binomials`), so no size is too large for them.
Permutations are unranked one by one in the factorial number system (Laisant, 1888). Source of the idea: the index pairs of
awkward-array (Pivarski and Jayd-1234, 2018).
"""

import operator

import numpy as np

from spark_csr._array import INT32_MAX, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._shared.binomials import checked_binomial
from spark_csr.primitives import _check, _tuples
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles, segment_ids

FACTORIALS = np.cumprod(np.arange(21, dtype=np.int64).clip(1))
"""0! to 20!: all that fit 64 bits."""

ELEMENTS = 0xFEDCBA9876543210
"""The ranks 15 to 0, four bits each."""


@njit
def _count_combinations(i, counts, n, sizes):
    sizes[i] = checked_binomial(np.int64(counts[i]), n)


def combinations(offsets, n=2, *, replacement=False, index="global"):
    """All combinations of `n` elements, in every segment.

    Parameters
    ----------
    offsets : (m+1,) integer array, or a pair `(starts, stops)` of (m,) integer arrays
        Segment `i` is `offsets[i]:offsets[i+1]`, or `starts[i]:stops[i]`.
    n : int
        How many elements a combination has, 1 or more.
    replacement : bool
        Whether an element may be taken again.
    index : {"global", "local"}
        Whether indices are positions in the array, or ranks inside the segment (0, 1, 2, ...).

    Returns
    -------
    out_offsets : (m+1,) array
        Combinations `out_offsets[i]:out_offsets[i+1]` belong to segment `i`; int32 where the total fits, else int64.
    index0, index1, ... : (total,) arrays, n of them
        In the order of `itertools.combinations`, or of `combinations_with_replacement`; int32 where every index fits, else
        int64. They are parts of one allocation: copy one to keep it without the others.

    Raises
    ------
    ValueError
        If the segments are malformed, or `n` is below 1 or not below 2**31.
    TypeError
        For what is not an integer array, or mixed devices.
    MemoryError
        If there are more combinations than can be stored; nothing was allocated for them.

    Notes
    -----
    *Cost*: as `cartesian_product` of one factor, with four host reads, five for wide offsets; on a GPU every result is
    unranked on its own, by n - 1 binary searches in its segment. *Order*: exact. *Empty input*: a segment of fewer than n
    elements has no combinations, unless they may be taken again.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import combinations
    >>> combinations(np.array([0, 3, 3, 5]))  # [a, b, c], [], [d, e]
    (array([0, 3, 3, 4], dtype=int32), array([0, 0, 1, 3], dtype=int32), array([1, 2, 2, 4], dtype=int32))
    """
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"n must be 1 or above, got {n}")
    if n > INT32_MAX:
        raise ValueError(f"n must be below 2**31, got {n}: a combination of so many elements is no tuple of arrays")
    starts, counts = _tuples.starts_and_counts([_tuples.check_ranges(offsets)], index)
    xp, segments = namespace_of(starts), starts.size
    if replacement:  # of n out of x, with replacement, there are as many as of n out of x + n - 1, and in the same order
        counts = counts.astype(np.int64) + (n - 1)
    sizes = xp.empty(segments, np.int64)
    for_each(segments, _count_combinations, counts, n, sizes)
    out_offsets, total = _tuples.scan_sizes(sizes, "combinations")

    def kernel(stride, out):
        tiles = merge_path_tiles(out_offsets, total)
        backend_of(out).combinations(tiles, out_offsets, starts, counts, int(replacement), n, stride, out)

    return _tuples.write_tuples(xp, out_offsets, total, starts.dtype, n, "combinations", kernel)


@njit
def _take_factorial(i, counts, factorials, sizes, items):
    sizes[i] = factorials[counts[i]]
    items[i] = sizes[i] * counts[i] if counts[i] < 20 else -1  # 20 times 20! does not fit


@njit
def _write_permutation(i, segment, outer, item_starts, starts, counts, factorials, inner, index):
    """Permutation `i`: each digit of its rank says which of the elements left comes next.

    Those left are four bits each of one number: more than 16 elements have more permutations than memory has bytes.
    """
    row = np.uint64(segment[i])
    rank, count = np.uint64(i - np.int64(outer[row])), np.uint64(counts[row])
    place = np.uint64(item_starts[row]) + rank * count
    inner[i + 1] = place + count
    start = np.int64(starts[row])
    elements_left = np.uint64(ELEMENTS)
    for k in range(count):
        factorial = np.uint64(factorials[count - np.uint64(1) - np.uint64(k)])
        digit = rank // factorial
        rank -= digit * factorial
        shift = digit << np.uint64(2)
        index[place + np.uint64(k)] = start + np.int64((elements_left >> shift) & np.uint64(15))
        before = (np.uint64(1) << shift) - np.uint64(1)
        elements_left = (elements_left & before) | ((elements_left >> np.uint64(4)) & ~before)


def permutations(offsets):
    """All orders of the elements of every segment.

    Parameters
    ----------
    offsets : (n+1,) integer array, or a pair `(starts, stops)` of (n,) integer arrays
        Segment `i` is `offsets[i]:offsets[i+1]`, or `starts[i]:stops[i]`; 20 elements at most.

    Returns
    -------
    outer : (n+1,) array
        Permutations `outer[i]:outer[i+1]` belong to segment `i`, in the order of `itertools.permutations`.
    inner : (outer[-1]+1,) array
        The items of permutation `p` are `index[inner[p]:inner[p+1]]`.
    index : (inner[-1],) array
        Positions in the array. Each of the three is int32 where its values fit, else int64.

    Raises
    ------
    ValueError
        If the segments are malformed, or one has more than 20 elements (named): 21! does not fit 64 bits.
    TypeError
        For what is not an integer array, or mixed devices.
    MemoryError
        If there are more permutations than can be stored; nothing was allocated for them.

    Notes
    -----
    *Cost*: writes the result once, each permutation by itself, with a division and a short search for every item; scratch
    memory is one segment id for every permutation. Nine host reads, one more for wide offsets. *Order*: exact. *Empty
    input*: a segment of no elements has one permutation, of no items.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import permutations
    >>> outer, inner, index = permutations(np.array([0, 2, 5]))  # [a, b], [c, d, e]
    >>> outer, inner
    (array([0, 2, 8], dtype=int32), array([ 0,  2,  4,  7, 10, 13, 16, 19, 22], dtype=int32))
    >>> index
    array([0, 1, 1, 0, 2, 3, 4, 2, 4, 3, 3, 2, 4, 3, 4, 2, 4, 2, 3, 4, 3, 2],
          dtype=int32)
    """
    starts, counts = _tuples.starts_and_counts([_tuples.check_ranges(offsets)], "global")
    xp, n = namespace_of(starts), starts.size
    at = _check.find_first_true(counts >= FACTORIALS.size)
    if at is not None:
        raise ValueError(f"segments must have 20 elements at most, got {to_host_scalar(counts[at])} in segment {at}")
    factorials = xp.asarray(FACTORIALS)
    sizes, items = xp.empty(n, np.int64), xp.empty(n, np.int64)
    for_each(n, _take_factorial, counts, factorials, sizes, items)
    outer, total = _tuples.scan_sizes(sizes, "permutations")
    item_starts, length = _tuples.scan_sizes(items, "items of permutations")
    inner = allocate_array(xp, total + 1, index_dtype(length), f"{total} permutations")
    index = allocate_array(xp, length, starts.dtype, f"{total} permutations")
    inner[:1] = 0
    for_each(total, _write_permutation, segment_ids(outer), outer, item_starts, starts, counts, factorials, inner, index)
    return outer, inner, index
