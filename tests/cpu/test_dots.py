"""Products of floats, which are summed in lanes: rows of every length, whatever stands behind them."""

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr._cpu import spmv
from spark_csr._cpu.tuning import TUNING

pytestmark = pytest.mark.usefixtures("cpu_only")

COLUMNS = 300


@pytest.fixture(params=["regular", "irregular", "regular, asked ahead", "irregular, asked ahead"])
def _kernel(request, monkeypatch):
    """All tiles are small, and all matrices are taken for what the parameter says."""
    monkeypatch.setattr(TUNING, "reduce_serial", 0)
    monkeypatch.setattr(TUNING, "reduce_tile", 50)
    monkeypatch.setattr(spmv, "runs_of", lambda *args: None)
    monkeypatch.setattr(spmv, "is_irregular", lambda lengths: request.param.startswith("irregular"))
    monkeypatch.setattr(TUNING, "spmv_far_bytes", -1 if request.param.endswith("ahead") else 1 << 60)


def matrix(lengths, dtype=np.float64, index=np.int32):
    """A matrix with rows of these lengths; its values are small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(1)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    data, indices = rng.integers(-4, 5, indptr[-1]), rng.integers(0, COLUMNS, indptr[-1])
    return csr_array((data.astype(dtype), indices.astype(index), indptr), shape=(len(lengths), COLUMNS))


def by_rows(A, x):
    """`A @ x` by a loop over rows."""
    rows = [slice(*A.indptr[i : i + 2]) for i in range(A.shape[0])]
    return np.array([(A.data[row] * x[A.indices[row]]).sum() for row in rows])


@pytest.mark.usefixtures("_kernel")
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_every_length(dtype, index):
    lengths = np.random.default_rng(2).permutation(np.repeat(np.arange(40), 5))
    A, x = matrix(lengths, dtype, index), (np.arange(COLUMNS) % 11 - 5).astype(dtype)
    y = A @ x
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, by_rows(A, x))


@pytest.mark.usefixtures("_kernel")
@pytest.mark.parametrize("last", range(7))
def test_the_last_rows_end_with_the_arrays(last):
    A, x = matrix([5, 0, 3, last]), np.arange(COLUMNS) % 7 * 1.0
    np.testing.assert_array_equal(A @ x, by_rows(A, x))
    one = matrix([last])
    np.testing.assert_array_equal(one @ x, by_rows(one, x))


@pytest.mark.usefixtures("_kernel")
def test_a_row_is_not_spoiled_by_its_neighbours():
    A = matrix([3, 1, 5, 2, 4, 6, 3] * 4)
    for bad in (np.nan, np.inf):
        for row in range(A.shape[0]):
            B = A.copy()
            B.data[B.indptr[row] : B.indptr[row + 1]] = bad
            y = B @ np.ones(COLUMNS)
            assert np.flatnonzero(~np.isfinite(y)).tolist() == [row]


@pytest.mark.usefixtures("_kernel")
def test_two_thousand_irregular_rows_by_scipy():
    rng = np.random.default_rng(3)
    A, x = matrix(rng.zipf(1.7, 2000).clip(max=500)), rng.random(COLUMNS)
    np.testing.assert_allclose(A @ x, A.to_scipy() @ x, rtol=1e-12, atol=1e-12)
