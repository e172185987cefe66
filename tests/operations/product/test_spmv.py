"""`A @ x` and `x @ A` on the battery, over every dtype and index width, and what must hold around them."""

import numpy as np
import pytest

import battery
import dtypes
import oracles
from spark_csr import csr_array
from spark_csr._cpu import spmv
from spark_csr._cpu.tuning import TUNING

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery(xp, to_numpy, name):
    A = battery.build(xp, name)
    x = battery.operand(A.shape[1])
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), oracles.product(battery.BATTERY[name], x))


def test_rows_of_every_length(xp, to_numpy, larger_tiles):
    lengths = np.array([0, 1, 7, 8, 15, 16, 17, 23, 24, 33, 40])
    indices = np.concatenate([np.arange(n) for n in lengths])
    data = np.resize([1.0, 2, 3, -5, 7], indices.size)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    x = np.arange(1.0, 42)
    A = csr_array((xp.asarray(data), xp.asarray(indices), xp.asarray(indptr)), shape=(lengths.size, 41))
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), oracles.product((indptr, indices, data, A.shape), x))


@pytest.mark.parametrize("ring", dtypes.some(["plus_times", "min_plus", "max_times"], ["plus_times", "min_plus"]))
@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float32, np.int32], "d"))
def test_rows_of_changing_lengths_take_nothing_from_their_neighbours(xp, to_numpy, dtype, ring):
    """A column that only the next row has, of NaN or the largest integer, must not reach this one: at the matrix's end too."""
    lengths = np.array([1, 0, 3, 2, 5, 1, 4, 0, 9, 2, 1, 20, 3, 1])
    shared = np.concatenate([np.arange(n) for n in lengths])
    own = np.repeat(20 + np.arange(lengths.size), lengths)
    last = np.cumsum(lengths)[lengths > 0] - 1
    indices = shared.copy()
    indices[last] = own[last]
    A = csr_array(
        (xp.ones(indices.size, dtype), xp.asarray(indices), xp.asarray(np.append(0, np.cumsum(lengths)))), shape=(14, 34)
    )
    rows = np.flatnonzero(lengths)
    for poisoned in rows:
        x = np.arange(1, 35).astype(dtype)
        expected = to_numpy(A.matmul(xp.asarray(x), semiring=ring))
        x[20 + poisoned] = np.nan if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max // 2
        got = to_numpy(A.matmul(xp.asarray(x), semiring=ring))
        others = np.arange(lengths.size) != poisoned
        np.testing.assert_array_equal(got[others], expected[others])
        assert np.isnan(got[poisoned]) if np.dtype(dtype).kind == "f" else got[poisoned] >= expected[poisoned]
    x = battery.operand(34, dtype=dtype)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), dense(A, to_numpy) @ x)


@pytest.mark.parametrize("name", battery.FINITE)
def test_battery_from_the_left(xp, to_numpy, name):
    A = battery.build(xp, name)
    x = battery.operand(A.shape[0])
    expected = oracles.product(battery.BATTERY[name], x, transposed=True)
    np.testing.assert_array_equal(to_numpy(xp.asarray(x) @ A), expected)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(x)), expected)


@pytest.mark.parametrize("dtype", dtypes.each())
@pytest.mark.parametrize("name", ["power law", "duplicates"])
def test_dtypes(xp, to_numpy, name, dtype):
    A = battery.build(xp, name, dtype)
    x = battery.operand(A.shape[1], dtype=dtype)
    got = to_numpy(A @ xp.asarray(x))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, dense(A, to_numpy) @ x)


@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.int16], "d"))
@pytest.mark.parametrize("name", ["power law", "middle rows empty"])
def test_wide_indices(xp, to_numpy, name, dtype):
    A = battery.build(xp, name, dtype, np.int64)
    assert A.indices.dtype == A.indptr.dtype == np.int64
    x = battery.operand(A.shape[1], dtype=dtype)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), dense(A, to_numpy) @ x)


@pytest.mark.parametrize(
    "stored, given",
    [
        (np.float32, np.float64),
        (np.float64, np.float32),
        (np.int32, np.float32),
        (np.bool_, np.int8),
        (np.int64, np.uint64),
        (np.float32, np.complex64),
        (np.float16, np.float32),
        (np.float16, np.int16),
        (np.float64, np.float16),
    ],
)
def test_mixed_dtypes_follow_numpy(xp, to_numpy, stored, given):
    A = battery.build(xp, "duplicates", stored)
    x = battery.operand(A.shape[1], dtype=given)
    got = to_numpy(A @ xp.asarray(x))
    assert got.dtype == np.result_type(stored, given)
    np.testing.assert_array_equal(got, dense(A, to_numpy, got.dtype) @ x)


def test_halves_are_summed_in_single_precision(xp, to_numpy):
    """2048 + 1 is 2048 in float16: summing there would lose every one of them."""
    ones = csr_array(xp.asarray(np.array([[2048] + [1] * 30], np.float16)))
    assert to_numpy(ones @ xp.ones(31, np.float16))[0] == 2078


@pytest.mark.parametrize("step", [2, -1, 0])
def test_strided_vectors(xp, to_numpy, step):
    A = battery.build(xp, "duplicates")
    x = np.broadcast_to(3.0, 3) if step == 0 else battery.operand(6)[::step][:3]
    got = A @ (xp.broadcast_to(xp.asarray(3.0), 3) if step == 0 else xp.asarray(battery.operand(6))[::step][:3])
    np.testing.assert_array_equal(to_numpy(got), oracles.product(battery.BATTERY["duplicates"], x))


def test_unaligned_vectors():
    x = np.frombuffer(bytearray(8 * 3 + 1), np.float64, 3, offset=1)
    x[:] = 1, 2, 3
    assert not x.flags.aligned
    assert (csr_array([[1.0, 0, 2], [0, 3, 0]]) @ x).tolist() == [7, 6]


def test_lists_and_other_byte_orders():
    big_endian = np.array([1.0, 2, 3]).astype(">f8")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    assert (A @ [1, 2, 3]).tolist() == [7, 6]
    assert (A @ big_endian).tolist() == [7, 6]
    assert ([1, 1] @ A).tolist() == [1, 3, 2]


def test_read_only_operands():
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    x = np.array([1.0, 2, 3])
    for array in (x, A.data, A.indices, A.indptr):
        array.flags.writeable = False
    assert (A @ x).tolist() == [7, 6]
    assert (A.T @ x[:2]).tolist() == [1, 6, 2]


@pytest.mark.parametrize("name", ["unsorted", "duplicates"])
def test_reading_changes_nothing(xp, to_numpy, name):
    A = battery.build(xp, name)
    before = [to_numpy(x).tobytes() for x in (A.data, A.indices, A.indptr)]
    kept = A.data, A.indices, A.indptr
    x, left = xp.asarray(battery.operand(A.shape[1])), xp.asarray(battery.operand(A.shape[0]))
    flags = A.has_sorted_indices, A.has_canonical_format
    for _ in range(2):
        _ = A @ x, left @ A, A.T @ left, A.toarray(), A.T.tocsr(), A @ x[:, None], repr(A)
    assert [to_numpy(x).tobytes() for x in (A.data, A.indices, A.indptr)] == before
    assert all(xp.may_share_memory(now, then) for now, then in zip((A.data, A.indices, A.indptr), kept, strict=True))
    assert (A.has_sorted_indices, A.has_canonical_format) == flags


def test_new_values_are_seen_by_the_next_product(xp, to_numpy):
    A = csr_array(xp.asarray([[1.0, 2], [0, 3]]))
    x = xp.ones(2)
    assert to_numpy(A @ x).tolist() == [3, 3]
    A.data[0] = 10
    assert to_numpy(A @ x).tolist() == [12, 3]
    A.data = xp.asarray([1.0, 1, 1])
    assert to_numpy(A @ x).tolist() == [2, 1]
    A.data = xp.asarray([1, 2, 4], dtype=np.int8)
    assert to_numpy(A @ x.astype(np.int8)).tolist() == [3, 4]


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("index", [np.int32, pytest.param(np.int64, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("dtype", dtypes.each(usual="bD"))
def test_whole_battery_in_every_dtype_and_either_width(dtype, index):
    for name in battery.FINITE:
        A = battery.build(np, name, dtype, index)
        x = battery.operand(A.shape[1], dtype=dtype)
        expected = np.add.reduce(dense(A, np.asarray) * x, axis=1, dtype=dtype)  # OpenBLAS raises flags of its own in float32
        np.testing.assert_array_equal(A @ x, expected, err_msg=name)


def dense(A, to_numpy, dtype=None):
    """By NumPy alone; duplicates are summed."""
    indptr, indices, data = (to_numpy(x) for x in (A.indptr, A.indices, A.data))
    out = np.zeros(A.shape, dtype or data.dtype)
    np.add.at(out, (np.repeat(np.arange(A.shape[0]), np.diff(indptr)), indices), data)
    return out


LENGTHS = {
    "irregular": np.random.default_rng(1).integers(1, 8, 30_000),
    "regular": np.full(30_000, 4),
    "serial": np.full(300, 40),
    "short": np.full(300, 4),
}


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("kernel", LENGTHS)
def test_a_kernel_for_what_the_matrix_is(kernel, dtype, monkeypatch):
    monkeypatch.setattr(TUNING, "reduce_serial", 65536)
    rng, counts, used = np.random.default_rng(1), LENGTHS[kernel], []
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices, data = rng.integers(0, 500, indptr[-1]), rng.integers(1, 9, indptr[-1]).astype(dtype)
    A, x = csr_array((data, indices, indptr), shape=(counts.size, 500)), rng.integers(-9, 9, 500).astype(dtype)
    makers = "_kernels" if dtype is np.int64 else "_dot_kernels"
    original = getattr(spmv, makers)

    def noted(name, function):
        return lambda *args: (used.append(name), function(*args))

    monkeypatch.setattr(spmv, makers, lambda *key: spmv.Kernels(*map(noted, spmv.Kernels._fields, original(*key))))
    np.testing.assert_array_equal(A @ x, A.to_scipy() @ x)
    assert used == [kernel]
