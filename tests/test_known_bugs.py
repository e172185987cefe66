"""Shapes on which other libraries gave wrong answers or none: ours must not."""

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import csr_array

INT32_MAX = 2**31 - 1


def tall(xp, rows, columns, density, dtype=np.float64):
    """A random matrix of ours and SciPy's, the same."""
    S = sp.random_array((rows, columns), density=density, format="csr", dtype=dtype, rng=np.random.default_rng(10033))
    return csr_array(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape), S


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gram_matrix_of_a_tall_matrix(xp, to_numpy, cpu_only, dtype):
    """cupy#10033: `X.T @ X` of a tall X of density 0.05 with 5000 columns was zero."""
    X, S = tall(xp, 200, 5000, 0.05, dtype)
    product, expected = X.T @ X, (S.T @ S).toarray()
    assert product.nnz == (S.T @ S).nnz > 8_000_000
    np.testing.assert_allclose(to_numpy(product.toarray()), expected, rtol=100 * np.finfo(dtype).eps)


def test_a_dense_matrix_of_more_than_a_million_rows_times_a_small_sparse_one(xp, to_numpy, cpu_only):
    """cupy#9850: 1,048,561 x 5 @ 5 x 5; the last rows were wrong."""
    rows = 1_048_561
    X = np.arange(5.0 * rows).reshape(rows, 5) % 97
    S = sp.csr_array(np.array([[1.0, 0, 0, 2, 0], [0, 0, 3, 0, 0], [0, 0, 0, 0, 0], [4, 0, 0, 0, 5], [0, 6, 0, 0, 0]]))
    A = csr_array(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape)
    np.testing.assert_array_equal(to_numpy(xp.asarray(X) @ A), X @ S.toarray())
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X.T)), S.toarray() @ X.T)


def test_side_by_side_beyond_32_bits(xp, to_numpy):
    """scipy#16569: columns past 2**31 came out negative."""
    left = spark_csr.csr_array((xp.ones(1), xp.asarray([INT32_MAX - 1]), xp.asarray([0, 1])), shape=(1, INT32_MAX))
    right = spark_csr.csr_array((xp.ones(1), xp.asarray([1]), xp.asarray([0, 1])), shape=(1, 2))
    assert to_numpy(spark_csr.hstack([left, right]).indices).tolist() == [INT32_MAX - 1, INT32_MAX + 1]


def test_kronecker_product_beyond_32_bits(xp, to_numpy):
    """scipy#11494: of two rows of 2**16 columns."""
    one = spark_csr.csr_array((xp.ones(2), xp.asarray([0, 2**16 - 1]), xp.asarray([0, 2])), shape=(1, 2**16))
    assert to_numpy(spark_csr.kron(one, one).tocsr().indices).tolist() == [0, 2**16 - 1, 2**32 - 2**16, 2**32 - 1]


def test_a_gather_of_more_than_32_bits_of_entries_is_refused_or_whole(xp, cpu_only):
    """scipy#19205: a row of 2**17 entries asked for 2**17 times: offsets overflowed, and memory was written out of bounds."""
    n = 2**17
    A = csr_array((xp.ones(n), (xp.zeros(n, np.int64), xp.arange(n))), shape=(1, n))
    with pytest.raises(MemoryError, match="17179869184"):
        A[xp.zeros(n, np.int64), :]
