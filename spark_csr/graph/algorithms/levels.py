"""A level and the vertex it was reached from as one number, of which searches keep the least.

So the level decides first, then the smaller vertex, on any device and in any order of visits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array

SHIFT, NOBODY, NOT_REACHED = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFFFFFFFFFF)
"""A level is above the 32 bits of the vertex it was reached from. The sources have level 0, and NOBODY for that vertex."""


def unpack(reached: Array) -> tuple[Array, Array]:
    """Return the levels, and the vertices they were reached from, out of the numbers that hold both."""
    n, xp = reached.size, namespace_of(reached)
    distance, predecessor = xp.empty(n, np.int32), xp.empty(n, index_dtype(n))
    for_each(n, unpack_one, reached, distance, predecessor)
    return distance, predecessor


def check_numbered(n: int) -> None:
    """Raise ValueError if the number of a vertex does not fit below a level."""
    if n > NOBODY:
        raise ValueError(f"the graph must have at most 2**32 - 1 vertices to search for paths, got {n}")


@njit
def unpack_one(i, reached, distance, predecessor):
    """Write the level and the predecessor of one vertex."""
    source = reached[i] & NOBODY
    distance[i] = np.int32(np.int64(reached[i] >> SHIFT))
    predecessor[i] = -1 if source == NOBODY else np.int64(source)
