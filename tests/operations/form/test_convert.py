"""Coordinates and dense forms: duplicates summed in order, key packing, zeros kept or not as SciPy does."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
from namespaces import INTERPRETED
from spark_csr import config, csr_array
from spark_csr._array import goes_to_gpu
from spark_csr._operations.form import convert
from spark_csr._operations.form.convert import from_coo

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


@pytest.mark.parametrize("dtype", dtypes.each(usual="?beD"))
def test_duplicates_are_summed_in_their_dtype(xp, to_numpy, dtype):
    data = np.array([1, 1, 1, 1]).astype(dtype)
    rows, columns = (xp.asarray(np.array(x, np.int32)) for x in ([0, 1, 0, 1], [1, 0, 1, 1]))
    A = csr_array((xp.asarray(data), (rows, columns)), shape=(2, 2))
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


@pytest.mark.parametrize("columns", [2**30, 2**31, 2**32])
def test_places_of_more_bits_than_the_keys_of_some_rows(xp, to_numpy, columns):
    """Two rows share a bucket: with one bit beside 31 for columns a key of 32 bits holds a position in it, with 32 not."""
    i, j = np.arange(60) * 5 % 8, np.arange(60) * 7 % 11 * (columns // 11)
    csr = from_coo(xp.asarray(i), xp.asarray(j), xp.asarray(2.0 ** (np.arange(60) % 50)), (8, columns))
    expected = sp.coo_array((2.0 ** (np.arange(60) % 50), (i, j)), shape=(8, columns)).tocsr()
    expected.sum_duplicates()
    for x, wanted in zip(csr.arrays, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)


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


@pytest.mark.parametrize("dtype", dtypes.each())
def test_to_dense_sums_duplicates_in_every_dtype(xp, to_numpy, dtype):
    A = battery.build(xp, "duplicates", dtype)
    expected = np.zeros(A.shape, dtype)
    np.add.at(expected, ([0, 0, 0, 1, 1, 1, 3, 3], [1, 1, 1, 0, 2, 0, 2, 2]), to_numpy(A.data))
    dense = to_numpy(A.toarray())
    assert dense.dtype == dtype
    np.testing.assert_array_equal(dense, expected)


def test_negative_zeros_are_added_to_zeros(xp, to_numpy):
    """As SciPy adds them; entries in any order, and of one position."""
    A = csr_array((xp.asarray([-0.0, -0.0, 3, -0.0]), xp.asarray([1, 0, 0, 2]), xp.asarray([0, 4])), shape=(1, 3))
    dense = to_numpy(A.toarray())
    assert dense.tolist() == [[3, 0, 0]]
    assert not np.signbit(dense).any()


def test_nan_is_a_nonzero_and_negative_zero_is_not():
    A = csr_array(np.array([[np.nan, 0.0], [-0.0, np.inf]]))
    assert A.nnz == 2
    np.testing.assert_array_equal(A.toarray(), [[np.nan, 0], [0, np.inf]])


def test_entries_in_order_are_copied_not_sorted(xp, to_numpy):
    data, rows, columns = xp.asarray([1.0, 2, 4, 8]), xp.asarray([0, 2, 2, 2]), xp.asarray([1, 0, 0, 3])
    csr = from_coo(rows, columns, data, (4, 4))
    assert to_numpy(csr.indptr).tolist() == [0, 1, 1, 3, 3]
    assert to_numpy(csr.data).tolist() == [1, 6, 8]
    single = from_coo(rows[:2], columns[:2], data[:2], (4, 4))
    single.data[0] = 9
    assert to_numpy(data).tolist() == [1, 2, 4, 8]


@pytest.mark.parametrize("n, glance", [(3, 4096), (40, 4)])
@pytest.mark.parametrize("ordered", [False, True])
def test_the_order_of_entries_is_looked_at_once(xp, to_numpy, monkeypatch, n, glance, ordered):
    """At that of all entries after that of some; on the cores few entries are sorted and summed without a look."""
    looked = []

    def look(rows, columns):
        looked.append(rows.size)
        return find_order(rows, columns)

    find_order = convert._find_order
    monkeypatch.setattr(convert, "GLANCE", glance)
    monkeypatch.setattr(convert, "_find_order", look)
    rows = np.arange(n)[:: 1 if ordered else -1].copy()
    A = csr_array((xp.ones(n), (xp.asarray(rows), xp.asarray(rows))), shape=(n, n))
    assert to_numpy(A.toarray()).tolist() == np.eye(n).tolist()
    few = [] if n <= glance and not goes_to_gpu(A.data) else [min(n, glance)]
    assert looked == few + [n] * (ordered and n > glance)


@pytest.mark.parametrize("widths", [("int64", "int64"), ("int32", "int64"), ("uint8", "int16"), ("uint64", "int8")])
def test_coordinates_of_every_width(xp, to_numpy, widths):
    """Unsorted, with duplicates, as CuPy's and SciPy's users give them."""
    data, rows, columns = coordinates(60, (4, 5))
    A = csr_array((xp.asarray(data), (xp.asarray(rows.astype(widths[0])), xp.asarray(columns.astype(widths[1])))), shape=(4, 5))
    dense = np.zeros((4, 5))
    np.add.at(dense, (rows, columns), data)
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)
    assert A.has_canonical_format


@pytest.mark.parametrize("columns", [2**54, 2**55], ids=["64 bits", "65 bits"])
def test_keys_that_use_every_bit(xp, to_numpy, columns):
    """2**10 rows: with 2**54 columns the highest bit of the key is the highest of the row."""
    i = np.array([2**10 - 1, 0, 2**10 - 1, 2**9, 0, 2**10 - 1])
    j = np.array([columns - 1, columns - 1, 7, 0, columns - 1, columns - 1])
    csr = from_coo(xp.asarray(i), xp.asarray(j), xp.asarray([1.0, 2, 4, 8, 16, 32]), (2**10, columns))
    assert to_numpy(csr.indices).tolist() == [columns - 1, 0, 7, columns - 1]
    assert to_numpy(csr.data).tolist() == [18, 8, 4, 33]
    assert to_numpy(csr.indptr)[[1, 2**9, 2**9 + 1, 2**10 - 1, 2**10]].tolist() == [1, 1, 2, 2, 4]


@pytest.mark.parametrize("columns", [2**28, 2**40])
@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.complex128, np.int8], "D"))
def test_more_entries_than_rows_of_wide_matrices(xp, to_numpy, columns, dtype):
    """Rows of no entries, of a few and of more than half of all, some at one position."""
    rng, n, rows = np.random.default_rng(6), 60 if INTERPRETED else 3000, 9
    row = np.where(rng.random(n) < 0.6, 3, rng.integers(0, rows - 2, n))
    column = rng.choice(rng.integers(0, columns, n // 2), n)
    data = rng.integers(1, 5, n).astype(dtype)
    made = from_coo(*(xp.asarray(x) for x in (row, column, data)), (rows, columns))
    expected = {}
    for key, value in zip(zip(row.tolist(), column.tolist(), strict=True), data, strict=True):
        expected[key] = dtype.type(expected.get(key, 0) + value)
    order = sorted(expected)
    assert to_numpy(made.indptr).tolist() == [sum(i < end for i, _ in order) for end in range(rows + 1)]
    assert to_numpy(made.indices).tolist() == [j for _, j in order]
    np.testing.assert_array_equal(to_numpy(made.data), [expected[key] for key in order])


@pytest.mark.parametrize("at", [1, 3, 4, 31, 32, 63])
@pytest.mark.parametrize("repeated", [False, True])
def test_one_repeat_anywhere_in_a_wide_matrix(xp, to_numpy, at, repeated):
    """Entries `at - 1` and `at` are of one column, and of one row or two: between two lanes or warps of a GPU, or two rows."""
    row, column = np.arange(64) // 80, np.arange(64) * 2**26
    column[at] = column[at - 1]
    row[at:] += not repeated
    csr = from_coo(*(xp.asarray(x[::-1].copy()) for x in (row, column, np.ones(64))), (3, 2**33))
    data = np.ones(64)
    data[at - 1] += repeated
    np.testing.assert_array_equal(to_numpy(csr.data), np.delete(data, at) if repeated else data)
    np.testing.assert_array_equal(to_numpy(csr.indices), np.delete(column, at) if repeated else column)


def test_no_rows_and_no_columns(xp):
    none = xp.empty(0, np.int64)
    csr = from_coo(none, none, xp.empty(0), (0, 0))
    assert (csr.shape, csr.indptr.tolist(), csr.indices.size) == ((0, 0), [0], 0)


def test_floats_of_one_place_are_summed_in_the_order_given(xp, to_numpy):
    """1e16 + 1 - 1e16 is 0 in this order, and 1 in another."""
    rows, columns = xp.asarray([1, 0, 1, 1]), xp.asarray([0, 0, 0, 0])
    csr = from_coo(rows, columns, xp.asarray([1e16, 5, 1, -1e16]), (2, 1))
    assert to_numpy(csr.data).tolist() == [5, 0]


def test_half_precision_is_rounded_once(xp, to_numpy):
    """2048 + 1 is 2048 in float16: three ones would be lost one by one."""
    zeros = xp.zeros(4, np.int64)
    assert to_numpy(from_coo(zeros, zeros, xp.asarray(np.array([2048, 1, 1, 1], np.float16)), (1, 1)).data).tolist() == [2052]


@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(0, 60), st.integers(0, 99), st.sampled_from(["float64", "int32", "bool"])
)
def test_random_coordinates_as_scipy(xp, to_numpy, rows, columns, n, seed, dtype):
    data, i, j = coordinates(n, (rows, columns), seed)
    data = data.astype(dtype)
    expected = sp.coo_array((data, (i, j)), shape=(rows, columns)).tocsr()
    expected.sum_duplicates()
    got = from_coo(xp.asarray(i), xp.asarray(j), xp.asarray(data), (rows, columns))
    assert got.data.dtype == expected.dtype
    for x, wanted in zip(got.arrays, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)


@pytest.mark.usefixtures("cpu_only")
def test_same_result_for_any_number_of_threads():
    rng, runs = np.random.default_rng(0), set()
    rows, columns, data = rng.integers(0, 200, 5000), rng.integers(0, 20, 5000), rng.random(5000)
    for threads in (1, 2):
        with config(threads=threads):
            runs.add(b"".join(x.tobytes() for x in from_coo(rows, columns, data, (200, 20)).arrays))
    assert len(runs) == 1


def test_columns_beyond_32_bits(xp, to_numpy):
    columns = xp.asarray([2**32 + 1, 1])
    A = csr_array((xp.ones(2), (xp.zeros(2, np.int32), columns)), shape=(1, 2**40))
    assert to_numpy(A.indices).tolist() == [1, 2**32 + 1]


def test_indices_of_no_entries_may_have_any_dtype_of_numbers(xp):
    for dtype in (bool, float, np.uint8):
        A = csr_array((xp.zeros(0), (xp.zeros(0, dtype), xp.zeros(0, np.int64))), shape=(2, 3))
        assert A.nnz == 0
