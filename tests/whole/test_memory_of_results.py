"""What products allocate: the result, and a small plan."""

import gc
import importlib
import tracemalloc

import numba
import numpy as np
import pytest

import ptx_mode
from spark_csr import Ragged, config, csr_array, spgemm_composed
from spark_csr import primitives as p
from spark_csr._operations.product.spgemm import spgemm

pytestmark = pytest.mark.usefixtures("cpu_only")

ROWS, PER_ROW = 100_000, 10


@pytest.fixture(scope="module", autouse=True)
def nothing_older_is_collected():
    """The compiler leaves millions of objects, which every `gc.collect` would look through: seconds each."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def matrix():
    indices = (np.arange(ROWS)[:, None] + np.arange(PER_ROW) * 31).ravel() % ROWS
    indptr = np.arange(0, ROWS * PER_ROW + 1, PER_ROW)
    return csr_array((np.ones(indices.size), indices, indptr), shape=(ROWS, ROWS))


def peak(work):
    """Bytes that `work` allocates at most at one time, its result among them, and bytes it leaves behind."""
    gc.collect()
    tracemalloc.start()
    try:
        result = work()
        del result
        _, most = tracemalloc.get_traced_memory()
        gc.collect()
        return most, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_product_allocates_the_result_only(matrix):
    x = np.ones(ROWS)
    matrix @ x
    most, left = peak(lambda: matrix @ x)
    assert most < ROWS * 8 + 16_384
    assert left < 4096


def test_product_into_out_allocates_next_to_nothing(matrix):
    x, out = np.ones(ROWS), np.empty(ROWS)
    matrix.matmul(x, out=out)
    assert peak(lambda: matrix.matmul(x, out=out))[0] < 16_384


@pytest.mark.parametrize("order", ["C", "F"])
def test_product_with_a_matrix_copies_at_most_what_is_not_in_rows(matrix, order):
    X = np.ones((ROWS, 4), order=order)
    matrix @ X
    most, _ = peak(lambda: matrix @ X)
    assert most < ROWS * 8 * (4 if order == "C" else 8) + 65_536


def test_transposed_product_needs_at_most_a_quarter_more(matrix):
    x = np.ones(ROWS)
    matrix.T @ x
    most, _ = peak(lambda: matrix.T @ x)
    assert most < ROWS * 8 + matrix.nbytes / 4 + 16_384


def test_plan_is_below_one_percent(matrix):
    fresh = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    x = np.ones(ROWS)
    assert peak(lambda: fresh @ x)[1] < matrix.nbytes / 100


def test_given_arrays_are_not_copied(matrix):
    def share():
        return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)

    assert np.shares_memory(share().data, matrix.data)
    assert peak(share)[1] < 16_384


def _one_budget(work, result, budget):
    """What `work` takes beside its result when it may take so much; once before, as compiling allocates."""
    with config(spgemm_memory=budget):
        work()
        return peak(work)[0] - result


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("budget", [1, 200_000, 64 << 20])
def test_sparse_products_keep_to_their_budget(budget, masked):
    """4 million products of 20,000 rows, on one core or on all. Offsets and counts of rows come on top.

    A core needs nine bytes for every column.
    """
    n, per_row = 20_000, 14
    indices = (np.arange(n)[:, None] * 31 + np.arange(per_row) ** 2 * 17).ravel() % n
    a = csr_array((np.ones(indices.size), indices, np.arange(0, n * per_row + 1, per_row)), shape=(n, n))._csr
    mask = a if masked else None
    product = spgemm(a, a, mask=mask)
    size = sum(x.nbytes for x in product.arrays)
    assert _one_budget(lambda: spgemm(a, a, mask=mask), size, budget) < max(budget, 9 * n) + 40 * n + 262_144


@pytest.mark.skipif(not ptx_mode.ON, reason="counts what is taken from the pool of the stand-in for CuPy: SPARK_CSR_PTX=1")
@pytest.mark.parametrize("budget, of_product", [(1, 0), (1 << 30, 12)])
def test_what_sparse_products_need_on_a_gpu(xp, monkeypatch, budget, of_product):
    """Bytes for each entry of A and each row, as `config` says; and an entry for each product if the budget allows that."""
    memory, taken = importlib.import_module("cupy_stand_in.memory"), []

    def take_and_note(pool, size, take=memory._Arenas.malloc):
        found = take(pool, size)
        taken.append(pool.used)
        return found

    rows, per_row, middle = 16_000, 2, 1024
    indices = (np.arange(rows)[:, None] * 31 + np.arange(per_row) * 512).ravel() % middle
    a = csr_array(
        (np.ones(indices.size), indices, np.arange(0, indices.size + 1, per_row)), shape=(rows, middle), device="cuda"
    )
    b = csr_array(
        (np.ones(2 * middle), np.arange(2 * middle), np.arange(middle + 1) * 2), shape=(middle, 2 * middle), device="cuda"
    )
    with config(spgemm_memory=budget):
        a @ b
        monkeypatch.setattr(memory._Arenas, "malloc", take_and_note)
        xp.empty(1)
        before, taken[:] = taken[-1], []
        product = a @ b
    size = sum(x.nbytes for x in product._csr.arrays)
    products = 2 * indices.size
    needed = 8 * indices.size + 44 * rows + of_product * products
    assert needed <= max(taken) - before - size < needed + 16_384


def test_composed_products_keep_to_their_budget():
    """200,000 products in pieces of 8,192, and a row of 14,000 in two."""
    n, per_row = 1000, 14
    indices = (np.arange(n)[:, None] * 31 + np.arange(per_row) ** 2 * 17).ravel() % n
    A = csr_array((np.ones(indices.size), indices, np.arange(0, n * per_row + 1, per_row)), shape=(n, n))
    size = spgemm_composed(A, A).nbytes
    assert _one_budget(lambda: spgemm_composed(A, A), size, 1) < (2 << 20) + 60 * n + 262_144
    row = csr_array(np.ones((1, n)))
    size = spgemm_composed(row, A).nbytes
    assert _one_budget(lambda: spgemm_composed(row, A), size, 1) < (2 << 20) + 262_144


def test_a_small_matrix_with_a_large_product_takes_little():
    """cupy#7044: 600 x 600 ran out of memory."""
    rows, columns = np.nonzero(np.random.default_rng(0).random((600, 600)) < 0.5)
    a = csr_array((np.ones(rows.size), (rows, columns)), shape=(600, 600))._csr
    assert np.diff(a.indptr)[a.indices].sum() > 50_000_000  # products
    assert _one_budget(lambda: spgemm(a, a), 600 * 600 * 12, None) < 262_144


N = 1 << 20
FLAGS = np.arange(N) % 3 == 0
VALUES = np.arange(N, dtype=np.float64)
OFFSETS = np.arange(0, N + 1, 8, dtype=np.int32)
KEYS = (VALUES * 7919 % N).astype(np.int32)
FLOOD_MAP = np.arange(N, dtype=np.int32) // 3 * 3
COUNTS = np.arange(N // 4, dtype=np.int32) % 9
REPEATED = int(COUNTS.sum())
PAIRS = np.arange(0, N + 1, 1024, dtype=np.int32)  # of 1024 elements each, or of 1
ONES = np.arange(PAIRS.size, dtype=np.int32)


@numba.njit
def times_three(x):
    return 3 * x


def of_item(index, segment, rank, x):
    return x[index]


def flag(index, flags, x):
    return flags[index]


def of_selected(destination, source, flags, x):
    return x[source]


def times_rank(value, i, j):
    return value * j


RAGGED = Ragged(VALUES, OFFSETS)
NARROW = csr_array((FLAGS.view(np.int8), KEYS, OFFSETS), shape=(N // 8, N))
PRIMITIVES = {  # name: (work, bytes of the result, bytes of one array as long as the input)
    "inclusive_scan": (lambda: p.inclusive_scan(VALUES), 8 * N, 0),
    "segmented_scan": (lambda: p.segmented_scan(VALUES, OFFSETS), 8 * N, N),
    "segmented_reduce": (lambda: p.segmented_reduce(VALUES, OFFSETS), N, 0),
    "segmented_reduce of bytes": (lambda: p.segmented_reduce(KEYS.view(np.uint8), OFFSETS), N, 0),
    "means of bools": (lambda: p.segmented_reduce(FLAGS, OFFSETS, "mean"), 4 * N, 0),
    "sums of rows of bytes": (lambda: NARROW.sum(axis=1), N, 0),
    "sum of bytes": (lambda: NARROW.sum(), 0, 0),
    "right_flood": (lambda: p.right_flood(VALUES, FLAGS), 8 * N, 0),
    "right_flood_vjp": (lambda: p.right_flood_vjp(VALUES, FLOOD_MAP), 8 * N, N),
    "segment_ids": (lambda: p.segment_ids(OFFSETS), 4 * N, 0),
    "local_index": (lambda: p.local_index(OFFSETS), 4 * N, 0),
    "load_balance_search": (lambda: p.load_balance_search(OFFSETS), 8 * N, 0),
    "offsets_from_counts": (lambda: p.offsets_from_counts(COUNTS), N, 2 * N),
    "compact": (lambda: p.compact(VALUES, FLAGS), 8 * -(-N // 3), 0),
    "partition": (lambda: p.partition(VALUES, FLAGS), 8 * N, 0),
    "map_where": (lambda: p.map_where(times_three, VALUES, FLAGS), 8 * -(-N // 3), 0),
    "transform_segments": (lambda: p.transform_segments(OFFSETS, of_item, VALUES), 8 * N, 0),
    "transform_compact": (lambda: p.transform_compact(N, flag, of_selected, FLAGS, VALUES), 8 * -(-N // 3), N),
    "repeat": (lambda: p.repeat(VALUES[: N // 4], COUNTS), 8 * REPEATED, 2 * N),
    "run_length_encode": (lambda: p.run_length_encode(FLOOD_MAP), 8 * -(-N // 3), 4 * N),
    "sort": (lambda: p.sort(KEYS), 4 * N, 4 * N),
    "merge sort": (lambda: p.sort(KEYS, algorithm="merge"), 4 * N, 4 * N),
    "bitonic sort": (lambda: p.sort(KEYS, algorithm="bitonic"), 4 * N, 0),
    "argsort": (lambda: p.argsort(KEYS), 4 * N, 4 * N),
    "sort_by_key": (lambda: p.sort_by_key(KEYS, VALUES), 12 * N, 12 * N),
    "merge": (lambda: p.merge(FLOOD_MAP, FLOOD_MAP), 8 * N, N),
    "segmented_sort": (lambda: p.segmented_sort(KEYS, OFFSETS), 4 * N, 0),
    "segmented_argsort": (lambda: p.segmented_argsort(KEYS, OFFSETS), 4 * N, 4 * N),
    "coordinates": (lambda: RAGGED.coordinates(), 8 * N, 0),
    "map": (lambda: RAGGED.map(times_rank), 8 * N, 0),
    "a number for each item": (lambda: RAGGED + VALUES[: N // 8], 8 * N, 0),
    "cartesian_product": (lambda: p.cartesian_product(PAIRS, ONES), 8 * N, 0),
    "combinations": (lambda: p.combinations(PAIRS[:65], 1), 4 * 65536, 0),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives_allocate_their_result_and_no_more_than_one_array_beside(name):
    work, result, beside = PRIMITIVES[name]
    work()
    most, left = peak(work)
    assert most < result + beside + 262_144, f"{most / N:.2f} bytes for each element"
    assert left < 4096
