"""cuDSS on a GPU: what it is given, that its results are used, and that CuPy computes where it may be wrong.

Where CuPy is a stand-in, so is nvmath-python; on a GPU, nvmath-python computes if it is installed.
"""

import contextlib
import gc
import inspect
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import cupy_stand_in
from cupy_stand_in import cudss as stand_in
from namespaces import CUPY
from spark_csr import coo_array, csc_array, csr_array, linalg
from spark_csr.linalg import cudss

N = 12
RNG = np.random.default_rng(5)
SKEWED = sp.random_array((N, N), density=0.3, rng=RNG).toarray() + np.diag(np.linspace(3.0, 5, N))
COMPLEX = SKEWED + 1j * np.tril(SKEWED, -1)
MATRICES = {
    "general": (SKEWED, "GENERAL"),
    "symmetric": (SKEWED + SKEWED.T, "SYMMETRIC"),
    "indefinite": (SKEWED + SKEWED.T - 9 * np.eye(N), "SYMMETRIC"),
    "complex": (COMPLEX, "GENERAL"),
    "complex symmetric": (COMPLEX + COMPLEX.T, "SYMMETRIC"),
    "Hermitian": (COMPLEX + COMPLEX.conj().T, "HERMITIAN"),
    "values differ": (SKEWED + SKEWED.T + np.diag(SKEWED[1:, :-1].diagonal() > 0, 1) * 0.5, "GENERAL"),
    "float32": (SKEWED.astype(np.float32), "GENERAL"),
    "integers": (np.rint(SKEWED * 9).astype(np.int32), "GENERAL"),
}
ON_STAND_IN = cupy_stand_in.installed()


@pytest.fixture
def solvers(xp, monkeypatch):
    """The solvers of cuDSS that a test makes, each with what it was asked for."""
    if xp is np:
        pytest.skip("on a GPU only")
    advanced = stand_in if ON_STAND_IN else cudss.library()
    if advanced is None:
        pytest.skip('needs cuDSS: pip install "nvmath-python[cu13]"')
    made = []

    class Noted(advanced.DirectSolver):
        def __init__(self, a, b, **options):
            made.append(self)
            self.given = options["options"]["sparse_system_type"].name, b.shape, b.dtype
            super().__init__(a, b, **options)

    library = SimpleNamespace(DirectSolver=Noted, DirectSolverMatrixType=advanced.DirectSolverMatrixType)
    monkeypatch.setattr(cudss, "library", lambda: library)
    return made


def is_freed(solver):
    return solver.state == "freed" if ON_STAND_IN else not solver.valid_state


def on_gpu(dense, form=csr_array):
    return form(dense).to_device("cuda")


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("name", MATRICES)
def test_systems(xp, to_numpy, solvers, name, form):
    dense, kind = MATRICES[name]
    A, dtype = on_gpu(dense, form), np.dtype("f" if name == "float32" else "D" if dense.dtype.kind == "c" else "d")
    B = np.random.default_rng(0).standard_normal((N, 3)).astype(dtype)
    tolerance = 1e-4 if name == "float32" else 1e-10
    for b in (B[:, 0], B, np.asfortranarray(B), B[:, 1:2], B[:, ::2]):
        found, expected = linalg.spsolve(A, xp.asarray(b)), np.linalg.solve(dense, b)
        assert (type(found), found.dtype, found.shape) == (xp.ndarray, dtype, b.squeeze().shape)
        np.testing.assert_allclose(to_numpy(found), expected.squeeze(), rtol=tolerance, atol=tolerance)
    assert [solver.given for solver in solvers] == [(kind, shape, dtype) for shape in ((N,), (N, 3), (N, 3), (N,), (N, 2))]
    assert all(map(is_freed, solvers))


def test_right_sides_of_other_dtypes(xp, to_numpy, solvers):
    b = np.arange(N)
    for dtype, common in {"int64": "d", "float16": "d", "complex64": "D"}.items():
        found = linalg.spsolve(on_gpu(SKEWED), xp.asarray(b.astype(dtype)))
        np.testing.assert_allclose(to_numpy(found), np.linalg.solve(SKEWED, b), rtol=1e-10)
        assert (found.dtype, solvers[-1].given[2]) == (common, common)
    assert linalg.spsolve(on_gpu(SKEWED), b.tolist()).shape == (N,)


@pytest.mark.parametrize("name", ["general", "symmetric", "Hermitian", "integers"])
def test_many_systems_of_one_matrix(xp, to_numpy, solvers, name):
    dense, kind = MATRICES[name]
    solve = linalg.factorized(on_gpu(dense))
    B = RNG.standard_normal((N, 4))
    for b in (B[:, 0], B[:, 1], B, B.T[:, :N].T[:N], B[:, :0], B + 1j * B[::-1], np.arange(N), B[::-1, 2]):
        np.testing.assert_allclose(to_numpy(solve(xp.asarray(b))), np.linalg.solve(dense, b), rtol=1e-9, atol=1e-9)
    assert [solver.given[:2] for solver in solvers] == [(kind, (N,))], "factorised once"
    with pytest.raises(ValueError, match=r"b must have shape \(12,\) or \(12, k\), got \(11,\)"):
        solve(xp.asarray(B[1:, 0]))
    with pytest.raises(TypeError, match="b is on cpu"):
        solve(B[:, 0])
    assert not is_freed(solvers[0])
    del solve
    gc.collect()
    assert is_freed(solvers[0])


def test_duplicates(xp, to_numpy, solvers):
    csr = sp.csr_array(SKEWED)
    A = csr_array((np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), csr.indptr * 2), shape=(N, N)).to_device("cuda")
    np.testing.assert_allclose(to_numpy(linalg.spsolve(A, xp.ones(N))), np.linalg.solve(SKEWED, np.ones(N)), rtol=1e-10)
    assert len(solvers) == 1


def test_a_small_pivot_is_cupys(xp, solvers):
    """Each form is tried; then CuPy computes, or says that the matrix is singular."""
    singular = np.ones((3, 3))
    for call in (lambda: linalg.spsolve(on_gpu(singular), xp.ones(3)), lambda: linalg.factorized(on_gpu(singular))(xp.ones(3))):
        solvers.clear()
        with contextlib.suppress(np.linalg.LinAlgError, RuntimeError, UserWarning):
            call()
        assert [solver.given[0] for solver in solvers] == ["SYMMETRIC", "GENERAL"]
        assert all(map(is_freed, solvers))


def test_a_solver_that_fails_is_freed(xp, solvers, monkeypatch):
    def fail(self, **options):
        raise MemoryError("of cuDSS")

    monkeypatch.setattr(cudss.library().DirectSolver, "factorize", fail)
    with pytest.raises(MemoryError, match="of cuDSS"):
        linalg.factorized(on_gpu(SKEWED))
    assert [is_freed(solver) for solver in solvers] == [True]


def test_what_is_not_given_to_cudss(xp, to_numpy, solvers):
    """Sizes of which nothing is left, and what SciPy or CuPy must refuse."""
    with pytest.raises(ValueError, match="square"):
        linalg.spsolve(on_gpu(np.ones((2, 3))), xp.ones(2))
    with pytest.raises(NotImplementedError, match="permc_spec"):
        linalg.spsolve(on_gpu(SKEWED), xp.ones(N), permc_spec="NATURAL")
    np.testing.assert_allclose(linalg.spsolve(csr_array(SKEWED), np.ones(N)), np.linalg.solve(SKEWED, np.ones(N)))
    found = linalg.spsolve(on_gpu(np.array([[2.0]])), xp.asarray([[2.0, 4, 6]]))
    assert to_numpy(found).ravel().tolist() == [1, 2, 3]
    assert solvers == []


def test_without_nvmath_cupy_computes(xp, to_numpy, monkeypatch):
    if xp is np:
        pytest.skip("on a GPU only")
    monkeypatch.setattr(cudss, "library", lambda: None)
    for found in (linalg.spsolve(on_gpu(SKEWED), xp.ones(N)), linalg.factorized(on_gpu(SKEWED))(xp.ones(N))):
        np.testing.assert_allclose(to_numpy(found), np.linalg.solve(SKEWED, np.ones(N)), rtol=1e-10)


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_a_library_that_cannot_be_loaded(monkeypatch, error):
    """nvmath-python may be there without cuDSS: it says so when cuDSS is first asked for something."""

    def missing(*names):
        raise error(names[0])

    monkeypatch.setattr(cudss, "importlib", SimpleNamespace(import_module=missing))
    assert cudss.library.__wrapped__() is None


def test_the_stand_in_has_the_signatures_of_nvmath():
    """Also where there is no GPU."""
    advanced = pytest.importorskip("nvmath.sparse.advanced", reason='needs nvmath-python: pip install "nvmath-python[cu13]"')
    for name in ("__init__", "__enter__", "__exit__", "plan", "factorize", "reset_operands", "solve", "free"):
        ours, theirs = (inspect.signature(getattr(of.DirectSolver, name)).parameters for of in (stand_in, advanced))
        assert [(x.name, x.kind, x.default) for x in ours.values()] == [(x.name, x.kind, x.default) for x in theirs.values()]
    assert list(stand_in.DirectSolverMatrixType.__members__.items()) == list(
        advanced.DirectSolverMatrixType.__members__.items()
    )
    assert {"sparse_system_type", "logger"} <= set(inspect.signature(advanced.DirectSolverOptions).parameters)
    info = inspect.getattr_static(advanced.DirectSolverFactorizationInfo, "npivots")
    assert isinstance(info, property)
    assert isinstance(inspect.getattr_static(advanced.DirectSolverFactorizationInfo, "info"), property)


def test_nvmath_is_not_imported_before_a_gpu_needs_it():
    linalg.spsolve(csr_array(SKEWED), np.ones(N))
    linalg.factorized(csr_array(SKEWED))
    assert CUPY is not None or cudss.library.cache_info().currsize == 0
