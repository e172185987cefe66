"""How the cores share a product `A @ B`: chunks of rows of equal numbers of products, and whether to ask ahead.

Asking for rows of B ahead of time makes a product of random matrices twice as fast and one of neighbours in a grid a third
slower: a sample of A decides.
"""

from typing import NamedTuple

import numpy as np

from spark_csr._config import config
from spark_csr._cpu.spgemm import bytes_of_core
from spark_csr._cpu.team import MOST
from spark_csr._cpu.threads import compiled

SERIAL = 16384
"""Products up to which one core does it all. Not tuned."""

PARTS = 16
"""Parts that a product is counted in where its result may not fit. Not tuned."""

INT64_MAX = np.iinfo(np.int64).max

CHUNKS = 64
"""Chunks of a large product: enough for the cores of one machine. Not tuned."""

NEAR_ENTRIES = 1 << 16
"""Entries of B up to which all of it is near. Not tuned."""

FAR = 0.25
"""The share of A's entries that lead far away from which on asking ahead pays: it does on random matrices, where all do, not on
grids, where one in ten does."""

NEAR = 1024
"""Groups of eight rows of B that count as near when they were visited last: the size of a first cache. Not tuned."""

SAMPLE = 1024
"""Consecutive entries of A looked at in each of sixteen places. Not tuned."""


class Plan(NamedTuple):
    """Chunk `c` is rows `cuts[c]:cuts[c+1]`; `ahead` and `ordered` are 0 or 1: ask ahead, the rows of B ascend.

    `longest`: the most products that a row may have for the kernels to take it. The kernels for the cores take every row.
    """

    cuts: np.ndarray
    columns: int
    cores: int
    ahead: int
    ordered: int
    longest: int
    searches_mask: bool


@compiled
def _far_share(a_indices):
    """Of a sample of A's entries, the share that leads to a row of B that was not near one of those before."""
    seen = np.full(NEAR, -1, np.int64)
    far, looked = 0, 0
    for place in range(16):
        start = a_indices.size // 16 * place
        for p in range(start, min(start + SAMPLE, a_indices.size)):
            group = np.int64(a_indices[p]) >> 3
            slot = np.uint64(group) & np.uint64(NEAR - 1)
            far += seen[slot] != group
            seen[slot] = group
            looked += 1
    return far / max(looked, 1)


@compiled
def _ascends(indptr, indices):
    """Whether the columns of every row ascend (they may repeat)."""
    for row in range(np.uint64(indptr.size - 1)):
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + np.uint64(1)])
        for p in range(start, max(stop, start + np.uint64(1)) - np.uint64(1)):
            if indices[p] > indices[p + np.uint64(1)]:
                return False
    return True


def plan_spgemm(products, total, a_indptr, a_indices, b_indptr, b_indices, columns, dtype, budget):
    """Plan a product of `products` in every row and `total` in all; `budget(wanted)` says how many of the wanted bytes of
    scratch memory may be used, and these how many cores take part.

    One core takes part in any case: rows put together from pieces took a hundred times longer than rows in its accumulator.
    """
    if total <= SERIAL:
        return Plan(np.array([0, products.size]), columns, 1, 0, 0, INT64_MAX, False)
    cores = min(config.threads or MOST, MOST)
    of_core = bytes_of_core(columns, products.size, dtype)
    cores = max(min(cores, budget(cores * of_core) // of_core), 1)
    cuts = np.zeros(CHUNKS + 1, np.int64)
    cuts[1:-1] = np.searchsorted(np.cumsum(products), np.arange(1, CHUNKS) * (total / CHUNKS))
    cuts[-1] = products.size
    ahead = b_indices.size > NEAR_ENTRIES and _far_share(a_indices) > FAR
    return Plan(cuts, columns, int(cores), int(ahead), int(_ascends(b_indptr, b_indices)), INT64_MAX, False)


def parts_of_plan(plan):
    """Plans for some chunks each, which are all together those of the plan."""
    step = max((plan.cuts.size - 1) // PARTS, 1)
    return [plan._replace(cuts=plan.cuts[first : first + step + 1]) for first in range(0, plan.cuts.size - 1, step)]
