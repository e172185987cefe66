"""Combinations and permutations, segment by segment, in the order of `itertools`.

Design: as in `cartesian`, offsets say which segment a result belongs to, and the rank of a result inside the segment determines
it. One rank is converted for several adjacent results. Ranks are computed in integers (`binomials`), so no size is too large
for them. Permutations are converted one by one in the factorial number system (Laisant, 1888). Source of the idea: the index
pairs of awkward-array (Pivarski and contributors, 2018).
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Literal

import numpy as np

from spark_csr._array import INT32_MAX, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.binomials import checked_binomial
from spark_csr.primitives import _check, _tuples
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles, segment_ids

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike

FACTORIALS = np.cumprod(np.arange(21, dtype=np.int64).clip(1))
"""The factorials 0! to 20!, all that fit 64 bits."""

ELEMENTS = 0xFEDCBA9876543210
"""The ranks 15 to 0, four bits each."""


@njit
def _count_combinations(i, counts, n, sizes):
    sizes[i] = checked_binomial(np.int64(counts[i]), n)


def combinations(
    offsets: ArrayLike | tuple[Array, Array],
    n: int = 2,
    *,
    replacement: bool = False,
    index: Literal["global", "local"] = "global",
) -> tuple[Array, ...]:
    """Return all combinations of `n` elements, for every segment.

    Parameters
    ----------
    offsets : (m+1,) integer array, or a pair `(starts, stops)` of (m,) integer arrays
        Segment `i` is `offsets[i]:offsets[i+1]`, or `starts[i]:stops[i]`.
    n : int
        The number of elements in a combination, at least 1. The default is 2.
    replacement : bool
        If True, an element may be taken more than once.
    index : {"global", "local"}
        With "global", indices are positions in the array; with "local", they are ranks inside the segment (0, 1, 2, ...).

    Returns
    -------
    out_offsets : (m+1,) array
        Combinations `out_offsets[i]:out_offsets[i+1]` belong to segment `i`. The dtype is int32 if the total fits, else int64.
    index0, index1, ... : (total,) arrays, n of them
        The index of each element of every combination, in the order of `itertools.combinations`, or of
        `itertools.combinations_with_replacement`. The dtype is int32 if every index fits, else int64. The arrays are views of
        one allocation: copy one to keep it without the others.

    Raises
    ------
    ValueError
        If the segments are malformed, if `n` is below 1 or not below 2**31, or if `index` is unknown.
    TypeError
        If the segments are not integer arrays, or devices are mixed.
    MemoryError
        If there are more combinations than can be stored. Nothing has been allocated for them then.

    Notes
    -----
    *Cost*: The cost is that of `cartesian_product` with one factor. On a GPU there are four host reads, or five for offsets
    wider than 32 bits. On a GPU every result is computed from its rank on its own, by n - 1 binary searches in its segment.
    *Order*: The result is exact. *Empty input*: A segment of fewer than n elements has no combinations, unless `replacement` is
    True.

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
        raise ValueError(f"n must be below 2**31, got {n}: that many index arrays cannot be returned")
    starts, counts = _tuples.starts_and_counts([_tuples.check_ranges(offsets)], index)
    xp, segments = namespace_of(starts), starts.size
    if replacement:  # n out of x with replacement are as many as n out of x + n - 1 without, in the same order
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
    """Write permutation `i`: each digit of its rank says which of the elements left comes next.

    The elements left have four bits each in one number: more than 16 elements have more permutations than memory has bytes.
    """
    row = segment[i]
    rank, count = np.uint64(i - outer[row]), np.uint64(counts[row])
    place = np.uint64(item_starts[row]) + rank * count
    inner[i + 1] = place + count
    start = np.int64(starts[row])
    elements_left = np.uint64(ELEMENTS)
    for k in range(count):
        factorial = np.uint64(factorials[count - 1 - k])
        digit = rank // factorial
        rank -= digit * factorial
        shift = digit << 2
        index[place + k] = start + np.int64((elements_left >> shift) & 15)
        before = (1 << shift) - 1
        elements_left = (elements_left & before) | ((elements_left >> 4) & ~before)


def permutations(offsets: ArrayLike | tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Return all orders of the elements of every segment.

    Parameters
    ----------
    offsets : (n+1,) integer array, or a pair `(starts, stops)` of (n,) integer arrays
        Segment `i` is `offsets[i]:offsets[i+1]`, or `starts[i]:stops[i]`. A segment has at most 20 elements.

    Returns
    -------
    outer : (n+1,) array
        Permutations `outer[i]:outer[i+1]` belong to segment `i`, in the order of `itertools.permutations`. The dtype of each
        of the three arrays is int32 if its values fit, else int64.
    inner : (outer[-1]+1,) array
        The items of permutation `p` are `index[inner[p]:inner[p+1]]`.
    index : (inner[-1],) array
        Positions in the array.

    Raises
    ------
    ValueError
        If the segments are malformed, or one has more than 20 elements: 21! does not fit 64 bits. The message names the
        segment.
    TypeError
        If the segments are not integer arrays, or devices are mixed.
    MemoryError
        If there are more permutations than can be stored. Nothing has been allocated for them then.

    Notes
    -----
    *Cost*: The function writes the result once. Each permutation is computed by itself, with a division and a short search for
    every item. Scratch memory holds one segment id for every permutation. On a GPU there are nine host reads, and one more for
    offsets wider than 32 bits. *Order*: The result is exact. *Empty input*: A segment without elements has one permutation,
    which has no items.

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
