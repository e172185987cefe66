"""`cg` and `gmres` on the cores: beside SciPy's, for short vectors, whose work BLAS does, and for long ones."""

import concurrent.futures

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from threadpoolctl import threadpool_info

from spark_csr import config, csr_array
from spark_csr.gallery import poisson
from spark_csr.linalg import cg, gmres, gradients, jacobi

pytestmark = pytest.mark.usefixtures("cpu_only")

P = poisson((30, 40))
B = np.random.default_rng(0).standard_normal(1200)


@pytest.fixture(params=["short", "long"], autouse=True)
def length(request, monkeypatch):
    """How long vectors are taken to be."""
    monkeypatch.setattr(gradients, "LONG", 0 if request.param == "long" else 10**9)
    return request.param


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int64"])
@pytest.mark.parametrize("preconditioned", [False, True])
@pytest.mark.parametrize("begins", [False, True])
def test_iterates_are_scipys(dtype, preconditioned, begins):
    b = (B * 8 + (1j * B[::-1] if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    A = (P + sp.diags_array(np.arange(1200.0) % 7)).astype(dtype)
    M = jacobi(A) if preconditioned else None
    x0 = np.linspace(0, 1, 1200).astype(dtype) if begins else None
    ours, theirs = [], []
    x, info = cg(A, b, x0, M=M, rtol=1e-4, callback=lambda x: ours.append(x.copy()))
    expected, _ = sla.cg(A.to_scipy(), b, x0, M=M, rtol=1e-4, callback=lambda x: theirs.append(x.copy()))
    assert info == 0
    assert x.dtype == expected.dtype
    assert len(ours) == len(theirs)
    exact = 1e-3 if x.dtype.char in "fF" else 1e-9
    for mine, yours in zip(ours[::5], theirs[::5], strict=True):
        np.testing.assert_allclose(mine, yours, rtol=exact, atol=exact)
    np.testing.assert_array_equal(x, ours[-1])


def test_operands_are_not_changed():
    b, x0 = B.copy(), np.ones(1200)
    A = P.copy()
    cg(A, b, x0)
    np.testing.assert_array_equal(b, B)
    np.testing.assert_array_equal(x0, 1)
    assert (A != P).nnz == 0


def test_same_bits_for_every_number_of_threads():
    found = []
    for threads in (1, 2):
        with config(threads=threads):
            found.append(cg(P, B, rtol=1e-8)[0])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    "matrix, b",
    [
        ([[0.0, 1], [1, 0]], [1.0, 0]),  # the direction has no length
        ([[np.nan, 0], [0, 1]], [1.0, 1]),
    ],
)
def test_breakdowns(matrix, b):
    """SciPy's divides by zero and counts all its iterations; here what was found before is returned."""
    x, info = cg(csr_array(matrix), np.array(b))
    assert info == -1
    assert np.isfinite(x).all()


def test_a_preconditioner_may_break_it_down():
    x, info = cg(csr_array(np.eye(2)), np.array([1.0, 0]), M=csr_array([[0.0, 1], [1, 0]]))
    assert info == -1
    assert not x.any()


@pytest.mark.parametrize("b", [np.zeros(3), np.zeros((3, 1))])
def test_nothing_to_solve(b):
    x, info = cg(csr_array(np.eye(3)), b, x0=np.ones(3))
    assert info == 0
    assert x.shape == (3,)
    assert not x.any()


def test_an_exact_guess_needs_no_iteration():
    seen = []
    x, info = cg(csr_array(np.eye(3)), np.ones(3), x0=np.ones(3), callback=seen.append)
    assert info == 0
    assert not seen
    np.testing.assert_array_equal(x, 1)


def test_too_few_iterations():
    assert cg(P, B, maxiter=3)[1] == 3


def test_the_last_iteration_may_be_the_one_that_solves():
    """SciPy's says it was not enough."""
    x, info = cg(csr_array(2 * np.eye(3)), np.ones(3), maxiter=1)
    assert info == 0
    np.testing.assert_array_equal(x, 0.5)


@pytest.mark.parametrize("scale, atol", [(1e-170, 1e-3), (1, 1e300), (1, np.inf)])
def test_tolerances_above_everything(scale, atol):
    x, info = cg(P, B * scale, atol=atol)
    assert info == 0
    assert not x.any()


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_right_sides_that_are_not_finite(value):
    """No residual is small beside an infinite one."""
    b = B.copy()
    b[7] = value
    assert cg(P, b)[1] == -1


def test_blas_has_its_threads_again_after_solvers_of_several_threads():
    before = [library["num_threads"] for library in threadpool_info()]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: cg(P, B, rtol=1e-10), range(40)))
    assert [library["num_threads"] for library in threadpool_info()] == before


@pytest.mark.parametrize("dtype, value", [("f4", 1e-45), ("f4", 1e-40), ("F", 1e-40), ("f8", 5e-324), ("f8", 1e170)])
def test_right_sides_at_the_ends_of_the_range(dtype, value):
    """The power of two that brings a subnormal number of 32 bits near 1 is out of the range of 32 bits."""
    b = np.full(10, value, dtype)
    x, info = cg(poisson((10,)).astype(dtype), b)
    assert info == 0
    np.testing.assert_allclose(x.real / b.real, [5, 9, 12, 14, 15, 15, 14, 12, 9, 5], rtol=1e-5)


def test_small_right_sides_of_small_matrices():
    A = poisson((10,)).astype("f4") * np.float32(1e-30)
    x, info = cg(A, np.full(10, 2.0**-149, "f4"))
    assert info == 0
    np.testing.assert_allclose(x.astype(float) * 2.0**149 * 1e-30, [5, 9, 12, 14, 15, 15, 14, 12, 9, 5], rtol=1e-5)


def test_matrices_of_subnormal_numbers():
    A = csr_array(np.diag(np.full(3, 1e-42, np.float32)))
    x, info = cg(A, np.full(3, 2e-42, np.float32))
    assert info == 0
    np.testing.assert_allclose(x, 2, rtol=1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 5, 1 << 14, (1 << 15) + 3])
def test_orthogonalise(dtype, size):
    rng = np.random.default_rng(0)
    many = min(size, 4)
    basis = np.ascontiguousarray(np.linalg.qr(rng.standard_normal((size, many)))[0].T.astype(dtype))
    vector = rng.standard_normal(size).astype(dtype)
    left, shares, norm = gradients.orthogonalise(basis, vector.copy())
    exact = vector - (vector @ basis.T.astype(float)) @ basis
    scale = 40 * float(np.finfo(dtype).eps) * float(np.linalg.norm(vector))
    np.testing.assert_allclose(shares, basis @ vector, atol=scale)
    np.testing.assert_allclose(left, exact, atol=scale)
    assert norm == pytest.approx(np.linalg.norm(exact), abs=scale)


def test_a_vector_of_the_basis_and_one_that_is_read_only_stay():
    basis = np.eye(2, 6)
    left, shares, norm = gradients.orthogonalise(basis, basis[1])
    assert (left.tolist(), shares.tolist(), norm) == ([0] * 6, [0, 1], 0)
    np.testing.assert_array_equal(basis, np.eye(2, 6))
    vector = np.broadcast_to(np.ones(1), 6)
    assert gradients.orthogonalise(basis, vector)[0].tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("options", [{}, {"restart": 7}, {"maxiter": 2}])
def test_gmres(dtype, begins, options):
    A = (P + sp.diags_array(np.arange(1200.0) % 7) + sp.eye_array(1200, k=1)).astype(dtype)
    b, x0 = B.astype(dtype), np.linspace(0, 1, 1200).astype(dtype) if begins else None
    ours, theirs = [], []
    x, info = gmres(A, b, x0, callback=ours.append, callback_type="pr_norm", **options)
    expected = sla.gmres(A.to_scipy(), b, x0, callback=theirs.append, callback_type="pr_norm", **options)
    assert (info, x.dtype) == (expected[1], expected[0].dtype)
    np.testing.assert_allclose(ours, theirs, rtol=1e-2 if x.dtype == np.float32 else 1e-6)
    np.testing.assert_allclose(x, expected[0], rtol=1e-4, atol=1e-4)


def test_gmres_with_a_preconditioner():
    x, info = gmres(P, B, M=jacobi(P), rtol=1e-9)
    assert info == 0
    assert np.linalg.norm(P @ x - B) <= 1e-9 * np.linalg.norm(B)


@pytest.mark.parametrize("place", ["matrix", "b", "x0"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_gmres_of_numbers_that_are_not_finite_is_not_solved(place, value):
    """As in SciPy; `inf <= 1e-5 * inf` is true."""
    parts = {"matrix": np.eye(40, k=1) + np.eye(40), "b": np.ones(40), "x0": np.ones(40)}
    parts[place].flat[0] = value
    with np.errstate(all="ignore"):
        x, info = gmres(csr_array(parts["matrix"]), parts["b"], parts["x0"], maxiter=3)
    assert info == 3
    assert np.isnan(x).any()
