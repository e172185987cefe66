"""Orders of elimination: permutations of any graph, and few entries in the factor."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_csr import config, csr_array
from spark_csr.gallery import poisson
from spark_csr.linalg import cholesky, ordering, qr

pytestmark = pytest.mark.usefixtures("cpu_only")

METHODS = ["nd", "amd", "rcm", "natural"]


@settings(max_examples=40, deadline=None)
@given(n=st.integers(0, 400), edges=st.floats(0, 6), seed=st.integers(0, 99), method=st.sampled_from(METHODS))
def test_permutations_of_any_graph(n, edges, seed, method):
    S = sp.random_array((n, n), density=min(edges / max(n, 1), 1), rng=np.random.default_rng(seed))
    perm = ordering(csr_array(S), method)
    assert perm.dtype == np.int32
    assert np.array_equal(np.sort(perm), np.arange(n))


@pytest.mark.parametrize("method", ["nd", "amd"])
def test_graphs_that_are_hard_to_halve(small_tiles, method):
    n = 300
    star = sp.lil_array((n, n))
    star[0] = 1
    path = sp.diags_array(np.ones(n - 1), offsets=1)
    for S in (star, path, np.ones((60, 60)), sp.csr_array((n, n)), sp.block_diag([sp.coo_array(np.ones((9, 9)))] * 30)):
        perm = ordering(csr_array(S), method)
        assert np.array_equal(np.sort(perm), np.arange(perm.size))


def test_few_entries():
    """Of a star and a path as few as there can be; of grids fewer than in the order of the points."""
    n = 200
    star = sp.lil_array(sp.eye_array(n) * n)
    star[0, 1:] = star[1:, 0] = 1
    star = csr_array(star)
    for method in ("nd", "amd"):
        L = cholesky(star, method).L
        assert np.count_nonzero(L.toarray()) == 2 * n - 1
        square, cube = (cholesky(poisson(shape), method).nnz for shape in ((60, 60), (14, 14, 14)))
        assert square < 0.45 * cholesky(poisson((60, 60)), "natural").nnz
        assert cube < 0.75 * cholesky(poisson((14, 14, 14)), "natural").nnz


def test_minimum_degree_of_a_tree():
    """Leaves first: nothing is filled in."""
    rng, n = np.random.default_rng(0), 500
    above = [int(rng.integers(k)) for k in range(1, n)]
    T = sp.coo_array((np.ones(n - 1), (range(1, n), above)), shape=(n, n))
    A = csr_array(T + T.T + sp.eye_array(n) * n)
    assert np.count_nonzero(cholesky(A, ordering(A, "amd")).L.toarray()) == 2 * n - 1


def test_narrow_bands():
    A = poisson((30, 4))
    mixed = A[np.random.default_rng(0).permutation(120)]
    mixed = csr_array(mixed.to_scipy() @ mixed.to_scipy().T)
    perm = ordering(mixed, "rcm")
    row, column = mixed[perm][:, perm].to_scipy().nonzero()
    assert abs(row - column).max() < 25


def test_patterns_that_are_not_symmetric():
    upper = csr_array(sp.triu(poisson((9, 9)).to_scipy()))
    assert np.array_equal(ordering(upper, "amd"), ordering(poisson((9, 9)), "amd"))


def test_the_same_order_for_any_number_of_threads():
    A, found = poisson((15, 16, 17)), []
    for threads in (1, 3):
        with config(threads=threads):
            found.append(ordering(A, "nd"))
    assert np.array_equal(*found)


def test_bad_arguments():
    with pytest.raises(ValueError, match="square"):
        ordering(csr_array((2, 3)))
    with pytest.raises(ValueError, match="one of nd, amd, rcm, natural or a permutation, got 'metis'"):
        ordering(csr_array((2, 2)), "metis")


def test_other_devices_are_refused(monkeypatch):
    monkeypatch.setitem(inspect.unwrap(ordering).__globals__, "one_thread_is_fast", lambda x: False)
    for function in (ordering, cholesky):
        with pytest.raises(NotImplementedError, match=r"to_device\('cpu'\) or splu"):
            function(poisson((3, 3)))


@pytest.mark.parametrize("make", [cholesky, qr])
def test_masked_orders_are_refused(make):
    with pytest.raises(TypeError, match="ordering is a masked array"):
        make(poisson((3,)), np.ma.masked_equal([0, 1, 2], 1))
