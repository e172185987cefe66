"""What products allocate: the result, and a small plan."""

import gc
import tracemalloc

import numpy as np
import pytest

from spark_csr import csr_array

pytestmark = pytest.mark.usefixtures("cpu_only")

ROWS, PER_ROW = 100_000, 10


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
        left, most = tracemalloc.get_traced_memory()
        return most, left
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
def test_product_with_a_matrix_copies_no_operand(matrix, order):
    X = np.ones((ROWS, 4), order=order)
    matrix @ X
    most, _ = peak(lambda: matrix @ X)
    assert most < ROWS * 8 * (4 if order == "C" else 5) + 65_536


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
