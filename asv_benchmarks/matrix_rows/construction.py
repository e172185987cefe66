"""Rows of the comparison of matrices with SciPy: making them."""

import numpy as np
import scipy.sparse as sp

import spark_csr as ours
from spark_csr import gallery


def construction(shrink):
    """(name, ours, theirs, how many times faster is wanted); five million entries and more in each."""
    n = 500_000 // shrink
    A = gallery.uniform(n, n, 10)
    S = A.to_scipy()
    yield "vstack 5M + 5M", lambda: ours.vstack([A, A]), lambda: sp.vstack([S, S]), 1
    yield "hstack 5M + 5M", lambda: ours.hstack([A, A]), lambda: sp.hstack([S, S]), 1
    yield "tril 5M", lambda: ours.tril(A), lambda: sp.tril(S, format="csr"), 1
    yield "find 5M", lambda: ours.find(A), lambda: sp.find(S), None
    grid, small = gallery.poisson((600_000 // shrink,)), gallery.poisson((4,))
    T, U = grid.to_scipy(), small.to_scipy()
    yield "kron of tridiagonal, 18M", lambda: ours.kron(grid, small), lambda: sp.kron(T, U, format="csr"), 1
    square, density = (n, n), 5e6 / shrink / n**2
    yield (
        "random_array 5M, few of all places",
        lambda: ours.random_array(square, density=density, rng=0),
        lambda: sp.random_array(square, density=density, rng=0, format="csr"),
        1,
    )
    half = (2000, 5000 // shrink)
    yield (
        "random_array 5M, half of all places",
        lambda: ours.random_array(half, density=0.5, rng=0),
        lambda: sp.random_array(half, density=0.5, rng=0, format="csr"),
        1,
    )
    yield "eye_array 5M", lambda: ours.eye_array(10 * n), lambda: sp.eye_array(10 * n, format="csr"), 1
    middle, options = np.linspace(1.0, 2.0, 2 * n), {"offsets": [-1000, -1, 0, 1, 1000], "shape": (2 * n, 2 * n)}
    lines = [-1.0, -1.0, middle, -1.0, -1.0]
    yield (
        "diags_array, 5 of 1M",
        lambda: ours.diags_array(lines, **options),
        lambda: sp.diags_array(lines, **options, format="csr"),
        1,
    )
