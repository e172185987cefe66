"""Pruned records: which entries pass, in every dtype; offsets of what is left; empty rows and columns."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
from spark_csr import config, csr_array
from spark_csr._array import SIMULATED
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.prune import drop_empty, eliminate_zeros, prune

pytestmark = pytest.mark.usefixtures("small_tiles")


def kept(csr, flags, to_numpy):
    """By NumPy."""
    indptr, indices, data = map(to_numpy, csr.arrays)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(indptr))
    return np.searchsorted(rows[flags], np.arange(csr.shape[0] + 1)), indices[flags], data[flags]


def check(got, csr, flags, to_numpy):
    assert got.shape == csr.shape
    assert got.data.dtype == csr.data.dtype
    for x, wanted in zip(got.arrays, kept(csr, flags, to_numpy), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("name", battery.BATTERY)
def test_what_a_mask_selects(xp, to_numpy, name, index):
    csr = battery.build(xp, name, index=index)._csr
    flags = np.resize([True, False, True, True, False, False, False], csr.indices.size)
    check(select_entries(csr, xp.asarray(flags)), csr, flags, to_numpy)
    for every in (True, False):
        check(select_entries(csr, xp.full(flags.size, every)), csr, np.full(flags.size, every), to_numpy)


@pytest.mark.parametrize("name", battery.BATTERY)
def test_zeros_go_and_nan_stay(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr
    before = to_numpy(csr.data).copy()
    check(eliminate_zeros(csr), csr, before != 0, to_numpy)
    np.testing.assert_array_equal(to_numpy(csr.data), before)


@pytest.mark.parametrize("dtype", dtypes.each(["float64", "float32", "int8", "complex64", "complex128"], "dbFD"))
@pytest.mark.parametrize("name", battery.BATTERY)
def test_arrays_may_be_spent(xp, to_numpy, name, dtype):
    csr = battery.build(xp, name)._csr
    with np.errstate(invalid="ignore"):
        csr = csr.with_data(csr.data.astype(dtype))
    csr.data[1::3] = 0
    check(eliminate_zeros(csr.copy(), spend=True), csr, to_numpy(csr.data) != 0, to_numpy)


@pytest.mark.parametrize("threads", [1, None])
@pytest.mark.parametrize("kept", ["none", "few", "half", "most", "all"])
def test_what_is_left_moves_to_the_front_of_many_tiles(xp, to_numpy, kept, threads):
    rng, rows = np.random.default_rng(3), 700
    share = {"none": 0, "few": 0.02, "half": 0.5, "most": 0.97, "all": 1}[kept]
    indptr = np.concatenate([[0], np.cumsum(rng.poisson(3, rows) * (rng.random(rows) < 0.8))])
    data = np.where(rng.random(indptr[-1]) < share, np.arange(1.0, indptr[-1] + 1), 0)
    arrays = indptr, rng.integers(0, 99, data.size, np.int32), data
    csr = Csr(*map(xp.asarray, arrays), (rows, 99))
    with config(threads=threads):
        check(eliminate_zeros(csr.copy(), spend=True), csr, data != 0, to_numpy)


def of_values(xp, values):
    """A matrix of one row."""
    n = values.size
    return Csr(xp.asarray(np.array([0, n], np.int32)), xp.arange(n, dtype=np.int32), xp.asarray(values), (1, n))


@pytest.mark.parametrize("dtype", dtypes.each(usual="?beD"))
@pytest.mark.parametrize("threshold", [0, 1, 2.5, 100, 127, 128, 1e5, np.inf])
def test_magnitudes_above_a_threshold(xp, to_numpy, dtype, threshold):
    values = np.resize(np.array([0, 1, -1, 2, 3, -3, 100, -101, 127, -128], float), 21)
    if dtype.kind in "bu":
        values = abs(values)
    values = values.astype(dtype)
    if dtype.kind == "c":
        values[3], values[5], values[7] = 1 + 1j, 2 - 2j, complex(np.nan, 1)
        values[11], values[12], values[13] = complex(-0.0, -0.0), 1j, -1e-30j
    if dtype.kind in "fc":
        values[1], values[4], values[9], values[10] = np.nan, -0.0, -np.inf, -np.nan
    csr = of_values(xp, values)
    sizes = abs(values if dtype.kind != "i" else values.astype(float))
    flags = ~(sizes <= np.float64(threshold)) | (values != values)
    check(prune(csr, threshold), csr, flags, to_numpy)
    check(prune(csr, threshold, mask=xp.ones(values.size, bool)), csr, flags, to_numpy)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_wide_integers_are_compared_exactly(xp, to_numpy, dtype):
    info = np.iinfo(dtype)
    values = np.array([info.min, info.min + 1, info.max, info.max - 1, 2**53, 2**53 + 1], dtype)
    csr = of_values(xp, values)
    for threshold in (2**53, info.max - 1, info.max, info.max + 1):
        flags = np.array([abs(int(v)) > threshold for v in values])
        check(prune(csr, threshold), csr, flags, to_numpy)


def test_a_threshold_is_compared_in_the_dtype_of_the_magnitudes(xp, to_numpy):
    csr = of_values(xp, np.array([0.1, 0.2, -0.1], np.float32))
    check(prune(csr, 0.1), csr, np.array([False, True, False]), to_numpy)


@pytest.mark.parametrize("dtype", dtypes.each(["float64", "float16", "int8", "bool", "complex128"], "db"))
@pytest.mark.parametrize("k", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "name", ["power law", "unsorted", "duplicates", "explicit zeros", "many empty rows", "0x0", "all rows empty"]
)
def test_the_largest_of_every_row(xp, to_numpy, name, k, dtype):
    csr = battery.build(xp, name, dtype)._csr
    indptr, indices, data = map(to_numpy, csr.arrays)
    flags = np.zeros(indices.size, bool)
    for start, stop in itertools.pairwise(indptr):
        flags[sorted(range(start, stop), key=lambda p: (-abs(complex(data[p])), indices[p], p))[:k]] = True
    check(prune(csr, topk=k), csr, flags, to_numpy)


def test_nan_is_the_largest_and_the_least_integer_is_not_negative(xp, to_numpy):
    csr = of_values(xp, np.array([1, np.nan, np.inf, -np.nan, -np.inf]))
    check(prune(csr, topk=1), csr, np.array([0, 1, 0, 0, 0], bool), to_numpy)
    check(prune(csr, topk=3), csr, np.array([0, 1, 1, 1, 0], bool), to_numpy)
    csr = of_values(xp, np.array([5, -128, 127], np.int8))
    check(prune(csr, topk=1), csr, np.array([0, 1, 0], bool), to_numpy)


def test_conditions_together_and_the_diagonal(xp, to_numpy):
    csr = battery.build(xp, "band")._csr
    indptr, indices, data = map(to_numpy, csr.arrays)
    rows = np.repeat(np.arange(12), np.diff(indptr))
    mask = np.arange(data.size) % 2 == 0
    check(prune(csr, 2, mask=xp.asarray(mask)), csr, (abs(data) > 2) & mask, to_numpy)
    check(prune(csr, 9, keep_diagonal=True), csr, rows == indices, to_numpy)
    check(prune(csr, mask=xp.asarray(mask), keep_diagonal=True), csr, mask | (rows == indices), to_numpy)
    largest = to_numpy(prune(csr, topk=2).data)
    assert to_numpy(prune(csr, 4, topk=2).data).tolist() == largest[abs(largest) > 4].tolist()


@pytest.mark.parametrize("name", ["unsorted", "duplicates", "band", "middle rows empty", "0xN"])
def test_the_places_of_another_matrix(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr
    rng = np.random.default_rng(0)
    other = sp.random_array(csr.shape, density=0.4, format="csr", rng=rng)
    other.indices[:] = other.indices[::-1] if csr.shape[0] == 1 else other.indices
    mask = Csr(*(xp.asarray(x) for x in (other.indptr, other.indices, other.data)), csr.shape)
    indptr, indices, _ = map(to_numpy, csr.arrays)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(indptr))
    check(prune(csr, mask=mask), csr, (other.toarray() != 0)[rows, indices], to_numpy)


@pytest.mark.parametrize("name", battery.BATTERY)
def test_empty_rows_and_columns_are_dropped(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr
    indptr, indices, data = map(to_numpy, csr.arrays)
    got, ids = drop_empty(csr, 0)
    wanted = np.flatnonzero(np.diff(indptr))
    np.testing.assert_array_equal(to_numpy(ids), wanted)
    assert got.shape == (wanted.size, csr.shape[1])
    np.testing.assert_array_equal(np.diff(to_numpy(got.indptr)), np.diff(indptr)[wanted])
    np.testing.assert_array_equal(to_numpy(got.indices), indices)
    got, ids = drop_empty(csr, 1)
    wanted, renumbered = np.unique(indices, return_inverse=True)
    np.testing.assert_array_equal(to_numpy(ids), wanted)
    assert got.shape == (csr.shape[0], wanted.size)
    np.testing.assert_array_equal(to_numpy(got.indptr), indptr)
    np.testing.assert_array_equal(to_numpy(got.indices), renumbered)
    np.testing.assert_array_equal(to_numpy(got.data), data)


def random(xp, rows, columns, n, seed, dtype):
    rng = np.random.default_rng(seed)
    indptr = np.sort(np.concatenate([[0], rng.integers(0, n + 1, rows - 1), [n]])).astype(np.int32)
    indices, data = rng.integers(0, columns, n, dtype=np.int32), rng.integers(-2, 3, n).astype(dtype)
    return Csr(xp.asarray(indptr), xp.asarray(indices), xp.asarray(data), (rows, columns))


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(0, 60),
    st.integers(0, 99),
    st.sampled_from(["float64", "int32", "bool", "complex128"]),
)
def test_eliminate_zeros_as_scipy(xp, to_numpy, rows, columns, n, seed, dtype):
    csr = random(xp, rows, columns, n, seed, dtype)
    expected = sp.csr_array(tuple(to_numpy(x).copy() for x in csr.arrays[::-1]), shape=csr.shape)
    expected.eliminate_zeros()
    got = eliminate_zeros(csr)
    for x, wanted in zip(got.arrays, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)


@pytest.mark.parametrize("n", [7, 8, 9, 16, 17, 33] if SIMULATED else [7, 8, 9, 16, 17, 24, 25, 4096])
def test_sizes_around_the_tile(xp, to_numpy, n):
    """The last tile may be full: rows that start at its end are its own."""
    for rows in (1, 3, n):
        csr = random(xp, rows, 5, n, n, "float64")
        check(eliminate_zeros(csr), csr, to_numpy(csr.data) != 0, to_numpy)


@pytest.mark.usefixtures("cpu_only")
def test_same_result_for_any_number_of_threads():
    csr, runs = random(np, 300, 200, 5000, 0, "float64"), set()
    for threads in (1, 2):
        with config(threads=threads):
            runs.add(b"".join(x.tobytes() for x in eliminate_zeros(csr).arrays))
    assert len(runs) == 1


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_the_largest_unsigned_values_are_above_others(xp, to_numpy, dtype):
    top = int(np.iinfo(dtype).max)
    values = np.resize(np.array([top, top - 1, top - 9, 3], dtype), 41)
    A = csr_array((xp.asarray(values), xp.arange(41), xp.asarray([0, 41])), shape=(1, 41))
    assert to_numpy(prune(A._csr, top - 5).data).tolist() == values[values > top - 5].tolist()
