"""The same bits for every run and every number of threads; many Python threads at once."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import Ragged, config, csr_array
from spark_csr.primitives import (
    exclusive_scan,
    inclusive_scan,
    right_flood,
    right_flood_vjp,
    segment_ids,
    segmented_reduce,
    segmented_scan,
)

pytestmark = pytest.mark.usefixtures("cpu_only")

RNG = np.random.default_rng(5)
ROWS, COLUMNS = 4000, 3000
LENGTHS = np.minimum(RNG.zipf(1.6, ROWS), 20000)
INDPTR = np.concatenate([[0], np.cumsum(LENGTHS)])
N = int(INDPTR[-1])
INDICES = RNG.integers(0, COLUMNS, N)
DATA = RNG.standard_normal(N)


def matrix():
    """A new one: plans are made again."""
    return csr_array((DATA, INDICES, INDPTR), shape=(ROWS, COLUMNS))


X = RNG.standard_normal((COLUMNS, 5))
LEFT = RNG.standard_normal((ROWS, 5))
WORK = {
    "A @ x": lambda: matrix() @ X[:, 0],
    "A @ X": lambda: matrix() @ X,
    "A @ X in F order": lambda: matrix() @ np.asfortranarray(X),
    "A.T @ x": lambda: matrix().T @ LEFT[:, 0],
    "A.T @ X": lambda: matrix().T @ LEFT,
    "inclusive scan": lambda: inclusive_scan(DATA),
    "exclusive scan from the right": lambda: exclusive_scan(DATA, reverse=True),
    "segmented scan": lambda: segmented_scan(DATA, INDPTR),
    "segmented reduce": lambda: segmented_reduce(DATA, INDPTR),
    "gradient of a flood": lambda: right_flood_vjp(DATA, right_flood(DATA, DATA > 2, return_index=True)[1]),
    "segment ids": lambda: segment_ids(INDPTR),
    "map": lambda: Ragged(DATA, INDPTR).map(lambda value, i, j: value * j - i).values,
    "coordinates": lambda: csr_array((DATA, (INDICES % 50, INDICES % 7)), shape=(50, 7)).data,
}


def test_the_matrix_has_many_tiles():
    from spark_csr._operations.form.record import tiles

    assert N > 40_000
    assert tiles(matrix()._csr).rows.size > 10


@pytest.mark.parametrize("name", WORK)
def test_same_bits(name):
    runs = []
    for threads in (None, 1, 2, 1):
        with config(threads=threads):
            runs.append(WORK[name]().tobytes())
    assert len(set(runs)) == 1


@pytest.mark.parametrize(
    "work", [lambda A: A @ X[:, 0], lambda A: A.T @ LEFT[:, 0], lambda A: A @ X], ids=["A @ x", "A.T @ x", "A @ X"]
)
def test_eight_threads_at_once_from_the_first_call(work):
    expected = work(matrix()).tobytes()
    for _ in range(3):
        A, ready, results = matrix(), threading.Barrier(8), []

        def run(A=A, ready=ready, results=results):
            ready.wait()
            results.extend(work(A).tobytes() for _ in range(5))

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [expected] * 40


def test_right_beside_same():
    reference = sp.csr_array((DATA, INDICES, INDPTR), shape=(ROWS, COLUMNS))
    np.testing.assert_allclose(WORK["A @ x"](), reference @ X[:, 0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(WORK["A.T @ X"](), reference.T @ LEFT, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(WORK["A @ X"](), reference @ X, rtol=1e-10, atol=1e-10)
