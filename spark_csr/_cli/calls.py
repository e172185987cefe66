"""The operations whose kernels `compile` compiles, and the operands that it calls them with.

The kernels that an operation needs depend on the dtypes, on the number of entries, and for `A @ x` on the length of the rows.
So each operation is called on small matrices and on large ones of four kinds: rows of a few entries, irregular rows, shifted
rows as in the matrices of grids, and one long row. `A @ x` is also called on huge matrices, which do not fit into caches.
"""

import functools
from typing import NamedTuple

import numpy as np

import spark_csr
from spark_csr import gallery, graph, linalg, primitives
from spark_csr._cli import measure
from spark_csr.gallery._parts import random_values


class Operands(NamedTuple):
    """The operands of operations: `A` and `B` of one shape, their coordinates, vectors, dense matrices, rows."""

    A: spark_csr.csr_array
    B: spark_csr.csr_array
    coordinates: tuple
    x: np.ndarray
    X: np.ndarray
    rows: np.ndarray
    mask: np.ndarray


def operands(dtype, index, size):
    """Return the `Operands` of every kind of pattern, for one dtype of values and one of index arrays."""
    return [operands_of(A, dtype, index) for A in _matrices(size)]


@functools.cache
def _matrices(size):
    if size == "small":
        return [gallery.uniform(500, 500, 4), gallery.uniform(500, 500, 20)]
    if size == "huge":
        return [gallery.uniform(150_000, 150_000, 16), gallery.rmat(17, 24), gallery.poisson((70, 70, 70))]
    return [
        gallery.uniform(200_000, 200_000, 2),
        gallery.rmat(14, 12),
        gallery.poisson((50, 50, 50)),
        gallery.one_dense_row(100_000, 100_000, 3),
    ]


def operands_of(A, dtype, index):
    """Return the `Operands` of one pattern."""
    n, rng = A.shape[0], np.random.default_rng(0)
    A = spark_csr.csr_array((random_values(rng, A.nnz, dtype), A.indices.astype(index), A.indptr.astype(index)), shape=A.shape)
    B = A.T.tocsr()
    coordinates = A.tocoo()
    order = rng.permutation(A.nnz)
    coordinates = tuple(part[order] for part in (coordinates.data, coordinates.row, coordinates.col))
    rows = rng.integers(0, n, n // 10)
    return Operands(
        A, B, coordinates, random_values(rng, n, dtype), random_values(rng, (n, 8), dtype), rows, rng.random(n) < 0.5
    )


def _make_from_coordinates(o):
    ascending = o.A.tocoo()
    for data, row, column in (o.coordinates, (ascending.data, ascending.row, ascending.col)):
        for index in (row.dtype, np.int64):  # int64 is what NumPy makes of coordinates in lists
            coordinates = row.astype(index), column.astype(index)
            spark_csr.csr_array((data, coordinates), shape=o.A.shape)
            spark_csr.coo_array((data, coordinates), shape=o.A.shape).tocsr()


def _eliminate_zeros(o):
    A = o.A.copy()
    A.data[::3] = 0
    A.eliminate_zeros()


def _call_ragged(o):
    ragged = spark_csr.Ragged(o.A.data, o.A.indptr)
    for reduction in (ragged.sum, ragged.mean, ragged.max, ragged.min):
        reduction(axis=1)


def _solve(o):
    A = gallery.poisson((50, 50)).astype(o.x.dtype)
    linalg.spsolve(A, np.ones(A.shape[0], o.x.dtype))
    linalg.ordering(A, "nd")


def _solve_least_squares(o):
    A = gallery.poisson((50, 50))[:, :2400].astype(o.x.dtype)
    linalg.lstsq(A, np.ones(A.shape[0], o.x.dtype))


def _call_algorithm(algorithm):
    return lambda o: algorithm(graph.Graph(o.A))


CALLS = {
    "A @ x": lambda o: (o.A @ o.x, o.x @ o.B),
    "A @ X": lambda o: (o.A @ o.X, o.A @ o.X.copy(order="F"), o.A @ o.X[:, :2]),
    "A.T @ x": lambda o: o.A.T @ o.x,
    "A.T @ X": lambda o: o.A.T @ o.X,
    "A @ B": lambda o: o.A[: min(len(o.rows), 2000)] @ o.B,
    "csr_array((data, (i, j)))": _make_from_coordinates,
    "A.T.tocsr()": lambda o: (o.A.T.tocsr(), o.A.tocoo(), o.A.tocsc()),
    "A + B": lambda o: (o.A + o.B, o.A - o.B),
    "A.multiply(B)": lambda o: (o.A.multiply(o.B), o.A.multiply(o.x)),
    "A < B": lambda o: (o.A < o.B, o.A != o.B),
    "A.sum": lambda o: (o.A.sum(axis=0), o.A.sum(axis=1), o.A.sum(), o.A.mean(axis=1)),
    "A.max": lambda o: (o.A.max(axis=0), o.A.max(axis=1), o.A.max()),
    "A.min": lambda o: (o.A.min(axis=0), o.A.min(axis=1), o.A.min()),
    "A[rows]": lambda o: (o.A[o.rows], o.A[o.mask], o.A[10:-10], o.A[3]),
    "A[:, columns]": lambda o: (o.A[:, o.rows], o.A[:, 10:-10]),
    "A[rows, columns]": lambda o: o.A[o.rows, o.rows],
    "A.diagonal()": lambda o: (o.A.diagonal(), o.A.count_nonzero(), o.A.trace()),
    "A.toarray()": lambda o: o.A[:200, :200].toarray() if o.A.shape[0] > 1000 else o.A.toarray(),
    "A.eliminate_zeros()": _eliminate_zeros,
    "A.astype": lambda o: (o.A.astype(np.float64), o.A.astype(np.float32), abs(o.A), -o.A),
    "prune": lambda o: (spark_csr.prune(o.A, 0.5), spark_csr.prune(o.A, topk=2)),
    "vstack": lambda o: (spark_csr.vstack([o.A, o.B]), spark_csr.hstack([o.A, o.B])),
    "sort": lambda o: (primitives.sort(o.A.indices), primitives.sort(o.A.data), primitives.argsort(o.A.data)),
    "scan": lambda o: (primitives.inclusive_scan(o.A.data), primitives.exclusive_scan(o.A.indptr[1:] - o.A.indptr[:-1])),
    "compact": lambda o: (primitives.compact(o.x, o.mask), primitives.partition(o.x, o.mask)),
    "segmented_reduce": lambda o: primitives.segmented_reduce(o.A.data, o.A.indptr),
    "Ragged": _call_ragged,
    "bandwidth": lambda o: (measure.read_bandwidth(1), measure.copy_bandwidth(1)),
    "cg": lambda o: linalg.cg(o.A, o.x, maxiter=2),
    "spsolve": _solve,
    "lstsq": _solve_least_squares,
    "bfs": _call_algorithm(lambda G: graph.bfs(G, 0)),
    "sssp": _call_algorithm(lambda G: graph.sssp(G, 0)),
    "pagerank": _call_algorithm(lambda G: graph.pagerank(G, tol=1e-3)),
    "connected_components": _call_algorithm(graph.connected_components),
}
"""The calls of each operation, by its name."""

SIZES = {"A @ x": ("small", "large", "huge")}
"""The sizes of matrices for an operation, by its name; other operations use small and large ones."""
