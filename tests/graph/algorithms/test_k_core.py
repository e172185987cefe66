"""Cores: as networkx finds them, and as peeling by hand does where edges repeat."""

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from battery import BATTERY
from loops import GRAPHS, SQUARE, both_ways, random_lists, undirected
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Graph, core_number, k_core


def peeled(lists):
    """One vertex of fewest edges after the other."""
    degree = [sum(v != u for v in row) for u, row in enumerate(lists)]
    core, left, k = [0] * len(lists), set(range(len(lists))), 0
    while left:
        u = min(left, key=degree.__getitem__)
        core[u] = k = max(k, degree[u])
        left.remove(u)
        for v in lists[u]:
            degree[v] -= v in left
    return core


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [*GRAPHS, *SQUARE])
def test_repeats_and_loops(xp, to_numpy, name):
    if name in GRAPHS:
        lists = GRAPHS[name]
    else:
        indptr, indices, _, shape = BATTERY[name]
        lists = [row.tolist() for row in np.split(indices, indptr[1:-1])][: shape[0]]
    lists = both_ways(lists)
    core = to_numpy(core_number(undirected(xp, lists)))
    assert core.dtype == np.int32
    np.testing.assert_array_equal(core, peeled(lists))


@given(st.integers(0, 2**32 - 1), st.integers(1, 10 if SIMULATED else 40), st.integers(0, 8))
def test_random_graphs(xp, to_numpy, seed, n, most):
    lists = both_ways(random_lists(n, most, seed))
    np.testing.assert_array_equal(to_numpy(core_number(undirected(xp, lists))), peeled(lists))


@pytest.mark.usefixtures("small")
def test_real_graphs(xp, to_numpy, real_matrix_file):
    A = scipy.sparse.load_npz(real_matrix_file)
    if A.shape[0] != A.shape[1] or A.nnz > (1000 if SIMULATED else 300_000):
        pytest.skip("no graph, or too large for networkx or the simulator")
    A = abs(scipy.sparse.csr_array(A))
    A = scipy.sparse.csr_array((A + A.T) != 0, dtype=float)
    A.setdiag(0)
    A.eliminate_zeros()
    G = Graph(csr_array(tuple(map(xp.asarray, (A.data, A.indices, A.indptr))), shape=A.shape), directed=False)
    of_networkx = networkx.core_number(networkx.from_scipy_sparse_array(A))
    expected = np.array([of_networkx[v] for v in range(A.shape[0])])
    np.testing.assert_array_equal(to_numpy(core_number(G)), expected)
    np.testing.assert_array_equal(to_numpy(k_core(G)), np.flatnonzero(expected == expected.max()))


def test_a_long_path_is_one_walk(xp, to_numpy):
    n = 60 if SIMULATED else 2000
    core = core_number(undirected(xp, both_ways([[u + 1] for u in range(n - 1)] + [[]])))
    np.testing.assert_array_equal(to_numpy(core), np.ones(n))


@pytest.mark.usefixtures("cpu_only")
def test_all_cores_at_once(monkeypatch):
    monkeypatch.setattr(TUNING, "drain_small", 0)
    g = networkx.gnm_random_graph(5000, 30_000, seed=3)
    core = core_number(Graph(networkx.to_scipy_sparse_array(g, dtype=float), directed=False))
    assert dict(enumerate(core.tolist())) == networkx.core_number(g)


def test_cores_in_cores(xp, to_numpy):
    """A clique of five, a circle that touches it, a tail, and one vertex alone: k is skipped where there is none."""
    lists = both_ways([[1, 2, 3, 4], [2, 3, 4], [3, 4], [4], [5], [6], [7], [4, 8], [], []])
    G = undirected(xp, lists)
    np.testing.assert_array_equal(to_numpy(core_number(G)), [4, 4, 4, 4, 4, 2, 2, 2, 1, 0])
    for k, vertices in ((None, range(5)), (3, range(5)), (2, range(8)), (1, range(9)), (-1, range(10)), (5, [])):
        found = to_numpy(k_core(G, k))
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, vertices)


@pytest.mark.skipif(not SIMULATED, reason="reads of a GPU are counted under the simulator")
def test_reads_for_each_k(xp, host_reads):
    G = undirected(xp, both_ways([[1, 2, 3, 4], [2, 3, 4], [3, 4], [4], [5], [6], [7], [4, 8], [], []]))
    core_number(G)
    host_reads.clear()
    core_number(G)
    assert len(host_reads) <= 1 + 4 * (2 + 1)  # a walk from nothing; for each of four k two, and one of a walk


def test_bad_input(xp):
    with pytest.raises(ValueError, match="use G.symmetrize"):
        core_number(Graph([[0, 1], [0, 0]]))
    with pytest.raises(TypeError, match="Graph"):
        k_core([[0, 1], [1, 0]])
    with pytest.raises(TypeError, match="k must be an integer, got 1.5"):
        k_core(undirected(xp, [[1], [0]]), 1.5)
    assert k_core(undirected(xp, [])).size == 0
