"""The generated matrices: their patterns, their values, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import banded, one_dense_row, poisson, rmat, uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


def laplacian(shape):
    """The definition: a sum of Kronecker products."""
    total, before = np.zeros((1, 1)), 1
    for extent in shape:
        line = 2 * np.eye(extent) - np.eye(extent, k=1) - np.eye(extent, k=-1)
        total = np.kron(total, np.eye(extent)) + np.kron(np.eye(before), line)
        before *= extent
    return total


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (3, 4), (1, 4), (4, 1), (1, 1, 1), (2, 3, 4), (3, 1, 2), (2, 2, 3, 2)])
def test_poisson_is_the_sum_of_kronecker_products(shape):
    A = poisson(shape)
    assert np.array_equal(A.toarray(), laplacian(shape))
    assert A.has_canonical_format
    assert np.count_nonzero(A.data) == A.nnz


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128])
def test_poisson_dtype(dtype):
    A = poisson((3, 3), dtype)
    assert A.dtype == dtype
    assert A.indices.dtype == A.indptr.dtype == np.int32


def test_poisson_without_points():
    assert poisson((3, 0)).shape == (0, 0)


@pytest.mark.parametrize(
    "shape, error, message",
    [
        ((), ValueError, "at least one axis"),
        ((3, -1), ValueError, r"shape\[1\] must be 0 or above, got -1"),
        ((2.5,), TypeError, r"shape\[0\] must be an integer"),
        (3, TypeError, "must be a tuple"),
    ],
)
def test_poisson_refuses(shape, error, message):
    with pytest.raises(error, match=message):
        poisson(shape)


def test_poisson_needs_a_sign():
    with pytest.raises(TypeError, match="must hold -1, got uint8"):
        poisson((3,), np.uint8)


def test_rmat_counts_every_edge_once():
    A = rmat(8, 5, seed=3)
    assert A.shape == (256, 256)
    assert A.has_canonical_format
    assert A.data.sum() == 256 * 5
    assert A.data.min() >= 1


def test_rmat_falls_into_the_quarters_as_asked():
    A = rmat(10, 32, seed=1).to_scipy().toarray()
    quarters = np.array([A[:512, :512].sum(), A[:512, 512:].sum(), A[512:, :512].sum(), A[512:, 512:].sum()])
    assert np.allclose(quarters / quarters.sum(), (0.57, 0.19, 0.19, 0.05), atol=0.01)


def test_rmat_with_one_quarter_is_one_entry():
    A = rmat(4, 2, probabilities=(0, 0, 0, 1))
    assert A.nnz == 1
    assert A.toarray()[15, 15] == 32


def test_rmat_is_skewed_where_uniform_is_not():
    degrees = np.diff(rmat(10).indptr)
    assert degrees.max() > 10 * degrees.mean()


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((32,), {}, "scale must be at most 31, got 32"),
        ((-1,), {}, "scale must be 0 or above"),
        ((4, -1), {}, "edge_factor must be 0 or above"),
        ((4,), {"probabilities": (0.5, 0.5, 0.5, 0.5)}, "add up to 1"),
        ((4,), {"probabilities": (1.5, -0.5, 0, 0)}, "add up to 1"),
        ((4,), {"probabilities": (1, 0)}, "four numbers"),
    ],
)
def test_rmat_refuses(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        rmat(*arguments, **options)


@pytest.mark.parametrize("rows, columns, per_row", [(50, 40, 5), (10, 6, 6), (10, 5, 0), (0, 5, 2), (0, 0, 0)])
def test_uniform_has_as_many_entries_in_every_row(rows, columns, per_row):
    A = uniform(rows, columns, per_row, seed=2)
    assert A.shape == (rows, columns)
    assert (np.diff(A.indptr) == per_row).all()
    assert A.has_canonical_format


def test_uniform_reaches_all_columns():
    assert np.unique(uniform(500, 20, 4).indices).size == 20


def test_uniform_refuses_more_than_a_full_row():
    with pytest.raises(ValueError, match="per_row must be at most columns = 3, got 4"):
        uniform(5, 3, 4)


@pytest.mark.parametrize("rows, per_row", [(9, 3), (9, 4), (3, 9), (5, 1), (5, 0), (0, 3)])
def test_banded_lies_around_the_diagonal(rows, per_row):
    distance = np.arange(rows)[None, :] - np.arange(rows)[:, None]
    band = (distance >= -((per_row - 1) // 2)) & (distance <= per_row // 2) & (per_row > 0)
    A = banded(rows, per_row, dtype=np.int64)
    assert np.array_equal(A.to_scipy().toarray() != 0, band)
    assert A.has_canonical_format


def test_one_dense_row():
    A = one_dense_row(9, 30, 2, row=4)
    assert np.array_equal(np.diff(A.indptr), [2, 2, 2, 2, 30, 2, 2, 2, 2])
    assert A.has_canonical_format
    assert one_dense_row(0, 30).shape == (0, 30)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"per_row": 31}, "per_row must be at most columns = 30"),
        ({"row": 9}, "row must be one of the 9 rows, got 9"),
    ],
)
def test_one_dense_row_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        one_dense_row(9, 30, **options)


MAKERS = {
    "rmat": lambda **options: rmat(5, 4, **options),
    "uniform": lambda **options: uniform(20, 30, 3, **options),
    "banded": lambda **options: banded(20, 4, **options),
    "one_dense_row": lambda **options: one_dense_row(20, 30, **options),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", dtypes.each())
def test_every_dtype(name, dtype):
    A = MAKERS[name](dtype=dtype)
    assert A.dtype == np.dtype(dtype)
    assert np.isfinite(A.data).all()


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    first, again, other = (MAKERS[name](seed=seed) for seed in (1, 1, 2))
    first, again, other = (A.to_scipy().toarray() for A in (first, again, other))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", MAKERS)
def test_a_generator_is_a_seed(name):
    assert isinstance(MAKERS[name](seed=np.random.default_rng(5)), csr_array)


@pytest.mark.parametrize("name", MAKERS)
def test_products_agree_with_scipy(name):
    A = MAKERS[name]()
    x = np.arange(A.shape[1], dtype=float)
    assert np.allclose(A @ x, sp.csr_array(A.to_scipy()) @ x)


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(TypeError, match="int8 cannot hold the counts of edges"):
        rmat(2, 1000, dtype=np.int8)
    with pytest.raises(TypeError, match="dtype must hold 140"):
        poisson((1,) * 70, np.int8)
    assert rmat(2, 1000, dtype=bool).data.all()


def test_unsigned_values_are_not_zero():
    assert uniform(20, 30, 3, dtype=np.uint64).data.all()
