"""Communities: those that networkx's rule gives with our colours."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.community.label_propagation import _update_label

from loops import GRAPHS, of_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Graph, color, connected_components, label_propagation

pytestmark = pytest.mark.usefixtures("small_tiles")


def simple(lists):
    """Every edge both ways, once."""
    ends = {(u, v) for u, row in enumerate(lists) for v in row}
    return [sorted({v for v in range(len(lists)) if {(u, v), (v, u)} & ends}) for u in range(len(lists))]


def undirected(xp, lists):
    G = of_lists(xp, lists)
    G.directed = False
    return G


def expected(lists, colors):
    """networkx's own step, colour by colour."""
    graph = nx.Graph((u, v) for u, row in enumerate(lists) for v in row)
    graph.add_nodes_from(range(len(lists)))
    label, before = {v: v for v in range(len(lists))}, None
    while label != before:
        before = dict(label)
        for vertex in sorted(range(len(lists)), key=lambda v: (colors[v], v)):
            _update_label(vertex, label, graph)
    found = [label[v] for v in range(len(lists))]
    return [sorted(set(map(found.index, found))).index(found.index(mark)) for mark in found]


def check(to_numpy, xp, lists, seed):
    lists = simple(lists)
    G = undirected(xp, lists)
    labels = label_propagation(G, seed=seed)
    assert labels.dtype == np.int32
    labels = to_numpy(labels).tolist()
    assert labels == expected(lists, to_numpy(color(G, seed=seed)).tolist())
    for u, row in enumerate(lists):
        around = [labels[v] for v in row]
        assert all(around.count(labels[u]) >= around.count(mark) for mark in around)
    parts = to_numpy(connected_components(G)[1]).tolist()
    assert len(set(zip(labels, parts, strict=True))) == len(set(labels))


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
def test_as_networkx(xp, to_numpy, lists):
    check(to_numpy, xp, lists, len(lists) % 5)


LISTS = st.integers(1, 20).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n))


@given(lists=LISTS)
@settings(max_examples=5 if SIMULATED else 15)
def test_random_graphs(xp, to_numpy, lists):
    check(to_numpy, xp, lists, 0)


def test_planted_cliques_are_found(xp, to_numpy):
    size, count = 7, 6
    lists = [[size * (u // size) + k for k in range(size) if k != u % size] for u in range(size * count)]
    for clique in range(count - 1):
        lists[size * clique].append(size * clique + size + 1)
    labels = to_numpy(label_propagation(undirected(xp, simple(lists))))
    assert labels.tolist() == np.repeat(np.arange(count), size).tolist()


def test_repeated_edges_count_each(xp):
    lists = [[1, 2, 2, 2], [0, 3, 3, 3], [0, 0, 0], [1, 1, 1]]
    for seed in range(2):
        assert label_propagation(undirected(xp, lists), seed=seed).tolist() == [0, 1, 0, 1]


def test_real_graphs(real_matrix_file, cpu_only, to_numpy):
    matrix = sp.load_npz(real_matrix_file).tocsr()
    if matrix.shape[0] != matrix.shape[1] or matrix.nnz > 500_000:
        pytest.skip("not a graph, or one that takes networkx long")
    G = Graph(sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)).symmetrize("max")
    labels, rows = label_propagation(G), G.sources()
    around = sp.csr_array((np.ones(G.n_edges), (rows, labels[G.matrix.indices])), shape=matrix.shape)
    own = np.asarray(around[np.arange(labels.size), labels]).ravel()
    assert (own >= around.max(axis=1).toarray().ravel()).all()


def test_refused(xp):
    G = undirected(xp, simple(GRAPHS["random"]))
    with pytest.raises(RuntimeError, match="labels still change after 1 rounds: use a larger max_iter"):
        label_propagation(G, 1)
    with pytest.raises(
        ValueError, match=r"label_propagation needs an undirected graph: use G.symmetrize\(\), with combine= if weights differ"
    ):
        label_propagation(of_lists(xp, [[1], [0]]))
    with pytest.raises(TypeError, match="must be a Graph"):
        label_propagation(np.eye(2))
