"""The largest entries of products and the nearest rows, beside dense NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import coo_array, csc_array, csr_array
from spark_csr._array import DTYPES, goes_to_gpu
from spark_csr.linalg import knn_graph, topk_matmul

RNG = np.random.default_rng(2)
DENSE = RNG.integers(-3, 4, (40, 23)) * (RNG.random((40, 23)) < 0.3)
OTHER = RNG.integers(-3, 4, (61, 23)) * (RNG.random((61, 23)) < 0.3)


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_formats(xp, to_numpy, form):
    A, B = (form(csr_array(xp.asarray(x))) for x in (DENSE, OTHER))
    found = topk_matmul(A, B, 3, threshold=1)
    product = DENSE @ OTHER.T
    expected = np.zeros_like(product)
    for i, row in enumerate(product):
        best = [j for j in np.argsort(-row, kind="stable")[:3] if row[j] > 1]
        expected[i, best] = row[best]
    assert (type(found), found.dtype) == (csr_array, product.dtype)
    np.testing.assert_array_equal(to_numpy(found.toarray()), expected)


def test_matrices_of_scipy():
    A, B = sp.coo_matrix(DENSE), sp.csc_array(OTHER)
    np.testing.assert_array_equal(topk_matmul(A, B, 4).toarray(), topk_matmul(csr_array(DENSE), csr_array(OTHER), 4).toarray())
    assert knn_graph(sp.csr_array(DENSE), 2).nnz == 80


def test_thresholds_of_every_kind():
    A, B = csr_array([[1]]), csr_array([[2**53 + 1]])
    for threshold, count in (
        (10**400, 0),
        (-(10**400), 1),
        (np.float16(1), 1),
        (float(2**53), 1),
        (2**53 + 1, 0),
        (-np.inf, 1),
    ):
        assert topk_matmul(A, B, 1, threshold=threshold).nnz == count


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda A: topk_matmul(A, A[:, :3], 1), ValueError, r"the same number of columns, got shapes \(40, 23\) and \(40, 3\)"),
        (lambda A: topk_matmul(A, A, -1), ValueError, "k must be 0 or above, got -1"),
        (lambda A: topk_matmul(A, A, 1.5), TypeError, "k must be an integer, got 1.5"),
        (lambda A: topk_matmul(A, A, 1, threshold=np.nan), ValueError, "threshold must not be NaN"),
        (lambda A: topk_matmul(A, A, 1, threshold="1"), TypeError, "threshold must be a real number, got '1'"),
        (lambda A: topk_matmul(A, A.toarray(), 1), TypeError, "B must be a sparse matrix of two dimensions, got ndarray"),
        (lambda A: topk_matmul(A * 1j, A, 1), TypeError, "A has dtype complex128"),
        (lambda A: topk_matmul(A, A[0], 1), TypeError, "B must be a sparse matrix of two dimensions"),
        (lambda A: knn_graph(A[:0], 1), ValueError, "k must be at most 0, the number of rows to choose from, got 1"),
        (lambda A: knn_graph(A, 40), ValueError, "k must be at most 39, the number of rows to choose from, got 40"),
        (lambda A: knn_graph(A, 1, metric="cos"), ValueError, "metric must be 'cosine' or 'euclidean', got 'cos'"),
        (lambda A: knn_graph(A, 1, mode="d"), ValueError, "mode must be 'distance' or 'connectivity', got 'd'"),
        (lambda A: knn_graph(A * np.inf, 1), ValueError, "A must have finite values only"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call(csr_array(DENSE))


def distances(dense, metric):
    """Of all pairs of rows; that of a row from itself is infinite."""
    x = dense.astype(float)
    if metric == "cosine":
        lengths = np.linalg.norm(x, axis=1, keepdims=True)
        x = x / np.where(lengths, lengths, 1)
        found = 1 - x @ x.T
    else:
        found = np.linalg.norm(x[:, None] - x[None], axis=2)
    np.fill_diagonal(found, np.inf)
    return found


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("dtype", dtypes.each([dtype for dtype in DTYPES if np.dtype(dtype).kind != "c"]))
def test_nearest_rows(xp, to_numpy, metric, dtype):
    dense = DENSE.astype(dtype)
    wanted = distances(dense, metric)
    close = {"float16": 2e-3, "float32": 1e-6}.get(np.dtype(dtype).name, 1e-12)
    for k in (5,) if goes_to_gpu(xp.zeros(0)) else (1, 5):
        found = knn_graph(csr_array(xp.asarray(dense)), k, metric=metric)
        assert (found.shape, found.nnz) == ((40, 40), 40 * k)
        assert found.dtype == (dtype if np.dtype(dtype).kind == "f" else np.float64)
        assert found.has_canonical_format
        indices, data = (to_numpy(x).reshape(40, k) for x in (found.indices, found.data))
        np.testing.assert_allclose(data, np.take_along_axis(wanted, indices, 1), rtol=close, atol=close)
        np.testing.assert_allclose(np.sort(data), np.sort(wanted)[:, :k], rtol=close, atol=close)


def test_itself_and_connectivity():
    A = csr_array(np.eye(5))
    assert knn_graph(A, 1, include_self=True).indices.tolist() == [0, 1, 2, 3, 4]
    assert knn_graph(A, 1, metric="euclidean", include_self=True).data.tolist() == [0] * 5
    assert knn_graph(A, 2, mode="connectivity").toarray().tolist()[3] == [1, 1, 0, 0, 0]
    assert knn_graph(A, 5, include_self=True, mode="connectivity").nnz == 25
    assert knn_graph(csr_array((0, 4)), 0).shape == (0, 0)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 2.0**500, 2.0**1000])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_scale(metric, scale):
    found, wanted = knn_graph(csr_array(DENSE * scale), 3, metric=metric), knn_graph(csr_array(DENSE), 3, metric=metric)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_allclose(found.data, wanted.data * (scale if metric == "euclidean" else 1), rtol=1e-12, atol=1e-15)


def test_equal_rows_are_at_distance_0():
    A = csr_array([[1e8, 1, 0], [1e8, 1, 0], [1e8, 0, 1e-3], [0, 0, 0]])
    found = knn_graph(A, 1, metric="euclidean")
    assert found.data[:2].tolist() == [0, 0]
    assert found.indices[:2].tolist() == [1, 0]


def test_the_lower_of_rows_at_equal_distance():
    """Small integers are compared exactly."""
    dense = np.random.default_rng(0).integers(-3, 4, (100, 8))
    squares = ((dense[:, None] - dense[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, 1000)
    found = knn_graph(csr_array(dense), 5, metric="euclidean")
    assert found.indices.reshape(100, 5).tolist() == np.sort(np.argsort(squares, axis=1, kind="stable")[:, :5]).tolist()


def test_duplicates_and_subnormal_numbers():
    dense = np.array([[1, 0], [1, 1], [2, 3]])
    A = csr_array(([0.5, 0.5, 1, 1, 2, 3], [0, 0, 0, 1, 0, 1], [0, 2, 4, 6]), shape=(3, 2))
    for metric in ("cosine", "euclidean"):
        wanted = knn_graph(csr_array(dense), 2, metric=metric).toarray()
        np.testing.assert_allclose(knn_graph(A, 2, metric=metric).toarray(), wanted, rtol=1e-12)
    np.testing.assert_allclose(knn_graph(csr_array(dense * 5e-324), 2).toarray(), knn_graph(csr_array(dense), 2).toarray())
    far = knn_graph(csr_array(np.array([[60000, 0], [0, 60000]], "f2")), 1, metric="euclidean")
    assert far.data.tolist() == [np.inf, np.inf]
