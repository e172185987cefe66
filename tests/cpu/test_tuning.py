"""Numbers to tune for the cores: another value counts from the next call on, and changes no result."""

import numpy as np
import pytest

import dtypes
from spark_csr import csr_array, gallery, primitives
from spark_csr._cpu import spmm, windows
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Graph, bfs, pagerank, sssp, triangle_count

pytestmark = pytest.mark.usefixtures("cpu_only")

ROWS = 600


def matrix():
    """Random rows with small integers, whose sums are exact in any order."""
    A = gallery.uniform(ROWS, ROWS, 6)
    return csr_array((np.arange(A.nnz) % 7 - 3.0, A.indices, A.indptr), shape=A.shape)


def band():
    """Rows with the columns of the row before, shifted by one."""
    columns = (np.arange(ROWS - 3)[:, None] + np.arange(4)).ravel()
    return csr_array((np.arange(columns.size) % 5 - 2.0, columns, np.arange(0, columns.size + 1, 4)), shape=(ROWS - 3, ROWS))


def vector(columns=None):
    values = np.random.default_rng(0).integers(-3, 4, (ROWS, columns or 1)).astype(float)
    return values if columns else values.ravel()


def graph():
    A = matrix()
    return Graph(csr_array((np.arange(A.nnz) % 9 + 1.0, A.indices, A.indptr), shape=A.shape))


def keys():
    """Most begin alike: their bucket is fetched in blocks."""
    found = np.random.default_rng(0).integers(0, 1 << 32, 9000, np.uint32)
    found[::3] &= 255
    return found


def elements():
    rows, columns = np.random.default_rng(0).integers(0, 40, (2, 3000))
    A = csr_array((np.ones(3000), (rows, columns)), shape=(40, 40))
    return np.concatenate([A.indptr, A.indices, A.data])


CASES = {
    "A @ x": (lambda: matrix() @ vector(), {"reduce_serial": 0, "spmv_far_bytes": -1}, {"memory_ahead": 64}),
    "integers": (
        lambda: csr_array((matrix().data.astype(int), matrix().indices, matrix().indptr)) @ vector().astype(int),
        {"reduce_serial": 0, "spmv_irregular": 2},
        {"memory_ahead": 64},
    ),
    "A @ x of a band": (lambda: band() @ vector(), {"reduce_serial": 0}, {"spmv_runs_ahead": 0, "spmv_run_rows": 1}),
    "A @ X": (lambda: matrix() @ vector(16), {}, {"spmm_ahead": 3, "spmm_reading": 1}),
    "A @ X, Fortran order": (
        lambda: matrix() @ np.asfortranarray(vector(9)),
        {"relayout_serial": 0},
        {"relayout_tile": 24, "relayout_block": 16},
    ),
    "A.T @ x": (lambda: matrix().T @ vector(), {"transposed_serial": 0}, {"windows_block": 7, "memory_ahead": 64}),
    "A.T @ X": (lambda: matrix().T @ vector(5), {"transposed_serial": 0}, {"transposed_block": 16, "memory_ahead": 64}),
    "A @ A": (
        lambda: (matrix() @ matrix()).data,
        {"spgemm_serial": 0, "spgemm_near_entries": 0},
        {"spgemm_ahead": 3, "spgemm_near_groups": 16, "spgemm_sample": 10, "spgemm_tiles": 5},
    ),
    "COO to CSR": (
        elements,
        {"assemble_summed_serial": 0},
        {"assemble_summed_short_row": 2, "assemble_summed_windows": 3, "assemble_summed_window": 10},
    ),
    "argsort": (
        lambda: primitives.argsort(keys()),
        {"radix_serial": 1000},
        {"radix_block": 100, "radix_tiles": 7, "radix_short": 3},
    ),
    "segmented sort": (
        lambda: primitives.segmented_sort(keys(), np.array([0, 7, 20, 4000, 9000])),
        {"segmented_sort_serial": 0, "segmented_sort_long": 0, "reduce_tile": 64},
        {"segmented_sort_run": 3, "segmented_sort_tile": 100, "segmented_sort_levels": 2},
    ),
    "bfs": (
        lambda: np.concatenate(bfs(graph(), 0)),
        {"breadth_serial": 0, "breadth_alone": 20, "breadth_pull_least": 50},
        {"breadth_block": 50, "breadth_parts": 3, "breadth_pull_words": 2, "breadth_ahead": 1, "breadth_vertex_time": 0},
    ),
    "sssp": (
        lambda: np.concatenate(sssp(graph(), 0)),
        {"relax_serial": 0, "relax_alone": 20},
        {"relax_parts": 3, "relax_near_ahead": 1, "relax_far_ahead": 1, "relax_edge_time": 0},
    ),
    "pagerank": (lambda: pagerank(graph()), {"ranks_serial": 0}, {"ranks_edge_time": 0, "memory_ahead": 64}),
    "triangles": (
        lambda: np.asarray(triangle_count(graph().symmetrize(combine="min"))),
        {"triangles_serial": 0, "triangles_near": 0},
        {"triangles_block": 50, "triangles_ahead": 1, "triangles_tiles": 5},
    ),
}
"""What is computed, numbers that lead to the kernel, and other values of the numbers it has."""


@pytest.mark.parametrize("name", dtypes.some(CASES, ["A @ x", "A @ A", "COO to CSR", "bfs"]))
def test_results_do_not_depend_on_numbers(name):
    compute, way, numbers = CASES[name]
    expected = compute()
    with TUNING.replace(**way):
        np.testing.assert_array_equal(compute(), expected)
        with TUNING.replace(**numbers):
            np.testing.assert_array_equal(compute(), expected)


def numbers_of(monkeypatch, module, multiply):
    """Return the number that the kernel of a product was made with, the last argument of `_kernel`."""
    made, original = [], module._kernel
    with monkeypatch.context() as patch:
        patch.setattr(module, "_kernel", lambda *key: made.append(key[-1]) or original(*key))
        multiply()
    return made


def test_numbers_that_are_compiled_in_count_from_the_next_call_on(monkeypatch):
    with TUNING.replace(spmm_ahead=5, memory_ahead=640):
        assert numbers_of(monkeypatch, spmm, lambda: matrix() @ vector(8)) == [5]
        assert numbers_of(monkeypatch, windows, lambda: matrix().T @ vector()) == [640]
    usual = TUNING.spmm_ahead, TUNING.memory_ahead
    assert numbers_of(monkeypatch, spmm, lambda: matrix() @ vector(8)) == [usual[0]]
    assert numbers_of(monkeypatch, windows, lambda: matrix().T @ vector()) == [usual[1]]
