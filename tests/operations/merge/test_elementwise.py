"""The merge of two patterns: unions and intersections over small tiles, both ways of combining, zeros, what is refused."""

import operator

import numpy as np
import pytest

import battery
import dtypes
from spark_csr import config, csr_array
from spark_csr._array import SIMULATED, by_width
from spark_csr._cpu.tuning import TUNING
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr
from spark_csr._operations.merge import elementwise
from spark_csr._shared.merge_rows import cut_rows
from spark_csr.primitives.foreach import for_each

pytestmark = pytest.mark.usefixtures("small_tiles")

SOME = ["0x0", "Nx0", "first row empty", "explicit zeros", "NaN and inf", "one dense row"]
NAMES = SOME if SIMULATED else list(battery.BATTERY)
SIZES = [(0, 0), (0, 9), (20, 21), (3, 60)]


def other(name):
    """A matrix of the same shape with some positions in common, and values that cancel some."""
    indptr, indices, data, shape = battery.BATTERY[name]
    shifted = indices if not shape[1] else (indices + np.arange(indices.size) % 2) % shape[1]
    return indptr, shifted.astype(indices.dtype), -data[::-1], shape


def dense(matrix):
    indptr, indices, data, shape = matrix
    out = np.zeros(shape, data.dtype)
    np.add.at(out, (np.repeat(np.arange(shape[0]), np.diff(indptr)), indices), data)
    return out


def record(xp, matrix, index=np.int32):
    indptr, indices, data, shape = matrix
    return Csr(xp.asarray(indptr.astype(index)), xp.asarray(indices.astype(index)), xp.asarray(data), shape)


def check(got, expected, to_numpy):
    """In canonical format, without zeros, and of these values."""
    assert got.plan(has_canonical_columns)
    assert has_canonical_columns(got)
    indptr, indices, data = map(to_numpy, got.arrays)
    assert (data != 0).all()
    np.testing.assert_array_equal(dense((indptr, indices, data, got.shape)), expected)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_unions(xp, to_numpy, monkeypatch, name, fused):
    if not fused:
        monkeypatch.setattr(elementwise, "FUSED_DTYPES", frozenset())
    a, b = battery.BATTERY[name], other(name)
    functions = (operator.add, operator.ne) if fused else (operator.sub, operator.add, operator.gt)
    for function in functions[: 1 if SIMULATED else None]:
        with np.errstate(invalid="ignore"):
            expected = function(dense(a), dense(b))
        check(elementwise.union(function, record(xp, a), record(xp, b)), expected, to_numpy)


FUNCTIONS = [operator.add, operator.sub, operator.lt, operator.gt, operator.ne, np.maximum, np.minimum]


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_unions_on_one_core(cpu_only, monkeypatch, name, fused):
    """Of a single tile, which merges two rows at a time and leaves out zeros at once."""
    monkeypatch.setattr(TUNING, "elementwise_serial", 10**6)
    if not fused:
        monkeypatch.setattr(elementwise, "FUSED_DTYPES", frozenset())
    a, b = battery.BATTERY[name], other(name)
    for function in FUNCTIONS:
        with np.errstate(invalid="ignore"):
            expected = function(dense(a), dense(b))
        check(elementwise.union(function, record(np, a), record(np, b)), expected, np.asarray)


@pytest.mark.parametrize("dtype", dtypes.each(["float64", "complex128", "int64", "int8"], "d"))
@pytest.mark.parametrize("rows", [1, 2, 3, 12, 13])
def test_rows_of_unequal_lengths_on_one_core(cpu_only, monkeypatch, rows, dtype):
    """Either matrix goes on in either row of a pair where the others have ended; the last of an odd number is alone."""
    monkeypatch.setattr(TUNING, "elementwise_serial", 10**6)
    rng = np.random.default_rng(rows)
    for _ in range(20):
        shares = rng.choice([0.0, 0.1, 0.5, 1.0], (2, rows, 1))
        values = rng.integers(-2, 3, (2, rows, 30)).astype(dtype) * (rng.random((2, rows, 30)) < shares)
        if values.dtype.kind in "fc":
            values[rng.random(values.shape) < 0.05] = np.nan
        a, b = map(csr_array, values)
        for function in FUNCTIONS:
            with np.errstate(invalid="ignore"):
                expected = function(*values)
            check(elementwise.union(function, a._csr, b._csr), expected, np.asarray)


@pytest.mark.parametrize("name", NAMES)
def test_products(xp, to_numpy, name):
    a, b = battery.BATTERY[name], other(name)
    with np.errstate(invalid="ignore"):
        expected = dense(a) * dense(b)
    check(elementwise.multiply(record(xp, a), record(xp, b)), expected, to_numpy)


@pytest.mark.parametrize("wide", [0, 10**6], ids=["merged", "noted"])
@pytest.mark.parametrize("name", NAMES)
def test_products_on_one_core(cpu_only, monkeypatch, name, wide):
    """Of a single tile, with a table over the columns or without."""
    monkeypatch.setattr(TUNING, "elementwise_serial", 10**6)
    monkeypatch.setattr(TUNING, "elementwise_wide", wide)
    a, b = (sum_duplicates(record(np, m)) for m in (battery.BATTERY[name], other(name)))
    with np.errstate(invalid="ignore"):
        expected = dense(battery.BATTERY[name]) * dense(other(name))
        expected[~((dense(battery.BATTERY[name]) != 0) & (dense(other(name)) != 0))] = 0
        check(elementwise.intersection(operator.mul, a, b), expected, np.asarray)


@pytest.mark.parametrize("sizes", SIZES if SIMULATED else [*SIZES, (40, 0), (40, 41), (200, 3), (64, 64)])
def test_one_row_over_many_tiles(xp, to_numpy, sizes):
    """Tiles begin inside of rows; equal columns must not be parted."""
    rng = np.random.default_rng(sum(sizes))
    rows = [np.sort(rng.choice(210, n, replace=False)) for n in sizes]
    a, b = (battery._of_rows([[], row, []], 210) for row in rows)
    check(elementwise.union(operator.add, record(xp, a), record(xp, b)), dense(a) + dense(b), to_numpy)
    check(elementwise.multiply(record(xp, a), record(xp, b)), dense(a) * dense(b), to_numpy)


def test_cuts_keep_equal_columns_together(xp, to_numpy):
    """Both matrices are the same dense row: each cut takes as much of one as of the other."""
    indptr, indices = xp.asarray([0, 12]), xp.arange(12)
    cuts = xp.empty(27, np.int64)
    for_each(9, cut_rows, indptr, indices, indptr, indices, 1, 3, cuts)
    taken = to_numpy(cuts).reshape(9, 3)
    assert (taken[:, 1] == taken[:, 2]).all()
    assert taken[-1].tolist() == [0, 12, 12]


@pytest.mark.parametrize(
    "dtype, index",
    [
        pytest.param("int8", "int32", marks=dtypes.RARE),
        pytest.param("float16", "int32", marks=dtypes.RARE),
        pytest.param("complex128", "int32", marks=dtypes.RARE),
        ("uint64", "int64"),
    ],
)
def test_values_of_every_width(xp, to_numpy, dtype, index):
    name = "middle rows empty" if SIMULATED else "power law"
    indptr, indices, data, shape = battery.BATTERY[name]
    a = indptr, indices, battery.as_dtype(data, dtype), shape
    b = other(name)
    b = *b[:2], battery.as_dtype(b[2], dtype), shape
    got = elementwise.union(np.maximum if xp is np else xp.maximum, record(xp, a, index), record(xp, b))
    check(got, np.maximum(dense(a), dense(b)), to_numpy)
    assert got.data.dtype == dtype
    assert got.indices.dtype == np.int32
    check(elementwise.multiply(record(xp, a), record(xp, b, index)), dense(a) * dense(b), to_numpy)


def test_equal_patterns_are_shared(xp):
    a = record(xp, battery.BATTERY["band"])
    for b in (a.with_data(a.data + 1), record(xp, battery.BATTERY["band"])):
        for got in (elementwise.union(operator.add, a, b), elementwise.multiply(a, b)):
            assert got.indices is a.indices
            assert got.indptr is a.indptr


def test_operands_stay_as_they_are(xp, to_numpy):
    for name in ("duplicates",) if SIMULATED else ("unsorted", "duplicates", "explicit zeros"):
        a, b = record(xp, battery.BATTERY[name]), record(xp, other(name))
        before = [to_numpy(x).copy() for x in (*a.arrays, *b.arrays)]
        for operation in (elementwise.multiply, lambda a, b: elementwise.union(operator.sub, a, b)):
            operation(a, b)
        for old, now in zip(before, (*a.arrays, *b.arrays), strict=True):
            np.testing.assert_array_equal(to_numpy(now), old)


def test_zeros_that_come_out_are_dropped_and_nan_is_kept(xp, to_numpy):
    a = csr_array(xp.asarray([[1.0, np.nan, 0, 2], [np.inf, -0.0, 3, 0]]))
    nothing = a - a
    assert nothing.nnz == 2
    assert np.isnan(to_numpy(nothing.data)).all()
    assert (a * csr_array(xp.asarray([[0.0, 0, 1, 0], [0, 0, 1, 0]]))).nnz == 3


def test_a_sum_that_overflows_is_not_taken_for_an_infinity(xp, to_numpy):
    """It only sends the product the longer way."""
    a = csr_array(xp.asarray([[1e308, 1e308, 0], [0, 2, 0]]))
    assert not elementwise.all_finite(a.data)
    b = csr_array(xp.asarray([[1.0, 0, 1], [0, 3, 0]]))
    assert to_numpy((a * b).toarray()).tolist() == [[1e308, 0, 0], [0, 6, 0]]
    assert (a * b).nnz == 2


def test_no_thread_changes_the_bits(cpu_only):
    rng = np.random.default_rng(3)
    a, b = (csr_array(np.where(rng.random((300, 200)) < 0.2, rng.random((300, 200)), 0)) for _ in range(2))
    results = []
    for threads in (1, 2, None):
        with config(threads=threads):
            results.append([bytes(by_width(x)) for x in (a + b)._csr.arrays])
    assert results[0] == results[1] == results[2]


def test_what_is_stored_beside_a_complex_infinity_is_kept(xp):
    a, b = xp.asarray([[complex(np.inf), 0]]), xp.asarray([[0, 1 + 0j]])
    assert (csr_array(a) * csr_array(b)).nnz == 1
