"""The preconditioner of Chebyshev."""

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr.gallery import poisson
from spark_csr.linalg import cg, chebyshev

A = poisson((15, 15))


def test_it_is_the_iteration(xp, to_numpy):
    """Against the definition: the residual polynomial is a scaled Chebyshev polynomial of the matrix."""
    M = chebyshev(A.to_device("cpu" if xp is np else "cuda"), degree=5, bounds=(0.2, 2.0))
    inverse = to_numpy(M @ xp.eye(225))
    scaled = A.toarray() / 4  # the diagonal is 4
    values, vectors = np.linalg.eigh(scaled)
    shifted = (1.1 - values) / 0.9
    polynomial = np.polynomial.chebyshev.Chebyshev.basis(5)
    residual = polynomial(shifted) / polynomial(1.1 / 0.9)
    np.testing.assert_allclose(inverse, vectors @ np.diag((1 - residual) / values / 4) @ vectors.T, atol=1e-12)


def test_it_is_symmetric_and_positive(cpu_only):
    inverse = chebyshev(A) @ np.eye(225)
    np.testing.assert_allclose(inverse, inverse.T, atol=1e-15)
    assert np.linalg.eigvalsh(inverse).min() > 0


def test_fewer_iterations(cpu_only):
    told = []
    for M in (None, chebyshev(A)):
        steps = []
        assert cg(A, np.ones(225), M=M, rtol=1e-10, callback=steps.append)[1] == 0
        told.append(len(steps))
    assert told[1] < 0.6 * told[0]


def test_one_step_is_a_damped_division_by_the_diagonal(xp, to_numpy):
    M = chebyshev(csr_array(xp.asarray([[2.0, 0], [0, 4]])), degree=1, bounds=(0.5, 1.5))
    np.testing.assert_allclose(to_numpy(M @ xp.ones(2)), [0.5, 0.25])
    assert M.dtype == np.float64
    assert chebyshev(csr_array(xp.eye(2, dtype=np.float32))).matvec(xp.ones(2, np.float32)).dtype == np.float32


def test_refusals(xp):
    with pytest.raises(ValueError, match="degree must be at least 1, got 0"):
        chebyshev(csr_array(xp.eye(2)), degree=0)
    with pytest.raises(ValueError, match=r"bounds must ascend from above zero, got \(2.0, 1.0\)"):
        chebyshev(csr_array(xp.eye(2)), bounds=(2, 1))
    with pytest.raises(ValueError, match="the diagonal has no inverse"):
        chebyshev(csr_array(xp.asarray([[0.0, 1], [1, 0]])))


def test_later_changes_of_the_matrix_have_no_effect(cpu_only):
    matrix = A.copy()
    M = chebyshev(matrix)
    before = M @ np.ones(225)
    matrix.data[:] *= 10
    np.testing.assert_array_equal(M @ np.ones(225), before)


def test_arguments_that_are_no_numbers(cpu_only):
    with pytest.raises(TypeError, match="integer"):
        chebyshev(A, degree=2.5)
    with pytest.raises(ValueError, match="the matrix must be finite, but a row of .* has the sum nan"):
        chebyshev(csr_array(np.diag([1.0, np.nan])))
    with pytest.raises(ValueError, match="bounds must be two numbers"):
        chebyshev(A, bounds=(0.1,))
