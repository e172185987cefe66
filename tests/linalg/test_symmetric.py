"""Cholesky and LDL factors: NumPy's and SciPy's numbers for any symmetric pattern, and errors for every other matrix."""

import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_csr import config, coo_array, csc_array, csr_array, linalg
from spark_csr._cpu.tuning import TUNING
from spark_csr._dispatch import backend_of
from spark_csr.gallery import poisson
from spark_csr.linalg import cholesky, factorized, ldl, ordering, spsolve

pytestmark = pytest.mark.usefixtures("cpu_only")

RNG = np.random.default_rng(4)
DTYPES = ["float32", "float64", "complex64", "complex128"]
INSIDE = inspect.unwrap(cholesky).__globals__
ORDERS = ["auto", "nd", "amd", "rcm", "natural"]


def definite(n, density, rng, dtype="float64", dense_rows=0):
    """A random symmetric positive definite matrix of SciPy."""
    R = sp.random_array((n, n), density=density, rng=rng).astype(dtype)
    if R.dtype.kind == "c":
        R = R * np.exp(1j * n)
    R = sp.lil_array(R)
    R[:dense_rows] = 0.5
    R = sp.csr_array(R)
    S = R + R.conj().T
    return sp.csr_array(S + sp.diags_array(abs(S).sum(axis=1).astype(dtype) + 1)).astype(dtype)


def multiplied(factor):
    """The product of the factors, in the order of the matrix."""
    L = factor.L.toarray()
    assert np.array_equal(np.tril(L), L)
    out = np.empty_like(L)
    out[np.ix_(factor.perm, factor.perm)] = (L * factor.D) @ L.conj().T
    return out


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(0, 60),
    density=st.floats(0, 0.2),
    seed=st.integers(0, 99),
    dtype=st.sampled_from(DTYPES),
    order=st.sampled_from(ORDERS),
    dense_rows=st.integers(0, 1),
    signed=st.booleans(),
    panel=st.sampled_from([2, 3, 5, 128]),
)
def test_factors_of_any_pattern(n, density, seed, dtype, order, dense_rows, signed, panel):
    S = definite(n, density, np.random.default_rng(seed), dtype, min(dense_rows, n))
    if signed:  # a definite block beside a negative definite one
        signs = np.where(np.arange(n) < n // 2, 1, -1).astype(dtype)
        S = sp.csr_array(S - sp.diags_array(S.diagonal() - signs * abs(S.diagonal())))
    with TUNING.replace(cholesky_panel=panel):
        factor = (ldl if signed else cholesky)(csr_array(S), order)
    rtol = 1e-4 if np.dtype(dtype).itemsize == 4 or dtype == "complex64" else 1e-10
    np.testing.assert_allclose(multiplied(factor), S.toarray(), atol=rtol * abs(S).max() if n else 0)
    b = RNG.standard_normal((n, 3))
    x = factor.solve(b)
    assert x.dtype == dtype
    assert factor.shape == (n, n)
    assert factor.nnz >= sp.tril(S).nnz
    np.testing.assert_allclose(S.toarray() @ x, b, atol=100 * rtol)
    np.testing.assert_allclose(factor.logdet(), np.linalg.slogdet(S.toarray().astype(complex))[1], rtol=1e-4, atol=1e-4)
    if signed:
        assert (factor.D < 0).sum() == n - n // 2


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("order", ["nd", "amd"])
def test_many_tiles(small_tiles, order, signed):
    """Supernodes in panels, panels in rows, subtrees and what is above them; several components."""
    for A in (poisson((17, 19)), sp.block_diag([poisson((9, 9)).to_scipy(), poisson((5, 5, 5)).to_scipy()], format="csr")):
        factor = (ldl if signed else cholesky)(csr_array(A), order)
        np.testing.assert_allclose(multiplied(factor), A.toarray(), atol=1e-12)


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, sp.csr_array, sp.csc_matrix, sp.lil_array])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_formats(form, dtype):
    S = definite(40, 0.1, np.random.default_rng(0), dtype)
    np.testing.assert_allclose(multiplied(cholesky(form(S))), S.toarray(), atol=1e-12)


def test_duplicates_in_any_order_are_summed():
    S = sp.coo_array(definite(30, 0.1, np.random.default_rng(1)))
    mixed = np.random.default_rng(2).permutation(np.tile(np.arange(S.nnz), 2))
    order = np.lexsort((mixed, S.row[mixed]))
    A = csr_array(
        (S.data[mixed[order]] / 2, S.col[mixed[order]], np.concatenate([[0], np.cumsum(np.bincount(S.row[mixed]))])), (30, 30)
    )
    before = A.indices.copy()
    np.testing.assert_allclose(multiplied(cholesky(A)), S.toarray(), atol=1e-12)
    assert np.array_equal(A.indices, before)


def test_integers_and_halves():
    A = np.array([[4, 2], [2, 5]])
    assert cholesky(csr_array(A)).dtype == np.float64
    assert cholesky(csr_array(A.astype(np.float16))).dtype == np.float32
    assert cholesky(csr_array([[9.0]])).L.toarray() == [[3]]


def test_right_sides():
    A, b = poisson((7, 8)), RNG.standard_normal(56)
    factor = cholesky(A)
    np.testing.assert_allclose(A @ factor.solve(b.tolist()), b)
    np.testing.assert_allclose(A @ factor.solve(b + 2j * b), b + 2j * b)
    assert factor.solve(np.ones((56, 0))).shape == (56, 0)
    for wrong in (b[:-1], b.reshape(56, 1, 1), 3.0):
        with pytest.raises(ValueError, match="b must have 56 rows and at most 2 dims"):
            factor.solve(wrong)
    with pytest.raises(TypeError, match="mask"):
        factor.solve(np.ma.masked_array(b, b > 0))


def test_other_values_of_the_same_pattern(monkeypatch):
    A = poisson((9, 9))
    factor = cholesky(A)
    signed = ldl(A, "natural")
    monkeypatch.setattr(backend_of(A.data), "analyse", None)
    other = factor.refactor(3 * A)
    b = RNG.standard_normal(81)
    np.testing.assert_allclose(3 * factor.refactor(3 * A).solve(b), factor.solve(b))
    assert other._symbolic is factor._symbolic
    assert cholesky(A)._symbolic is factor._symbolic  # what is known of a pattern is kept with the matrix
    for kept in (factor, signed, pickle.loads(pickle.dumps(factor))):
        with pytest.raises(ValueError, match="read-only"):
            kept.perm[:] = 0
    with pytest.raises(ValueError, match="entries at other positions"):
        factor.refactor(A @ A)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        factor.refactor(-A)
    assert np.array_equal(signed.refactor(-A).D, -signed.D)


def test_permutations():
    A, perm = poisson((6, 6)), RNG.permutation(36)
    np.testing.assert_allclose(multiplied(cholesky(A, perm)), A.toarray(), atol=1e-12)
    for wrong in (perm[:-1], np.zeros(36, int), perm.astype(float)):
        with pytest.raises(ValueError, match="permutation of range"):
            cholesky(A, wrong)
    with pytest.raises(ValueError, match="'best'"):
        cholesky(A, "best")


@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, -np.inf])
def test_pivots_that_are_none(value):
    S = definite(30, 0.1, np.random.default_rng(3)).tolil()
    S[:, 7] = S[7, :] = 0
    S[7, 7] = value
    with pytest.raises((np.linalg.LinAlgError, ValueError), match=r"A\[7, 7\]"):
        cholesky(csr_array(sp.csr_array(S) + sp.csr_array(([1e-300], ([7], [7])), shape=(30, 30)) * 0))
    if value == 0.0:
        with pytest.raises(np.linalg.LinAlgError, match=r"A\[7, 7\] is zero.*splu"):
            ldl(csr_array(sp.csr_array(S)))


def test_infinite_entries_end_in_an_error():
    A = csr_array([[1.0, np.inf], [np.inf, 1.0]])
    for method in (cholesky, ldl):
        with pytest.raises(np.linalg.LinAlgError):
            method(A)


def test_small_pivots_are_noticed():
    """Exact pivots exist, but the factors are useless."""
    A = csr_array([[1e-20, 1.0], [1.0, 0.0]])
    with pytest.raises(np.linalg.LinAlgError, match="residual"):
        ldl(A, "natural")


@pytest.mark.parametrize("at", [(3, 5), (5, 3), (0, 9), (9, 0), (4, 4)])
@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_asymmetry_is_named(at, form):
    S = definite(10, 0.3, np.random.default_rng(5), "complex128").tolil()
    S[at] = 7j
    row, column = at
    with pytest.raises(ValueError, match=rf"not symmetric.*A\[({row}, {column}|{column}, {row})\]"):
        cholesky(form(S))
    lone = sp.csr_array(sp.coo_array(([1.0] * 11, ([*range(10), row], [*range(10), column])), shape=(10, 10)))
    if row != column:
        with pytest.raises(ValueError, match=rf"A\[{row}, {column}\] = 1.0"):
            cholesky(form(lone))


def test_shapes():
    with pytest.raises(ValueError, match="square"):
        cholesky(csr_array((2, 3)))


def test_memory_is_estimated(monkeypatch):
    A = poisson((40, 40))
    monkeypatch.setattr(INSIDE["memory"], "SMALL", 0)
    monkeypatch.setattr(INSIDE["memory"], "available_memory", lambda x: 1000)
    with pytest.raises(MemoryError, match=r"entries, which need [\d,]+ bytes; 1,000 are available"):
        cholesky(A)


def test_the_same_bits_for_any_number_of_threads():
    A, b, found = poisson((17, 18, 19)), RNG.standard_normal(17 * 18 * 19), []
    for threads in (1, 3):
        with config(threads=threads), TUNING.replace(cholesky_rows=64, cholesky_panel=32):
            factor = cholesky(csr_array(A.to_scipy()), "nd")
        found.append((factor.perm, factor.D, factor.L.data, factor.solve(b)))
    assert all(map(np.array_equal, *found))


def test_text():
    assert repr(cholesky(csr_array([[4.0]]))) == "<1x1 factor of cholesky with 1 entries and dtype=float64>"
    assert "of ldl" in repr(ldl(csr_array([[4.0]])))


@pytest.fixture
def every_size(monkeypatch):
    monkeypatch.setitem(INSIDE, "LARGE", 1)


@pytest.mark.parametrize(
    "dtypes", [("float64", "float64"), ("float32", "float64"), ("int64", "float32"), ("float32", "complex64")]
)
@pytest.mark.parametrize("shape", [(40,), (40, 1), (40, 3)])
def test_spsolve_takes_cholesky(every_size, monkeypatch, dtypes, shape):
    S = sp.csc_array((100 * definite(40, 0.1, np.random.default_rng(6))).astype(dtypes[0]))
    b = RNG.standard_normal(shape).astype(dtypes[1])
    expected = sla.spsolve(S, b)
    monkeypatch.setitem(inspect.unwrap(spsolve).__globals__, "delegate", None)
    for form in (csr_array, csc_array):
        x = spsolve(form(S), b)
        assert (x.dtype, x.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(x, expected, rtol=1e-3 if x.dtype.char in "fF" else 1e-9, atol=1e-6)


def test_lu_does_the_rest(every_size):
    """Matrices that are not symmetric, not definite, or singular: SciPy's results and warnings."""
    S, b = definite(40, 0.1, np.random.default_rng(7)), RNG.standard_normal(40)
    skewed = sp.csc_array(S + sp.csc_array(([1.0], ([3], [30])), shape=(40, 40)))
    indefinite = sp.csc_array(S - sp.diags_array(np.linspace(0, 0.99, 40) * S.diagonal()))
    for matrix in (skewed, indefinite, sp.csc_array(-S)):
        np.testing.assert_allclose(spsolve(csr_array(matrix), b), sla.spsolve(matrix, b))
        np.testing.assert_allclose(factorized(csr_array(matrix))(b), sla.spsolve(matrix, b))
    np.testing.assert_allclose(spsolve(csr_array(S), b, permc_spec="NATURAL"), sla.spsolve(sp.csc_array(S), b))
    with pytest.warns(sla.MatrixRankWarning):
        assert np.isnan(spsolve(csr_array(np.ones((3, 3))), np.ones(3))).all()
    with pytest.raises(TypeError, match="mask"):
        spsolve(csr_array(S), np.ma.masked_array(b, b > 0))


def test_singular_matrices_are_left_to_lu(every_size):
    """The last pivot is about as large as rounding, and above zero for some of them."""
    for seed in range(30):
        scale = sp.diags_array(np.random.default_rng(seed).random(40) + 0.5)
        graph = definite(40, 0.1, np.random.default_rng(seed))
        laplacian = sp.csgraph.laplacian(graph + sp.diags_array(np.ones(39), offsets=1, shape=(40, 40)), symmetrized=True)
        A = scale @ sp.csr_array(laplacian) @ scale
        assert INSIDE["factor_if_definite"](csr_array((A + A.T) / 2)) is None


def test_factorized_takes_cholesky(every_size, monkeypatch):
    monkeypatch.setitem(inspect.unwrap(factorized).__globals__, "delegate", None)
    A, b = poisson((8, 8)), RNG.standard_normal((64, 2))
    np.testing.assert_allclose(A @ factorized(A)(b), b)


def test_small_matrices_are_left_to_lu(monkeypatch):
    monkeypatch.setitem(INSIDE, "factor", None)
    assert spsolve(poisson((5, 5)), np.ones(25)).shape == (25,)


def test_dissection_is_tried_where_it_may_pay(monkeypatch):
    monkeypatch.setitem(INSIDE, "DISSECTED_FROM", 0)
    A = poisson((40, 40))
    factors = [cholesky(A, order) for order in ("amd", "nd")]
    assert factors[0].nnz != factors[1].nnz
    assert cholesky(A).nnz == min(factors, key=lambda factor: INSIDE["_work"](factor._symbolic)).nnz
    assert linalg.ordering is ordering
