"""The numbers that kernels were tuned with, at half and at twice what they are: how much does each of them matter here?

asv starts a process for each parameter, so kernels are compiled with the changed number; a number that a kernel has compiled in
cannot be changed later in the same process.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.common import Benchmark
from spark_csr import csr_array, gallery, primitives, prune
from spark_csr._ragged import Ragged
from spark_csr.graph import Graph, bfs, connected_components, pagerank, sssp, triangle_count

SMALL, MIDDLE, LARGE = 4_000, 100_000, 2_000_000
"""Entries: few; near the sizes from which on all cores are used, and far above them."""


def _matrix(entries):
    return gallery.uniform(entries // 8, entries // 8, 8)


def _vector(entries):
    return np.random.default_rng(0).standard_normal(entries)


def _products(entries):
    A, x = _matrix(entries), _vector(entries // 8)
    return lambda: A @ x


def _stencil(entries):
    side = int((entries / 7) ** (1 / 3))
    A, x = gallery.poisson((side,) * 3), _vector(side**3)
    return lambda: A @ x


def _blocks(entries, columns=8, order="C", transposed=False):
    A = _matrix(entries // columns)
    X = np.asarray(np.random.default_rng(0).standard_normal((A.shape[0], columns)), order=order)
    return lambda: A.T @ X if transposed else A @ X


def _transposed(entries):
    A, x = _matrix(entries), _vector(entries // 8)
    return lambda: A.T @ x


def _transpose(A):
    return lambda: A.T.tocsr()


def _square(entries):
    A = _matrix(entries // 8)
    return lambda: A @ A


def _coordinates(entries):
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, entries // 8, (2, entries))
    data = rng.standard_normal(entries)
    return lambda: csr_array((data, (rows, columns)), shape=(entries // 8, entries // 8))


def _elements(entries):
    """Entries of triangles on a grid, seven places in a row, each place up to six times."""
    side = int((entries / 18) ** 0.5)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1, 1)
    corners = [0, 1, side + 1], [1, side + 1, side + 2]
    triangles = np.concatenate([corner + np.array(three) for three in corners], axis=1).reshape(-1, 3)
    rows, columns = np.repeat(triangles, 3, axis=1).ravel(), np.tile(triangles, 3).ravel()
    n, data = (side + 1) ** 2, _vector(rows.size)
    return lambda: csr_array((data, (rows, columns)), shape=(n, n))


def _sum(entries):
    A, B = _matrix(entries // 2), _matrix(entries // 2).T.tocsr()
    return lambda: A + B


def _graph(entries):
    return Graph(gallery.rmat(int(np.log2(entries // 16)), 16))


def _mapped(entries):
    R = Ragged(_vector(entries), np.arange(0, entries + 1, 8))
    return lambda: R.map(_less)


def _less(value, i, j):
    return value - j


OPERATIONS = {
    "A @ x": _products,
    "A @ x of a stencil": _stencil,
    "A @ X": _blocks,
    "A @ X, 32 columns": partial(_blocks, columns=32),
    "A @ X, Fortran order": partial(_blocks, order="F"),
    "A.T @ x": _transposed,
    "A.T @ X": partial(_blocks, transposed=True),
    "A.T": lambda n: _transpose(_matrix(n)),
    "A @ A": _square,
    "A + B": _sum,
    "COO to CSR": _coordinates,
    "COO to CSR of elements": _elements,
    "prune": lambda n: partial(prune, _matrix(n), threshold=0.5),
    "map": _mapped,
    "sort": lambda n: partial(primitives.sort, _vector(n)),
    "segmented sort": lambda n: partial(primitives.segmented_sort, _vector(n // 50 * 50), np.arange(0, n + 1, 50)),
    "merge sort": lambda n: partial(primitives.sort, _vector(n), algorithm="merge"),
    "merge": lambda n: partial(primitives.merge, np.sort(_vector(n)), np.sort(_vector(n) + 1)),
    "compact": lambda n: partial(primitives.compact, _vector(n), _vector(n) > 0),
    "scan": lambda n: partial(primitives.inclusive_scan, _vector(n)),
    "bfs": lambda n: partial(bfs, _graph(n), 0),
    "sssp of a grid": lambda n: partial(sssp, Graph(abs(gallery.poisson((int((n / 5) ** 0.5),) * 2))), 0),
    "sssp": lambda n: partial(sssp, _graph(n), 0),
    "components": lambda n: partial(connected_components, _graph(n)),
    "pagerank": lambda n: partial(pagerank, _graph(n)),
    "triangles": lambda n: partial(triangle_count, _graph(n)),
}

CONSTANTS = {
    "assemble.SERIAL": ("COO to CSR", MIDDLE),
    "assemble.CHUNKS": ("COO to CSR", LARGE),
    "assemble.BINS": ("COO to CSR", LARGE),
    "assemble.BUCKETS": ("COO to CSR", LARGE),
    "assemble_summed.SERIAL": ("COO to CSR", MIDDLE),
    "assemble_summed.WINDOW": ("COO to CSR of elements", LARGE),
    "breadth.ALONE": ("bfs", MIDDLE),
    "breadth.PARTS": ("bfs", LARGE),
    "breadth.SERIAL": ("bfs", MIDDLE),
    "breadth.BLOCK": ("bfs", LARGE),
    "breadth_pull.WORDS": ("bfs", LARGE),
    "breadth.AHEAD": ("bfs", LARGE),
    "breadth.LEAST": ("bfs", MIDDLE),
    "compact.TILE": ("compact", LARGE),
    "compact.SERIAL": ("compact", MIDDLE),
    "elementwise.SERIAL": ("A + B", MIDDLE),
    "elementwise.TILE": ("A + B", LARGE),
    "foreach.SERIAL": ("map", MIDDLE),
    "foreach.TILE": ("map", LARGE),
    "memory.AHEAD": ("A @ x", LARGE),
    "merge.TILE": ("merge", LARGE),
    "merge_sort.CHUNK": ("merge sort", LARGE),
    "keep.TILE": ("prune", LARGE),
    "keep.SERIAL": ("prune", MIDDLE),
    "radix.SERIAL": ("sort", MIDDLE),
    "radix.SHARES": ("sort", LARGE),
    "ranks.STAGES": ("pagerank", LARGE),
    "ranks.TILE": ("pagerank", LARGE),
    "relax.STEP": ("sssp", LARGE),
    "relax.SERIAL": ("sssp", MIDDLE),
    "relax.ALONE": ("sssp", LARGE),
    "relax.PARTS": ("sssp", LARGE),
    "relax_scan.AHEAD": ("sssp", LARGE),
    "relax.FEW": ("sssp of a grid", MIDDLE),
    "relax_scan.NEXT": ("sssp of a grid", LARGE),
    "relayout.ROWS": ("A @ X, Fortran order", LARGE),
    "relayout.TILE": ("A @ X, Fortran order", LARGE),
    "row_sums.FEW": ("COO to CSR", MIDDLE),
    "scan.BLOCK": ("scan", LARGE),
    "scan.SERIAL": ("scan", MIDDLE),
    "segmented.SERIAL": ("A @ x", MIDDLE),
    "segmented.TILE": ("A @ x", MIDDLE),
    "segmented.TILES": ("A @ x", LARGE),
    "segmented_sort.LONG": ("segmented sort", LARGE),
    "segmented_sort.PIECE": ("segmented sort", LARGE),
    "segmented_sort.SERIAL": ("segmented sort", MIDDLE),
    "shifts.AHEAD": ("A @ x of a stencil", LARGE),
    "shifts.ROWS": ("A @ x of a stencil", LARGE),
    "spgemm_plan.PARTS": ("A @ A", LARGE),
    "spgemm_plan.NEAR": ("A @ A", LARGE),
    "spgemm_plan.SERIAL": ("A @ A", MIDDLE),
    "spgemm_plan.CHUNKS": ("A @ A", LARGE),
    "spmm.SERIAL": ("A @ X", MIDDLE),
    "spmm.AHEAD": ("A @ X, 32 columns", LARGE),
    "spmm.READING": ("A @ X", LARGE),
    "spmv.FAR": ("A @ x", LARGE),
    "spmv.IRREGULAR": ("A @ x", LARGE),
    "spmv.SMALL": ("A @ x of a stencil", SMALL),
    "team.workers.HAND_OVER": ("A @ x", MIDDLE),
    "team.workers.SPIN": ("A @ x", MIDDLE),
    "team.workers.WAKE": ("A @ x", MIDDLE),
    "team.workers.RARELY": ("A @ x", MIDDLE),
    "team.workers.PATIENCE": ("A @ x", MIDDLE),
    "transpose.SERIAL": ("A.T", MIDDLE),
    "spmv_transposed.SERIAL": ("A.T @ x", MIDDLE),
    "spmv_transposed.BLOCK": ("A.T @ X", MIDDLE),
    "spmv_transposed.BLOCKS": ("A.T @ X", LARGE),
    "triangles.SERIAL": ("triangles", MIDDLE),
    "triangles.CHUNKS": ("triangles", LARGE),
    "triangles.AHEAD": ("triangles", LARGE),
    "windows.BLOCK": ("A.T @ x", LARGE),
}


def changed(constant, times):
    """Return the operation that depends on a constant, after multiplying it, and the bytes of its entries."""
    module, _, name = constant.rpartition(".")
    module = importlib.import_module(f"spark_csr._cpu.{module}")
    value = getattr(module, name)
    setattr(module, name, type(value)(value * times))
    operation, entries = CONSTANTS[constant]
    return OPERATIONS[operation](entries), 8 * entries


class Constants(Benchmark):
    """One operation that depends on a number, with that number multiplied."""

    param_names = ("constant", "times", "backend")
    params = (list(CONSTANTS), [0.5, 1, 2], ["cpu"])

    def prepare(self, constant, times):
        return changed(constant, times)
