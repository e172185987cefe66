"""Colours: those that one vertex after the other would take, in the order of degrees and random numbers."""

import importlib

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loops import GRAPHS, of_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Graph, color
from spark_csr.graph.philox import random_bits

pytestmark = pytest.mark.usefixtures("small_tiles")


def both_ways(lists):
    """Every edge back, too."""
    lists = [list(row) for row in lists]
    for u, v in [(u, v) for u, row in enumerate(lists) for v in row if u != v]:
        lists[v].append(u)
    return lists


def undirected(xp, lists):
    G = of_lists(xp, lists)
    G.directed = False
    return G


def greedy(lists, seed):
    """Serially, by degree, then random number, then vertex."""
    halves = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    drawn = [int(random_bits(*halves, np.uint64(u), np.uint64(0))) >> 32 for u in range(len(lists))]
    colors = [None] * len(lists)
    for u in sorted(range(len(lists)), key=lambda u: (-len(lists[u]), -drawn[u], u)):
        taken = {colors[v] for v in lists[u]}
        colors[u] = next(c for c in range(len(lists)) if c not in taken)
    return colors


def check(to_numpy, xp, lists, seed):
    lists = both_ways(lists)
    colors = color(undirected(xp, lists), seed=seed)
    assert colors.dtype == np.int32
    assert to_numpy(colors).tolist() == greedy(lists, seed)
    assert all(colors[u] != colors[v] for u, row in enumerate(lists) for v in row if u != v)


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
def test_as_one_after_the_other(xp, to_numpy, lists):
    check(to_numpy, xp, lists, 2**63 + 5)


LISTS = st.integers(1, 25).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=4), min_size=n, max_size=n))


@given(lists=LISTS, seed=st.integers(0, 9))
@settings(max_examples=5 if SIMULATED else 15)
def test_random_graphs(xp, to_numpy, lists, seed):
    check(to_numpy, xp, lists, seed)


def test_cliques_need_a_color_for_each(xp, to_numpy):
    size = 65
    G = undirected(xp, [[v for v in range(size) if v != u] for u in range(size)])
    assert sorted(to_numpy(color(G)).tolist()) == list(range(size))


@njit
def draw_nothing(i, indptr, key_low, key_high, priority):
    priority[i] = 0


def test_equal_numbers_go_by_vertex(xp, monkeypatch):
    monkeypatch.setattr(importlib.import_module("spark_csr.graph.algorithms.color"), "_draw", draw_nothing)
    assert color(undirected(xp, both_ways([[1], [2], [3], [0], []]))).tolist() == [0, 1, 0, 1, 0]


def test_about_as_many_as_networkx(real_matrix_file, cpu_only):
    matrix = sp.load_npz(real_matrix_file).tocsr()
    if matrix.shape[0] != matrix.shape[1] or matrix.nnz > 500_000:
        pytest.skip("not a graph, or one that takes networkx long")
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    pattern = sp.csr_array(pattern + pattern.T)
    pattern.setdiag(0)
    pattern.eliminate_zeros()
    pattern.data[:] = 1
    colors = color(Graph(pattern, directed=False))
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    assert (colors[rows] != colors[pattern.indices]).all()
    assert np.unique(colors).tolist() == list(range(colors.max() + 1))
    assert colors.max() <= np.diff(pattern.indptr).max()
    theirs = nx.greedy_color(nx.from_scipy_sparse_array(pattern))
    assert colors.max() <= 1.3 * max(theirs.values()) + 1


def test_refused(xp):
    with pytest.raises(
        ValueError, match=r"color needs an undirected graph: use G.symmetrize\(\), with combine= if weights differ"
    ):
        color(of_lists(xp, [[1], [0]]))
    with pytest.raises(ValueError, match="seed must lie in"):
        color(undirected(xp, [[0]]), seed=2**64)
    with pytest.raises(TypeError, match="must be a Graph"):
        color(np.eye(2))
