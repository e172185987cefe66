"""Where tasks run in processes of their own: what is sent, and what happens if a worker is lost."""

import contextlib
import functools
import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest

from spark_csr import Semiring
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("distributed", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
from distributed import Client, LocalCluster, wait

from spark_csr.interop.dask import from_csr, from_delayed, pagerank
from spark_csr.interop.dask.linalg import cg

pytestmark = [pytest.mark.usefixtures("cpu_only"), pytest.mark.slow]

SIDE, BLOCKS = 14, 4
BOUNDS = np.linspace(0, SIDE**3, BLOCKS + 1).astype(int).tolist()


def read(start, stop):
    """Make the rows of a block, as if they were read from a file."""
    return poisson((SIDE, SIDE, SIDE))[start:stop]


def of_files():
    """Return a matrix whose tasks have keys of their own, so that nothing is found done."""
    rows = [dask.delayed(read, pure=False)(start, stop) for start, stop in itertools.pairwise(BOUNDS)]
    return from_delayed(rows, np.diff(BOUNDS), SIDE**3)


@contextlib.contextmanager
def two_processes():
    """The client of a cluster of two processes."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "4GB"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    """Of a cluster that no test spoils."""
    with two_processes() as client:
        yield client


def sent(client):
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def test_what_is_sent_is_what_the_plan_says(client):
    A = of_files().persist()
    homes = [client.who_has()[key][0] for key in A.__dask_keys__()]
    expected = A.plan.halo.nbytes(8, workers=homes)
    x = A.place(np.random.default_rng(0).random(A.shape[1]))
    wait(x)
    before = sent(client)
    y = (A @ x).persist(optimize_graph=False)
    wait(y)
    assert 0 < sent(client) - before <= 1.2 * expected + 10_000  # and what wraps each message
    before = sent(client)
    wait((A.T @ y).persist(optimize_graph=False))
    assert 0 < sent(client) - before <= 1.2 * expected + 10_000


def farther(a, x):
    return a + 2 * x


def test_semirings_of_functions_reach_workers(client):
    """Functions of a program are sent as they are, those of modules by name."""
    S = poisson((20, 20))
    A, x = from_csr(S, 4).persist(), np.random.default_rng(0).random(400)
    expected = S.matmul(x, semiring=Semiring("max", farther))
    for product in (farther, lambda a, x: a + 2 * x):
        found = A.matmul(x, semiring=Semiring("max", product))
        np.testing.assert_array_equal(found.compute(), expected)
        squared = A.matmul(A.T.to_blocks(), semiring=Semiring("max", product))
        np.testing.assert_array_equal(
            squared.compute().toarray(), S.matmul(S.T.tocsr(), semiring=Semiring("max", farther)).toarray()
        )


def test_products_of_a_transpose_and_blocks(client):
    S, R = poisson((20, 20))[:, :150], poisson((20, 20))[:, 100:]
    A, B = from_csr(S, [100, 0, 300]).persist(), from_csr(R, [100, 0, 300]).persist()
    np.testing.assert_allclose((A.T @ B).compute().toarray(), (S.T @ R).toarray())
    np.testing.assert_allclose((A.T @ B.repartition(3)).compute().toarray(), (S.T @ R).toarray())
    assert (A.T @ B).to_dask_array().sum().compute() == (S.T @ R).sum()


def solve(A, told):
    x, info = cg(A, np.ones(A.shape[0]), rtol=1e-10, check_every=5, progress=told)
    assert info == 0
    return x.compute()


def rank(A, told):
    return pagerank(A * A, 0.6, tol=1e-15, max_iter=300, check_every=5, progress=told).compute()


@functools.cache
def undisturbed(method):
    """The result and the history of a method in this process."""
    history = []
    with dask.config.set(scheduler="synchronous"):
        return method(of_files().persist(), lambda *told: history.append(told)), history


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("method", [solve, rank])
def test_a_lost_worker_changes_no_bit(method, share):
    expected, history = undisturbed(method)
    assert len(history) > 30
    again, killers = [], []

    def kill_in_the_middle(*told):
        again.append(told)
        if not killers and told[0] >= share * len(history):
            killers.append(threading.Timer(0.02, os.kill, (pid, signal.SIGKILL)))  # while the next graph is computed
            killers[0].start()

    with two_processes() as client:
        pid = next(iter(client.run(os.getpid).values()))
        found = method(of_files().persist(), kill_in_the_middle)
        killers[0].join()
        assert pid not in survivors(client)
    np.testing.assert_array_equal(found, expected)
    assert again == history


def survivors(client):
    """The processes of the workers, when the scheduler knows which are gone."""
    for _ in range(100):
        try:
            return list(client.run(os.getpid).values())
        except OSError:
            time.sleep(0.1)
    raise AssertionError("no answer of all workers in ten seconds")
