"""SciPy's solvers with our matrix, unchanged."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import csr_array

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 12
LINE = sp.diags_array([-np.ones(N - 1), 2 * np.ones(N), -np.ones(N - 1)], offsets=[-1, 0, 1])
POISSON = sp.csr_array(sp.kron(LINE, sp.eye_array(N)) + sp.kron(sp.eye_array(N), LINE))
B = np.random.default_rng(0).standard_normal(N * N)
RECTANGLE = sp.random_array((40, 25), density=0.3, rng=np.random.default_rng(1), format="csr")


@pytest.mark.parametrize("solve", [sla.cg, sla.gmres, sla.bicgstab, sla.minres])
def test_solvers(solve):
    x, failed = solve(csr_array(POISSON), B, rtol=1e-10)
    assert not failed
    np.testing.assert_allclose(POISSON @ x, B, atol=1e-7)


def test_largest_eigenvalues():
    values = sla.eigsh(csr_array(POISSON), k=3, return_eigenvectors=False, v0=B)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(POISSON.toarray())[-3:], rtol=1e-8)


@pytest.mark.parametrize("transposed", [False, True])
def test_largest_singular_values(transposed):
    A = csr_array(RECTANGLE)
    values = sla.svds(A.T if transposed else A, k=3, return_singular_vectors=False, rng=np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(values), np.linalg.svd(RECTANGLE.toarray())[1][2::-1], rtol=1e-8)


def test_least_squares():
    b = np.arange(40.0)
    x = sla.lsqr(csr_array(RECTANGLE), b, atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(x, np.linalg.lstsq(RECTANGLE.toarray(), b)[0], atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("transposed", [False, True])
def test_as_linear_operator(dtype, transposed):
    rng = np.random.default_rng(2)
    dense = RECTANGLE.toarray().astype(dtype)
    if dtype is np.complex128:
        dense = dense * np.exp(1j * rng.random(dense.shape))
    A = csr_array(dense)
    A, dense = (A.T, dense.T) if transposed else (A, dense)
    operator = sla.aslinearoperator(A)
    assert (operator.shape, operator.dtype) == (A.shape, dtype)
    x, y = (rng.standard_normal((n, 3)).astype(dtype) * (1 + 1j if dtype is np.complex128 else 1) for n in dense.shape[::-1])
    np.testing.assert_allclose(operator.matvec(x[:, 0]), dense @ x[:, 0])
    np.testing.assert_allclose(operator.matmat(x), dense @ x)
    np.testing.assert_allclose(operator.rmatvec(y[:, 0]), dense.conj().T @ y[:, 0])
    np.testing.assert_allclose(operator.rmatmat(y), dense.conj().T @ y)
    np.testing.assert_allclose(operator.H @ y, dense.conj().T @ y)
