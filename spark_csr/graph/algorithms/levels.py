"""A level and the vertex it was reached from as one number, of which searches keep the least.

So the level decides first, then the smaller vertex, on any device and in any order of visits.
"""

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._numba import njit
from spark_csr.primitives.foreach import for_each

SHIFT, NOBODY, NOT_REACHED = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFFFFFFFFFF)
"""A level stands above 32 bits for the vertex it was reached from. Sources are reached from nobody, at level 0."""


def unpack(reached):
    """Return the levels and the vertices they were reached from, out of the numbers that hold both."""
    n, xp = reached.size, namespace_of(reached)
    distance, predecessor = xp.empty(n, np.int32), xp.empty(n, index_dtype(n))
    for_each(n, unpack_one, reached, distance, predecessor)
    return distance, predecessor


def check_numbered(n):
    """Raise ValueError if a vertex's number does not fit below a level."""
    if n > NOBODY:
        raise ValueError(f"paths are searched among up to 2**32 - 1 vertices, got {n}")


@njit
def unpack_one(i, reached, distance, predecessor):
    """Write the level and the predecessor of one vertex."""
    here = np.uint64(i)
    source = reached[here] & NOBODY
    distance[here] = np.int32(np.int64(reached[here] >> SHIFT))
    predecessor[here] = -1 if source == NOBODY else np.int64(source)
