"""ILU(0) and IC(0) as preconditioners."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import csc_array, csr_array
from spark_csr.gallery import poisson
from spark_csr.linalg import cg, gmres, ic0, ilu0

A = poisson((20, 20))
B = np.random.default_rng(0).standard_normal((400, 2))


def dense_inverse(M):
    return M @ np.eye(M.shape[1])


@pytest.mark.parametrize("form", [csr_array, csc_array, sp.csr_array, sp.lil_array])
def test_factors_of_every_format(cpu_only, form):
    M = ilu0(form(A.to_scipy()))
    np.testing.assert_allclose(M @ B, ilu0(A) @ B)
    assert M.shape == (400, 400)
    assert "400x400 IncompleteLU" in repr(M)


@pytest.mark.parametrize("make", [ilu0, ic0])
@pytest.mark.parametrize("library", [sla.LinearOperator, None])
def test_fewer_iterations(cpu_only, make, library):
    """As `M=` of our solvers, and of SciPy's."""
    M = make(A)
    told = []
    for preconditioner in (None, M if library is None else sla.aslinearoperator(M)):
        steps = []
        solve, matrix = (cg, A) if library is None else (sla.cg, A.to_scipy())
        x, info = solve(matrix, B[:, 0], M=preconditioner, rtol=1e-10, callback=steps.append)
        assert info == 0
        np.testing.assert_allclose(A @ x, B[:, 0], atol=1e-6)
        told.append(len(steps))
    assert told[1] < 0.6 * told[0]


def test_products_and_adjoints(xp, to_numpy):
    rng = np.random.default_rng(2)
    dense = sp.random_array((30, 30), density=0.1, rng=rng).toarray() + 5 * np.eye(30)
    dense = dense * (1 + 0.2j)
    M = ilu0(csr_array(xp.asarray(dense)))
    inverse = to_numpy(M @ xp.eye(30))
    x = rng.standard_normal((30, 2)) + 1j
    np.testing.assert_allclose(to_numpy(M.matvec(xp.asarray(x[:, 0]))), inverse @ x[:, 0])
    np.testing.assert_allclose(to_numpy(M.rmatmat(xp.asarray(x))), inverse.conj().T @ x)
    hermitian = dense + dense.conj().T + 10 * np.eye(30)
    M = ic0(csr_array(xp.asarray(hermitian)))
    inverse = to_numpy(M @ xp.eye(30))
    np.testing.assert_allclose(inverse, inverse.conj().T, atol=1e-15)
    np.testing.assert_allclose(to_numpy(M.matmat(xp.asarray(x))), inverse @ x)
    np.testing.assert_allclose(to_numpy(M.rmatvec(xp.asarray(x[:, 1]))), inverse @ x[:, 1])


def test_dtypes(cpu_only):
    M = ic0(A.astype(np.float32))
    assert M.dtype == np.float32
    assert (M @ B.astype(np.float32)).dtype == np.float32
    assert (M @ B).dtype == np.float64
    assert (M @ (1j * B)).dtype == np.complex128
    assert ilu0(A.astype(np.int32)).dtype == np.float64
    x = B[:, 0].copy()
    M.matvec(x)
    np.testing.assert_array_equal(x, B[:, 0])


def test_refusals(xp):
    with pytest.raises(ValueError, match="expected square matrix"):
        ilu0(csr_array((2, 3)))
    with pytest.raises(ValueError, match=r"A\[1, 1\] is not stored"):
        ic0(csr_array(xp.asarray([[1.0, 2], [3, 0]])))
    with pytest.raises(RuntimeError, match="the pivot of row 1 is zero or not finite"):
        ilu0(csr_array(xp.asarray([[1.0, 2], [1, 2]])))
    with pytest.raises(RuntimeError, match="the pivot of row 1 is not above zero"):
        ic0(csr_array(xp.asarray([[1.0, 2], [2, 1]])))
    with pytest.raises(ValueError, match="dimension mismatch"):
        ilu0(csr_array(xp.eye(2))) @ xp.ones(3)


def test_nothing_to_factorise(cpu_only):
    for make in (ilu0, ic0):
        assert (make(csr_array((0, 0))) @ np.empty(0)).size == 0


def test_with_gmres(cpu_only):
    skewed = A.to_scipy() + sp.diags_array(np.full(399, 0.5), offsets=1)
    x, info = gmres(csr_array(skewed), B[:, 0], M=ilu0(skewed), rtol=1e-8)
    assert info == 0
    np.testing.assert_allclose(skewed @ x, B[:, 0], atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_a_zero_pivot_that_others_are_divided_by(xp, dtype):
    with pytest.raises(RuntimeError, match="the pivot of row 1 is zero"):
        ilu0(csr_array(xp.asarray([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype)))


def test_an_infinite_pivot(xp):
    with pytest.raises(RuntimeError, match="the pivot of row 0 is not above zero, or not finite"):
        ic0(csr_array(xp.asarray([[np.inf, 0], [1, 1]])))


@pytest.mark.parametrize("make", [ilu0, ic0])
@pytest.mark.parametrize("name", ["matvec", "rmatvec", "matmat", "rmatmat"])
@pytest.mark.parametrize("shape", [(2,), (6,), (2, 3), (3, 2, 1)])
def test_operands_of_other_lengths(cpu_only, make, name, shape):
    with pytest.raises(ValueError, match="dimension mismatch"):
        getattr(make(poisson((3,))), name)(np.ones(shape))


@pytest.mark.parametrize("make", [ilu0, ic0])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda M: pickle.loads(pickle.dumps(M))], ids=["copy", "pickle"])
def test_factors_of_a_matrix_that_was_multiplied_go_to_another_process(cpu_only, make, again):
    """The factors share the pattern of the matrix, with which products keep functions."""
    matrix = poisson((20, 20))
    matrix @ B
    matrix @ B[:, 0]
    M = make(matrix)
    expected = M @ B
    assert np.array_equal(again(M) @ B, expected)
