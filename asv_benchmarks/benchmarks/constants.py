"""The numbers that kernels were tuned with, at half and at twice what they are: how much does each of them matter here?

asv starts a process for each parameter: workers, and what is kept with a matrix, have the numbers that they were made with.
"""

import dataclasses
import operator
from functools import partial

import numpy as np

from benchmarks.common import Benchmark
from spark_csr import csr_array, eye_array, gallery, kron, linalg, primitives, prune, vstack
from spark_csr._cpu.claim import claim
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine.team.tuning import TUNING as TEAM
from spark_csr._ragged import Ragged
from spark_csr.graph import Graph, betweenness, bfs, connected_components, core_number, k_hop, pagerank, sssp, triangle_count

SMALL, MIDDLE, LARGE = 4_000, 100_000, 2_000_000
"""Entries: few; near the sizes from which on all cores are used, and far above them."""


def _matrix(entries):
    return gallery.uniform(entries // 8, entries // 8, 8)


def _vector(entries):
    return np.random.default_rng(0).standard_normal(entries)


def _products(entries):
    A, x = _matrix(entries), _vector(entries // 8)
    return lambda: A @ x


def _cube(entries):
    return gallery.poisson((int((entries / 7) ** (1 / 3)),) * 3)


def _edges(entries):
    """Differences along the edges of a grid, and its first point."""
    side = int((entries / 4) ** 0.5)
    path = eye_array(side - 1, side, format="csr") - eye_array(side - 1, side, k=1, format="csr")
    every, first = eye_array(side, format="csr"), eye_array(1, side * side, format="csr")
    return vstack([kron(path, every), kron(every, path), first], format="csr")


def _stencil(entries):
    A = _cube(entries)
    x = _vector(A.shape[0])
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


def _softmax(entries):
    R = Ragged(_vector(entries), np.arange(0, entries + 1, 8))
    return R.softmax


def _claims(entries):
    """Candidates for eight times fewer places."""
    places = np.random.default_rng(0).integers(0, entries // 8, entries).astype(np.uint32)
    return partial(claim, places, np.full(entries // 8, entries, np.int64))


def _keys(entries, bits=32):
    return np.random.default_rng(0).integers(0, 1 << bits, entries, f"uint{bits}")


def _undirected(entries):
    A = _matrix(entries // 2)
    return Graph(A + A.T.tocsr(), directed=False)


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
    "A * B": lambda n: partial(operator.mul, _matrix(n // 2), _matrix(n // 2).T.tocsr()),
    "COO to CSR": _coordinates,
    "COO to CSR of elements": _elements,
    "prune": lambda n: partial(prune, _matrix(n), threshold=0.5),
    "map": _mapped,
    "softmax": _softmax,
    "claims": _claims,
    "sort": lambda n: partial(primitives.sort, _vector(n)),
    "segmented sort": lambda n: partial(primitives.segmented_sort, _vector(n // 50 * 50), np.arange(0, n + 1, 50)),
    "merge sort": lambda n: partial(primitives.sort, _vector(n), algorithm="merge"),
    "bitonic sort": lambda n: partial(primitives.sort, _keys(n), algorithm="bitonic"),
    "odd-even sort": lambda n: partial(primitives.sort, _keys(n // 8), algorithm="odd_even"),
    "sort of two bytes": lambda n: partial(primitives.sort, _keys(n, 16)),
    "merge": lambda n: partial(primitives.merge, np.sort(_vector(n)), np.sort(_vector(n) + 1)),
    "compact": lambda n: partial(primitives.compact, _vector(n), _vector(n) > 0),
    "scan": lambda n: partial(primitives.inclusive_scan, _vector(n)),
    "bfs": lambda n: partial(bfs, _graph(n), 0),
    "hops": lambda n: partial(k_hop, Graph(gallery.poisson((int((n / 5) ** 0.5),) * 2)), n // 10, 20),
    "sssp of a grid": lambda n: partial(sssp, Graph(abs(gallery.poisson((int((n / 5) ** 0.5),) * 2))), 0),
    "sssp": lambda n: partial(sssp, _graph(n), 0),
    "components": lambda n: partial(connected_components, _graph(n)),
    "pagerank": lambda n: partial(pagerank, _graph(n)),
    "betweenness": lambda n: partial(betweenness, _graph(n), k=64, seed=0),
    "k-core": lambda n: partial(core_number, _undirected(n)),
    "cholesky": lambda n: partial(linalg.cholesky, _cube(n // 10)),
    "qr": lambda n: partial(linalg.qr, _edges(n // 20)),
    "nested dissection": lambda n: partial(linalg.ordering, _cube(n // 10), "nd"),
    "triangles": lambda n: partial(triangle_count, _graph(n).symmetrize(combine="min")),
}

MEASURED = {
    "assemble": ("COO to CSR",),
    "assemble_summed": ("COO to CSR of elements",),
    "assemble_summed_serial": ("COO to CSR",),
    "assemble_summed_short_row": ("COO to CSR", MIDDLE),
    "bitonic": ("bitonic sort",),
    "brandes": ("betweenness",),
    "brandes_serial": ("betweenness", SMALL),
    "breadth": ("bfs",),
    "breadth_alone": ("bfs", MIDDLE),
    "breadth_pull_least": ("bfs", MIDDLE),
    "cholesky": ("cholesky", LARGE),
    "claim": ("claims",),
    "compact": ("compact",),
    "counting": ("sort of two bytes",),
    "dissect": ("nested dissection", LARGE),
    "drain": ("k-core", LARGE),
    "elementwise": ("A + B",),
    "elementwise_wide": ("A * B", SMALL),
    "for_each": ("map",),
    "keep": ("prune",),
    "memory": ("A @ x",),
    "merge": ("merge",),
    "merge_sort": ("merge sort",),
    "near": ("hops", MIDDLE),
    "odd_even": ("odd-even sort", MIDDLE),
    "qr": ("qr", LARGE),
    "radix": ("sort",),
    "ranks": ("pagerank",),
    "reduce": ("A @ x",),
    "reduce_tile": ("A @ x", MIDDLE),
    "reduce_tiles": ("A @ x", LARGE),
    "relax": ("sssp",),
    "relax_low_degree": ("sssp of a grid", MIDDLE),
    "relax_near_ahead": ("sssp of a grid",),
    "relayout": ("A @ X, Fortran order",),
    "scan": ("scan",),
    "segmented_sort": ("segmented sort",),
    "softmax": ("softmax",),
    "spgemm": ("A @ A",),
    "spmm": ("A @ X",),
    "spmm_ahead": ("A @ X, 32 columns",),
    "spmm_few_entries": ("A @ X, Fortran order",),
    "spmm_large_bytes": ("A @ X, Fortran order",),
    "spmm_near_columns": ("A @ X, Fortran order",),
    "spmv": ("A @ x",),
    "spmv_run": ("A @ x of a stencil",),
    "spmv_runs_from": ("A @ x of a stencil", SMALL),
    "team": ("A @ x", MIDDLE),
    "transpose": ("A.T",),
    "transposed": ("A.T @ X",),
    "transposed_block": ("A.T @ X", MIDDLE),
    "transposed_blocks": ("A.T @ X", LARGE),
    "transposed_serial": ("A.T @ x",),
    "triangles": ("triangles",),
    "windows": ("A.T @ x",),
}
"""By the beginnings of names, of which the longest counts: an operation that depends on a number, and the entries where it
matters; without them few enough for one core and for more if the number says how many these are, else many."""


def measured(field):
    """Return the operation that a number is measured by, and its entries."""
    found = max((start for start in MEASURED if field.name.startswith(start)), key=len, default=None)
    if found is None:
        raise LookupError(f"`{field.name}` is measured by no operation: name one in MEASURED")
    operation, *entries = MEASURED[found]
    return operation, *(entries or [MIDDLE if field.metadata["kind"] == "serial" else LARGE])


CONSTANTS = {field.name: measured(field) for numbers in (TEAM, TUNING) for field in dataclasses.fields(numbers)}
"""The operation and the entries for each number."""


def changed(constant, times):
    """Return the operation that depends on a number, after multiplying it, and the bytes of its entries."""
    numbers = TEAM if hasattr(TEAM, constant) else TUNING
    value = getattr(numbers, constant)
    setattr(numbers, constant, type(value)(value * times))
    operation, entries = CONSTANTS[constant]
    return OPERATIONS[operation](entries), 8 * entries


class Constants(Benchmark):
    """One operation that depends on a number, with that number multiplied."""

    param_names = ("constant", "times", "backend")
    params = (list(CONSTANTS), [0.5, 1, 2], ["cpu"])

    def prepare(self, constant, times):
        return changed(constant, times)
