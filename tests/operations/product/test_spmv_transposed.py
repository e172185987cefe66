"""`A.T @ x` and `A.T @ X` without the transpose: dtypes, widths, semirings, parts that overlap."""

import numpy as np
import pytest

import battery
import dtypes
import oracles
from spark_csr import config, csr_array
from spark_csr._operations.form import memory
from spark_csr._operations.form.record import ANYBODY, MATRICES
from spark_csr._operations.product import spmv_transposed

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("dtype", dtypes.each())
def test_dtypes(xp, to_numpy, dtype):
    A = battery.build(xp, "one dense row", dtype)
    x = battery.operand(A.shape[0], dtype=dtype)
    got = to_numpy(A.T @ xp.asarray(x))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, to_numpy(A.toarray()).T @ x)


@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float16], "d"))
@pytest.mark.parametrize("columns", [None, 2])
def test_wide_indices(xp, to_numpy, dtype, columns):
    A = battery.build(xp, "power law", dtype, np.int64)
    x = battery.operand(A.shape[0], columns, dtype)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(x)), to_numpy(A.toarray()).T @ x)


@pytest.mark.parametrize("ring", ["min_plus", "or_and"])
@pytest.mark.parametrize("columns", [None, 9])
@pytest.mark.parametrize("name", ["band", "middle rows empty", "one dense column", "all rows empty", "Nx0"])
def test_semirings(xp, to_numpy, name, columns, ring):
    A = battery.build(xp, name)
    x = battery.operand(A.shape[0], columns)
    expected = oracles.product(battery.BATTERY[name], x, ring, transposed=True)
    np.testing.assert_array_equal(to_numpy(A.T.matmul(xp.asarray(x), semiring=ring)), expected)


def test_many_parts_on_a_wide_band(xp, to_numpy):
    """On the cores: parts of a few rows, each with private sums for the columns it touches; rows are cut between parts."""
    n = 30
    dense = np.triu(np.tril(np.resize([1.0, 2, -3, 4, 5], (n, n)), 3), -3)
    A = csr_array(xp.asarray(dense))
    x = battery.operand(n)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(x)), dense.T @ x)
    X = battery.operand(n, 3)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(X)), dense.T @ X)


@pytest.mark.parametrize("columns", [None, 1, 2, 3, 5, 8, 24, 32, 64])
@pytest.mark.parametrize("kind", ["band", "band around the corner", "scattered", "one column"])
def test_parts_and_blocks(xp, to_numpy, kind, columns):
    """On the cores: blocks of Y that one part touches, several parts, or none; all columns at once or a few at a time."""
    rng, n = np.random.default_rng(1), 90
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    kept = {
        "band": distance < 3,
        "band around the corner": np.minimum(distance, n - distance) < 3,
        "scattered": rng.random((n, n)) < 0.1,
        "one column": np.arange(n) == 7,
    }[kind]
    dense = rng.integers(1, 9, (n, n)) * kept * 1.0
    x = battery.operand(n, columns)
    np.testing.assert_array_equal(to_numpy(csr_array(xp.asarray(dense)).T @ xp.asarray(x)), dense.T @ x)


def test_same_bits_on_one_core_and_all(cpu_only):
    rng, n = np.random.default_rng(2), 300
    A = csr_array(rng.random((n, n)) * (rng.random((n, n)) < 0.05))
    for columns in (1, 4, 32):
        X = rng.random((n, columns))
        with config(threads=1):
            alone = A.T @ X, A @ np.asfortranarray(X)
        for one, all_cores in zip(alone, (A.T @ X, A @ np.asfortranarray(X)), strict=True):
            assert one.tobytes() == all_cores.tobytes()


def test_more_columns_than_one_block_combines(cpu_only):
    indptr, indices = np.array([0, 3, 5]), np.array([0, 4095, 4096, 1, 9000])
    A = csr_array((np.array([1.0, 2, 3, 4, 5]), indices, indptr), shape=(2, 9001))
    y = A.T @ np.array([1.0, 10])
    assert np.flatnonzero(y).tolist() == [0, 1, 4095, 4096, 9000]
    assert y[[0, 1, 4095, 4096, 9000]].tolist() == [1, 40, 2, 3, 50]


def test_transposed_twice_is_the_matrix(xp, to_numpy):
    A = battery.build(xp, "power law")
    x = xp.asarray(battery.operand(A.shape[1]))
    assert A.T.T._csr is A._csr
    np.testing.assert_array_equal(to_numpy(A.T.T @ x), to_numpy(A @ x))
    np.testing.assert_array_equal(to_numpy(x @ A.T), to_numpy(A @ x))


@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize("rows", [1, 50, 3000, 9000])
def test_one_tile_or_a_few_of_a_wide_matrix(xp, to_numpy, rows, columns):
    rng = np.random.default_rng(rows)
    i, j = np.arange(rows), rng.integers(0, 5000, rows)
    A = csr_array((xp.ones(rows), (xp.asarray(i), xp.asarray(j))), shape=(rows, 5000))
    X = rng.integers(-4, 5, (rows, columns)) * 1.0
    expected = np.zeros((5000, columns))
    np.add.at(expected, j, X)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(X)), expected)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(X[:, 0])), expected[:, 0])


def owned(xp, name="power law", dtype=np.float64):
    """A matrix whose values nobody else has seen, and the same dense."""
    A = battery.build(xp, name, dtype).copy()
    return A, battery.build(np, name, dtype).toarray()


def assign(A, T, xp):
    A[0, int(A.indices[0])] = 9.0


def scale(A, T, xp):
    A *= 3


def write_into_data(A, T, xp):
    A.data[:5] = 7


def write_through_the_transpose(A, T, xp):
    T.data[2] = -7


def write_through_a_matrix_of_the_same_arrays(A, T, xp):
    csr_array((T.data, T.indices, T.indptr), shape=A.shape).data[1] = 4


def write_through_a_view(A, T, xp):
    seen = A.data[3:]
    _ = T @ xp.ones(A.shape[0])
    seen += 2


def give_new_values(A, T, xp):
    A.data = xp.arange(A.nnz) * 1.0


@pytest.mark.parametrize("columns", [None, 3, 9])
@pytest.mark.parametrize(
    "change",
    [
        assign,
        scale,
        write_into_data,
        write_through_the_transpose,
        write_through_a_matrix_of_the_same_arrays,
        write_through_a_view,
        give_new_values,
    ],
)
def test_values_that_change_between_products(xp, to_numpy, change, columns):
    """On a GPU values are kept by column while nobody else can change them."""
    A, dense = owned(xp)
    x, T = xp.asarray(battery.operand(A.shape[0], columns)), A.T
    for product in (lambda: A.T @ x, lambda: T @ x, lambda: A.T @ x):
        np.testing.assert_array_equal(to_numpy(product()), dense.T @ to_numpy(x))
    change(A, T, xp)
    for matrix in (A, T.T):
        expected = to_numpy(matrix.toarray()).T @ to_numpy(x)
        for _ in range(2):
            np.testing.assert_array_equal(to_numpy(matrix.T @ x), expected)
    if change is not give_new_values:
        np.testing.assert_array_equal(to_numpy(T.toarray().T), to_numpy(A.toarray()))


@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float16, np.complex64, np.bool_], "d"))
@pytest.mark.parametrize("columns", [None, 2])
def test_kept_values_give_the_same_bits(xp, to_numpy, dtype, columns):
    A, _ = owned(xp, dtype=dtype)
    x = xp.asarray(battery.operand(A.shape[0], columns, dtype))
    kept = [to_numpy(A.T @ x).tobytes(), to_numpy(x.T @ A).tobytes()]
    assert A._record.seen_by == MATRICES
    record = A._csr
    assert (record.seen_by, record.by_column) == (ANYBODY, None)
    assert [to_numpy(A.T @ x).tobytes(), to_numpy(x.T @ A).tobytes()] == kept
    assert record.by_column is None


@pytest.mark.parametrize("short", [True, False])
def test_values_are_looked_up_where_there_is_no_memory_to_keep_them(xp, to_numpy, monkeypatch, short):
    def fail(plan, data):
        raise MemoryError

    A, dense = owned(xp)
    if short:
        monkeypatch.setattr(memory, "SMALL", 0)
        monkeypatch.setattr(memory, "available_memory", lambda x: x.nbytes)
    else:
        monkeypatch.setattr(A._record.backend, "order_by_column", fail)
    for _ in range(2):
        np.testing.assert_array_equal(to_numpy(A.T @ xp.ones(A.shape[0])), dense.T @ np.ones(A.shape[0]))
    assert A._record.by_column is spmv_transposed.NONE


@pytest.mark.parametrize("columns", [spmv_transposed.WIDE, 20])
def test_no_pattern_is_kept_where_memory_is_short(cpu_only, monkeypatch, columns):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_memory", lambda x: x.nbytes)
    A, dense = owned(np)
    X = battery.operand(A.shape[0], columns)
    np.testing.assert_array_equal(A.T @ X, dense.T @ X)
    out = np.empty((A.shape[1], columns))
    assert A.T.matmul(X, out=out) is out
    np.testing.assert_array_equal(out, dense.T @ X)
    assert spmv_transposed.pattern_by_column not in A._csr.plans


@pytest.mark.parametrize("columns", [3, 9])
def test_long_sums_of_float32(cpu_only, columns):
    """Columns of 100,000 entries: in float32, one by one, 0.1 would be added up to 9998.56."""
    A = csr_array(np.full((100_000, 1), 0.1, np.float32))
    Y = A.T @ np.ones((100_000, columns), np.float32)
    assert Y.dtype == np.float32
    np.testing.assert_allclose(Y, 10_000, rtol=1e-6)


@pytest.mark.kept
def test_a_pattern_of_columns_is_kept_with_the_matrix(cpu_only):
    A, dense = owned(np)
    X = battery.operand(A.shape[0], 9)
    np.testing.assert_array_equal(A.T @ X, dense.T @ X)
    kept = A._csr.plans[spmv_transposed.pattern_by_column]
    np.testing.assert_array_equal(X.T @ A, X.T @ dense)
    assert A._csr.plans[spmv_transposed.pattern_by_column] is kept
