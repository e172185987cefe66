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


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gram_matrix_of_a_tall_matrix(xp, to_numpy, full_speed, dtype):
    """cupy#10033: `X.T @ X` of a tall X of density 0.05 with 5000 columns was zero."""
    X, S = tall(xp, 200, 5000, 0.05, dtype)
    product, expected = X.T @ X, (S.T @ S).toarray()
    assert product.nnz == (S.T @ S).nnz > 8_000_000
    np.testing.assert_allclose(to_numpy(product.toarray()), expected, rtol=100 * np.finfo(dtype).eps)


def test_a_dense_matrix_of_more_than_a_million_rows_times_a_small_sparse_one(xp, to_numpy, full_speed):
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


@pytest.mark.parametrize("widths", [(np.int32, np.int64), (np.int64, np.int32)])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_rows_and_columns_by_index_arrays_of_two_widths(xp, to_numpy, form, widths):
    """scipy#20182: after `A.indptr = A.indptr.astype(np.int64)`, `A[[1, 2], :]` raised; `A[:, [1, 2]]` likewise."""
    S = sp.random_array((10, 9), density=0.3, format=form, rng=np.random.default_rng(20182))
    A = getattr(spark_csr, f"{form}_array")(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape)
    A.indptr, A.indices = (x.astype(width) for x, width in zip((A.indptr, A.indices), widths, strict=True))
    for key in np.s_[[1, 2], :], np.s_[:, [1, 2]], np.s_[[2, 1, 1]], np.s_[::2, ::-1], np.s_[[1, 2], [3, 4]]:
        got, wanted = A[key], S.toarray()[key]
        np.testing.assert_array_equal(to_numpy(got.toarray() if got.ndim == 2 else got), wanted)


@pytest.mark.parametrize("widths", [(np.int32, np.int64), (np.int64, np.int32)])
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("method", ["eliminate_zeros", "sum_duplicates", "sort_indices", "prune"])
def test_methods_in_place_on_index_arrays_of_two_widths(xp, to_numpy, method, form, widths):
    """scipy#21959: after `A.indptr = A.indptr.astype(np.int64)`, `A.eliminate_zeros()` raised."""
    data, indices, indptr = np.array([1.0, 2, 0, 3, 0, 4]), np.array([2, 0, 0, 1, 2, 1]), np.array([0, 3, 5, 6])
    S = getattr(sp, f"{form}_array")((data, indices, indptr), shape=(3, 3))
    A = getattr(spark_csr, f"{form}_array")(tuple(map(xp.asarray, (data, indices, indptr))), shape=(3, 3))
    A.indptr, A.indices = (x.astype(width) for x, width in zip((A.indptr, A.indices), widths, strict=True))
    for matrix in (A, S):
        getattr(matrix, method)()
    np.testing.assert_array_equal(to_numpy(A.toarray()), S.toarray())
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(to_numpy(getattr(A, name)), getattr(S, name))


def test_columns_beyond_32_bits_of_a_reshaped_matrix(xp, to_numpy):
    """scipy#22353: positions took the index dtype of the shape before, and came out negative."""
    rows, columns = 5, 2**30 + 7
    A = spark_csr.coo_array((xp.ones(2), (xp.asarray([3, rows - 1]), xp.asarray([5, columns - 1]))), shape=(rows, columns))
    flat = A.reshape(1, rows * columns)
    assert to_numpy(flat.tocoo().col).tolist() == [3 * columns + 5, rows * columns - 1]


def test_reading_a_matrix_whose_arrays_are_read_only_and_unsorted(to_numpy, cpu_only):
    """scipy#8678: `astype` sorted the arrays in place, or raised where it could not write."""
    arrays = np.array([2.0, 1, 4, 3]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])
    for x in arrays:
        x.flags.writeable = False
    A = csr_array(arrays)
    for got in A.astype(np.float32), A + A - A, A.copy(), A[[0, 1]], A.T.T, abs(A), A * 1.0:
        assert got.toarray().tolist() == [[1, 2], [3, 4]]
    assert arrays[1].tolist() == [1, 0, 1, 0]


def test_products_by_element_keep_their_format(xp, to_numpy):
    """scipy#23321: `csc.multiply(csc)` had the offsets of rows."""
    S = sp.random_array((6, 4), density=0.5, format="csc", rng=np.random.default_rng(23321))
    A = spark_csr.csc_array(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape)
    got = A.multiply(A)
    assert (got.format, got.indptr.size) == ("csc", 5)
    np.testing.assert_array_equal(to_numpy(got.toarray()), S.toarray() ** 2)


def test_a_column_of_rows_beside_a_row_of_columns_makes_no_grid_in_memory(cpu_only):
    """scipy#24339: `A[rows[:, None], columns]` made index arrays of the whole grid; 2**34 positions here."""
    n = 2**17
    A = csr_array((np.ones(1), ([3], [5])), shape=(n, n))
    got = A[np.arange(n)[:, None], np.arange(n)]
    assert (got.shape, got.nnz, got[3, 5]) == ((n, n), 1, 1)
