"""Iterations of a product: what a graph of several holds, and where its blocks come from."""

import dataclasses

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import itertools

import dask

from spark_csr.interop.dask import from_csr, from_delayed, pagerank
from spark_csr.interop.dask import iterate as engine
from spark_csr.interop.dask.linalg import cg

pytestmark = pytest.mark.usefixtures("cpu_only")

S = poisson((12, 12))


@dataclasses.dataclass
class Count:
    """How often blocks are made, and how many are held."""

    made: int = 0


COUNT = Count()


def read(start, stop):
    COUNT.made += 1
    return S[start:stop]


def of_files(blocks=4):
    """Return a matrix whose blocks are made by tasks, with a name of its own."""
    bounds = np.linspace(0, 144, blocks + 1).astype(int)
    rows = [dask.delayed(read, pure=False)(int(a), int(b)) for a, b in itertools.pairwise(bounds)]
    return from_delayed(rows, np.diff(bounds), 144)


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def test_blocks_that_nobody_keeps_are_made_in_every_iteration():
    A = of_files()
    _ = A.plan
    COUNT.made = 0
    cg(A, np.ones(144), maxiter=5, rtol=0, check_every=3)
    assert COUNT.made == 4 * 5
    kept = of_files().persist()
    COUNT.made = 0
    cg(kept, np.ones(144), maxiter=5, rtol=0)
    assert COUNT.made == 0


def test_blocks_that_nobody_keeps_give_the_same_bits():
    for solve in (lambda A: cg(A, np.arange(144.0))[0], lambda A: pagerank(abs_of(A))):
        expected = solve(from_csr(S, [36] * 4).persist()).compute()
        np.testing.assert_array_equal(solve(of_files()).compute(), expected)


def abs_of(A):
    return A * A


@pytest.mark.parametrize("blocks", [2, 4, engine.FEW + 1])
def test_tasks_of_an_iteration(blocks, monkeypatch):
    """Three for each block, one for each message, one that adds the sums of many blocks; and one for the client."""
    A = from_csr(poisson((90, 3)), blocks).persist()
    counts = []
    make_graph = engine.make_graph

    def count(layer, made, *others):
        counts.append(len(made))
        return make_graph(layer, made, *others)

    monkeypatch.setattr(engine, "make_graph", count)
    cg(A, np.ones(270), maxiter=10, rtol=0, check_every=10)
    messages = A.describe().messages
    assert counts == [10 * (3 * blocks + (blocks > engine.FEW) + messages) + 1]


def chain(graph, key):
    """The number of tasks in the longest chain that ends with a key."""
    dependencies, found = graph.get_all_dependencies(), {}

    def longest(key):
        if key not in found:
            found[key] = 1 + max(map(longest, dependencies[key]), default=0)
        return found[key]

    return longest(key)


def test_an_iteration_is_a_chain_of_three_tasks(monkeypatch):
    """Messages, products, what they add to the sums: nobody waits for a state."""
    A = from_csr(S, 3).persist()
    lengths = []

    def count(states, decisions):
        lengths.append(chain(states.graph.cull(states.keys), states.keys[0]))
        return persist(states, decisions)

    persist = engine.persist
    monkeypatch.setattr(engine, "persist", lambda *given: count(*given) if len(given) == 2 else persist(*given))
    cg(A, np.ones(144), maxiter=3, rtol=0)
    cg(A, np.ones(144), maxiter=10, rtol=0)
    assert lengths[1] - lengths[0] == 3 * 7


@pytest.mark.parametrize("few", [1, 4])
def test_who_adds_the_sums_changes_no_bit(few, monkeypatch):
    A = from_csr(S, 4).persist()
    expected = cg(A, np.arange(144.0))[0].compute()
    monkeypatch.setattr(engine, "FEW", few)
    np.testing.assert_array_equal(cg(A, np.arange(144.0))[0].compute(), expected)


def test_threads_of_blas_change_no_bit():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    x, y = np.random.default_rng(0).random((2, 200_000))
    found = set()
    for threads in (1, 2, 3):
        with threadpoolctl.threadpool_limits(threads, user_api="blas"):
            found.add(engine.dot(x, y))
    assert len(found) == 1
    np.testing.assert_allclose(found.pop(), np.vdot(x, y))
    assert engine.dot(x[:0], y[:0]) == 0


def test_conjugates_and_dtypes_of_scalar_products():
    x = np.random.default_rng(0).random(20_001).astype("c8") * (1 + 2j)
    assert engine.dot(x, 1j * x).dtype == np.complex64
    np.testing.assert_allclose(engine.dot(x, 1j * x), np.vdot(x, 1j * x), rtol=1e-5)


def test_matrices_that_cannot_be_iterated():
    with pytest.raises(TypeError, match="must be a csr_blocks, got csr_array: use .*from_csr"):
        cg(poisson((12, 12)), np.ones(144))
    with pytest.raises(ValueError, match=r"must be square, got shape \(144, 100\)"):
        cg(from_csr(S[:, :100], 2), np.ones(144))
    with pytest.raises(ValueError, match="leave columns= out when you make it"):
        cg(from_csr(S, 2, columns=[144]), np.ones(144))
    with pytest.raises(ValueError, match=r"b must have shape \(144,\), got \(3,\)"):
        cg(from_csr(S, 2), np.ones(3))
    with pytest.raises(ValueError, match="check_every must be 1 or more, got 0"):
        cg(from_csr(S, 2), np.ones(144), check_every=0)


def test_parts_that_a_selection_of_rows_left_incomplete():
    """A selection of all rows is square, but its blocks do not take their own chunks whole."""
    D = np.eye(12) * 3
    D[0, 5] = D[5, 0] = 1
    A = from_csr(csr_array(D), 3)[np.arange(12)]
    x, info = cg(A, np.arange(12.0), rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(D @ x.compute(), np.arange(12.0), atol=1e-9)
