"""Products of matrices from applications against SciPy, where the folder with them exists."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csr_array, spmv_composed

pytestmark = pytest.mark.usefixtures("cpu_only")


def agree(got, expected, scale):
    """To within rounding of sums whose terms have the magnitudes that `scale` sums."""
    assert got.dtype == expected.dtype
    assert np.all(np.abs(got - expected) <= 1e-13 * np.abs(scale) + 1e-300)


def test_products(real_matrix_file):
    S = sp.load_npz(real_matrix_file).tocsr()
    if S.dtype.kind not in "fc":
        S = S.astype(float)
    A, magnitude = csr_array(S), abs(S)
    rng = np.random.default_rng(0)
    x, left = rng.standard_normal(S.shape[1]), rng.standard_normal(S.shape[0])
    X = rng.standard_normal((S.shape[1], 4))
    agree(A @ x, S @ x, magnitude @ abs(x))
    agree(A.T @ left, S.T @ left, magnitude.T @ abs(left))
    agree(left @ A, S.T @ left, magnitude.T @ abs(left))
    agree(A @ X, S @ X, magnitude @ abs(X))
    agree(A @ np.asfortranarray(X), S @ X, magnitude @ abs(X))
    agree(spmv_composed(A, x), S @ x, (magnitude @ abs(x)).sum())


def test_single_precision(real_matrix_file):
    S = sp.load_npz(real_matrix_file).tocsr()
    x = np.random.default_rng(0).standard_normal(S.shape[1]).astype(np.float32)
    A = csr_array(S, dtype=np.complex64 if S.dtype.kind == "c" else np.float32)
    got, wide = A @ x, S @ x.astype(float)
    assert got.dtype == A.dtype
    assert np.all(np.abs(got - wide) <= 1e-5 * (abs(S) @ abs(x.astype(float))) + 1e-30)
