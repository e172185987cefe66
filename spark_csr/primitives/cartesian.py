"""Cartesian products, segment by segment: every tuple of one element from each factor.

Design: offsets say which segment a tuple belongs to, so parents are never stored; the position inside the segment is the
tuple, written in mixed radix. One whole division opens a run of tuples, from there on indices are counted. Source: the
vectorised products of awkward-array (Pivarski and Jayd-1234, 2018); load-balancing search by Baxter, *moderngpu*, 2013.
"""

import numpy as np

from spark_csr._array import namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._shared.binomials import LARGEST
from spark_csr.primitives import _tuples
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles


@njit
def _count_tuples(i, counts, factors, segments, sizes):
    """The product of all counts of a segment, -1 where it lies above 2**62."""
    about, size = 1.0, np.int64(1)
    for f in range(factors):
        count = np.int64(counts[f * segments + i])
        about = min(about * count, 1e300)  # not infinite: a factor that is empty makes 0 of it
        size *= count
    sizes[i] = -1 if about > LARGEST else size


def cartesian_product(*offsets, index="global", total=None):
    """All tuples of one element from each factor, in every segment.

    Parameters
    ----------
    *offsets : (n+1,) integer arrays, or pairs `(starts, stops)` of (n,) integer arrays
        One for each factor, all with the same n: segment `i` of a factor is `offsets[i]:offsets[i+1]`, or
        `starts[i]:stops[i]`, which may leave gaps, overlap and come in any order.
    index : {"global", "local"}
        Whether indices are positions in the factors' arrays, or ranks inside the segment (0, 1, 2, ...).
    total : int, optional
        How many tuples there are, where the caller knows: then nothing has to be read from the device for it.

    Returns
    -------
    out_offsets : (n+1,) array
        Tuples `out_offsets[i]:out_offsets[i+1]` belong to segment `i`; int32 where the total fits, else int64.
    index0, index1, ... : (total,) arrays, one for each factor
        Last factor fastest, as in `itertools.product`; int32 where every index fits, else int64. They are parts of one
        allocation: copy one to keep it without the others.

    Raises
    ------
    ValueError
        If a factor is malformed or has another number of segments than the first (named by the number of the argument,
        from 0), a stop lies before its start, or `total` is wrong.
    TypeError
        For what is not an integer array, mixed devices, no factor at all, or a `total` that is no integer.
    MemoryError
        If there are more tuples than can be stored; nothing was allocated for them.

    Notes
    -----
    *Cost*: writes the result once; reads the segments' starts, counts and offsets, whose copies (one per factor, and two
    arrays of n int64) are the scratch memory. Some small launches and one large one on a GPU. Host reads: four for the
    sizes, four per factor to check it and one where it is wider than 32 bits; with `config.validate` off, `total` given and
    no such factor, none: a wrong `total` is then not noticed, and what is returned or overwritten has no meaning.
    *Order*: exact. *Empty input*: a segment that is empty in one factor has no tuples.

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
