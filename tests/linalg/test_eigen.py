"""Eigenvalues and singular values on the cores, for every kind of matrix."""

import functools
import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import coo_array, csc_array, csr_array, linalg
from spark_csr.gallery import poisson

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 30
LINE = sp.diags_array([-np.ones(N - 1), np.arange(2.0, N + 2), -np.ones(N - 1)], offsets=[-1, 0, 1]).tocsr()
VALUES = np.linalg.eigvalsh(LINE.toarray())
RECTANGLE = sp.random_array((40, 25), density=0.3, rng=np.random.default_rng(1), format="csr")
V0 = np.ones(N)


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, sp.csr_array])
def test_eigenvalues(form):
    told = []
    np.testing.assert_allclose(linalg.eigsh(form(LINE), k=3, v0=V0, return_eigenvectors=False), VALUES[-3:])
    values, vectors = linalg.eigsh(form(LINE), 2, which="SA", v0=V0, progress=lambda *n: told.append(n))
    np.testing.assert_allclose(values, VALUES[:2])
    np.testing.assert_allclose(LINE @ vectors, vectors * values, atol=1e-8)
    assert told[-1] == (len(told), None)


def test_eigenvalues_near_a_number():
    near = linalg.eigsh(csr_array(LINE), k=2, sigma=7.1, v0=V0, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(near), np.sort(VALUES[np.argsort(abs(VALUES - 7.1))[:2]]))
    twice = linalg.eigsh(csr_array(LINE), k=2, M=csr_array(2 * sp.eye_array(N).tocsr()), v0=V0, return_eigenvectors=False)
    np.testing.assert_allclose(twice, VALUES[-2:] / 2)


@pytest.mark.parametrize("form", [csr_array, csc_array, sp.csr_array])
def test_singular_values(form):
    told = []
    expected = np.linalg.svd(RECTANGLE.toarray())[1]
    values = linalg.svds(form(RECTANGLE), k=3, return_singular_vectors=False, progress=lambda *n: told.append(n))
    np.testing.assert_allclose(np.sort(values), expected[2::-1])
    u, s, vt = linalg.svds(form(RECTANGLE), k=2)
    np.testing.assert_allclose(RECTANGLE.T @ u, vt.T * s, atol=1e-8)
    assert told


@pytest.mark.parametrize("form", [csr_array, csc_array, sp.csr_array])
def test_block_of_eigenvalues(form):
    told = []
    X = np.random.default_rng(0).standard_normal((N, 3))
    M = csr_array(sp.diags_array(1 / LINE.diagonal()).tocsr())
    values, _ = linalg.lobpcg(form(LINE), X, M=M, largest=False, maxiter=200, tol=1e-8, progress=lambda *n: told.append(n))
    np.testing.assert_allclose(np.sort(values), VALUES[:3], rtol=1e-6)
    assert told[0] == (1, None)


@pytest.mark.parametrize("shape", [(8, 5), (5, 8)])
def test_propack(shape):
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1]))
    A = csr_array(dense)
    expected = np.linalg.svd(dense)[1]
    values = linalg.svds(A, 2, solver="propack", v0=np.ones(shape[0]), return_singular_vectors=False)
    np.testing.assert_allclose(values, expected[1::-1])
    u, s, vh = linalg.svds(A, 3, solver="propack")  # one more than the rank: PROPACK itself invents a value
    np.testing.assert_allclose(s, expected[2::-1], atol=1e-12)
    np.testing.assert_allclose((u * s) @ vh, dense, atol=1e-12)
    assert linalg.svds(A, 3, solver="propack", return_singular_vectors="u")[2] is None
    with pytest.raises(ValueError, match=rf"v0 must have shape \({shape[0]},\), got \({shape[1]},\)"):
        linalg.svds(A, 2, solver="propack", v0=np.ones(shape[1]))


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape, k", [((6, 4), 1), ((6, 4), 2), ((4, 6), 2), ((20, 9), 4)])
def test_the_smallest_by_propack(shape, k, complex_):
    """PROPACK invents a zero for a matrix with more rows than columns."""
    rng = np.random.default_rng(1)
    dense = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if complex_ else 0)
    expected = np.linalg.svd(dense)[1][::-1][:k]
    for v0 in (None, rng.standard_normal(shape[0])):
        u, s, vh = linalg.svds(csr_array(dense), k, which="SM", solver="propack", v0=v0)
        np.testing.assert_allclose(s, expected)
        np.testing.assert_allclose(dense @ vh.conj().T, u * s, atol=1e-8)
    u, s, none = linalg.svds(csr_array(dense), k, which="SM", solver="propack", return_singular_vectors="u")
    assert none is None
    np.testing.assert_allclose(abs(dense.conj().T @ u), abs(vh.conj().T * s), atol=1e-8)


def test_what_propack_invents_is_refused():
    dense = np.random.default_rng(3).standard_normal((9, 3)) @ np.ones((3, 7))
    with pytest.raises(np.linalg.LinAlgError, match="use solver='arpack'"):
        linalg.svds(csr_array(dense), 2, which="SM", solver="propack")


@pytest.mark.filterwarnings("ignore:The problem size:UserWarning")
@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, sp.csr_array])
def test_a_block_of_a_small_matrix(form):
    """SciPy makes a dense one of it."""
    dense = np.diag(np.arange(1, 6))
    values, vectors = linalg.lobpcg(form(dense), np.eye(5)[:, :2], B=form(2 * np.eye(5)))
    np.testing.assert_allclose(values, [2.5, 2])
    np.testing.assert_allclose(dense @ vectors, 2 * vectors * values, atol=1e-12)


@pytest.mark.parametrize("name", ["eigsh", "svds", "lobpcg"])
def test_every_setting_arrives(monkeypatch, name):
    theirs, ours, given = getattr(sla, name), getattr(linalg, name), {}

    @functools.wraps(theirs)
    def noted(A, first, **settings):
        given.update(settings)
        return np.ones(2), np.ones(2), np.ones(2)

    monkeypatch.setattr(sla, name, noted)
    known = inspect.signature(theirs).parameters.keys() & inspect.signature(ours).parameters.keys() - {"A", "k", "X"}
    other = sla.aslinearoperator(np.eye(N))
    settings = dict.fromkeys(known, object()) | {"v0": np.ones(N), "M": other, "B": other, "Y": np.ones((N, 1))}
    settings = {setting: settings[setting] for setting in known}
    ours(csr_array(LINE), np.ones((N, 2)) if name == "lobpcg" else 2, **settings)
    assert {key: id(value) for key, value in given.items()} == {key: id(value) for key, value in settings.items()}


SCALES = [1e-250, 1e-50, 1e-20, 1e-4, 1e100, 1e250]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("settings", [{}, {"sigma": 0.3}, {"sigma": 0.3, "M": True}, {"sigma": 0.3, "OPinv": True}])
@pytest.mark.parametrize("name", ["eigsh", "eigs"])
def test_eigenvalues_far_from_one(name, settings, scale):
    """ARPACK compares with numbers near one: it returns other values for 1e-50, and fails for 1e250."""
    S = LINE * scale
    given, M = dict(settings), csr_array(np.diag(1 + np.arange(N) % 3)) if "M" in settings else None
    if "sigma" in settings:
        given["sigma"] *= scale
    if "OPinv" in settings:
        inverse = np.linalg.inv(LINE.toarray() - 0.3 * np.eye(N))
        given["OPinv"] = sla.LinearOperator((N, N), lambda x: inverse @ x / scale, dtype=float)
    if M is not None:
        given["M"] = M
    w, v = getattr(linalg, name)(csr_array(S), 3, **given)
    near = LINE.toarray() if M is None else np.linalg.solve(M.toarray(), LINE.toarray())
    exact = np.linalg.eigvals(near).real
    exact = exact[np.argsort(-abs(1 / (exact - 0.3) if "sigma" in settings else exact))][:3]
    np.testing.assert_allclose(np.sort(w.real) / scale, np.sort(exact), rtol=1e-8)
    np.testing.assert_allclose(near @ v, v * (w / scale), atol=1e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_singular_values_and_blocks_far_from_one(scale):
    A = csr_array(LINE * scale)
    exact = np.linalg.svd(LINE.toarray())[1]
    for solver in ("arpack", "lobpcg"):
        s = linalg.svds(A, 3, solver=solver, return_singular_vectors=False, tol=1e-6, maxiter=1000)
        np.testing.assert_allclose(np.sort(s)[::-1] / scale, exact[:3], rtol=1e-6)
    X = np.random.default_rng(0).random((N, 3))
    w, _, *histories = linalg.lobpcg(A, X, maxiter=400, retLambdaHistory=True, retResidualNormsHistory=True)
    np.testing.assert_allclose(np.sort(w)[::-1] / scale, exact[:3], rtol=1e-4)
    for history in histories:
        assert 1e-9 < np.max(history[-1]) / scale < 100


def test_an_operator_without_products_but_with_an_inverse():
    def refuse(x):
        raise AssertionError

    inverse = np.linalg.inv(LINE.toarray() - 0.3 * np.eye(N))
    A, OPinv = sla.LinearOperator((N, N), refuse, dtype=float), sla.aslinearoperator(inverse)
    w = linalg.eigsh(A, 2, sigma=0.3, OPinv=OPinv, return_eigenvectors=False)
    np.testing.assert_allclose(w, VALUES[np.argsort(abs(VALUES - 0.3))][:2])


def test_values_found_so_far_are_scaled_back():
    with pytest.raises(sla.ArpackNoConvergence) as caught:
        linalg.eigsh(csr_array(LINE * 1e-50), 6, which="SM", maxiter=3)
    assert (caught.value.eigenvalues < 1e-49).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_the_same_bits_in_every_call(dtype):
    A = csr_array(LINE.astype(dtype))
    for solve in (lambda: linalg.eigsh(A, 3), lambda: linalg.eigs(A, 3, sigma=0), lambda: linalg.svds(A, 3)):
        for first, second in zip(solve(), solve(), strict=True):
            np.testing.assert_array_equal(first, second)


def test_the_source_of_the_first_vector_is_used():
    if "rng" not in inspect.signature(sla.eigsh).parameters:
        pytest.skip("this SciPy has no such parameter")
    one, same, other = (linalg.eigsh(csr_array(LINE), 3, rng=k)[1] for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("name", ["eigsh", "eigs", "svds"])
def test_a_matrix_of_zeros(name):
    with pytest.raises(sla.ArpackError, match=r"A @ v0 is zero\. A matrix of zeros has no other eigenvalues"):
        getattr(linalg, name)(csr_array((20, 20)), 2)


@pytest.mark.parametrize("name", ["eigsh", "eigs", "svds"])
@pytest.mark.parametrize("k", [2.0, np.float64(2), True, "2", None])
def test_numbers_of_values_are_integers(name, k):
    """SciPy's process ends for 2.0."""
    with pytest.raises(TypeError, match=f"k must be an integer, got {re.escape(repr(k))}"):
        getattr(linalg, name)(poisson((5, 5)), k=k)
