"""`A @ X` and `X @ A`: every layout of X, every number of columns, every dtype."""

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import battery
import dtypes
import oracles
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING

pytestmark = pytest.mark.usefixtures("small_tiles")


def layouts(X):
    """The same matrix in several memory layouts."""
    rows, columns = X.shape
    padded = np.zeros((2 * rows, 3 * columns))
    padded[::2, ::3] = X
    return {
        "C order": X.copy("C"),
        "F order": X.copy("F"),
        "strided": padded[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "columns of a wider one": np.hstack([X, X])[:, :columns],
    }


@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery(xp, to_numpy, name):
    A = battery.build(xp, name)
    X = battery.operand(A.shape[1], 3)
    Y = A @ xp.asarray(X)
    assert Y.flags.c_contiguous
    np.testing.assert_array_equal(to_numpy(Y), oracles.product(battery.BATTERY[name], X))


@pytest.mark.parametrize("name", battery.FINITE)
def test_battery_from_the_left(xp, to_numpy, name):
    A = battery.build(xp, name)
    X = battery.operand(A.shape[0], 3)
    expected = oracles.product(battery.BATTERY[name], X, transposed=True)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(X)), expected)
    np.testing.assert_array_equal(to_numpy(xp.asarray(X.T) @ A), expected.T)


@pytest.mark.parametrize("columns", [0, 1, 2, 9])
@pytest.mark.parametrize("layout", ["C order", "F order", "strided", "reversed", "columns of a wider one"])
@pytest.mark.parametrize("transposed", [False, True])
def test_layouts(xp, to_numpy, layout, columns, transposed):
    A = battery.build(xp, "middle rows empty")
    X = battery.operand(A.shape[0 if transposed else 1], columns)
    given = layouts(X)[layout] if xp is np else xp.asarray(layouts(X)[layout])
    Y = (A.T if transposed else A) @ given
    assert Y.flags.c_contiguous
    expected = oracles.product(battery.BATTERY["middle rows empty"], X, transposed=transposed)
    np.testing.assert_array_equal(to_numpy(Y), expected)


@pytest.mark.parametrize("columns", [3, 4, 5, 8, 9, 17, 32, 35])
@pytest.mark.parametrize("name", ["row of several tiles", "first row empty"])
def test_numbers_of_columns(xp, to_numpy, name, columns):
    A = battery.build(xp, name)
    X = battery.operand(A.shape[1], columns)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X)), oracles.product(battery.BATTERY[name], X))


@pytest.mark.parametrize("way", ["all columns", "a few columns", "where they lie"])
@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float32, np.int8, np.complex128], "d"))
def test_fortran_order(monkeypatch, cpu_only, dtype, way):
    """X becomes rows in blocks of eight by eight, and what is left over; all its columns at once, a few of them, or never."""
    monkeypatch.setattr(TUNING, "spmm_large_bytes", 1 << 24 if way == "all columns" else 0)
    monkeypatch.setattr(TUNING, "spmm_near_columns", 1 << 20 if way == "where they lie" else -1)
    monkeypatch.setattr(TUNING, "spmm_few_entries", 10**6)
    rng = np.random.default_rng(0)
    for rows, columns in ((3, 2), (8, 8), (41, 9), (70, 21), (1100, 16)):
        dense = rng.integers(-3, 4, (13, rows)) * (rng.random((13, rows)) < 0.2)
        X = rng.integers(-3, 4, (rows, columns)).astype(dtype)
        got = csr_array(dense.astype(dtype)) @ np.asfortranarray(X)
        assert got.flags.c_contiguous
        np.testing.assert_array_equal(got, dense.astype(dtype) @ X)


def test_repeated_products_of_other_values(xp, to_numpy):
    """What is kept of a product depends on the pattern, the dtypes and the number of columns."""
    A = battery.build(xp, "band")
    for columns in (2, 3, 2):
        X = battery.operand(A.shape[1], columns)
        A = 2 * A
        dense = to_numpy(A.toarray())
        for order in "CF":
            np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X, order=order)), dense @ X)
        Z = battery.operand(A.shape[0], columns)
        np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(Z)), dense.T @ Z)
        out = xp.empty((A.shape[0], columns))
        assert A.matmul(xp.asarray(X), out=out) is out
        np.testing.assert_array_equal(to_numpy(out), dense @ X)


@pytest.mark.parametrize("dtype", dtypes.each())
def test_dtypes(xp, to_numpy, dtype):
    A = battery.build(xp, "row of several tiles", dtype)
    X = battery.operand(A.shape[1], 2, dtype)
    got = to_numpy(A @ xp.asarray(X))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, to_numpy(A.toarray()) @ X)


@pytest.mark.parametrize("columns", [2, 4, 6, 8, 12, 16, 34, 64, 130])
@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float32, np.int64, np.int8, np.complex64], "df"))
def test_columns_that_a_lane_of_a_gpu_takes(xp, to_numpy, dtype, columns):
    """Two or four neighbours where their number and the address allow it; slices of 64 or 128 columns. Both operands may begin
    anywhere."""
    A = battery.build(xp, "row of several tiles", dtype)
    X = battery.operand(A.shape[1], columns, dtype)
    expected = to_numpy(A.toarray()) @ X
    for shift in (0, 1):
        given, out = (xp.zeros(n * columns + shift, dtype)[shift:].reshape(n, columns) for n in A.shape[::-1])
        given[...] = xp.asarray(X)
        np.testing.assert_array_equal(to_numpy(A.matmul(given, out=out)), expected)


@pytest.mark.parametrize("columns", [2, 3, 8])
@pytest.mark.parametrize("lengths", [[5000], [3, 4100, 0, 0, 900, 1], list(range(90)), [17] * 100, [0] * 900 + [300]])
def test_rows_over_lanes_tiles_and_blocks(xp, to_numpy, monkeypatch, lengths, columns):
    """Sums of rows that teams of lanes cut, tiles of 960 and blocks of carries, by threads and by blocks."""
    if xp is not np or SIMULATED:
        monkeypatch.setattr(importlib.import_module("spark_csr._cuda.tuning").TUNING, "spmv_few_tiles", columns - 3)
    n, indptr = max(*lengths, 7), np.r_[0, np.cumsum(lengths)]
    indices = np.concatenate([np.arange(k)[::-1] for k in lengths])
    S = sp.csr_array((np.resize([3.0, -2, 1, 5, -4], indices.size), indices, indptr), shape=(len(lengths), n))
    A, X = csr_array(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape), battery.operand(n, columns)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X)), S @ X)


@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.int16], "d"))
def test_wide_indices(xp, to_numpy, dtype):
    A = battery.build(xp, "power law", dtype, np.int64)
    X = battery.operand(A.shape[1], 2, dtype)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X)), to_numpy(A.toarray()) @ X)


@pytest.mark.parametrize("stored, given", [(np.float32, np.float64), (np.float16, np.int8), (np.int8, np.complex64)])
def test_mixed_dtypes_follow_numpy(xp, to_numpy, stored, given):
    A = battery.build(xp, "duplicates", stored)
    X = battery.operand(A.shape[1], 2, given)
    got = to_numpy(A @ xp.asarray(X))
    assert got.dtype == np.result_type(stored, given)
    np.testing.assert_array_equal(got, to_numpy(A.astype(got.dtype).toarray()) @ X)


def test_one_column_has_the_bits_of_the_vector(xp, to_numpy):
    A = battery.build(xp, "power law")
    x = xp.asarray(np.random.default_rng(0).random(A.shape[1]))
    assert to_numpy(A @ x[:, None]).tobytes() == to_numpy(A @ x).tobytes()
