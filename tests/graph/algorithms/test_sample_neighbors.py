"""Samples of neighbours: edges of the graph, as many as asked for, as often as they should, the same ones everywhere."""

import itertools

import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists, random_lists
from namespaces import INTERPRETED
from spark_csr import config
from spark_csr.graph import sample_neighbors

LISTS = random_lists(60, 8)


def verify(lists, sizes, sources, replace, sample, to_numpy):
    """Every vertex of a hop has drawn its edges, in order; new vertices are numbered as edges lead to them."""
    vertices, edges = to_numpy(sample.vertices).tolist(), to_numpy(sample.edges).tolist()
    ends, start = edges_of(lists), np.cumsum([0] + [len(row) for row in lists])
    indptr, indices = (to_numpy(x).tolist() for x in (sample.graph.matrix.indptr, sample.graph.matrix.indices))
    assert to_numpy(sample.graph.matrix.data).tolist() == [e + 1 for e in edges]
    assert sample.offsets[:2] == [0, len(sources)]
    assert vertices[: len(sources)] == list(sources)
    assert len(set(vertices)) == len(vertices) == sample.offsets[-1] == len(sample.graph)
    expected = list(sources)
    for hop, (first, stop) in enumerate(itertools.pairwise(sample.offsets)):
        for i in range(first, stop):
            drawn, degree = edges[indptr[i] : indptr[i + 1]], len(lists[vertices[i]])
            size = sizes[hop] if hop < len(sizes) else 0
            wanted = degree if size < 0 else size * (degree > 0) if replace else min(size, degree)
            assert len(drawn) == wanted
            assert drawn == sorted(drawn)
            assert replace or len(set(drawn)) == len(drawn)
            assert all(start[vertices[i]] <= e < start[vertices[i] + 1] for e in drawn)
            assert [ends[e][1] for e in drawn] == [vertices[k] for k in indices[indptr[i] : indptr[i + 1]]]
            expected += [v for e in drawn if (v := ends[e][1]) not in expected]
    assert vertices == list(dict.fromkeys(expected))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("sizes", [[], [0], [3], [2, 3], [-1, 2], [100, 1, 5]], ids=str)
def test_samples(xp, to_numpy, sizes, replace):
    for lists in (LISTS, GRAPHS["self-loops and repeats"], GRAPHS["star"]):
        for sources in ([], [1], [3, 0, 2]):
            found = sample_neighbors(of_lists(xp, lists), sources, sizes, replace=replace, seed=7)
            verify(lists, sizes, sources, replace, found, to_numpy)


def test_all_edges_are_equally_likely(xp, to_numpy):
    """Pairs of ten neighbours, over many seeds."""
    G, times = of_lists(xp, [list(range(10))] + [[] for _ in range(9)]), 60 if INTERPRETED else 2000
    seen = np.zeros((10, 10))
    for seed in range(times):
        u, v = to_numpy(sample_neighbors(G, 0, [2], seed=seed).edges)
        seen[u, v] += 1
    assert seen[np.tril_indices(10)].sum() == 0
    from scipy.stats import chisquare  # imports for a second

    assert chisquare(seen[np.triu_indices(10, 1)]).pvalue > 0.01


def test_draws_depend_on_seed_and_vertex_only(xp, to_numpy):
    lists = [list(range(40))] * 40
    G = of_lists(xp, lists)
    alone, among = sample_neighbors(G, 3, [6], seed=2**63), sample_neighbors(G, [9, 3, 8], [6], seed=2**63)
    assert to_numpy(alone.edges).tolist() == to_numpy(among.edges)[6:12].tolist()
    assert to_numpy(alone.edges).tolist() != to_numpy(sample_neighbors(G, 3, [6], seed=1).edges).tolist()
    assert to_numpy(among.edges)[:6].tolist() != (to_numpy(among.edges)[6:12] + 6 * 40).tolist()


def test_any_number_of_threads(cpu_only):
    lists, found = random_lists(20_000, 30), []
    G = of_lists(np, lists)
    for threads in (1, 2):
        with config(threads=threads):
            found.append(sample_neighbors(G, np.arange(0, 20_000, 3), [10, 5], seed=3))
    np.testing.assert_array_equal(found[0].vertices, found[1].vertices)
    np.testing.assert_array_equal(found[0].edges, found[1].edges)
    assert found[0].offsets == found[1].offsets


def test_a_layer_of_a_network(xp, to_numpy):
    """The sums over all neighbours of some vertices, by the sampled graph and by the whole one."""
    G = of_lists(xp, LISTS)
    features = xp.asarray(np.random.default_rng(0).random((60, 3)))
    found = sample_neighbors(G, [5, 20, 7], [-1])
    here = found.graph.matrix @ features[found.vertices]
    np.testing.assert_allclose(to_numpy(here[:3]), to_numpy((G.matrix @ features)[[5, 20, 7]]))


def test_refused(xp):
    G = of_lists(xp, [[0, 1], [0]])
    with pytest.raises(ValueError, match="source must name a vertex once, got 1 twice"):
        sample_neighbors(G, [1, 0, 1], [1])
    with pytest.raises(ValueError, match=r"source\[0\] = 2"):
        sample_neighbors(G, 2, [1])
    with pytest.raises(ValueError, match="sizes must be at least 0, or -1 for all edges, got -2"):
        sample_neighbors(G, 0, [1, -2])
    with pytest.raises(ValueError, match="seed must lie in"):
        sample_neighbors(G, 0, [1], seed=-1)
    with pytest.raises(TypeError):
        sample_neighbors(G, 0, [0.5])
    with pytest.raises(TypeError, match="must be a Graph"):
        sample_neighbors(np.eye(2), 0, [1])


@pytest.mark.parametrize("size", [2**31, 2**62, 2**63, 2**70])
def test_sizes_without_end(xp, to_numpy, size):
    """More edges than a vertex has are all its edges; with replacement they need room, also where their number overflows."""
    G = of_lists(xp, [[1, 2], [0], [0], []])
    found = sample_neighbors(G, [0, 1], [size])
    assert to_numpy(found.edges).tolist() == [0, 1, 2]
    assert sample_neighbors(G, [3], [size], replace=True).offsets == [0, 1, 1]
    with pytest.raises(MemoryError, match="[0-9]+ edges need"):
        sample_neighbors(G, [0, 1, 2, 3], [max(size, 2**40)], replace=True)
