"""The same steps spelled as products over semirings, with masks: they are equal to those of the operators."""

import numpy as np
import pytest
from numba import njit

from loops import GRAPHS, of_lists
from spark_csr import _ops as ops
from spark_csr import csr_array
from spark_csr.graph import Frontier, advance, bfs, neighbor_reduce, sssp

every_graph = pytest.mark.parametrize("lists", [x for x in GRAPHS.values() if x], ids=[name for name, x in GRAPHS.items() if x])


@njit
def left(a, b):
    return a


MIN_LEFT = ops.Semiring("min", left, name="min_left")
"""Of all ways to a position the smallest of what comes along."""


def unseen(src, dst, edge, weight, seen):
    return not seen[dst]


def row(xp, items, values, n):
    """A matrix of one row."""
    return csr_array((values, items, xp.asarray(np.array([0, len(items)]))), shape=(1, n))


@every_graph
def test_advance_is_a_masked_product_of_a_row(xp, to_numpy, lists):
    """The entries of the row are the frontier, their values say where they are; the mask holds what was not seen."""
    n, G = len(lists), of_lists(xp, lists)
    seen = xp.zeros(n, bool)
    seen[0] = True
    frontier = Frontier.of(G, 0)
    while len(frontier):
        here = row(xp, frontier.items, frontier.items.astype(np.int64), n)
        rest = xp.nonzero(~seen)[0]
        product = here.matmul(G.matrix.astype(np.int64), semiring=MIN_LEFT, mask=row(xp, rest, xp.ones(rest.size), n))
        frontier = advance(G, frontier, unseen, (seen,), unique=True)
        np.testing.assert_array_equal(to_numpy(product.indices), to_numpy(frontier.items))
        np.testing.assert_array_equal(to_numpy(product.data), to_numpy(frontier.sources))
        seen[frontier.items] = True


@every_graph
def test_search_is_a_product_with_a_vector_of_bools(xp, to_numpy, lists):
    n, G = len(lists), of_lists(xp, lists)
    backwards = G.transpose.matrix.astype(bool)
    distance, level = xp.full(n, -1, np.int32), 0
    frontier = xp.arange(n) == 0
    while to_numpy(frontier).any():
        distance[frontier] = level
        frontier = backwards.matmul(frontier, semiring="or_and") & (distance < 0)
        level += 1
    np.testing.assert_array_equal(to_numpy(distance), to_numpy(bfs(G, 0)[0]))


@every_graph
def test_relaxing_is_a_product_over_min_plus(xp, to_numpy, lists):
    n, G = len(lists), of_lists(xp, lists)
    backwards, before, distance = G.transpose.matrix, None, xp.where(xp.arange(n) == 0, 0.0, np.inf)
    while before is None or to_numpy(before != distance).any():
        before, distance = distance, xp.minimum(distance, backwards.matmul(distance, semiring="min_plus"))
    np.testing.assert_array_equal(to_numpy(distance), to_numpy(sssp(G, 0)[0]))


def times(src, dst, edge, weight, x):
    return weight * x[dst]


@every_graph
def test_a_product_is_a_reduction_over_neighbors(xp, to_numpy, lists):
    G = of_lists(xp, lists)
    x = xp.arange(1.0, len(lists) + 1)
    np.testing.assert_array_equal(to_numpy(neighbor_reduce(G, times, "sum", state=(x,))), to_numpy(G.matrix @ x))
