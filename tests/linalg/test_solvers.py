"""Solvers on the cores, beside SciPy's, and ours where a GPU would be given them."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import dtypes
from spark_csr import coo_array, csc_array, csr_array, linalg
from spark_csr.gallery import poisson
from spark_csr.linalg import bidiagonal, krylov
from spark_csr.linalg.operators import call_library, count_products
from spark_csr.linalg.systems import ON_GPU, prepare_system

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 8
LINE = sp.diags_array([-np.ones(N - 1), 2 * np.ones(N), -np.ones(N - 1)], offsets=[-1, 0, 1])
POISSON = sp.csr_array(sp.kron(LINE, sp.eye_array(N)) + sp.kron(sp.eye_array(N), LINE))
SKEWED = sp.csr_array(POISSON + sp.diags_array(np.linspace(0, 1, N * N - 1), offsets=1, shape=POISSON.shape))
B = np.random.default_rng(0).standard_normal(N * N)
SOLVERS = ["cg", "minres", "bicgstab", "gmres"]


def matrix_for(name):
    return POISSON if name in ("cg", "minres") else SKEWED


@pytest.mark.parametrize(
    "form", [csr_array, csc_array, coo_array, sp.csr_array, sp.csc_matrix, np.asarray, sla.aslinearoperator]
)
@pytest.mark.parametrize("name", SOLVERS)
def test_every_kind_of_matrix(name, form):
    S = matrix_for(name)
    x, info = getattr(linalg, name)(form(S.toarray() if form is np.asarray else S), B, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(S @ x, B, atol=1e-7)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e-300])
@pytest.mark.parametrize("name", [*SOLVERS, "cgs", "lgmres"])
def test_right_sides_whose_squares_are_out_of_range(name, scale):
    """The solution is that of the system in range, and callbacks are given it, too."""
    seen, S = [], matrix_for(name)
    expected, _ = getattr(linalg, name)(S, B, rtol=1e-8)
    by_solution = {"callback_type": "x"} if name == "gmres" else {}
    x, info = getattr(linalg, name)(S, B * scale, rtol=1e-8, callback=lambda x: seen.append(x.copy()), **by_solution)
    assert info == 0
    for found in (x, seen[-1]):
        np.testing.assert_allclose(found / scale, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype, scales", [(np.float64, [1e6, 1e20, 1e-14, 1e-40]), (np.float32, [1e4, 1e-10])])
@pytest.mark.parametrize("name", [*SOLVERS, "bicg", "cgs", "lgmres", "gcrotmk"])
def test_right_sides_far_from_one(name, dtype, scales):
    """SciPy's minres returns something else for 1e6, and success; others break down for 1e-14."""
    S, rtol = matrix_for(name).astype(dtype), 1e-10 if dtype == np.float64 else 1e-5
    expected = np.linalg.solve(S.toarray().astype(float), B)
    for scale in scales:
        x, info = getattr(linalg, name)(S, (B * scale).astype(dtype), rtol=rtol)
        assert info == 0
        np.testing.assert_allclose(x / scale, expected, rtol=rtol * 1e3)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_right_sides_of_few_bits(name, dtype):
    S, b = matrix_for(name), (np.arange(N * N) % 5 - 2).astype(dtype)
    x, info = getattr(linalg, name)(csr_array(S), b, x0=b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(S @ x, b, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-250, 1e-20, 1e-6, 1e200])
def test_minres_of_matrices_far_from_one(scale):
    seen, shift, x0 = [], 0.5, np.ones(N * N)
    expected = np.linalg.solve(POISSON.toarray() - shift * np.eye(N * N), B)
    settings = {"shift": shift * scale, "x0": x0 / scale, "callback": lambda x: seen.append(x.copy())}
    for form in (csr_array, sla.aslinearoperator):
        x, info = linalg.minres(form(POISSON * scale), B, rtol=1e-12, **settings)
        assert info == 0
        for found in (x, seen[-1]):
            np.testing.assert_allclose(found * scale, expected, rtol=1e-8)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("name", [*SOLVERS, "bicg", "cgs", "lgmres", "gcrotmk"])
def test_matrices_whose_squares_are_out_of_range(name, scale):
    """The solution is in range, though neither its product with the matrix's scale nor that with the right side's need be."""
    S = matrix_for(name)
    for b in (B, B * 1e100, B * 1e-100):
        expected = np.linalg.solve(S.toarray(), b)
        x, info = getattr(linalg, name)(csr_array(S * scale), b * (scale if b is not B else 1.0), rtol=1e-10)
        assert info == 0
        np.testing.assert_allclose(x / abs(x).max(), expected / abs(expected).max(), atol=1e-7)


def test_solutions_in_range_of_systems_at_its_ends():
    for scale, right in ((1e200, 1e308), (1e-200, 1e-308)):
        A, b = csr_array(np.diag([scale, 2 * scale])), np.full(2, right)
        for name in (*SOLVERS, "lsqr", "lsmr"):
            x = getattr(linalg, name)(A, b)[0]
            np.testing.assert_allclose(x, [right / scale, right / scale / 2], rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("of_M", [1, 1e8, 1e-8])
@pytest.mark.parametrize("scale", [1, 1e-6, 1e-14, 1e14, 1e-100])
def test_minres_with_a_preconditioner_far_from_one(scale, of_M):
    """SciPy's says success for residuals of 3e-3 to 3 in half of these."""
    D = sp.diags_array(np.random.default_rng(0).uniform(1, 100, N * N))
    A = csr_array(D @ POISSON @ D) * scale
    for M in (csr_array(sp.diags_array(of_M / A.diagonal())), linalg.jacobi(A), linalg.ic0(A)):
        x, info = linalg.minres(A, B, M=M, rtol=1e-8)
        assert info == 0
        assert np.linalg.norm(A @ x - B) <= 1e-5 * np.linalg.norm(B)


def test_minres_begins_at_a_right_side_that_the_shift_makes_zero():
    x0 = np.ones(N * N)
    for start in (x0, "Mb"):
        x, info = linalg.minres(POISSON, -0.5 * x0, x0=start, shift=0.5, rtol=1e-12)
        assert info == 0
        np.testing.assert_allclose(POISSON @ x - 0.5 * x, -0.5 * x0, atol=1e-9)


def test_minres_checks_symmetry():
    for b in (B, B * 1e-20):
        linalg.minres(POISSON, b, M=POISSON, check=True)
        with pytest.raises(ValueError, match="non-symmetric matrix"):
            linalg.minres(SKEWED, b, check=True)
        with pytest.raises(ValueError, match="non-symmetric preconditioner"):
            linalg.minres(POISSON, b, M=SKEWED, check=True)


@pytest.mark.parametrize("name", SOLVERS)
def test_same_as_scipy(name):
    S = matrix_for(name)
    x, info = getattr(linalg, name)(csr_array(S), B, x0=np.ones(N * N), maxiter=3)
    theirs, their_info = getattr(sla, name)(S, B, x0=np.ones(N * N), maxiter=3)
    assert info == their_info
    np.testing.assert_allclose(x, theirs, rtol=1e-9)


@pytest.mark.parametrize("name", SOLVERS)
def test_progress_and_callback(name):
    seen, told = [], []
    settings = {"restart": 5, "callback_type": "x"} if name == "gmres" else {}
    x, _ = getattr(linalg, name)(
        csr_array(matrix_for(name)),
        B,
        rtol=1e-8,
        callback=lambda x: seen.append(x.copy()),
        progress=lambda *n: told.append(n),
        **settings,
    )
    assert [n for n, _ in told] == list(range(1, len(seen) + 1))
    for at, (_, residual) in zip(seen, told, strict=True):
        assert residual == pytest.approx(np.linalg.norm(B - matrix_for(name) @ at))
    np.testing.assert_allclose(x, seen[-1], rtol=1e-3)


@pytest.mark.parametrize(
    "M", [csr_array(sp.diags_array(1 / SKEWED.diagonal()).tocsr()), sla.aslinearoperator(np.eye(N * N) / 4)]
)
@pytest.mark.parametrize("name", SOLVERS)
def test_preconditioners(name, M):
    x, info = getattr(linalg, name)(csr_array(matrix_for(name)), B, M=M, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(matrix_for(name) @ x, B, atol=1e-7)


def test_relative_norms_of_gmres():
    told = []
    linalg.gmres(csr_array(SKEWED), B, callback=told.append, callback_type="pr_norm")
    assert told[-1] <= 1e-5
    with pytest.raises(ValueError, match="progress needs the solution"):
        linalg.gmres(csr_array(SKEWED), B, callback=told.append, callback_type="pr_norm", progress=print)
    with pytest.raises(ValueError, match="Unknown callback_type"):
        linalg.gmres(csr_array(SKEWED), B, callback_type="norm")


def test_callbacks_of_gmres_are_scipys(cpu_only):
    """Without a type a callback gets norms, and the iterations are limited, not the cycles."""
    told = [], []
    for solve, A, seen in ((linalg.gmres, csr_array(SKEWED), told[0]), (sla.gmres, SKEWED, told[1])):
        with pytest.warns(DeprecationWarning, match="callback_type") as found:
            _, info = solve(A, B, restart=5, maxiter=7, rtol=1e-12, callback=seen.append)
        assert (len(seen), info) == (7, 7)
        assert A is SKEWED or found[0].filename == __file__
    np.testing.assert_allclose(*told, rtol=1e-10)


def own(name, A, b, x0=None, M=None, callback=None, **settings):
    """What a GPU is given, on arrays of the host."""
    given = {"rtol": 1e-5, "atol": 0.0, "maxiter": None}
    given |= {"restart": None, "callback_type": "x"} if name == "gmres" else {}
    return ON_GPU[name](*prepare_system(A, b, x0, M), callback, **(given | settings))


@pytest.mark.parametrize("dtype", dtypes.each(["float32", "float64", "complex128", "int64"], "fDq"))
@pytest.mark.parametrize("name", ON_GPU)
def test_own(name, dtype):
    A = csr_array(np.round(SKEWED.toarray() * 3).astype(dtype))
    b = B.astype("float32") if dtype == "float32" else B
    A = csr_array(A.toarray() + 1j * np.eye(N * N)) if dtype == "complex128" else A
    x, info = own(name, A, b)
    assert info == 0
    assert x.dtype == np.result_type(A.dtype, b.dtype)
    assert np.linalg.norm(A @ x - b) <= 2e-5 * np.linalg.norm(b)
    x, info = own(name, A, b[:, None], x0=x, M=csr_array(np.eye(N * N) / 4), rtol=1e-6 if dtype == "float32" else 1e-9)
    assert info == 0
    np.testing.assert_allclose(A @ x, b, atol=1e-4 if dtype == "float32" else 1e-7)


@pytest.mark.parametrize("name", ON_GPU)
def test_own_begins_at_the_guess(name):
    """With a preconditioner too: CuPy's gmres takes `M @ x0` for it."""
    solution = np.linalg.solve(SKEWED.toarray(), B)
    M = csr_array(np.diag(np.linspace(1, 3, N * N)))
    x, info = own(name, csr_array(SKEWED), B, x0=solution, M=M, maxiter=1)
    assert info == 0
    np.testing.assert_allclose(x, solution)


@pytest.mark.parametrize("name", [*SOLVERS, "lsqr", "eigsh", "svds", "lobpcg"])
def test_defaults_are_scipys(name):
    ours, theirs = (inspect.signature(getattr(where, name)).parameters for where in (linalg, sla))
    assert {x: ours[x].default for x in ours.keys() & theirs.keys()} == {
        x: theirs[x].default for x in ours.keys() & theirs.keys()
    }


def test_own_begin_with_scipys_defaults(monkeypatch):
    for name in ("bicgstab", "gmres"):
        monkeypatch.setattr(krylov, name, lambda *args: args)
    given = []
    monkeypatch.setattr(bidiagonal, "lsqr", lambda *args: given.extend(args[4:]) or (B, 1, 1, *[1.0] * 6, B))
    size = np.linalg.norm(B)
    assert own("bicgstab", csr_array(SKEWED), B)[4:6] == pytest.approx((1e-5 * size, 640))
    assert own("bicgstab", csr_array(SKEWED), B, atol=2 * size)[4] == pytest.approx(2 * size)
    assert own("gmres", csr_array(SKEWED), B)[4:7] == pytest.approx((1e-5 * size, 20, 640))
    linalg.lsqr(csr_array(SKEWED), B, progress=print)
    assert given[:-1] == [0.0, 1e-6, 1e-6, 1e8, 128, False]
    given.clear()
    linalg.lsqr(csr_array(SKEWED), B, atol=None, btol=None, conlim=None, progress=print)
    assert given[:4] == [0.0, 1e-6, 1e-6, 0.0]


@pytest.mark.parametrize("M", [None, csr_array(np.diag(np.linspace(0.2, 0.3, N * N)))], ids=["alone", "preconditioned"])
def test_bicgstab_goes_scipys_way(M):
    A = SKEWED * (1 + 0.1j) + 1j * sp.eye_array(N * N)
    ours, theirs = [], []
    own("bicgstab", csr_array(A), B, M=M, rtol=1e-8, callback=lambda x: ours.append(x))
    sla.bicgstab(A, B, M=M, rtol=1e-8, callback=lambda x: theirs.append(x.copy()))
    assert abs(len(ours) - len(theirs)) <= 1
    for mine, their in zip(ours[:5], theirs, strict=False):
        np.testing.assert_allclose(mine, their, rtol=1e-9)


@pytest.mark.parametrize("name", ON_GPU)
def test_own_begins_at_the_preconditioned_right_side(name):
    """With the inverse that is the solution: nothing is left to do."""
    seen, M = [], csr_array(np.linalg.inv(SKEWED.toarray()))
    x, info = own(name, csr_array(SKEWED), B, x0="Mb", M=M, callback=lambda x: seen.append(x))
    assert (info, seen) == (0, [])
    np.testing.assert_allclose(SKEWED @ x, B)


def test_gmres_tells_the_true_residual():
    told = []
    x, info = own(
        "gmres", csr_array(SKEWED), B, rtol=1e-12, restart=5, maxiter=1, callback=told.append, callback_type="pr_norm"
    )
    assert (info, len(told)) == (1, 5)
    assert told[-1] == pytest.approx(np.linalg.norm(B - SKEWED @ x) / np.linalg.norm(B))


def test_gmres_that_stands_still_says_how_long_it_tried():
    """A rotation by a right angle: no step of one vector helps."""
    assert own("gmres", csr_array(np.array([[0.0, 1], [-1, 0]])), np.array([1.0, 0]), restart=1)[1] == 20


@pytest.mark.parametrize("name", ["bicgstab", "gmres"])
def test_a_right_side_that_is_not_finite_is_not_solved(name):
    assert own(name, csr_array(np.eye(3)), np.array([1.0, np.inf, 1]))[1] != 0


def test_gmres_ends_where_a_cycle_finds_the_solution():
    """The next vector would be divided by zero."""
    A = csr_array(np.diag([1.0, 2, 2, 1, 1, 2]))
    steps = []
    x, info = own("gmres", A, np.arange(1.0, 7), callback=steps.append, callback_type="pr_norm")
    assert info == 0
    assert len(steps) == 2
    np.testing.assert_allclose(x, np.arange(1.0, 7) / A.diagonal() if hasattr(A, "diagonal") else [1, 1, 1.5, 4, 5, 3])


def test_gmres_restarts():
    seen = []
    x, info = own("gmres", csr_array(SKEWED), B, restart=4, rtol=1e-9, callback=lambda x: seen.append(x))
    assert info == 0
    assert len(seen) > 2
    np.testing.assert_allclose(SKEWED @ x, B, atol=1e-7)
    assert own("gmres", csr_array(SKEWED), B, restart=2, maxiter=2)[1] == 2


def test_bicgstab_breaks_down_as_scipys():
    """A rotation by a right angle: the first product is orthogonal to the residual."""
    A, b = csr_array(np.array([[0.0, 1], [-1, 0]])), np.array([1.0, 0])
    assert own("bicgstab", A, b)[1] == sla.bicgstab(A, b)[1] == -11


@pytest.mark.parametrize("name", ON_GPU)
def test_own_refuses_and_stops(name):
    A = csr_array(SKEWED)
    assert own(name, A, np.zeros(N * N))[0].tolist() == [0] * N * N
    assert own(name, A, B, maxiter=1, restart=2)[1] == 1 if name == "gmres" else own(name, A, B, maxiter=1)[1] == 1
    for settings, message in (
        ({"atol": -1}, "atol must be"),
        ({"x0": B[:3]}, "x0"),
        ({"M": csr_array((2, 2))}, "preconditioner"),
    ):
        with pytest.raises(ValueError, match=message):
            own(name, A, B, **settings)
    for operands in ((A, B[:3]), (csr_array((2, 3)), B[:2])):
        with pytest.raises(ValueError, match="expected square|incompatible"):
            own(name, *operands)
        with pytest.raises(ValueError, match=r"square|incompatible"):
            getattr(linalg, name)(*operands)


def test_settings_that_a_library_lacks():
    def solver(A, *, tol=0):
        return A, tol

    solver.__module__ = "cupyx.scipy.sparse.linalg._x"
    assert call_library(solver, (1,), {"rtol": 3, "show": False}, {"show": False}) == (1, 3)
    with pytest.raises(NotImplementedError, match=r"solver on a GPU takes no sigma: move the matrix with A.to_device\('cpu'\)"):
        call_library(solver, (1,), {"sigma": 1.0}, {})


def test_products_are_counted():
    told = []
    A = count_products(csr_array(POISSON), "cpu", lambda *n: told.append(n))
    A.matvec(B)
    A.matmat(np.ones((N * N, 2)))
    assert told == [(1, None), (2, None)]


def test_nothing_of_scipy_is_imported():
    code = "import sys, spark_csr; spark_csr.linalg.cg; sys.exit('scipy.sparse' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_blas_keeps_to_one_core_meanwhile():
    """Where there is one core only, this shows nothing."""
    from threadpoolctl import threadpool_info

    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    A, seen = csr_array(sp.diags_array([2.0, 3, 4])), []
    before = threads()
    linalg.cg(A, np.ones(3), callback=lambda x: seen.append(threads()))
    assert seen
    assert all(set(found) == {1} for found in seen)
    assert threads() == before


@pytest.mark.parametrize(
    "name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "lgmres", "lobpcg", "lsmr", "lsqr", "minres", "eigs", "eigsh", "svds"]
)
def test_numbers_of_iterations(name):
    """SciPy's solvers report success after no iteration at all, or raise an UnboundLocalError."""
    limit = "iter_lim" if name == "lsqr" else "maxiter"
    warnings.simplefilter("ignore")  # of lobpcg
    operand = {"lobpcg": (B[:, None],), "eigs": (2,), "eigsh": (2,), "svds": (2,)}.get(name, (B,))
    for wrong in (0, -1):
        with pytest.raises(ValueError, match=f"{limit} must be at least 1, got {wrong}"):
            getattr(linalg, name)(csr_array(POISSON), *operand, **{limit: wrong})
    try:
        found = getattr(linalg, name)(csr_array(POISSON), *operand, **{limit: 1})
    except sla.ArpackNoConvergence:
        found = (None, 1)
    assert name in ("lobpcg", "svds") or found[1] > 0


@pytest.mark.parametrize("solve", list(ON_GPU))
def test_numbers_of_iterations_where_ours_solve(solve, monkeypatch):
    monkeypatch.setattr("spark_csr.linalg.systems.device_of_problem", lambda *operands: "cuda:0")
    with pytest.raises(ValueError, match="maxiter must be at least 1, got 0"):
        getattr(linalg, solve)(csr_array(POISSON), B, maxiter=0)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int64, np.array])
@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "lgmres"])
def test_tolerances_are_numbers_of_any_type(name, kind):
    """The right-hand side is scaled near 1, and so is an absolute tolerance."""
    b = 1e6 * np.ones(20)
    A = csr_array(poisson((20,)))
    x, info = getattr(linalg, name)(A, b, rtol=1e-30, atol=kind(1))
    assert info == 0
    assert np.linalg.norm(b - A @ x) <= 1


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "lgmres", "minres"])
@pytest.mark.parametrize("settings", [{"rtol": np.nan}, {"rtol": "1"}, {"atol": np.nan}, {"atol": -1}, {"atol": "1"}])
def test_tolerances_that_nothing_can_be_compared_with(name, settings):
    """NumPy's `max` of a NaN and a number depends on their order, so that a solver takes one for 0 or never ends."""
    if name == "minres" and "atol" in settings:
        pytest.skip("minres has no such parameter")
    with pytest.raises(ValueError, match="tol must be a real"):
        getattr(linalg, name)(csr_array(POISSON), B, **settings)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.array])
def test_settings_of_narrow_types_are_scaled(kind):
    A, b = csr_array(1e-30 * POISSON), 1e-30 * B
    np.testing.assert_allclose(linalg.lsqr(A, b, damp=kind(0.5))[0], linalg.lsqr(A, b, damp=0.5)[0])
    A = csr_array(1e-6 * POISSON)
    np.testing.assert_array_equal(linalg.minres(A, B, shift=kind(2**-20))[0], linalg.minres(A, B, shift=2**-20)[0])


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "lgmres"])
def test_no_absolute_tolerance_is_0(name):
    A = csr_array(POISSON)
    np.testing.assert_array_equal(getattr(linalg, name)(A, B, atol=None)[0], getattr(linalg, name)(A, B, atol=0.0)[0])
    if name in ON_GPU:
        settings = {"rtol": 1e-5, "maxiter": None} | ({"restart": None, "callback_type": "x"} if name == "gmres" else {})
        found = [ON_GPU[name](*prepare_system(A, B, None, None), None, atol=atol, **settings)[0] for atol in (None, 0.0)]
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "lgmres", "lsmr", "lsqr", "minres"])
@pytest.mark.parametrize("vector", [["1"] * N, [None] * N, np.zeros(N, "m8[s]"), np.zeros(N, [("x", float)])])
def test_vectors_that_are_no_numbers(name, vector):
    solve = getattr(linalg, name)
    with pytest.raises(TypeError, match="b must hold numbers, got dtype"):
        solve(csr_array(LINE), vector)
    with pytest.raises(TypeError, match="x0 must hold numbers, got dtype"):
        solve(csr_array(LINE), np.ones(N), x0=vector)


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "minres"])
def test_unknown_words_to_start_from(name):
    with pytest.raises(ValueError, match="x0 must be an array, or 'Mb'.*got 'MB'"):
        getattr(linalg, name)(csr_array(LINE), np.ones(N), x0="MB")
