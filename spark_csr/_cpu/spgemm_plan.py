"""How the cores share a product `A @ B`: tiles of rows of equal numbers of products, and whether to prefetch.

Prefetching rows of B makes a product of random matrices twice as fast and one of neighbours in a grid a third
slower: a sample of A decides.
"""

from typing import NamedTuple

import numpy as np

from spark_csr._config import config
from spark_csr._cpu.foreach import for_each
from spark_csr._cpu.spgemm import bytes_of_core
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import MOST, compile_kernel, njit

INT64_MAX = np.iinfo(np.int64).max


class Counted(NamedTuple):
    """How many products there are in all, and at most in a row."""

    total: int
    longest: int


class Plan(NamedTuple):
    """Chunk `c` is rows `cuts[c]:cuts[c+1]`; `ahead`: how many entries of A further on the row of B is that is asked for, 0
    for none. `ordered` is 0 or 1: the rows of B ascend.

    `longest`: the most products that a row may have for the kernels to take it. The kernels for the cores take every row.
    """

    cuts: np.ndarray
    columns: int
    cores: int
    ahead: int
    ordered: int
    longest: int
    searches_mask: bool


@compile_kernel
def _far_share(a_indices, near, sample):
    """Return which share of a sample of A's entries leads to a row of B that is not near one of those before."""
    seen = np.full(near, -1, np.int64)
    far, looked = 0, 0
    for place in range(16):
        start = a_indices.size // 16 * place
        for p in range(start, min(start + sample, a_indices.size)):
            group = np.int64(a_indices[p]) >> 3
            slot = np.uint64(group) & np.uint64(near - 1)
            far += seen[slot] != group
            seen[slot] = group
            looked += 1
    return far / max(looked, 1)


@compile_kernel
def _are_rows_sorted(indptr, indices):
    """Return whether the columns of every row ascend; duplicates are allowed."""
    for row in range(np.uint64(indptr.size - 1)):
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        for p in range(start, max(stop, start + 1) - 1):
            if indices[p] > indices[p + 1]:
                return False
    return True


def _is_far(a_indices):
    """Whether so many entries of A lead far away that asking ahead pays."""
    return _far_share(a_indices, TUNING.spgemm_near_groups, TUNING.spgemm_sample) > TUNING.spgemm_far


@njit
def _count_row(row, a_indptr, a_indices, b_indptr, products):
    """Write how many products a row of the result is made of."""
    total = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = a_indices[p]
        total += b_indptr[j + 1] - b_indptr[j]
    products[row] = total


def count_products(a_indptr, a_indices, b_indptr, b_indices, dtype, products):
    """Write how many products every row has, and return `Counted`."""
    for_each(products.size, _count_row, a_indptr, a_indices, b_indptr, products)
    total = int(products.sum())
    return Counted(total, total)


def plan_spgemm(products, counted, a_indptr, a_indices, b_indptr, b_indices, columns, dtype, budget):
    """Plan a product of `products` in every row and `counted.total` in all; `budget(wanted)` says how many of the wanted bytes
    of scratch memory may be used, and these decide how many cores take part.

    One core takes part in any case: rows put together from pieces took a hundred times longer than rows in its accumulator.
    """
    total = counted.total
    if total <= TUNING.spgemm_serial:
        return Plan(np.array([0, products.size]), columns, 1, 0, 0, INT64_MAX, False)
    cores = min(config.threads or MOST, MOST)
    of_core = bytes_of_core(columns, products.size, dtype)
    cores = max(min(cores, budget(cores * of_core) // of_core), 1)
    cuts = np.zeros(TUNING.spgemm_tiles + 1, np.int64)
    cuts[1:-1] = np.searchsorted(np.cumsum(products), np.arange(1, TUNING.spgemm_tiles) * (total / TUNING.spgemm_tiles))
    cuts[-1] = products.size
    ahead = TUNING.spgemm_ahead if b_indices.size > TUNING.spgemm_near_entries and _is_far(a_indices) else 0
    return Plan(cuts, columns, int(cores), ahead, int(_are_rows_sorted(b_indptr, b_indices)), INT64_MAX, False)


def parts_of_plan(plan):
    """Return plans for a few tiles each, which together are the plan."""
    step = max((plan.cuts.size - 1) // TUNING.spgemm_parts, 1)
    return [plan._replace(cuts=plan.cuts[first : first + step + 1]) for first in range(0, plan.cuts.size - 1, step)]
