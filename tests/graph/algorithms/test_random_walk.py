"""Walks: along edges, as often as they should, the same ones everywhere."""

import itertools

import numpy as np
import pytest

from loops import GRAPHS, of_lists
from spark_csr._array import SIMULATED
from spark_csr._config import config
from spark_csr.graph import Graph, random_walk
from spark_csr.graph.philox import random_bits, random_unit

pytestmark = pytest.mark.usefixtures("small_tiles")

KNOWN = [
    ((0, 0, 0, 0), 0xE169C58D6627E8D5),
    ((2**32 - 1, 2**32 - 1, 2**64 - 1, 2**64 - 1), 0x41C83B0E408F276D),
    ((0xA4093822, 0x299F31D0, 0x85A308D3243F6A88, 0x0370734413198A2E), 0x94FDCCEBD16CFE09),
]
"""The test vectors of Random123, whose words are halves of ours."""


@pytest.mark.parametrize("given, expected", KNOWN)
def test_random_bits_are_those_of_philox(given, expected):
    given = tuple(map(np.uint64, given))
    assert int(random_bits(*given)) == expected
    assert random_unit(*given) == (expected >> 11) * 2.0**-53


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_step_is_an_edge(xp, to_numpy, lists, weighted):
    n = len(lists)
    walks = to_numpy(random_walk(of_lists(xp, lists), xp.arange(n), 6, weighted=weighted, seed=5))
    assert (walks.shape, walks.dtype) == ((n, 7), np.int32)
    assert walks[:, 0].tolist() == list(range(n))
    for walk in walks.tolist():
        for u, v in itertools.pairwise(walk):
            assert v in lists[u] if u >= 0 and lists[u] else v == -1


def test_weights_of_vertices_far_apart(xp, to_numpy):
    G = of_lists(xp, [[1, 2], [0, 2], [0, 1]], np.array([1e300, 1e300, 1e-200, 3e-200, 1e-310, 1e-310]))
    walks = to_numpy(random_walk(G, [0, 1, 2] * 400, 1, weighted=True, seed=0))
    for vertex, shares in ((0, {1: 0.5, 2: 0.5}), (1, {0: 0.25, 2: 0.75}), (2, {0: 0.5, 1: 0.5})):
        for target, share in shares.items():
            assert abs((walks[walks[:, 0] == vertex, 1] == target).mean() - share) < 0.1


@pytest.mark.parametrize("weighted, scale", [(False, 1), (True, 1), (True, 1e-323), (True, 2e307)])
def test_edges_are_taken_as_often_as_they_should(xp, to_numpy, weighted, scale):
    weights, size = np.array([3.0, 0, 1, 2, 6, 0.5, 0]), 300 if SIMULATED else 20000
    G = of_lists(xp, [[0, 1, 2, 2, 3, 4, 5], [], [], [], [], []], weights * scale)
    reached = to_numpy(random_walk(G, xp.zeros(size, int), 1, weighted=weighted, seed=3))[:, 1]
    share = np.bincount([0, 1, 2, 2, 3, 4, 5], weights if weighted else None)
    seen = np.bincount(reached, minlength=6)
    assert (seen[share == 0] == 0).all()
    possible = share > 0
    expected = share[possible] / share.sum() * size
    from scipy.stats import chisquare  # imports for a second

    assert chisquare(seen[possible], expected).pvalue > 0.01


def test_steps_and_walks_differ(xp, to_numpy):
    G = of_lists(xp, [[0, 1], [0, 1]])
    walks = to_numpy(random_walk(G, [0] * 20, 40, seed=1))
    assert len({tuple(walk) for walk in walks.tolist()}) == 20
    assert 250 < walks[:, 1:].sum() < 550


def test_more_walks_and_steps_begin_alike_and_seeds_differ(xp, to_numpy):
    G = of_lists(xp, GRAPHS["random"])
    few, many = (to_numpy(random_walk(G, [20] * k, k, seed=2**63)) for k in (3, 9))
    assert few.tolist() == many[:3, :4].tolist()
    assert many.tolist() != to_numpy(random_walk(G, [20] * 9, 9, seed=2**63 + 1)).tolist()
    assert to_numpy(random_walk(G, 20, 3, seed=2**63)).tolist() == few[:1].tolist()


def test_tiny_and_zero_weights_at_the_ends(xp):
    least = np.nextafter(0.0, 1.0)
    G = of_lists(xp, [[0, 1, 0], [1, 0], []], np.array([0, least, 0, 0, 0]))
    assert random_walk(G, [0] * 8, 2, weighted=True).tolist() == [[0, 1, -1]] * 8


@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "float16"])
def test_weights_of_any_dtype(xp, dtype):
    G = of_lists(xp, [[0, 1, 2], [2], [1]], np.array([0, 0, 1, 1, 1], dtype))
    assert random_walk(G, 0, 3, weighted=True).tolist() == [[0, 2, 1, 2]]


def test_nothing_to_walk(xp):
    G = of_lists(xp, [])
    assert random_walk(G, [], 5, weighted=True).shape == (0, 6)
    assert random_walk(of_lists(xp, [[0]]), [0], 0).tolist() == [[0]]


def test_refused(xp):
    G = of_lists(xp, [[0, 1], [0]], np.array([1.0, -2, 3]))
    with pytest.raises(ValueError, match="finite and not negative, got -2.0 for 0 -> 1: use abs"):
        random_walk(G, 0, 1, weighted=True)
    assert random_walk(G, 0, 1).shape == (1, 2)
    for weight in (np.nan, np.inf):
        G.matrix.data[1] = weight
        with pytest.raises(ValueError, match=f"got {weight} for 0 -> 1"):
            random_walk(G, 0, 1, weighted=True)
    G.matrix.data[:] = 1
    with pytest.raises(ValueError, match=r"must lie in \[0, 2\), got source\[1\] = 2"):
        random_walk(G, [0, 2], 1)
    with pytest.raises(ValueError, match="length must be 0 or above, got -1"):
        random_walk(G, 0, -1)
    with pytest.raises(ValueError, match="seed must lie in"):
        random_walk(G, 0, 1, seed=-1)
    with pytest.raises(TypeError, match="weights must be real, got dtype complex128"):
        random_walk(Graph(xp.asarray([[1j]])), 0, 1, weighted=True)
    with pytest.raises(TypeError, match="must be a Graph"):
        random_walk(np.eye(2), 0, 1)
    with pytest.raises(TypeError):
        random_walk(G, 0.5, 1)
    with config(validate=False):
        assert random_walk(G, 1, 1, weighted=True).tolist() == [[1, 0]]
