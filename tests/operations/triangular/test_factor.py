"""Incomplete factors: exact where nothing fills in, equal to the matrix on its pattern elsewhere."""

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import csr_array
from spark_csr._operations.select.triangle import triangle
from spark_csr._operations.triangular import levels
from spark_csr._operations.triangular.factor import incomplete_cholesky, incomplete_lu
from spark_csr.gallery import poisson

N = 50


def spd(dtype):
    """A sparse Hermitian matrix with a heavy diagonal."""
    rng = np.random.default_rng(4)
    S = sp.random_array((N, N), density=0.08, rng=rng).toarray().astype(dtype)
    if np.dtype(dtype).kind == "c":
        S = S * np.exp(1j * rng.uniform(0, 6, (N, N)))
    return (S + S.conj().T + 8 * np.eye(N)).astype(dtype)


def split(factors):
    dense = csr_array._of(factors).to_device("cpu").toarray()
    return np.tril(dense, -1) + np.eye(len(dense), dtype=dense.dtype), np.triu(dense)


@pytest.mark.parametrize("wide", [2, 10**6])
@pytest.mark.parametrize("dtype", dtypes.some(["float64", "complex128"], ["complex128"]))
def test_products_of_factors_are_the_matrix_on_its_pattern(xp, to_numpy, monkeypatch, small_tiles, dtype, wide):
    monkeypatch.setattr(levels, "WIDE", wide)
    dense = spd(dtype)
    dense[3, 7] *= 2  # not symmetric any more
    L, U = split(incomplete_lu(csr_array(xp.asarray(dense))._csr)[0])
    np.testing.assert_allclose((L @ U)[dense != 0], dense[dense != 0], rtol=1e-12)
    hermitian = spd(dtype)
    factor, at = incomplete_cholesky(triangle(csr_array(xp.asarray(hermitian))._csr, 0, False))
    assert at is None
    L = to_numpy(csr_array._of(factor).toarray())
    np.testing.assert_allclose((L @ L.conj().T)[hermitian != 0], hermitian[hermitian != 0], rtol=1e-12)


def test_a_tridiagonal_matrix_does_not_fill_in(xp, to_numpy):
    A = poisson((N,))
    dense = A.toarray()
    device = "cpu" if xp is np else "cuda"
    L, U = split(incomplete_lu(A.to_device(device)._csr)[0])
    np.testing.assert_allclose(L @ U, dense, atol=1e-14)
    factor, _ = incomplete_cholesky(triangle(A.to_device(device)._csr, 0, False))
    np.testing.assert_allclose(to_numpy(csr_array._of(factor).toarray()), np.linalg.cholesky(dense), atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_pivots_of_one(xp, dtype):
    dense = np.array([[1, 1, 0], [1, 2, 1], [0, 1, 2]], dtype)
    L, U = split(incomplete_lu(csr_array(xp.asarray(dense))._csr)[0])
    np.testing.assert_array_equal(L @ U, dense)


def test_pivots_that_fail(xp):
    A = csr_array(xp.asarray([[1.0, 2, 0], [2, 4, 1], [0, 1, 1]]))
    assert incomplete_lu(A._csr)[1] == 1
    assert incomplete_cholesky(triangle(A._csr, 0, False))[1] == 1


def test_same_bits(monkeypatch, cpu_only, small_tiles):
    dense, found = spd("float64"), []
    for wide in (2, 3, 10**6):
        monkeypatch.setattr(levels, "WIDE", wide)
        lower = triangle(csr_array(dense)._csr, 0, False)
        found.append((incomplete_lu(csr_array(dense)._csr)[0].data, incomplete_cholesky(lower)[0].data))
    for lu, root in found[1:]:
        assert np.array_equal(lu, found[0][0])
        assert np.array_equal(root, found[0][1])
