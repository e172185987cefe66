"""Eigenvalues near a number: by a factorisation, for every kind of matrix, and never by SciPy's inner iteration."""

import time

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import coo_array, csc_array, csr_array, gallery, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 30
LINE = sp.diags_array([-np.ones(N - 1), np.arange(2.0, N + 2), -np.ones(N - 1)], offsets=[-1, 0, 1]).tocsr()
MASS = sp.diags_array([np.full(N - 1, 0.2), np.linspace(1, 2, N), np.full(N - 1, 0.2)], offsets=[-1, 0, 1]).tocsr()
SKEWED = sp.csr_array(LINE + sp.diags_array(np.linspace(0, 1, N - 1), offsets=1, shape=LINE.shape))
HERMITIAN = sp.csr_array(LINE + sp.diags_array([1j * np.ones(N - 1), -1j * np.ones(N - 1)], offsets=[1, -1]))
V0 = np.ones(N)
FORMS = [csr_array, csc_array, coo_array, sp.csr_array, sp.csc_matrix]


@pytest.fixture(autouse=True)
def no_inner_iteration(monkeypatch):
    """SciPy's way for what is not of its own classes."""
    arpack = __import__("scipy.sparse.linalg._eigen.arpack.arpack", fromlist=["gmres"])
    monkeypatch.setattr(arpack, "gmres", lambda *args, **settings: pytest.fail("SciPy solves by GMRES"))


def near(values, sigma, k):
    return np.sort_complex(values[np.argsort(abs(values - sigma))[:k]])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sigma", [0, 7.1])
def test_symmetric(form, sigma):
    told = []
    values, vectors = linalg.eigsh(form(LINE), 3, sigma=sigma, v0=V0, progress=lambda *n: told.append(n))
    np.testing.assert_allclose(np.sort(values), near(np.linalg.eigvalsh(LINE.toarray()), sigma, 3).real)
    np.testing.assert_allclose(LINE @ vectors, vectors * values, atol=1e-8)
    assert told[-1] == (len(told), None)


@pytest.mark.parametrize("form", FORMS)
def test_pairs_of_matrices(form):
    expected = scipy.linalg.eigh(LINE.toarray(), MASS.toarray(), eigvals_only=True)
    A, M = form(LINE), form(MASS)
    np.testing.assert_allclose(linalg.eigsh(A, 2, M=M, v0=V0, return_eigenvectors=False), expected[-2:])
    for mode in ("normal", "cayley"):
        values = linalg.eigsh(A, 2, M=M, sigma=5.3, mode=mode, v0=V0, return_eigenvectors=False)
        np.testing.assert_allclose(np.sort(values), near(expected, 5.3, 2).real)
    buckling = linalg.eigsh(A, 2, M=csr_array(M), sigma=1.0, mode="buckling", v0=V0, return_eigenvectors=False)
    np.testing.assert_allclose(
        np.sort(buckling), np.sort(sla.eigsh(LINE, 2, M=MASS, sigma=1.0, mode="buckling", v0=V0, return_eigenvectors=False))
    )
    general = linalg.eigs(form(SKEWED), 2, M=M, sigma=5.3, v0=V0, return_eigenvectors=False)
    expected = scipy.linalg.eigvals(SKEWED.toarray(), MASS.toarray())
    np.testing.assert_allclose(np.sort_complex(general), near(expected, 5.3, 2))


@pytest.mark.parametrize("form", FORMS)
def test_not_symmetric(form):
    expected = np.linalg.eigvals(SKEWED.toarray())
    np.testing.assert_allclose(np.sort(abs(linalg.eigs(form(SKEWED), 2, v0=V0)[0])), np.sort(abs(expected))[-2:])
    values, vectors = linalg.eigs(form(SKEWED), 2, sigma=9.3, v0=V0)
    np.testing.assert_allclose(np.sort_complex(values), near(expected, 9.3, 2))
    np.testing.assert_allclose(SKEWED @ vectors, vectors * values, atol=1e-8)
    for part in ("r", "i"):
        ours, theirs = (
            f(A, 2, sigma=9.3 + 2j, OPpart=part, v0=V0, return_eigenvectors=False)
            for f, A in ((linalg.eigs, form(SKEWED)), (sla.eigs, SKEWED))
        )
        np.testing.assert_allclose(np.sort_complex(ours), np.sort_complex(theirs))


def test_hermitian():
    expected = np.linalg.eigvalsh(HERMITIAN.toarray())
    values = linalg.eigsh(csr_array(HERMITIAN), 2, sigma=7.1, v0=V0, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(values), near(expected, 7.1, 2).real)


def test_dense_matrices_and_mixtures():
    """SciPy factorises dense arrays."""
    pairs = scipy.linalg.eigh(LINE.toarray(), MASS.toarray(), eigvals_only=True)
    for A, M in ((LINE.toarray(), csr_array(MASS)), (csr_array(LINE), MASS.toarray()), (LINE.toarray(), MASS.toarray())):
        values = linalg.eigsh(A, 2, M=M, sigma=5.3, v0=V0, return_eigenvectors=False)
        np.testing.assert_allclose(np.sort(values), near(pairs, 5.3, 2).real)
    alone = linalg.eigsh(LINE.toarray(), 2, sigma=7.1, v0=V0, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(alone), near(np.linalg.eigvalsh(LINE.toarray()), 7.1, 2).real)


AS_OPERAND = {"matrix": csr_array, "array": lambda x: x, "operator": sla.aslinearoperator}


@pytest.mark.parametrize("form", AS_OPERAND)
@pytest.mark.parametrize("dtype", ["int64", "bool", "float16"])
def test_vectors_are_not_rounded_to_the_dtype_of_a_matrix(form, dtype):
    """As SciPy rounds them, whose result is then garbage."""
    K = (2 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1)).astype("int64" if dtype == "bool" else dtype)
    M = np.diag(1 + np.arange(N) % 4).astype(dtype)
    expected = scipy.linalg.eigh(K.astype(float), M.astype(float), eigvals_only=True)
    make = AS_OPERAND[form]
    values = linalg.eigsh(csr_array(K.astype(float)), 3, M=csr_array(M), return_eigenvectors=False)
    np.testing.assert_allclose(values, expected[-3:], rtol=1e-6)
    if form != "operator":  # SciPy solves by GMRES, see `no_inner_iteration`
        values = linalg.eigsh(make(K), 3, M=make(M), sigma=0.7, return_eigenvectors=False)
        np.testing.assert_allclose(np.sort(values), near(expected, 0.7, 3).real, rtol=1e-4 if dtype == "float16" else 1e-6)
        values = linalg.eigs(make(K), 2, M=make(M), sigma=0.7, v0=np.arange(1, N + 1), return_eigenvectors=False)
        np.testing.assert_allclose(np.sort(values.real), near(expected, 0.7, 2).real, rtol=1e-4 if dtype == "float16" else 1e-6)
    alone = linalg.eigsh(make(K), 3, which="SA", return_eigenvectors=False)
    np.testing.assert_allclose(
        np.sort(alone), np.linalg.eigvalsh(K.astype(float))[:3], rtol=1e-4 if dtype == "float16" else 1e-6
    )
    singular = np.sort(linalg.svds(make(K), 2, return_singular_vectors=False))
    np.testing.assert_allclose(singular, np.linalg.eigvalsh(K.astype(float))[-2:], rtol=1e-4 if dtype == "float16" else 1e-6)


def test_a_complex_start_of_a_real_problem_is_refused():
    with pytest.raises(TypeError, match="complex128"):
        linalg.eigsh(csr_array(LINE), 2, v0=V0 * 1j)


def test_an_inverse_that_is_given_is_taken():
    solve = linalg.factorized(csr_array(LINE - 7.1 * sp.eye_array(N)))
    calls, told = [], []

    def noted(x):
        calls.append(x.shape)
        return solve(x)

    given = sla.LinearOperator(LINE.shape, matvec=noted, dtype=float)
    values = linalg.eigsh(csr_array(LINE), 2, sigma=7.1, OPinv=given, v0=V0, progress=lambda *n: told.append(n))[0]
    np.testing.assert_allclose(np.sort(values), near(np.linalg.eigvalsh(LINE.toarray()), 7.1, 2).real)
    assert len(calls) == len(told) > 0
    scipys = sla.eigsh(csr_array(LINE), 2, sigma=7.1, OPinv=given, v0=V0)[0]
    np.testing.assert_allclose(np.sort(scipys), np.sort(values))


def test_a_singular_matrix_says_which():
    A = csr_array(np.diag([1.0, 2, 3, 4, 0]))
    with pytest.raises(RuntimeError, match=r"A is singular: sigma is an eigenvalue, so change it a little"):
        linalg.eigsh(A, 2, sigma=0)
    with pytest.raises(RuntimeError, match=r"A - 3.0 I is singular"):
        linalg.eigs(A, 2, sigma=3.0)
    with pytest.raises(RuntimeError, match=r"M is singular: M must have an inverse"):
        linalg.eigsh(A, 2, M=A)


def test_too_many_are_refused():
    with pytest.raises(TypeError, match=r"k must be below 29 for a sparse matrix of 30 rows, got 29: use numpy.linalg.eig\("):
        linalg.eigs(csr_array(LINE), N - 1)


def test_ten_thousand_rows_take_seconds():
    """SciPy's own way took a minute and more for `sigma=0.01`."""
    A, v0, start = gallery.poisson((100, 100)), np.ones(10_000), time.monotonic()
    lowest = 4 * np.sin(np.pi * np.arange(1, 4) / 202) ** 2
    expected = np.sort((lowest[:, None] + lowest).ravel())
    np.testing.assert_allclose(linalg.eigsh(A, 4, sigma=0, v0=v0, return_eigenvectors=False), expected[:4], rtol=1e-8)
    linalg.eigsh(A, 4, sigma=0.01, v0=v0)
    assert time.monotonic() - start < 20
