"""The diagonal of a matrix, and solvers that divide by it."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csc_array, csr_array
from spark_csr.linalg import cg, ic0, ilu0, inv_diagonal, jacobi

pytestmark = pytest.mark.skipif(not hasattr(csr_array, "diagonal"), reason="needs csr_array.diagonal")

DENSE = np.array([[4.0, 1, 0], [1, 2, 1], [0, 1, -8]])


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_inverse_of_the_diagonal(xp, to_numpy, form):
    np.testing.assert_array_equal(to_numpy(inv_diagonal(form(xp.asarray(DENSE)))), [0.25, 0.5, -0.125])
    assert inv_diagonal(form(xp.asarray(DENSE.astype(np.int32)))).dtype == np.float64
    assert inv_diagonal(form((0, 0))).size == 0
    assert inv_diagonal(sp.csr_array(DENSE)).tolist() == [0.25, 0.5, -0.125]


def test_what_has_no_inverse(xp):
    with pytest.raises(ValueError, match=r"the diagonal has no inverse: A\[1, 1\] = 0.0"):
        jacobi(csr_array(xp.asarray([[1.0, 2], [3, 0]])))
    with pytest.raises(ValueError, match="expected square matrix"):
        jacobi(csr_array((2, 3)))


def test_products(xp, to_numpy):
    D = jacobi(csr_array(xp.asarray(DENSE * (1 + 1j))))
    dense = np.diag(1 / np.diag(DENSE * (1 + 1j)))
    x, X = np.arange(3.0), np.arange(6.0).reshape(3, 2)
    for operand in (x, X):
        np.testing.assert_allclose(to_numpy(D @ xp.asarray(operand)), dense @ operand)
        np.testing.assert_allclose(to_numpy(D.rmatvec(xp.asarray(operand))), dense.conj().T @ operand)
    assert D.shape == (3, 3)
    assert "3x3 Diagonal" in repr(D)


def test_fewer_iterations(cpu_only):
    n = 200
    S = sp.diags_array([-np.ones(n - 1), np.linspace(3, 3000, n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()
    plain, helped = [], []
    for M, told in ((None, plain), (jacobi(csr_array(S)), helped)):
        _, info = cg(csr_array(S), np.ones(n), M=M, rtol=1e-9, progress=lambda *n, told=told: told.append(n))
        assert info == 0
    assert len(helped) < len(plain) / 3


@pytest.mark.parametrize("make", [jacobi, ic0, ilu0])
@pytest.mark.parametrize("x", [["1"] * 3, [None] * 3, np.zeros(3, "m8[s]"), np.zeros(3, [("x", float)])])
def test_operands_that_are_no_numbers(cpu_only, make, x):
    with pytest.raises(TypeError, match="the operand of @ must hold numbers, got dtype"):
        make(csr_array(np.diag([1.0, 2, 3]))) @ x
