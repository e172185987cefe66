"""`A @ B` of records: against SciPy and dense oracles, and what must hold around it."""

import importlib
import itertools
import time

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
import oracles
from spark_csr import Monoid, Semiring, _cpu, config, csr_array
from spark_csr import _ops as ops
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING
from spark_csr._operations.form import memory
from spark_csr._operations.form.record import Csr
from spark_csr._operations.product.spgemm import spgemm
from spark_csr._operations.product.spgemm_composed import LEAST, multiply_composed
from spark_csr._operations.product.spgemm_diagonal import is_diagonal

spgemm_module = importlib.import_module("spark_csr._operations.product.spgemm")

FEW = 20 if SIMULATED else 10**6
"""Products of a matrix that is worth the simulator's time: composing takes it tens of seconds for a thousand."""


def record(xp, matrix):
    """A matrix of SciPy, or the arrays of the battery, as it is."""
    if not isinstance(matrix, tuple):
        matrix = matrix.indptr, matrix.indices, matrix.data, matrix.shape
    return Csr(*(xp.asarray(x) for x in matrix[:3]), matrix[3])


def by_scipy(matrix):
    indptr, indices, data, shape = matrix
    return scipy.sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=shape)


def random(rows, columns, per_row, seed=0, dtype=np.float64):
    """Unsorted rows with duplicates; small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 * per_row + 1, rows)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    values = rng.integers(-4, 5, indptr[-1]).astype(float)
    return indptr, rng.integers(0, columns, indptr[-1]).astype(np.int32), battery.as_dtype(values, dtype), (rows, columns)


def assert_same(got, expected, to_numpy):
    """The arrays of SciPy's result, its rows sorted."""
    expected.sort_indices()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(to_numpy(getattr(got, name)), getattr(expected, name), err_msg=name)
    assert got.shape == expected.shape
    assert got.data.dtype == expected.dtype


def dense_product(a, b, ring):
    """Entry by entry; a dict of positions."""
    add, multiply, identity = oracles.RINGS[ring]
    found = {}
    for i in range(a[3][0]):
        for p in range(a[0][i], a[0][i + 1]):
            j = a[1][p]
            for q in range(b[0][j], b[0][j + 1]):
                place = i, int(b[1][q])
                found[place] = add(found.get(place, identity), multiply(a[2][p], b[2][q]))
    return found


def as_dict(csr, to_numpy):
    indptr, indices, data = (to_numpy(x) for x in csr.arrays)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(indptr))
    return dict(zip(zip(rows.tolist(), indices.tolist(), strict=True), data.tolist(), strict=True))


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery_times_its_transpose(xp, to_numpy, name):
    A = by_scipy(battery.BATTERY[name])
    T = scipy.sparse.csr_array(A.T)
    for left, right in ((A, T), (T, A)):
        a, b = record(xp, left), record(xp, right)
        if np.diff(right.tocsr().indptr)[left.indices].sum() <= FEW:  # products
            assert_same(spgemm(a, b), left @ right, to_numpy)


@pytest.mark.parametrize("dtype", dtypes.each())
@pytest.mark.parametrize("kind", ["sorted", "unsorted", "repeated"])
def test_products_with_a_diagonal(xp, to_numpy, dtype, kind):
    """Both sides, with zeros in both operands, whose products are left out, and in the dtypes of mixed operands."""
    rng = np.random.default_rng(3)
    indptr, indices, data, shape = random(7, 7, 3, seed=1, dtype=dtype)
    if kind != "repeated":
        rows = [rng.permutation(7)[: stop - start] for start, stop in itertools.pairwise(np.minimum(indptr, indptr[-1]))]
        rows = [np.sort(row) if kind == "sorted" else row for row in rows]
        indptr, indices = np.cumsum([0, *map(len, rows)]).astype(np.int32), np.concatenate(rows).astype(np.int32)
        data = data[: indices.size]
    A = by_scipy((indptr, indices, data, shape))
    for factors in (battery.as_dtype(np.array([1.0, 0, 2, -3, 1, 2, 1]), dtype), np.arange(7, dtype=np.float32)):
        D = scipy.sparse.csr_array((factors, np.arange(7), np.arange(8)))
        assert record(xp, D).plan(is_diagonal)
        for left, right in ((D, A), (A, D), (D, D)):
            wide = [x.astype(np.float32) if x.dtype == np.float16 else x for x in (left, right)]  # SciPy has no float16
            got, expected = spgemm(record(xp, left), record(xp, right)), wide[0] @ wide[1]
            assert got.data.dtype == np.result_type(left.dtype, right.dtype)
            assert_same(got.with_data(got.data.astype(expected.dtype)), expected, to_numpy)


@pytest.mark.parametrize(
    "indptr, indices, shape",
    [
        ([0, 2, 2], [0, 1], (2, 2)),
        ([0, 1, 2], [1, 0], (2, 2)),
        ([0, 1, 2], [0, 1], (2, 3)),
        ([0, 1, 1], [0], (2, 2)),
        ([0], [], (0, 0)),
    ],
)
def test_what_is_no_diagonal(xp, indptr, indices, shape):
    assert not record(xp, (np.array(indptr), np.array(indices, np.int32), np.ones(len(indices)), shape)).plan(is_diagonal)


@pytest.mark.parametrize("bound", [None, 1])
def test_rows_longer_than_a_block_takes(xp, to_numpy, monkeypatch, bound):
    """Under the simulator a block takes rows of up to eight products; here are rows of 3, 20 and 0, in turn.

    If there is no memory for their products these are composed, and no others: piece by piece takes hundreds of launches.
    """
    composed_rows, count = [], spgemm_module.count_composed
    monkeypatch.setattr(spgemm_module, "count_composed", lambda a, *rest: composed_rows.append(a.shape[0]) or count(a, *rest))
    a = record(xp, battery._of_rows([[0], [1, 0], [], [0], [1, 1], [0]], 2))
    b = record(xp, battery._of_rows([[4, 2, 0], [*range(17)]], 17))
    with config(spgemm_memory=bound):
        got = spgemm(a, b)
    assert composed_rows == ([2] if SIMULATED and bound else [])
    expected = by_scipy((*map(to_numpy, a.arrays), a.shape)) @ by_scipy((*map(to_numpy, b.arrays), b.shape))
    assert_same(got, expected, to_numpy)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    "dtype, width, bound, terms",
    [
        (np.float64, np.int32, None, 70),
        (np.float64, np.int32, 1, 70),
        (np.float32, np.int32, None, 70),
        (np.float32, np.int64, None, 60),
        (np.float64, np.int32, None, 130),
        (np.complex128, np.int32, None, 130),
    ],
)
def test_products_of_long_rows_are_added_in_order(xp, to_numpy, dtype, width, masked, bound, terms):
    """Rows of 3,660, 4,270 or 7,930 products between short ones, the same bits as one product after the other.

    A block of a GPU takes up to 7,168 products of a row, or 4,096 if indices have 64 bits.
    """
    rng = np.random.default_rng(5)
    terms, columns = (terms // 10, 9) if SIMULATED else (terms, 61)
    lengths = [0, terms, 1, terms - 1, terms, 0, 2]
    chosen = [np.sort(rng.choice(terms, k, replace=False)) for k in lengths]
    indptr, indices = np.r_[0, np.cumsum(lengths)].astype(np.int32), np.concatenate(chosen).astype(np.int32)
    data, right = (rng.integers(1, 9, shape).astype(dtype) / 8 for shape in (indices.size, (terms, columns)))
    if dtype != np.complex128:  # sums that depend on their order
        data, right = data * dtype(1.1), right + rng.random(right.shape).astype(dtype)
    kept = np.arange(columns) % 3 > 0 if masked else np.ones(columns, bool)
    mask = np.tile(kept, (len(lengths), 1)).astype(np.int8)
    with config(spgemm_memory=bound):
        where = record(xp, scipy.sparse.csr_array(mask)) if masked else None
        a, b = record(xp, (indptr, indices, data, (len(lengths), terms))), record(xp, scipy.sparse.csr_array(right))
        got = spgemm(a, Csr(b.indptr, b.indices.astype(width), b.data, b.shape), mask=where)
    expected = np.zeros((len(lengths), columns), dtype)
    for row, start, stop in zip(expected, indptr[:-1], indptr[1:], strict=True):
        for p in range(start, stop):
            row += data[p] * right[indices[p]]
    assert to_numpy(got.indptr).tolist() == [0, *np.cumsum([kept.sum() * (k > 0) for k in lengths])]
    entries = [row[kept] for row, length in zip(expected, lengths, strict=True) if length]
    np.testing.assert_array_equal(to_numpy(got.data), np.concatenate(entries))


def test_left_operand_of_many_tiles_of_entries(xp, to_numpy):
    """Several blocks of a GPU count their products, and the last one adds up what they count: under the simulator, where a tile
    has 16 entries, more than it takes at once.
    """
    A, B = by_scipy(random(150, 20, 2, 3)) if SIMULATED else by_scipy(random(1500, 20, 2, 3)), by_scipy(random(20, 9, 1, 4))
    assert_same(spgemm(record(xp, A), record(xp, B)), A @ B, to_numpy)


@pytest.mark.parametrize("masked", [False, True])
def test_rows_of_every_length_together(xp, to_numpy, masked):
    """On a GPU: rows that share a block, rows that have blocks of 256, 512 or 1,024 threads, and rows of several tiles, made by
    all blocks.
    """
    rng = np.random.default_rng(6)
    lengths = [1, 2, 0, 9, 3, 1, 24, 4, 0, 1] if SIMULATED else [3, 20, 0, 90, 170, 40, 60, 200, 2, 10]
    terms, columns = max(lengths), 4 if SIMULATED else 50
    chosen = [np.sort(rng.choice(terms, k, replace=False)) for k in lengths]
    indptr, indices = np.r_[0, np.cumsum(lengths)].astype(np.int32), np.concatenate(chosen).astype(np.int32)
    A = scipy.sparse.csr_array((rng.integers(1, 5, indices.size).astype(float), indices, indptr), shape=(len(lengths), terms))
    B = scipy.sparse.csr_array(rng.integers(1, 5, (terms, columns)).astype(float))
    mask = scipy.sparse.csr_array((np.indices((len(lengths), columns)).sum(0) % 3 == 0).astype(np.int8))
    expected = A @ B
    if masked:
        expected = expected.multiply(mask.astype(float)).tocsr()
    assert_same(spgemm(record(xp, A), record(xp, B), mask=record(xp, mask) if masked else None), expected, to_numpy)


def test_rows_that_end_and_begin_in_the_same_column(xp, to_numpy):
    """A run of equal columns ends where its row does."""
    a = record(xp, battery._of_rows([[0, 1], [1, 0], [0]], 2))
    b = record(xp, battery._of_rows([[2], [2]], 3))
    assert to_numpy(spgemm(a, b).data).tolist() == [3 * 3 - 2 * -2, 1 * -2 + 5 * 3, -4 * 3]


@pytest.mark.parametrize("dtype", dtypes.each([np.float32, np.complex64, np.int8, np.bool_], "Fb?"))
def test_dtypes(xp, to_numpy, dtype):
    n = 7 if SIMULATED else 40  # so that several warps have products
    A, B = (by_scipy(random(n, n, 2, seed, dtype)) for seed in (1, 2))
    if dtype == np.int8:
        A.data[:] = 100
    assert_same(spgemm(record(xp, A), record(xp, B)), A @ B, to_numpy)


def test_halves_are_summed_in_single_precision(xp, to_numpy):
    """2048 + 1 is 2048 in float16."""
    a = record(xp, scipy.sparse.csr_array(np.array([[1] * 8], np.float32)).astype(np.float32))
    b = record(xp, scipy.sparse.csr_array(np.array([[2048]] + [[1]] * 7, np.float32)))
    c = spgemm(a.with_data(a.data.astype(np.float16)), b.with_data(b.data.astype(np.float16)))
    assert (c.data.dtype, to_numpy(c.data).tolist()) == (np.float16, [2055 // 2 * 2 + 2])


def test_mixed_dtypes_and_widths(xp, to_numpy):
    A, B = by_scipy(random(7, 7, 2, 1, np.int8)), by_scipy(random(7, 7, 2, 2))
    a, b = record(xp, A), record(xp, B)
    a = Csr(a.indptr.astype(np.int64), a.indices, a.data, a.shape)
    b = Csr(b.indptr, b.indices.astype(np.int64), b.data, b.shape)
    got = spgemm(a, b)
    assert_same(got, A @ B, to_numpy)
    assert (got.indptr.dtype, got.indices.dtype) == (np.int32, np.int32)


@pytest.mark.parametrize(
    "ring, dtype", [("min_plus", "d"), ("max_times", "d"), ("any_pair", "d"), ("or_and", "?"), ("max_plus", "i")]
)
def test_semirings(xp, to_numpy, ring, dtype):
    """All positions are kept, those of value 0 too."""
    a, b = random(5, 5, 1, 3, dtype), random(5, 5, 2, 4, dtype)
    got = spgemm(record(xp, a), record(xp, b), ops.SEMIRINGS[ring])
    assert as_dict(got, to_numpy) == dense_product(a, b, ring)
    assert got.data.dtype == dtype


def first_present(a, b):
    return a if a != 0 else b


FIRST = Semiring(Monoid(first_present, 0), ops.times)


@pytest.mark.usefixtures("small_tiles")
def test_operators_that_do_not_commute_see_products_in_order(xp, to_numpy):
    a, b = random(6, 6, 3, 5), random(6, 6, 2, 6)
    expected = {}
    for i in range(6):
        for p in range(a[0][i], a[0][i + 1]):
            for q in range(b[0][a[1][p]], b[0][a[1][p] + 1]):
                place = i, int(b[1][q])
                expected[place] = expected.get(place, 0) or a[2][p] * b[2][q]
    assert as_dict(spgemm(record(xp, a), record(xp, b), FIRST), to_numpy) == expected


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("ring", ["plus_times", "min_plus"])
def test_mask(xp, to_numpy, ring):
    """Unsorted, with duplicates, of whatever values."""
    a, b, mask = random(6, 5, 1, 7), random(5, 7, 2, 8), random(6, 7, 2, 9)
    mask[2][::2] = 0
    allowed = {(i, int(mask[1][p])) for i in range(6) for p in range(mask[0][i], mask[0][i + 1])}
    expected = {place: value for place, value in dense_product(a, b, ring).items() if place in allowed}
    if ring == "plus_times":
        expected = {place: value for place, value in expected.items() if value}
    got = spgemm(record(xp, a), record(xp, b), ops.SEMIRINGS[ring], record(xp, mask))
    assert as_dict(got, to_numpy) == expected
    assert all(np.all(np.diff(row) > 0) for row in np.split(to_numpy(got.indices), to_numpy(got.indptr)[1:-1]))


def test_an_empty_row_of_a_mask_allows_nothing(xp, to_numpy):
    """The row behind it begins with the column in question; behind the last one there is nothing."""
    a, b = record(xp, battery._of_rows([[0], [0], [0]], 1)), record(xp, battery._of_rows([[2]], 3))
    got = spgemm(a, b, mask=record(xp, battery._of_rows([[], [2], []], 3)))
    assert to_numpy(got.indptr).tolist() == [0, 0, 1, 1]


@pytest.mark.usefixtures("cpu_only")
def test_time_grows_gently_as_memory_shrinks():
    """2 million products took 0.1 s, and 19 s with memory for 80 of them at a time."""
    a = record(np, random(2000, 2000, 30))

    def seconds(bound):
        start = time.perf_counter()
        with config(spgemm_memory=bound):
            spgemm(a, a)
        return time.perf_counter() - start

    seconds(None)
    unbounded = min(seconds(None) for _ in range(3))
    for bound in (10_000, 1000, 100, 1):
        assert min(seconds(bound) for _ in range(3)) < 20 * unbounded


@pytest.mark.usefixtures("cpu_only", "small_tiles")
@pytest.mark.parametrize(
    "rows", [[[5, 4095, 4096, 8191], [0, 8191]], [[5, 4096, 8191, 4095], [8191, 0]]], ids=["sorted", "not"]
)
def test_rows_of_b_that_span_several_words(rows):
    """Where its rows ascend, and only there, the first and the last column of a row say where to look."""
    a, b = battery._of_rows([[0, 1], [0], [1]] * 4, 2), battery._of_rows(rows, 8192)
    assert_same(spgemm(record(np, a), record(np, b)), by_scipy(a) @ by_scipy(b), np.asarray)


def test_empty_mask(xp, to_numpy):
    a = record(xp, random(5, 5, 2))
    got = spgemm(a, a, mask=record(xp, ([0] * 6, np.empty(0, np.int32), np.empty(0), (5, 5))))
    assert to_numpy(got.indptr).tolist() == [0] * 6


def test_sums_that_cancel_are_left_out_as_by_scipy(xp, to_numpy):
    a = record(xp, scipy.sparse.csr_array([[1.0, 1], [0, 1]]))
    b = record(xp, scipy.sparse.csr_array([[1.0, 1], [-1, 1]]))
    got = spgemm(a, b)
    assert (to_numpy(got.indptr).tolist(), to_numpy(got.indices).tolist()) == ([0, 1, 3], [1, 0, 1])
    assert spgemm(a, b, ops.SEMIRINGS["max_plus"]).indices.size == 4


def test_nan_is_kept(xp, to_numpy):
    a = record(xp, scipy.sparse.csr_array([[np.nan, 0], [0, np.inf]]))
    got = to_numpy(spgemm(a, record(xp, scipy.sparse.csr_array([[2.0, 0], [0, -1]]))).data)
    np.testing.assert_array_equal(got, [np.nan, -np.inf])


@pytest.mark.parametrize("shapes", [((0, 3), (3, 4)), ((3, 0), (0, 4)), ((3, 4), (4, 0)), ((0, 0), (0, 0)), ((2, 3), (3, 4))])
def test_nothing_to_multiply(xp, to_numpy, shapes):
    a, b = (Csr(xp.zeros(m + 1, np.int32), xp.empty(0, np.int32), xp.empty(0), (m, n)) for m, n in shapes)
    got = spgemm(a, b)
    assert got.shape == (shapes[0][0], shapes[1][1])
    assert to_numpy(got.indptr).tolist() == [0] * (shapes[0][0] + 1)


def test_refuses(xp):
    a, b = record(xp, random(3, 4, 1)), record(xp, random(3, 4, 1))
    with pytest.raises(ValueError, match=r"dimension mismatch in @: \(3, 4\) and \(3, 4\); the second needs 4 rows"):
        spgemm(a, b)
    b = record(xp, random(4, 3, 1))
    with pytest.raises(ValueError, match=r"mask must have the shape of the product, \(3, 3\), got \(3, 4\)"):
        spgemm(a, b, mask=a)


@pytest.mark.parametrize("mask", [False, True])
def test_wide_matrices_need_no_wide_arrays(xp, to_numpy, mask):
    """2**40 columns: an accumulator of that size would fit nowhere."""
    columns = np.array([2**40 - 1, 5, 2**33, 5])
    a = record(xp, scipy.sparse.csr_array([[1.0, 1], [0, 1]]))
    b = record(xp, (np.array([0, 2, 4]), columns, np.arange(1.0, 5), (2, 2**40)))
    of = record(xp, (np.array([0, 2, 3]), np.array([2**34, 5, 2**33]), np.ones(3), (2, 2**40))) if mask else None
    expected = {(0, 5): 6, (0, 2**33): 3, (0, 2**40 - 1): 1, (1, 5): 4, (1, 2**33): 3}
    if mask:
        expected = {place: expected[place] for place in ((0, 5), (1, 2**33))}
    got = spgemm(a, b, mask=of)
    assert as_dict(got, to_numpy) == expected
    assert got.indices.dtype == np.int64


def test_operands_are_only_read(xp, to_numpy):
    a, b, mask = (record(xp, random(6, 6, 2, seed)) for seed in range(3))
    before = [to_numpy(x).tobytes() for csr in (a, b, mask) for x in csr.arrays]
    spgemm(a, b, mask=mask)
    assert [to_numpy(x).tobytes() for csr in (a, b, mask) for x in csr.arrays] == before


def in_order(a, b):
    """The sums of products in the order of A's entries, bit for bit."""
    return {place: value for place, value in dense_product(a, b, "plus_times").items() if value}


def test_sums_are_made_in_the_order_of_entries(xp, to_numpy):
    """cupy#9323: the same bits each run, and everywhere."""
    a, b = random(5, 6, 2, 1), random(6, 7, 2, 2)
    rng = np.random.default_rng(0)
    a, b = (*a[:2], rng.random(a[2].size), a[3]), (*b[:2], rng.random(b[2].size), b[3])
    assert as_dict(spgemm(record(xp, a), record(xp, b)), to_numpy) == in_order(a, b)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("masked", [False, True])
def test_same_bits_for_any_number_of_threads_and_any_budget(monkeypatch, masked):
    monkeypatch.setattr(TUNING, "spgemm_serial", 0)
    a, b, mask = random(300, 200, 4, 1), random(200, 250, 3, 2), random(300, 250, 40, 3)
    rng = np.random.default_rng(0)
    a, b = (record(np, (*x[:2], rng.random(x[2].size), x[3])) for x in (a, b))
    of = record(np, mask) if masked else None
    results = []
    for threads in (1, 2):
        with config(threads=threads):
            results.append(spgemm(a, b, mask=of))
    for size in (1, 10_000):  # on one core; on both
        with config(spgemm_memory=size):
            results.append(spgemm(a, b, mask=of))
    results.append(multiply_composed(a, b, mask=of))
    monkeypatch.setitem(LEAST, "cpu", 1)
    with config(spgemm_memory=1):  # in pieces
        results.append(multiply_composed(a, b, mask=of))
    for other in results[1:]:
        assert [x.tobytes() for x in other.arrays] == [x.tobytes() for x in results[0].arrays]


@pytest.mark.usefixtures("cpu_only")
def test_large_random_matrices():
    """B is large enough that its rows are asked for ahead of time."""
    A = scipy.sparse.random_array((5000, 20_000), density=5e-4, format="csr", rng=1)
    B = scipy.sparse.random_array((20_000, 3000), density=2e-3, format="csr", rng=2)
    for csr in (A, B):
        csr.data[:] = np.resize([1.0, -2, 3], csr.nnz)
    assert_same(spgemm(record(np, A), record(np, B)), A @ B, np.asarray)


@pytest.mark.usefixtures("cpu_only")
def test_one_dense_row_and_column():
    n = 3000
    A = scipy.sparse.lil_array((n, n))
    A[7, :] = 2.0
    A[:, 5] = 3.0
    A = A.tocsr()
    assert_same(spgemm(record(np, A), record(np, A)), A @ A, np.asarray)


@st.composite
def matrices(draw):
    """Two or three matrices whose shapes fit: A, B, and a mask."""
    m, k, n = (draw(st.integers(0, 6)) for _ in range(3))
    made = []
    for rows, columns in ((m, k), (k, n), (m, n)):
        entry = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1), st.integers(-3, 3))
        entries = draw(st.lists(entry, max_size=8)) if rows and columns else []
        entries.sort(key=lambda e: e[0])
        indptr = np.searchsorted([e[0] for e in entries], np.arange(rows + 1)).astype(np.int32)
        indices, data = np.array([e[1] for e in entries], np.int32), np.array([e[2] for e in entries], float)
        made.append((indptr, indices, data, (rows, columns)))
    return made


@pytest.mark.usefixtures("cpu_only")
@given(matrices())
def test_hypothesis(made):
    a, b, mask = made
    expected = in_order(a, b)
    assert as_dict(spgemm(record(np, a), record(np, b)), np.asarray) == expected
    allowed = {(i, int(mask[1][p])) for i in range(mask[3][0]) for p in range(mask[0][i], mask[0][i + 1])}
    masked = as_dict(spgemm(record(np, a), record(np, b), mask=record(np, mask)), np.asarray)
    assert masked == {place: value for place, value in expected.items() if place in allowed}


@pytest.fixture
def little_memory(monkeypatch):
    """64 MB are available, and asked for each time."""
    monkeypatch.setattr(memory, "available_memory", lambda x: 64_000_000)
    monkeypatch.setattr(memory, "SMALL", 0)


def outer(n):
    """A column and a row, dense."""
    column = np.arange(n + 1, dtype=np.int32), np.zeros(n, np.int32), np.ones(n), (n, 1)
    return column, (np.array([0, n], np.int32), np.arange(n, dtype=np.int32), np.ones(n), (1, n))


@pytest.mark.usefixtures("cpu_only", "little_memory")
def test_a_result_that_surely_does_not_fit_is_refused_before_it_is_counted(monkeypatch):
    column, row = (record(np, x) for x in outer(60_000))
    monkeypatch.setattr(_cpu, "spgemm_count", None)
    with pytest.raises(MemoryError, match=r"at least 3,600,000,000 entries, which need 40\.2 GiB; 0\.1 GiB are available"):
        spgemm(column, row)


@pytest.mark.usefixtures("cpu_only", "little_memory")
def test_a_result_that_does_not_fit_is_refused_by_its_number_of_entries():
    """2,000 rows of 3,600 products, which meet in 3,000 positions."""
    a = record(np, (np.arange(0, 600_001, 300), np.resize(np.arange(300), 600_000), np.ones(600_000), (2000, 300)))
    b = record(np, (np.arange(0, 3601, 12), np.resize(np.arange(3000), 3600), np.ones(3600), (300, 4000)))
    with pytest.raises(MemoryError, match=r"at least 5,\d\d\d,\d\d\d entries, which need 0\.1 GiB; 0\.1 GiB are available"):
        spgemm(a, b)


@pytest.mark.usefixtures("cpu_only", "little_memory")
def test_counting_ends_when_what_was_counted_does_not_fit(monkeypatch):
    """2,000 rows of 3,600 products, which meet in 3,000 positions: after a third of the memory it is clear."""
    a = record(np, (np.arange(0, 600_001, 300), np.resize(np.arange(300), 600_000), np.ones(600_000), (2000, 300)))
    b = record(np, (np.arange(0, 3601, 12), np.resize(np.arange(3000), 3600), np.ones(3600), (300, 4000)))
    counted = []
    count = _cpu.spgemm_count
    monkeypatch.setattr(_cpu, "spgemm_count", lambda plan, *args: counted.append(plan.cuts.size - 1) or count(plan, *args))
    monkeypatch.setattr(memory, "available_memory", lambda x: 20_000_000)
    with pytest.raises(MemoryError, match="at least"):
        spgemm(a, b)
    assert 0 < sum(counted) < 32
    monkeypatch.setattr(memory, "available_memory", lambda x: 75_000_000)
    counted.clear()
    assert spgemm(a, b).indices.size == 6_000_000
    assert sum(counted) == 64


@pytest.mark.usefixtures("cpu_only", "little_memory")
def test_a_bound_that_does_not_fit_is_no_reason_to_refuse():
    """2,000 rows of 3,600 products and 3,000 columns, which meet in ten positions each."""
    a = record(np, (np.arange(0, 600_001, 300), np.resize(np.arange(300), 600_000), np.ones(600_000), (2000, 300)))
    b = record(np, (np.arange(0, 3601, 12), np.resize(np.arange(10), 3600), np.ones(3600), (300, 3000)))
    assert spgemm(a, b).indices.size == 20_000


def test_zeros_that_come_of_sums_are_dropped_piece_by_piece(monkeypatch, cpu_only):
    monkeypatch.setattr("spark_csr._operations.product.spgemm_result.PIECE", 2)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-1, 2, (6, 6)).astype(float) for _ in range(2))
    got = csr_array(a) @ csr_array(b)
    assert got.nnz == np.count_nonzero(a @ b)
    np.testing.assert_array_equal(got.toarray(), a @ b)
