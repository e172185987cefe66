"""Modularity: as networkx defines it, whatever the weights."""

import networkx
import numpy as np
import pytest

from loops import both_ways, edges_of, of_lists, random_lists
from spark_csr import csr_array
from spark_csr.graph import Graph, modularity
from spark_csr.graph.algorithms.modularity import as_whole, table_mask

LISTS = both_ways(random_lists(40, 5))


def with_weights(xp, draw, scale):
    """A graph with loops and repeated edges, as networkx has it and, with scaled weights, as we do."""
    H, weights = networkx.MultiGraph(), {}
    H.add_nodes_from(range(40))
    for u, v in edges_of(LISTS):
        weights.setdefault((min(u, v), max(u, v)), draw())
    for u, v in edges_of(LISTS):
        if u <= v:
            H.add_edge(u, v, weight=weights[u, v])
    data = np.array([weights[min(e), max(e)] for e in edges_of(LISTS)])
    return H, Graph(of_lists(xp, LISTS, data * scale).matrix, directed=False)


@pytest.mark.parametrize("scale", [1, 1e-200, 1e-310, 1e200, 5e306])
@pytest.mark.parametrize("weighted", [True, False])
def test_as_networkx(xp, weighted, scale):
    rng = np.random.default_rng(0)
    for draw in (lambda: int(rng.integers(0, 9)), lambda: rng.random()):
        H, G = with_weights(xp, draw, scale)
        for resolution in (1, 0.3):
            labels = rng.integers(0, 5, 40)
            sets = [set(np.flatnonzero(labels == c).tolist()) for c in range(5)]
            expected = networkx.community.modularity(H, sets, "weight" if weighted else None, resolution)
            found = modularity(G, xp.asarray(labels), resolution, weighted)
            assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16"])
def test_dtypes_of_weights(xp, dtype):
    G = Graph(of_lists(xp, [[1], [0, 2], [1]], np.ones(4, dtype)).matrix, directed=False)
    assert modularity(G, xp.asarray([0, 0, 1])) == 0.5 - 10 / 16


def test_whole_weights(xp, to_numpy):
    for data, expected in (([1.0, 3, 3, 2], [2, 3, 3, 4]), ([5, 2**61, 2**61, 1], None), ([0.25, 0.5, 0.5, 0.0], None)):
        csr = csr_array((np.array(data), [0, 1, 0, 1], [0, 2, 4]))._csr
        found = to_numpy(as_whole(of_lists(xp, [[0, 1], [0, 1]], data)._csr, True)[0].data)
        assert found.dtype == np.int64
        if expected is None:
            assert 2**57 < found.sum() < 2**61
            ratio = np.array(data, float) * [2, 1, 1, 2]
            np.testing.assert_allclose(found / found.sum(), ratio / ratio.sum(), atol=1e-15)
        else:
            assert found.tolist() == expected
        assert csr.data.tolist() == data


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 9, 1000])
def test_tables_have_room(size):
    assert size < table_mask(size) + 1 <= 2 * size


def test_refused(xp):
    G = Graph(of_lists(xp, [[1], [0]], np.ones(2)).matrix, directed=False)
    assert np.isnan(modularity(Graph(xp.zeros((2, 2)), directed=False), xp.asarray([0, 0])))
    with pytest.raises(ValueError, match="undirected"):
        modularity(of_lists(xp, [[1], [0]]), xp.asarray([0, 0]))
    with pytest.raises(ValueError, match="one entry for each of 2 vertices, got 3"):
        modularity(G, xp.asarray([0, 0, 0]))
    for wrong in (2, -1):
        with pytest.raises(ValueError, match=rf"communities must lie in \[0, 2\), got communities\[1\] = {wrong}"):
            modularity(G, xp.asarray([0, wrong]))
    with pytest.raises(TypeError):
        modularity(G, xp.asarray([0, 0.5]))
    G.matrix.data[:] = -1
    with pytest.raises(ValueError, match="must be finite and not negative, got -1.0"):
        modularity(G, xp.asarray([0, 0]))
    assert modularity(G, xp.asarray([0, 0]), weighted=False) == 0
