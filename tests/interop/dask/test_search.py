"""Searches and components in blocks of rows: SciPy's answers."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csgraph

from spark_csr import csr_array, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import bfs, connected_components, from_csr, from_delayed

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
        assert told == [(t, np.sum(expected == t)) for t in range(1, int(expected.max()) + 1)]


def test_a_limit():
    A = from_csr(poisson((20,)), 3)
    for limit in (0, 1, 5, 100):
        expected = np.abs(np.arange(20) - 4)
        np.testing.assert_array_equal(bfs(A, 4, depth_limit=limit).compute(), np.where(expected <= limit, expected, -1))
    with pytest.raises(ValueError, match="depth_limit must be 0 or above, got -1"):
        bfs(A, 4, depth_limit=-1)


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


def test_levels_and_components_on_the_device_of_the_blocks(xp, to_numpy):
    S, device = random_array((120, 120), density=0.012, rng=3), "cpu" if xp is np else "cuda"
    cuts = [0, 30, 30, 90, 110, 120]
    rows = [dask.delayed(S[start:stop].to_device)(device) for start, stop in itertools.pairwise(cuts)]
    A = from_delayed(rows, np.diff(cuts), 120).persist()
    for B, expected in ((A, levels(S, [3, 60])), (A.T, levels(csr_array(S.T), [3, 60]))):
        found = bfs(B, [3, 60]).compute()
        assert isinstance(found, xp.ndarray)
        assert expected.max() > 2
        np.testing.assert_array_equal(to_numpy(found), expected)
    count, labels = connected_components(A)
    expected_count, expected = connected_components(from_csr(S, cuts[1:2] + np.diff(cuts[1:]).tolist()))
    assert isinstance(labels.compute(), xp.ndarray)
    assert 1 < count == expected_count
    np.testing.assert_array_equal(to_numpy(labels.compute()), to_numpy(expected.compute()))


def test_components_of_no_square():
    with pytest.raises(ValueError, match=r"must be square, got shape \(2, 3\)"):
        connected_components(from_csr(csr_array((2, 3)), 1))
