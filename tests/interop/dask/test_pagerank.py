"""PageRank in blocks of rows: networkx's answers, for graphs by rows and by columns."""

import numpy as np
import pytest

from spark_csr import csr_array, random_array
from spark_csr.graph import Graph
from spark_csr.graph import pagerank as of_one_process

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da

from spark_csr.interop.dask import from_csr, from_delayed, pagerank
from spark_csr.interop.dask.linalg import read_checkpoint

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def graph(seed=0):
    S = random_array((90, 90), density=0.05, rng=seed).toarray()
    S[10:20] = 0  # vertices that no edge leaves
    return csr_array(S)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("blocks", [1, [30, 0, 60], 5])
@pytest.mark.parametrize("pull", [False, True])
def test_as_networkx(pull, blocks, weighted):
    nx = pytest.importorskip("networkx")
    S = graph()
    A = from_csr(csr_array(S.T), blocks).T if pull else from_csr(S, blocks)
    G = nx.from_scipy_sparse_array(S.to_scipy(), create_using=nx.DiGraph)
    expected = nx.pagerank(G, tol=1e-12, weight="weight" if weighted else None, max_iter=500, backend="networkx")
    found = pagerank(A, tol=1e-12, weighted=weighted, max_iter=500)
    np.testing.assert_allclose(found.compute(), list(expected.values()), rtol=1e-9)
    assert found.chunks == (A.chunks[0],)
    assert found.sum().compute() == pytest.approx(1)


def test_distributions():
    S, rng = graph(), np.random.default_rng(0)
    options = {name: rng.random(90) for name in ("personalization", "dangling", "nstart")}
    expected = of_one_process(Graph(S), 0.7, tol=1e-12, max_iter=500, **options)
    found = pagerank(from_csr(S, 3), 0.7, tol=1e-12, max_iter=500, **options)
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-9)


@pytest.mark.parametrize("pull", [False, True])
def test_ranks_on_the_device_of_the_blocks(pull, xp, to_numpy):
    """On a GPU too; vectors may be given on the host or there."""
    S, device = graph(), "cpu" if xp is np else "cuda"
    R = csr_array(S.T) if pull else S
    rows = [dask.delayed(R[start:stop].to_device)(device) for start, stop in ((0, 30), (30, 30), (30, 90))]
    A = from_delayed(rows, [30, 0, 60], 90).persist()
    given = np.random.default_rng(0).random(90)
    for jump, start in (
        (None, None),
        (given, da.from_array(given, chunks=45).map_blocks(xp.asarray)),
        (xp.asarray(given), None),
    ):
        found = pagerank(A.T if pull else A, personalization=jump, nstart=start, tol=1e-12, max_iter=500).compute()
        assert isinstance(found, xp.ndarray)
        expected = of_one_process(Graph(S), personalization=None if jump is None else given, tol=1e-12, max_iter=500)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-9)


@pytest.mark.parametrize("weights", [1e308, 1e-310, np.float16(6e4), np.uint8(250)])
def test_weights_whose_sums_overflow(weights):
    S = csr_array(np.array([[0, 2, 4, 4], [0, 0, 4, 0], [4, 0, 0, 3], [0, 0, 0, 0]]))
    scaled = (S.astype(np.float64) / 4 * weights).astype(np.asarray(weights).dtype)
    expected = of_one_process(Graph(scaled.astype(np.float64)), tol=1e-12)
    np.testing.assert_allclose(pagerank(from_csr(scaled, 2), tol=1e-12).compute(), expected, rtol=1e-9)


def test_the_number_of_iterations_is_that_of_networkx():
    nx = pytest.importorskip("networkx")
    S = graph()
    G = nx.from_scipy_sparse_array(S.to_scipy(), create_using=nx.DiGraph)
    told = []
    expected = pagerank(from_csr(S, 3), progress=lambda *x: told.append(x), check_every=3).compute()
    needed = told[-1][0]
    local = []
    of_one_process(Graph(S), progress=lambda *x: local.append(x))
    np.testing.assert_allclose(told, local, rtol=1e-9)
    np.testing.assert_allclose(list(nx.pagerank(G, max_iter=needed, backend="networkx").values()), expected, rtol=1e-12)
    np.testing.assert_array_equal(pagerank(from_csr(S, 3), max_iter=needed).compute(), expected)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.pagerank(G, max_iter=needed - 1, backend="networkx")
    with pytest.raises(RuntimeError, match=f"not converged after {needed - 1} iterations: the last change is"):
        pagerank(from_csr(S, 3), max_iter=needed - 1)


def test_checkpoints_go_on(tmp_path):
    A = from_csr(graph(), 3)
    full = pagerank(A, tol=1e-12, max_iter=500)
    with pytest.raises(RuntimeError, match="not converged after 12 iterations"):
        pagerank(A, tol=1e-12, max_iter=12, check_every=5, checkpoint=tmp_path)
    saved, told = read_checkpoint(tmp_path).persist(), []
    np.testing.assert_allclose(saved.compute(), full.compute(), atol=1e-3)
    found = pagerank(A, tol=1e-12, nstart=saved, progress=lambda *x: told.append(x))
    np.testing.assert_allclose(found.compute(), full.compute(), rtol=1e-9)
    assert told[0][1] < 1e-3  # it goes on where it was


def test_bad_arguments():
    A = from_csr(graph(), 2)
    with pytest.raises(ValueError, match=r"alpha must lie in \[0, 1\], got 2"):
        pagerank(A, 2)
    for factor, bad in ((-1, "-"), (np.nan, "nan"), (np.inf, "inf")):
        with pytest.raises(ValueError, match=f"weights must be finite and not negative, got {bad}"):
            pagerank(A * factor)
    with pytest.raises(ValueError, match="the edges that leave a vertex weigh nearly nothing"):
        pagerank(from_csr(csr_array([[1.0, 0], [0, 1e-310]]), 2))
    for bad in (np.zeros(90), -np.ones(90), np.full(90, np.nan)):
        with pytest.raises(ValueError, match="nstart must not be negative, and must have a positive sum"):
            pagerank(A, nstart=bad)
    assert pagerank(from_csr(csr_array((0, 0)), 1)).compute().shape == (0,)
