"""Hubs and authorities against the singular vectors of dense matrices."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loops import GRAPHS, of_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Graph, hits
from spark_csr.graph.algorithms import hits as module

pytestmark = pytest.mark.usefixtures("small_tiles")


def reference(A, start=None):
    """What the start is projected to: hubs and authorities that sum to 1."""
    left, values, _ = np.linalg.svd(A)
    top = values > values[0] * (1 - 1e-9)
    start = np.ones(len(A)) if start is None else np.asarray(start)
    hubs = left[:, top] @ (left[:, top].T @ start)
    authorities = A.T @ hubs
    return hubs / hubs.sum(), authorities / authorities.sum()


def dense_of(G, to_numpy, weighted=True):
    dense = np.zeros((G.n_vertices, G.n_vertices))
    weights = to_numpy(G.matrix.data) if weighted else 1
    np.add.at(dense, (to_numpy(G.sources()), to_numpy(G.matrix.indices)), weights)
    return dense


def counted(method, calls):
    return lambda *args: calls.append(args) or method(*args)


@pytest.mark.parametrize("name", [name for name, lists in GRAPHS.items() if any(lists)])
@pytest.mark.parametrize("weighted", [True, False])
def test_every_graph_one_host_read_each_iteration(xp, to_numpy, monkeypatch, name, weighted):
    reads, steps, G = [], [], of_lists(xp, GRAPHS[name])
    monkeypatch.setattr(module, "to_host_scalar", lambda x: reads.append(x) or x.item())
    monkeypatch.setattr(module.Pass, "total", counted(module.Pass.total, steps))
    hubs, authorities = hits(G, max_iter=1000, tol=1e-11, weighted=weighted)
    expected = reference(dense_of(G, to_numpy, weighted))
    np.testing.assert_allclose(to_numpy(hubs), expected[0], atol=1e-8)
    np.testing.assert_allclose(to_numpy(authorities), expected[1], atol=1e-8)
    assert len(reads) == len(steps)


@settings(max_examples=8 if SIMULATED else 25)
@given(st.data())
def test_random_graphs_and_starts(xp, to_numpy, data):
    n = data.draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    A = np.array([data.draw(row) for _ in range(n)], float)
    start = np.array(data.draw(row)) + 1.0
    values = np.linalg.svd(A, compute_uv=False)
    values /= values[0] or 1
    assume(A.any() and not ((values > 0.9) & (values < 1 - 1e-9)).any())
    got = hits(Graph(xp.asarray(A)), max_iter=1000, tol=1e-11, nstart=xp.asarray(start))
    for x, expected in zip(got, reference(A, start), strict=True):
        np.testing.assert_allclose(to_numpy(x), expected, atol=1e-7)


def test_not_normalized(xp, to_numpy):
    G = of_lists(xp, GRAPHS["random"])
    hubs, authorities = map(to_numpy, hits(G, normalized=False))
    for x, expected in zip((hubs, authorities), reference(dense_of(G, to_numpy)), strict=True):
        np.testing.assert_allclose(x, expected / expected.max(), atol=1e-7)
        assert x.max() == 1
    for name in ("no edges", "no vertices"):
        assert [x.tolist() for x in hits(of_lists(xp, GRAPHS[name]), normalized=False)] == [[0.0] * len(GRAPHS[name])] * 2


def test_nobody_is_a_hub(xp):
    assert [x.tolist() for x in hits(of_lists(xp, [[], []]))] == [[0, 0]] * 2
    assert [x.tolist() for x in hits(of_lists(xp, [[1], [0]], np.zeros(2)))] == [[0, 0]] * 2
    assert [x.tolist() for x in hits(of_lists(xp, [[1], []]), nstart=[0, 1])] == [[0, 0]] * 2
    assert [x.size for x in hits(of_lists(xp, []))] == [0, 0]


def test_weights(xp, to_numpy):
    lists = [[1, 2], [2], [0]]
    equal = [x.tolist() for x in hits(of_lists(xp, lists, np.ones(4)))]
    assert [x.tolist() for x in hits(of_lists(xp, lists, np.full(4, 1e200)))] == equal
    large, small = (hits(of_lists(xp, lists, scale * np.array([1.0, 2, 3, 4]))) for scale in (1e300, 1))
    for x, expected in zip(large, small, strict=True):
        np.testing.assert_allclose(to_numpy(x), to_numpy(expected), rtol=1e-12)
    with pytest.raises(ValueError, match="not negative, got -1.0 for 0 -> 2"):
        hits(of_lists(xp, lists, np.array([1.0, -1, 1, 1])))


def test_refused(xp):
    with pytest.raises(RuntimeError, match="hits moved by 0.* in the last of 2 iterations, not by less than 1e-08"):
        hits(of_lists(xp, GRAPHS["random"]), max_iter=2)
    with pytest.raises(TypeError, match="G must be a Graph"):
        hits(of_lists(xp, [[0]]).matrix)
    with pytest.raises(ValueError, match="nstart must have one entry"):
        hits(of_lists(xp, [[0]]), nstart=[1, 2])


@pytest.mark.usefixtures("cpu_only")
def test_as_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    for got, expected in zip(hits(Graph.from_networkx(graph)), nx.hits(graph), strict=True):
        np.testing.assert_allclose(got, list(expected.values()), atol=1e-7)
