"""Cartesian products, segment by segment: every tuple of one element from each factor.

Design: offsets say which segment a tuple belongs to, so parents are never stored. The rank of a tuple inside the segment is the
tuple, written in mixed radix. The first of several adjacent tuples takes a full division; the next ones are counted from there.
Source: the vectorised products of awkward-array (Pivarski and contributors, 2018); load-balancing search by Baxter,
*moderngpu*, 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from spark_csr._array import namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.binomials import LARGEST
from spark_csr.primitives import _tuples
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@njit
def _count_tuples(i, counts, factors, segments, sizes):
    """Write the product of all counts of a segment, or -1 if it lies above 2**62."""
    about, size = 1.0, np.int64(1)
    for f in range(factors):
        count = np.int64(counts[f * segments + i])
        about = min(about * count, 1e300)  # kept finite, so that an empty factor gives 0
        size *= count
    sizes[i] = -1 if about > LARGEST else size


def cartesian_product(
    *offsets: ArrayLike | tuple[Array, Array], index: Literal["global", "local"] = "global", total: int | None = None
) -> tuple[Array, ...]:
    """Return all tuples of one element from each factor, for every segment.

    Parameters
    ----------
    *offsets : (n+1,) integer arrays, or pairs `(starts, stops)` of (n,) integer arrays
        One argument for each factor, all with the same n. Segment `i` of a factor is `offsets[i]:offsets[i+1]`, or
        `starts[i]:stops[i]`; ranges given by starts and stops may leave gaps, overlap and come in any order.
    index : {"global", "local"}
        With "global", indices are positions in the factors' arrays; with "local", they are ranks inside the segment
        (0, 1, 2, ...).
    total : int, optional
        The number of tuples, if the caller knows it. It then need not be read from the device.

    Returns
    -------
    out_offsets : (n+1,) array
        Tuples `out_offsets[i]:out_offsets[i+1]` belong to segment `i`. The dtype is int32 if the total fits, else int64.
    index0, index1, ... : (total,) arrays, one for each factor
        The index of each element of every tuple. The last factor varies fastest, as in `itertools.product`. The dtype is int32
        if every index fits, else int64. The arrays are views of one allocation: copy one to keep it without the others.

    Raises
    ------
    ValueError
        If a factor is malformed or has another number of segments than the first (the message gives the number of the
        argument, from 0), if a stop is less than its start, or if `total` is wrong.
    TypeError
        If an argument is not an integer array, devices are mixed, no factor is given, or `total` is not an integer.
    MemoryError
        If there are more tuples than can be stored. Nothing has been allocated for them then.

    Notes
    -----
    *Cost*: The function writes the result once and reads starts, counts and offsets of the segments. Scratch memory holds a
    copy of these for each factor, and two arrays of n int64. On a GPU it makes some small launches and one large one. There it
    makes three host reads for the sizes, and one for each factor wider than 32 bits; with `config.validate`, also one for each
    factor given by offsets and two for each given by starts and stops. With `config.validate` off and `total` given, the sizes
    are not read: a wrong `total` then goes unnoticed, and what is returned or overwritten is undefined. *Order*: The result is
    exact. *Empty input*: A segment that is empty in one factor has
    no tuples.

    The segment of every tuple is `segment_ids(out_offsets)`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import cartesian_product
    >>> cartesian_product(np.array([0, 3]), np.array([0, 2]))  # [a, b, c] x [1, 2]
    (array([0, 6], dtype=int32), array([0, 0, 1, 1, 2, 2], dtype=int32), array([0, 1, 0, 1, 0, 1], dtype=int32))
    """
    if not offsets:
        raise TypeError("cartesian_product needs at least one factor: offsets, or a pair (starts, stops)")
    factors = [_tuples.check_ranges(argument, number) for number, argument in enumerate(offsets)]
    same_device(*(starts for starts, _ in factors))
    n = factors[0][0].size
    for number, (starts, _) in enumerate(factors):
        if starts.size != n:
            raise ValueError(f"argument {number} has {starts.size} segments, argument 0 has {n}: give all the same number")
    starts, counts = _tuples.starts_and_counts(factors, index)
    xp = namespace_of(starts)
    sizes = xp.empty(n, np.int64)
    for_each(n, _count_tuples, counts, len(factors), n, sizes)
    out_offsets, total = _tuples.scan_sizes(sizes, "tuples", total)

    def kernel(stride, out):
        tiles = merge_path_tiles(out_offsets, total)
        backend_of(out).cartesian_product(tiles, out_offsets, starts, counts, len(factors), stride, out)

    return _tuples.write_tuples(xp, out_offsets, total, starts.dtype, len(factors), "tuples", kernel)
