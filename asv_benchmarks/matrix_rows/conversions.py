"""Rows of the table of matrices: from one form to another, and pruning."""

import numpy as np
import scipy.sparse as sp

from side_by_side import InPlace
from spark_csr import csr_array, gallery, prune
from spark_csr._operations.form.canonical import sort_indices, sum_duplicates
from spark_csr._operations.form.convert import from_coo
from spark_csr._operations.form.record import Csr
from spark_csr._operations.form.transpose import transpose


def conversions(shrink):
    """(name, ours, theirs, how many times faster is wanted)."""
    rng = np.random.default_rng(0)
    n, rows = 10_000_000 // shrink, 1_000_000 // shrink
    i, j = (rng.integers(0, rows, n, np.int32) for _ in range(2))
    data = rng.random(n)

    def canonical():
        S = sp.coo_array((data, (i, j)), shape=(rows, rows)).tocsr()
        S.sum_duplicates()

    yield "COO to CSR, 10 a row", lambda: from_coo(i, j, data, (rows, rows)), canonical, 2.5
    for name, places, side in _coordinates(shrink):
        args, shape = (rng.random(places[0].size), places), (side, side)
        yield (
            f"COO to CSR, {name}",
            lambda args=args, shape=shape: csr_array(args, shape=shape),
            lambda args=args, shape=shape: sp.coo_array(args, shape=shape).tocsr(),
            1,
        )
    square = gallery.uniform(3000, 3000, 10)
    yield "toarray, 3,000 squared", square.toarray, square.to_scipy().toarray, 1
    uniform = gallery.uniform(rows, rows, 16)
    for name, A, wanted in (("16 a row", uniform, 3), ("10,000 entries", gallery.uniform(1000, 1000, 10), 1)):
        S = A.to_scipy()
        yield f"transpose, {name}", lambda csr=A._csr: transpose(csr), lambda S=S: S.tocsc(), wanted
    halves = uniform.data * (rng.random(uniform.nnz) < 0.5)
    A = csr_array((halves, uniform.indices, uniform.indptr), shape=uniform.shape)
    S = A.to_scipy()
    yield "eliminate_zeros, half of the entries zero", InPlace(A, "eliminate_zeros"), InPlace(S, "eliminate_zeros"), 6
    yield "prune into a new matrix", lambda: prune(A), lambda: S.copy().eliminate_zeros(), 6
    shuffled = rng.integers(0, rows, uniform.nnz, np.int32)
    arrays = uniform._csr.indptr, shuffled, uniform.data
    T = sp.csr_array(arrays[::-1], shape=uniform.shape)
    yield "sort_indices", lambda: sort_indices(Csr(*arrays, A.shape)), InPlace(T, "sort_indices"), 1
    yield "sum_duplicates", lambda: sum_duplicates(Csr(*arrays, A.shape)), InPlace(T, "sum_duplicates"), 1


def _coordinates(shrink):
    """Yield (name, rows and columns, side): sorted ones, those that the elements of a mesh add to, and few."""
    A = gallery.uniform(100_000 // shrink, 100_000 // shrink, 10).tocoo()
    yield "1M sorted", (np.array(A.row), np.array(A.col)), A.shape[0]
    side = 300 // int(shrink**0.5)
    corners = np.arange((side + 1) ** 2, dtype=np.int32).reshape(side + 1, side + 1)
    a, b, c, d = (x.ravel() for x in (corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]))
    triangles = np.stack([a, b, c, b, c, d], axis=1).reshape(-1, 3)
    yield "1.6M of triangles", (np.repeat(triangles, 3, axis=1).ravel(), np.tile(triangles, 3).ravel()), corners.size
    for entries in (500, 5_000, 50_000):
        yield f"{entries:,}", tuple(np.random.default_rng(0).integers(0, entries // 8, (2, entries))), entries // 8
