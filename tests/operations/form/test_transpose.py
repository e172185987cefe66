"""The transpose by rows: every shape of the battery, the order of entries, widths, and what does not fit one key."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._operations.form import transpose as module
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr
from spark_csr._operations.form.transpose import transpose

pytestmark = pytest.mark.usefixtures("small_tiles")


def by_column(csr, to_numpy):
    """By NumPy: a stable sort of the columns."""
    indptr, indices, data = map(to_numpy, csr.arrays)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(indptr))
    order = np.argsort(indices, kind="stable")
    return np.searchsorted(indices[order], np.arange(csr.shape[1] + 1)), rows[order], data[order]


def check(csr, to_numpy):
    before = [to_numpy(x).copy() for x in csr.arrays]
    got = transpose(csr)
    assert got.shape == csr.shape[::-1]
    assert got.data.dtype == csr.data.dtype
    assert got.indptr.dtype == got.indices.dtype == np.int32
    for x, wanted in zip(got.arrays, by_column(csr, to_numpy), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)
    for x, old in zip(csr.arrays, before, strict=True):
        np.testing.assert_array_equal(to_numpy(x), old)
    return got


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("name", battery.BATTERY)
def test_every_column_in_the_order_of_rows(xp, to_numpy, name, index):
    csr = battery.build(xp, name, index=index)._csr
    got = check(csr, to_numpy)
    if has_canonical_columns(csr):
        assert has_canonical_columns(got)


def test_entries_of_one_place_stay_apart_as_in_scipy(xp, to_numpy):
    A = battery.build(xp, "duplicates")
    indptr, indices, data, shape = battery.BATTERY["duplicates"]
    expected = sp.csr_array((data, indices, indptr), shape=shape).tocsc()
    assert to_numpy(A.T.tocsr().data).tolist() == expected.data.tolist()


@pytest.mark.parametrize("dtype", dtypes.each(["bool", "int16", "float16", "float32", "complex64", "complex128"], "?hD"))
def test_values_of_every_width_move(xp, to_numpy, dtype):
    """By buckets and, of few entries, at once."""
    for name in ("power law", "unsorted"):
        check(battery.build(xp, name, dtype)._csr, to_numpy)


def random(xp, rows, columns, n, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    indptr = np.sort(np.concatenate([[0], rng.integers(0, n + 1, rows - 1), [n]])).astype(np.int32)
    indices = rng.integers(0, columns, n, dtype=np.int32)
    return Csr(xp.asarray(indptr), xp.asarray(indices), xp.asarray(rng.random(n).astype(dtype)), (rows, columns))


SIZES = [(3, 5, 15), (5, 3, 16), (7, 100, 17), (100, 7, 60)] if SIMULATED else [(50, 3, 999), (3, 4000, 999), (900, 70, 5000)]


@pytest.mark.parametrize("rows, columns, n", SIZES)
def test_many_buckets(xp, to_numpy, rows, columns, n):
    check(random(xp, rows, columns, n), to_numpy)


def test_what_does_not_fit_one_key_is_sorted_by_column(xp, to_numpy, monkeypatch):
    csr = random(xp, 9, 5, 60)
    monkeypatch.setattr(module, "KEY_BITS", 6)
    check(csr, to_numpy)


def test_few_entries_of_many_columns_are_sorted_by_column(xp, to_numpy, monkeypatch):
    monkeypatch.setattr(module, "MANY", 100)
    check(random(xp, 40, 1000, 30), to_numpy)


def test_keys_of_more_than_four_bytes(xp, to_numpy, cpu_only):
    """20 bits of columns beside 17 of rows: a key of 32 bits would mix them up. Too many for the simulator."""
    rows, columns = 2**17, 2**20
    indptr = np.zeros(rows + 1, np.int32)
    indptr[rows // 2 :] = 30
    indptr[-1] = 60
    indices = np.resize([columns - 1, 0, 2**16, 5, columns - 1], 60).astype(np.int32)
    data = np.arange(60.0)
    csr = Csr(xp.asarray(indptr), xp.asarray(indices), xp.asarray(data), (rows, columns))
    got = transpose(csr)
    order = np.argsort(indices, kind="stable")
    np.testing.assert_array_equal(to_numpy(got.data), data[order])
    np.testing.assert_array_equal(to_numpy(got.indices), np.repeat([rows // 2 - 1, rows - 1], 30)[order])


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 60), st.integers(0, 99))
def test_transpose_as_scipy(xp, to_numpy, rows, columns, n, seed):
    csr = random(xp, rows, columns, n, seed)
    expected = sp.csr_array(tuple(map(to_numpy, csr.arrays[::-1])), shape=csr.shape).tocsc()
    got = transpose(csr)
    for x, wanted in zip(got.arrays, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)


def test_too_many_columns_are_a_memory_error():
    csr = Csr(np.array([0, 1]), np.array([5]), np.ones(1), (1, 2**60))
    with pytest.raises(MemoryError, match="need"):
        transpose(csr)


@pytest.mark.usefixtures("cpu_only")
def test_same_result_for_any_number_of_threads():
    csr, runs = random(np, 300, 200, 5000), set()
    for threads in (1, 2):
        with config(threads=threads):
            runs.add(b"".join(x.tobytes() for x in transpose(csr).arrays))
    assert len(runs) == 1
