"""Coordinates and dense forms: duplicates summed in order, key packing, zeros kept or not as SciPy does."""

import numpy as np
import pytest
import scipy.sparse as sp

import battery
from spark_csr import csr_array
from spark_csr._array import DTYPES

pytestmark = pytest.mark.usefixtures("small_tiles")


def coordinates(n, shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 5, n).astype(float), rng.integers(0, shape[0], n), rng.integers(0, shape[1], n)


@pytest.mark.parametrize("shape, n", [((4, 5), 60), ((30, 20), 40), ((1, 3), 20), ((3, 1), 20), ((7, 7), 0), ((5, 5), 1)])
def test_coordinates_as_scipy(xp, to_numpy, shape, n):
    data, rows, columns = coordinates(n, shape)
    A = csr_array((xp.asarray(data), (xp.asarray(rows), xp.asarray(columns))), shape=shape)
    expected = sp.csr_array((data, (rows, columns)), shape=shape)
    expected.sum_duplicates()
    for got, wanted in ((A.indptr, expected.indptr), (A.indices, expected.indices), (A.data, expected.data)):
        np.testing.assert_array_equal(to_numpy(got), wanted)
    assert A.has_canonical_format


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t.char in "?bBefD"], ids=str)
def test_duplicates_are_summed_in_their_dtype(xp, to_numpy, dtype):
    data = np.array([1, 1, 1, 1]).astype(dtype)
    A = csr_array((xp.asarray(data), (xp.asarray([0, 1, 0, 1]), xp.asarray([1, 0, 1, 1]))), shape=(2, 2))
    assert A.dtype == dtype
    assert to_numpy(A.data).tolist() == [np.array([1, 1]).astype(dtype).sum(dtype=dtype), 1, 1]


def test_duplicates_of_small_integers_wrap_as_in_scipy():
    data, place = np.array([100, 100], np.int8), ([0, 0], [0, 0])
    assert csr_array((data, place)).data.tolist() == sp.coo_array((data, place)).tocsr().data.tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint32, np.int8])
def test_places_are_exact_in_wide_matrices(dtype):
    """A key of row and column that went through float64 would lose the low bits of the column."""
    A = csr_array((np.array([1.0, 2, 4]), (np.array([1, 1, 1], dtype), np.array([5, 3, 5], dtype))), shape=(4, 2**60))
    assert A.indices.tolist() == [3, 5]
    assert A.data.tolist() == [2, 5]
    assert A.indices.dtype == np.int64


def test_keys_beyond_63_bits():
    columns = np.array([2**62 - 1, 7, 2**62 - 1, 7])
    A = csr_array((np.array([1.0, 2, 4, 8]), (np.array([5, 5, 5, 0]), columns)), shape=(8, 2**62))
    assert A.indices.tolist() == [7, 7, 2**62 - 1]
    assert A.data.tolist() == [8, 2, 5]


@pytest.mark.parametrize("name", battery.FINITE)
def test_to_dense_and_back(xp, to_numpy, name):
    A = battery.build(xp, name)
    indptr, indices, data, shape = battery.BATTERY[name]
    expected = sp.csr_array((data, indices, indptr), shape=shape).toarray() if indices.size else np.zeros(shape)
    dense = A.toarray()
    np.testing.assert_array_equal(to_numpy(dense), expected)
    again = csr_array(dense)
    np.testing.assert_array_equal(to_numpy(again.toarray()), expected)
    assert again.nnz == np.count_nonzero(expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_to_dense_sums_duplicates_in_every_dtype(xp, to_numpy, dtype):
    A = battery.build(xp, "duplicates", dtype)
    expected = np.zeros(A.shape, dtype)
    np.add.at(expected, ([0, 0, 0, 1, 1, 1, 3, 3], [1, 1, 1, 0, 2, 0, 2, 2]), to_numpy(A.data))
    dense = to_numpy(A.toarray())
    assert dense.dtype == dtype
    np.testing.assert_array_equal(dense, expected)


@pytest.mark.parametrize(
    "name, is_sorted, is_canonical",
    [("band", True, True), ("duplicates", False, False), ("unsorted", False, False), ("0x0", True, True), ("1xN", True, True)],
)
def test_flags(xp, name, is_sorted, is_canonical):
    A = battery.build(xp, name)
    assert A.has_sorted_indices is is_sorted
    assert A.has_canonical_format is is_canonical


def test_sorted_with_duplicates_is_not_canonical(xp):
    A = csr_array((xp.ones(3), xp.asarray([0, 0, 1]), xp.asarray([0, 3])))
    assert A.has_sorted_indices
    assert not A.has_canonical_format


def test_nan_is_a_nonzero_and_negative_zero_is_not():
    A = csr_array(np.array([[np.nan, 0.0], [-0.0, np.inf]]))
    assert A.nnz == 2
    np.testing.assert_array_equal(A.toarray(), [[np.nan, 0], [0, np.inf]])
