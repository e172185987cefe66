"""Solvers for matrices in blocks of rows: SciPy's answers, and the same bits whatever the workers."""

import time

import numpy as np
import pytest
import scipy.sparse.linalg

from spark_csr import csr_array, diags_array, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("distributed", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da
from distributed import Client, LocalCluster

from spark_csr.interop.dask import bfs, checkpoints, from_csr, iterate, pagerank
from spark_csr.interop.dask.graphs import persist
from spark_csr.interop.dask.linalg import cg, power_iteration, read_checkpoint

pytestmark = pytest.mark.usefixtures("cpu_only")

S = poisson((15, 17))
B = np.random.default_rng(0).random(255)


@pytest.mark.parametrize("blocks", [1, 3, [0, 100, 0, 155]])
def test_cg(blocks):
    A = from_csr(S, blocks).persist()
    history, theirs = [], []
    x, info = cg(A, B, rtol=1e-9, progress=lambda *told: history.append(told))
    expected, _ = scipy.sparse.linalg.cg(S.to_scipy(), B, rtol=1e-9, callback=lambda x: theirs.append(x.copy()))
    np.testing.assert_allclose(x.compute(), expected, rtol=1e-6)
    assert (info, x.chunks, x.dtype) == (0, A.chunks[:1], np.float64)
    assert [iteration for iteration, _ in history] == list(range(1, len(history) + 1))
    assert abs(len(history) - len(theirs)) <= 2
    assert history[0][1] == pytest.approx(np.linalg.norm(B - S @ theirs[0]))
    assert history[-1][1] <= 1e-9 * np.linalg.norm(B) < history[-2][1]


def test_cg_of_complex_numbers():
    D = S.toarray() * (1 + 0j)
    D[0, 1], D[1, 0] = 1j, -1j
    b = B * (1 - 2j)
    x, info = cg(from_csr(csr_array(D), 3), b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(D @ x.compute(), b, rtol=1e-7)


@pytest.mark.parametrize("matrix", ["f4", "i8"])
@pytest.mark.parametrize("vector", ["f4", "f8"])
def test_dtypes(matrix, vector):
    x, info = cg(from_csr(S.astype(matrix), 2), B.astype(vector))
    assert (info, x.dtype) == (0, x.compute().dtype)
    assert x.dtype == ("f4" if matrix == vector == "f4" else "f8")
    y, info = cg(from_csr(S.astype(matrix), 2), B.astype(vector), M=np.full(255, 0.25))
    assert (info, x.dtype) == (0, y.compute().dtype)
    with pytest.raises(TypeError, match="M must be real for a real system, got complex128: use M.real"):
        cg(from_csr(S.astype(matrix), 2), B.astype(vector), M=np.full(255, 0.25j))


def test_results_do_not_depend_on_how_often_is_checked():
    A = from_csr(S, 3).persist()
    expected = cg(A, B, rtol=0.1)[0].compute()
    for every in (1, 7, 1000):
        np.testing.assert_array_equal(cg(A, B, rtol=0.1, check_every=every)[0].compute(), expected)


def test_a_preconditioner_and_a_first_solution():
    scale, b = np.geomspace(1, 100, 80), B[:80]
    M = csr_array(scale[:, None] * poisson((8, 10)).toarray() * scale)
    A = from_csr(M, 3).persist()
    plain, better, again = [], [], []
    options = {"rtol": 1e-6, "maxiter": 3000}
    cg(A, b, progress=lambda *told: plain.append(told), **options)
    y, info = cg(A, b, M=1 / A.diagonal(), progress=lambda *told: better.append(told), **options)
    cg(A, b, x0=y, M=1 / A.diagonal(), progress=lambda *told: again.append(told), **options)
    assert info == 0
    assert len(again) < 0.2 * len(better) < 0.1 * len(plain)
    assert np.linalg.norm(M @ y.compute() - b) < 1e-5 * np.linalg.norm(b)


def test_how_cg_ends():
    A = from_csr(S, 2).persist()
    x, info = cg(A, B, maxiter=3)
    assert info == 3
    np.testing.assert_allclose(x.compute(), scipy.sparse.linalg.cg(S.to_scipy(), B, maxiter=3)[0])
    assert cg(-1 * A, B)[1] == -1
    x, info = cg(A, np.zeros(255))
    assert info == 0
    assert not x.compute().any()
    assert cg(A, B, atol=1e9)[1] == 0
    for solve in (lambda **options: cg(A, B, **options), lambda **options: power_iteration(A, **options)):
        with pytest.raises(ValueError, match="maxiter must be at least 1, got 0"):
            solve(maxiter=0)
    with pytest.raises(ValueError, match="atol must be a real, non-negative number, got -1"):
        cg(A, B, atol=-1)


@pytest.mark.parametrize(
    "dtype, size", [("f4", 1e20), ("f4", 1e-25), ("f8", 1e170), ("f8", 1e-170), ("c16", 1e-170), ("f8", 1.0)]
)
def test_systems_of_any_scale(dtype, size):
    diagonal, history = np.arange(1, 5).astype(dtype), []
    A = from_csr(diags_array(diagonal), [0, 2, 0, 2])
    b = np.full(4, size, dtype)
    x, info = cg(A, b, x0=b / 8, rtol=1e-6, progress=lambda *told: history.append(told))
    assert (info, x.dtype) == (0, dtype)
    np.testing.assert_allclose(x.compute(), b / diagonal, rtol=1e-5)
    assert 0 < history[0][1] < 4 * size
    for scale in (size, 1 / size):
        w, v = power_iteration(from_csr(diags_array((diagonal * scale).astype(dtype)), 2), b)
        assert w == pytest.approx(4 * scale, rel=1e-5)
        np.testing.assert_allclose(abs(v.compute()), [0, 0, 0, 1], atol=1e-3)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_right_sides_that_are_not_finite(value):
    A = from_csr(S, 2).persist()
    assert cg(A, np.append(B[1:], value))[1] == cg(A, np.append(B[1:], value), atol=1e9)[1] == -1


def test_bits_do_not_depend_on_workers():
    with dask.config.set(scheduler="synchronous"):
        expected = cg(from_csr(S, 4), B)[0].compute()
    with (
        LocalCluster(n_workers=3, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        x, info = cg(from_csr(S, 4).persist(), da.from_array(B, chunks=50))
        assert info == 0
        np.testing.assert_array_equal(x.compute(), expected)


def test_what_an_interrupted_call_has_left_on_the_cluster_is_not_taken_for_the_results_of_another(monkeypatch):
    """An interactive session keeps the last exception, whose frames keep tasks: their names told not how many iterations."""

    def interrupted(*collections):
        monkeypatch.setattr(iterate, "compute", compute)
        compute(*collections)
        raise KeyboardInterrupt

    compute, kept = iterate.compute, []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        A, b = from_csr(poisson((12,)), 2).persist(), np.ones(12)
        for call in (lambda every: cg(A, b, rtol=1e-10, check_every=every), lambda every: bfs(A, 0, check_every=every)):
            monkeypatch.setattr(iterate, "compute", interrupted)
            with pytest.raises(KeyboardInterrupt) as left:
                call(20)
            kept.append(left)
        x, info = cg(A, b, rtol=1e-10, check_every=2)
        assert info == 0
        np.testing.assert_allclose(poisson((12,)) @ x.compute(), b, atol=1e-8)
        np.testing.assert_array_equal(bfs(A, 0, check_every=3).compute(), np.arange(12))
        kept.clear()


def test_two_runs_write_checkpoints_of_their_own_into_one_folder(monkeypatch, tmp_path):
    """The second runs while the cluster still holds what the tasks of the first returned."""

    def hold(layer):
        held.append(persist(layer))
        return compute(layer)

    compute, held = checkpoints.compute, []
    monkeypatch.setattr(checkpoints, "compute", hold)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        A, b = from_csr(poisson((12,)), 2).persist(), np.ones(12)
        for _ in range(2):
            x, _ = cg(A, b, check_every=4, checkpoint=tmp_path)
            np.testing.assert_array_equal(read_checkpoint(tmp_path).compute(), x.compute())
        held.clear()


def test_a_product_goes_on_when_the_only_worker_was_lost_and_another_has_started():
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        product = from_csr(S, 2).persist() @ B
        cluster.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        future = client.compute(product, optimize_graph=False)
        cluster.scale(1)
        np.testing.assert_allclose(future.result(timeout=60), S @ B)


@pytest.mark.parametrize("dtype", [float, complex])
def test_power_iteration(dtype):
    rng = np.random.default_rng(0)
    D = random_array((60, 60), density=0.2, rng=rng).toarray() + 1
    D = (D + D.T) * (1 if dtype is float else 1 + 1j)
    w, v = power_iteration(from_csr(csr_array(D), 3), tol=1e-7)
    v = v.compute()
    largest = max(np.linalg.eigvals(D), key=abs)
    np.testing.assert_allclose(w, largest, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(v), 1)
    assert np.linalg.norm(D @ v - w * v) < 1e-5 * abs(w)
    assert type(w) is (float if dtype is float else np.complex128)


def test_power_iteration_goes_on(tmp_path):
    A, told = from_csr(diags_array(np.arange(1.0, 9)), 2), []
    w, _ = power_iteration(A, tol=1e-8)
    with pytest.raises(RuntimeError, match="not converged after 30 iterations"):
        power_iteration(A, tol=1e-8, maxiter=30, checkpoint=tmp_path)
    again, _ = power_iteration(A, read_checkpoint(tmp_path).persist(), tol=1e-8, progress=lambda *x: told.append(x))
    assert again == pytest.approx(w) == pytest.approx(8)
    assert told[0][1] < 0.1


def test_how_power_iteration_ends():
    A = from_csr(diags_array(np.array([3.0, -3])), 2)
    with pytest.raises(RuntimeError, match="not converged after 30 iterations: the residual is"):
        power_iteration(A, maxiter=30)
    with pytest.raises(ValueError, match="v0 must be finite and not 0, got a vector whose largest element is 0"):
        power_iteration(A, np.zeros(2))
    with pytest.raises(ValueError, match="v0 must be finite and not 0"):
        power_iteration(A, np.array([1, np.nan]))
    w, v = power_iteration(0 * A)
    assert w == 0
    assert np.linalg.norm(v.compute()) == pytest.approx(1)


def test_checkpoints_go_on(tmp_path):
    A = from_csr(S, 3).persist()
    full = cg(A, B, rtol=1e-9)[0].compute()
    with pytest.raises(FileNotFoundError, match="has no complete checkpoint: it has no file checkpoint.json"):
        read_checkpoint(tmp_path)
    x, info = cg(A, B, rtol=1e-9, maxiter=25, check_every=10, checkpoint=tmp_path / "new")
    assert info == 25
    saved = read_checkpoint(tmp_path / "new")
    np.testing.assert_array_equal(saved.compute(), x.compute())
    assert (saved.chunks, saved.dtype) == (x.chunks, x.dtype)
    about, *files = sorted(file.name for file in (tmp_path / "new").iterdir())
    assert about == "checkpoint.json"
    assert [file[-9:] for file in files] == ["-25-0.npy", "-25-1.npy", "-25-2.npy"]
    np.testing.assert_allclose(cg(A, B, saved, rtol=1e-9)[0].compute(), full, rtol=1e-6)


def test_a_matrix_of_one_row_in_several_blocks():
    """Dask's operators with a number lose the chunks of a single element."""
    A = from_csr(csr_array([[2.0]]), 2)
    for given in (None, np.ones(1)):
        x, info = cg(A, np.ones(1), given)
        assert (x.compute().tolist(), info) == ([0.5], 0)
        w, v = power_iteration(A, given)
        assert (w, v.compute().tolist()) == (2.0, [1.0])
        assert pagerank(A, personalization=given, dangling=given, nstart=given).compute().tolist() == [1.0]
