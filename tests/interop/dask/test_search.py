"""Searches and components in blocks of rows: SciPy's answers."""

import numpy as np
import pytest
from scipy.sparse import csgraph

from spark_csr import csr_array, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import bfs, connected_components, from_csr

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


BLOCKS = [1, [30, 0, 90], 7]


def levels(S, sources):
    found = csgraph.dijkstra(S.to_scipy(), indices=sources, unweighted=True, min_only=True)
    return np.where(np.isfinite(found), found, -1)


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("sources", [3, [3, 119, 60]])
def test_levels(blocks, sources):
    S = random_array((120, 120), density=0.015, rng=3)
    expected = levels(S, sources)
    assert expected.max() > 3
    assert expected.min() == -1
    for A in (from_csr(S, blocks), from_csr(csr_array(S.T), blocks).T, from_csr(-1 * S, blocks)):
        told = []
        found = bfs(A, sources, progress=lambda *x, told=told: told.append(x), check_every=3)
        np.testing.assert_array_equal(found.compute(), expected)
        assert told[: int(expected.max())] == [(t, np.sum(expected == t)) for t in range(1, int(expected.max()) + 1)]


def test_a_limit():
    A = from_csr(poisson((20,)), 3)
    for limit in (0, 1, 5, 100):
        expected = np.abs(np.arange(20) - 4)
        np.testing.assert_array_equal(bfs(A, 4, depth_limit=limit).compute(), np.where(expected <= limit, expected, -1))


def test_sources_that_are_none():
    A = from_csr(poisson((20,)), 3)
    with pytest.raises(ValueError, match=r"source must lie in \[0, 20\), got 20"):
        bfs(A, [3, 20])
    with pytest.raises(TypeError, match=r"source must be integers, got 1\.5"):
        bfs(A, 1.5)


@pytest.mark.parametrize("blocks", [*BLOCKS, 30])
@pytest.mark.parametrize("density", [0, 0.004, 0.01, 0.1])
def test_components(density, blocks):
    S = random_array((120, 120), density=density, rng=1)
    count, labels = connected_components(from_csr(S, blocks))
    expected_count, expected = csgraph.connected_components(S.to_scipy())
    assert (count, labels.chunks) == (expected_count, from_csr(S, blocks).chunks[:1])
    first = np.unique(expected, return_index=True)[1]
    by_first_vertex = np.argsort(np.argsort(first))
    np.testing.assert_array_equal(labels.compute(), by_first_vertex[expected])
    assert connected_components(from_csr(S, blocks).T)[0] == expected_count


def test_components_of_no_square():
    with pytest.raises(ValueError, match=r"must be square, got shape \(2, 3\)"):
        connected_components(from_csr(csr_array((2, 3)), 1))
