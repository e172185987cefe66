"""Direct solvers and factorisations: SciPy's results for every kind of matrix, without its warnings and without a copy."""

import inspect

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import coo_array, csc_array, csr_array, issparse, linalg
from spark_csr._operations.form import canonical
from spark_csr._operations.triangular import levels
from spark_csr.linalg import delegate, direct, operators

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 30
RNG = np.random.default_rng(3)
SKEWED = sp.csr_array(sp.random_array((N, N), density=0.1, rng=RNG) + sp.diags_array(np.linspace(3.0, 5, N)))
LOWER = sp.tril(SKEWED, format="csr")
B = RNG.standard_normal((N, 3))
FORMS = [csr_array, csc_array, coo_array, sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array]
NAMES = ["spsolve", "spsolve_triangular", "splu", "spilu", "factorized", "inv", "expm", "expm_multiply", "eigs", "eigsh"]
NAMES += ["onenormest", "lsmr", "cgs", "bicg", "lgmres", "svds"]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_scipys(name):
    """Parameters that only one of several versions of SciPy has are its own affair."""
    ours, theirs = (inspect.signature(getattr(where, name)).parameters for where in (linalg, sla))
    missing = theirs.keys() - ours.keys() - {"random_state", "tol"}
    assert not missing
    assert list(ours)[: len(theirs) - len(theirs.keys() - ours.keys())] == [x for x in theirs if x in ours]
    for parameter in ours.keys() & theirs.keys():
        assert ours[parameter].default == theirs[parameter].default


@pytest.mark.parametrize("form", FORMS)
def test_systems(form):
    A, expected = form(SKEWED), np.linalg.solve(SKEWED.toarray(), B)
    np.testing.assert_allclose(linalg.spsolve(A, B), expected)
    np.testing.assert_allclose(linalg.spsolve(A, B[:, 0].tolist()), expected[:, 0])
    np.testing.assert_allclose(linalg.spsolve(A, B[:, :1], permc_spec="NATURAL"), expected[:, 0])
    np.testing.assert_allclose(linalg.splu(A, options={"SymmetricMode": True}).solve(B), expected)
    np.testing.assert_allclose(linalg.factorized(A)(B[:, 1]), expected[:, 1])
    np.testing.assert_allclose(linalg.spilu(A, drop_tol=0, fill_factor=100).solve(B), expected)
    np.testing.assert_allclose(linalg.spsolve_triangular(form(LOWER), B), np.linalg.solve(LOWER.toarray(), B))
    upper = linalg.spsolve_triangular(form(LOWER.T), B, lower=False, unit_diagonal=True)
    unit = LOWER.T.toarray()
    np.fill_diagonal(unit, 1)
    np.testing.assert_allclose(upper, np.linalg.solve(unit, B))


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("of_b", [csr_array, csc_array, sp.coo_array])
def test_sparse_right_sides(form, of_b):
    x = linalg.spsolve(form(SKEWED), of_b(sp.csr_array(B)))
    assert type(x) is form
    np.testing.assert_allclose(x.toarray(), np.linalg.solve(SKEWED.toarray(), B))
    one = linalg.spsolve(form(SKEWED), csr_array(B[:, 0]))
    np.testing.assert_allclose(one, np.linalg.solve(SKEWED.toarray(), B[:, 0]))


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "float16"])
def test_dtypes(dtype):
    dense = np.round(4 * SKEWED.toarray()).astype(dtype)
    A, S = csr_array(dense), sp.csc_array(dense.astype(np.float64) if dtype == "float16" else dense)
    b = B[:, 0].astype(np.float32) if dtype in ("float16", "float32") else B[:, 0]
    ours, theirs = linalg.spsolve(A, b), sla.spsolve(S, b)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-3 if ours.dtype == np.float32 else 1e-9, atol=1e-4)
    assert linalg.splu(A).L.dtype == sla.splu(S).L.dtype


def test_the_inverse_of_one_element():
    """SciPy returns a vector, and NaN for 0."""
    for form in (csr_array, csc_array, coo_array):
        found = linalg.inv(form([[4]]))
        assert (type(found), found.toarray().tolist()) == (form, [[0.25]])
    assert linalg.inv(csr_array((0, 0))).shape == (0, 0)
    with pytest.raises(RuntimeError, match="A is singular"):
        linalg.inv(csr_array([[0.0]]))


@pytest.mark.parametrize("times", [(0, 1), (1, 1), (2, -1), (-3, 4), (-1, -2), (50, 51), (0, 0), (5, 0)], ids=str)
@pytest.mark.parametrize("options", [{"num": 7}, {"num": 5, "endpoint": False}, {"num": 1}], ids=str)
def test_products_with_exponentials(times, options):
    """SciPy's are wrong where the first time is the last, above it, or large beside the interval."""
    A = np.array([[0.5, 1, 0], [0, -1, 0.25], [0.125, 0, 0.75]])
    B = np.array([[1.0, 2], [3, -4], [0, 1]])
    found = linalg.expm_multiply(csr_array(A), B, *times, **options)
    points = np.linspace(*times, **options)
    expected = np.stack([scipy.linalg.expm(t * A) @ B for t in points])
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)
    traced = linalg.expm_multiply(csr_array(A), B[:, 0], *times, **options, traceA=0.25)
    np.testing.assert_allclose(traced, expected[:, :, 0], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("A", [np.array([[-128, 0], [0, 1]], "i1"), np.array([[1, 2], [0, 1]], "u1"), np.eye(2, dtype=bool)])
def test_exponentials_of_integers_at_negative_times(A):
    found = linalg.expm_multiply(csr_array(A), np.ones(2), start=0, stop=-0.02, num=3)
    expected = [scipy.linalg.expm(t * A.astype(float)) @ np.ones(2) for t in (0, -0.01, -0.02)]
    np.testing.assert_allclose(found, expected)


def test_times_of_exponentials_that_are_refused():
    with pytest.raises(TypeError, match="start and stop must be given together, got start=None and stop=1"):
        linalg.expm_multiply(csr_array(np.eye(2)), np.ones(2), stop=1)
    assert linalg.expm_multiply(csr_array(np.eye(2)), np.ones(2), start=0, stop=1, num=0).shape == (0, 2)
    assert linalg.expm_multiply(csr_array(np.eye(2)), np.ones(2), start=0, stop=1).shape == (50, 2)


def test_results_are_ours_in_the_format_of_the_matrix():
    for form in (csr_array, csc_array, coo_array):
        A = form(SKEWED / 4)
        for found, expected in (
            (linalg.inv(A), np.linalg.inv(A.toarray())),
            (linalg.expm(A), sla.expm(A.toarray())),
        ):
            assert type(found) is form
            np.testing.assert_allclose(found.toarray(), expected, atol=1e-10)
    assert type(linalg.inv(sp.csc_array(SKEWED))) is csc_array
    assert not issparse(linalg.expm(np.eye(3)))


def test_products_with_the_exponential():
    A, expected = csr_array(SKEWED / 4), sla.expm(SKEWED.toarray() / 4)
    np.testing.assert_allclose(linalg.expm_multiply(A, B), expected @ B)
    np.testing.assert_allclose(linalg.expm_multiply(csc_array(A), B[:, 0], traceA=A.trace()), expected @ B[:, 0])
    steps = linalg.expm_multiply(A, B, start=0, stop=1, num=3)
    np.testing.assert_allclose(steps[[0, -1]], [B, expected @ B])


def test_an_estimate_of_the_norm():
    estimate, v, w = linalg.onenormest(csr_array(SKEWED), t=4, compute_v=True, compute_w=True)
    norm = linalg.norm(csr_array(SKEWED), 1)
    assert norm / 2 < estimate < norm * (1 + 1e-12)
    np.testing.assert_allclose(SKEWED @ v, w)


def seen_by(monkeypatch, name):
    """A list of the matrices that SciPy's function is given."""
    seen, theirs = [], getattr(sla, name)

    def noted(A, *args, **settings):
        seen.append(A)
        return theirs(A, *args, **settings)

    monkeypatch.setattr(sla, name, noted)
    return seen


@pytest.mark.parametrize(
    "name, form", [("spsolve", csr_array), ("spsolve", csc_array), ("splu", csc_array), ("inv", csc_array)]
)
def test_no_copy_of_values_that_fit(monkeypatch, name, form):
    seen, A = seen_by(monkeypatch, name), form(SKEWED)
    getattr(linalg, name)(A, *([B] if name == "spsolve" else []))
    assert seen[0].format == A.format
    assert np.shares_memory(seen[0].data, A.data)


def test_the_matrix_stays_as_it_is():
    """SciPy sorts and merges entries in place; rows here descend, and have entries of one position."""
    data, indices, indptr = np.array([1.0, 2, 3, 1, 4]), np.array([1, 0, 0, 1, 1]), np.array([0, 2, 5])
    A = csr_array((data, indices, indptr), shape=(2, 2), copy=True)
    dense = A.toarray()
    for found, expected in (
        (linalg.spsolve(A, [1.0, 2]), np.linalg.solve(dense, [1.0, 2])),
        (linalg.inv(A).toarray(), np.linalg.inv(dense)),
        (linalg.factorized(A)(np.array([1.0, 2])), np.linalg.solve(dense, [1.0, 2])),
    ):
        np.testing.assert_allclose(found, expected)
    assert (A.data.tolist(), A.indices.tolist()) == (data.tolist(), indices.tolist())


def test_refusals():
    singular = csr_array(np.diag([1.0, 0, 2]))
    with pytest.warns(sla.MatrixRankWarning, match="singular"):
        assert np.isnan(linalg.spsolve(singular, np.ones(3))).all()
    for function in (linalg.splu, linalg.inv, linalg.factorized):
        with pytest.raises(RuntimeError, match="singular"):
            function(singular)
    for function in (linalg.splu, linalg.spilu, linalg.factorized, linalg.inv, linalg.expm):
        with pytest.raises(ValueError, match=r"square|dimension"):
            function(csr_array((2, 3)))
    with pytest.raises(ValueError, match="mismatch"):
        linalg.spsolve(csr_array(SKEWED), np.ones(3))
    with pytest.raises(TypeError, match="sparse"):
        linalg.inv(np.eye(2))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lower", [True, False])
def test_triangles(form, lower):
    dense = LOWER.toarray() if lower else LOWER.toarray().T
    for b in (B, B[:, 0], B[:, 0].tolist(), np.asfortranarray(B), B.astype(np.float32), 1j * B, (9 * B).astype(int)):
        found, expected = linalg.spsolve_triangular(form(dense), b, lower), np.linalg.solve(dense, np.asarray(b))
        assert found.dtype == sla.spsolve_triangular(sp.csr_array(dense), b, lower).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_triangles_of_other_dtypes():
    dense = np.tril(np.arange(1, 10).reshape(3, 3))
    for dtype in ("int8", "int64", "bool", "float16", "float32", "complex64"):
        A, b = csr_array(dense.astype(dtype)), np.ones(3, np.float32)
        found = linalg.spsolve_triangular(A, b)
        assert found.dtype == np.promote_types(np.promote_types(dtype, np.float32), np.float32)
        np.testing.assert_allclose(found, np.linalg.solve(dense.astype(dtype).astype(complex), b), rtol=1e-5, atol=1e-6)


def test_memory_of_the_right_side():
    A = csr_array(LOWER)
    b = B[:, 0].copy()
    x = linalg.spsolve_triangular(A, b, overwrite_b=True)
    assert x is b or np.shares_memory(x, b)
    np.testing.assert_allclose(LOWER @ x, B[:, 0])
    b = B[:, 0].copy()
    linalg.spsolve_triangular(A, b)
    np.testing.assert_array_equal(b, B[:, 0])
    b.flags.writeable = False
    np.testing.assert_array_equal(linalg.spsolve_triangular(A, b, overwrite_b=True), x)
    assert linalg.spsolve_triangular(csr_array((0, 0)), np.empty((0, 2))).shape == (0, 2)


def test_triangles_with_entries_of_one_position_and_in_any_order():
    A = csr_array(([1.0, 3, 1, 2], [0, 1, 0, 1], [0, 1, 4]), shape=(2, 2))
    np.testing.assert_allclose(linalg.spsolve_triangular(A, [1.0, 6]), [1, 1])
    assert not A.has_sorted_indices


def test_triangles_that_are_not_sorted_are_sorted_once(monkeypatch):
    """What depends on the pattern is kept; values are read anew."""
    A = csr_array(([2.0, 1, 4], [0, 1, 0], [0, 1, 3]), shape=(2, 2))
    U = csc_array(([2.0, 1, 4], [0, 1, 0], [0, 1, 3]), shape=(2, 2))
    np.testing.assert_array_equal(linalg.spsolve_triangular(A, [2.0, 7]), [1, 3])
    np.testing.assert_array_equal(linalg.spsolve_triangular(U, [9.0, 1], lower=False), [2.5, 1])
    for module, name in (
        (direct, "sort_indices"),
        (direct, "transpose"),
        (canonical, "flag_entries"),
        (levels, "_make_schedule"),
        (levels, "find_first_true"),
    ):
        monkeypatch.setattr(module, name, None)
    A.data[1] = U.data[1] = 2
    np.testing.assert_array_equal(linalg.spsolve_triangular(A, [2.0, 8]), [1, 2])
    np.testing.assert_array_equal(linalg.spsolve_triangular(U, [9.0, 2], lower=False), [2.5, 1])
    assert not A.has_sorted_indices


def test_what_is_no_triangle():
    singular = csr_array(np.array([[1.0, 0], [1, 0]]))
    with pytest.raises(np.linalg.LinAlgError, match=r"A is singular: zero entry on diagonal, A\[1, 1\] = 0"):
        linalg.spsolve_triangular(singular, np.ones(2))
    stored = csr_array(([1.0, 0.0], [0, 1], [0, 1, 2]))
    with pytest.raises(np.linalg.LinAlgError, match=r"A\[1, 1\] = 0"):
        linalg.spsolve_triangular(stored, np.ones(2))
    np.testing.assert_array_equal(linalg.spsolve_triangular(singular, np.ones(2), unit_diagonal=True), [1, 0])
    with pytest.raises(np.linalg.LinAlgError, match=r"A is not upper triangular: A\[1, 0\] = 2.0. Use spark_csr.triu"):
        linalg.spsolve_triangular(csr_array([[1.0, 3], [2, 1]]), np.ones(2), lower=False)
    zero = csr_array(([1.0, 0, 2], [0, 1, 1], [0, 2, 3]))  # a zero is stored above the diagonal
    np.testing.assert_array_equal(linalg.spsolve_triangular(zero, np.ones(2)), [1, 0.5])
    with pytest.raises(ValueError, match="A must be a square matrix but its shape is"):
        linalg.spsolve_triangular(csr_array((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="b must have 1 or 2 dims"):
        linalg.spsolve_triangular(csr_array(LOWER), np.ones((N, 1, 1)))
    with pytest.raises(ValueError, match="The size of the dimensions of A must be equal"):
        linalg.spsolve_triangular(csr_array(LOWER), np.ones(2))
    with pytest.raises(TypeError, match="b is a sparse matrix"):
        linalg.spsolve_triangular(csr_array(LOWER), csr_array(LOWER))


def test_linear_operators():
    A = csr_array(SKEWED)
    operator = linalg.aslinearoperator(A)
    assert isinstance(operator, linalg.LinearOperator)
    assert linalg.LinearOperator is sla.LinearOperator
    assert linalg.aslinearoperator(operator) is operator
    np.testing.assert_allclose((operator.T @ operator) @ B, SKEWED.T @ (SKEWED @ B))
    assert linalg.gmres(operator + operator, B[:, 0], M=linalg.jacobi(A))[1] == 0
    with pytest.raises(TypeError):
        linalg.aslinearoperator("text")


def test_what_cupy_lacks(monkeypatch):
    """A library without the function, in place of CuPy's."""
    monkeypatch.setattr(operators, "library", lambda device: linalg)
    with pytest.raises(NotImplementedError, match=r"has no nonsense: move the matrix with A.to_device\('cpu'\)"):
        delegate.delegate("nonsense", csr_array(SKEWED))


@pytest.mark.parametrize("name", ["cgs", "bicg", "lgmres"])
def test_other_iterations(name):
    told = []
    x, info = getattr(linalg, name)(
        csr_array(SKEWED), B[:, 0], rtol=1e-10, M=linalg.jacobi(csr_array(SKEWED)), progress=lambda *n: told.append(n)
    )
    assert info == 0
    np.testing.assert_allclose(SKEWED @ x, B[:, 0], atol=1e-7)
    assert told


def test_an_incomplete_factorisation_helps():
    told = []
    A = csr_array(SKEWED)
    for M in (None, sla.LinearOperator(A.shape, linalg.spilu(A).solve)):
        steps = []
        assert linalg.bicgstab(A, B[:, 0], M=M, callback=steps.append)[1] == 0
        told.append(len(steps))
    assert told[1] < told[0]


def test_the_first_zero_of_the_diagonal_is_named():
    A = csr_array(([1.0, 0, 1, 2], ([0, 1, 2, 3], [0, 1, 0, 3])), shape=(4, 4))
    with pytest.raises(np.linalg.LinAlgError, match=r"A\[1, 1\] = 0"):
        linalg.spsolve_triangular(A, np.ones(4))


def test_an_operator_multiplies_several_vectors_at_once(monkeypatch):
    A, calls = csr_array(np.eye(3)), []
    multiply = csr_array.matvec
    monkeypatch.setattr(csr_array, "matvec", lambda self, x: calls.append(x.shape) or multiply(self, x))
    monkeypatch.setattr(csr_array, "matmat", lambda self, x: calls.append(x.shape) or multiply(self, x))
    np.testing.assert_array_equal(linalg.aslinearoperator(A) @ np.ones((3, 5)), np.ones((3, 5)))
    assert calls == [(3, 5)]
