"""What one does with matrices: conversions, entry by entry, reductions, indexing, construction; large ones and small ones."""

import functools
import warnings

import numpy as np

from peers.matrices import uniform
from rows import once, sized
from spark_csr import csr_array, gallery
from timing import Row

warnings.filterwarnings("ignore", message="Changing the sparsity structure")


def rows(options):
    """All of them."""
    size = functools.partial(sized, options)
    large = once(lambda: gallery.uniform(size(1_000_000), size(1_000_000), 16))
    for family in (conversions, arithmetic, reductions, indexing, construction):
        yield from family(size, large)


def conversions(size, large):
    """From one form to another, and pruning."""
    drawn = once(lambda: _drawn(size(10_000_000), size(1_000_000)))
    moved = lambda data, i, j, shape: 36 * data.size  # noqa: E731
    yield Row("COO to CSR, 10 a row", "COO to CSR", drawn, 2.5, moved)
    for name, make in {"1M sorted": _sorted, "1.6M of triangles": _triangles}.items():
        yield Row(f"COO to CSR, {name}", "COO to CSR", functools.partial(make, size), 1)
    for entries in (500, 5_000, 50_000):
        few = functools.partial(_drawn, entries, entries // 8)
        yield Row(f"COO to CSR, {entries:,}", "COO to CSR", few, 1)
    yield Row("toarray, 3,000 squared", "toarray", lambda: (gallery.uniform(size(3000, 2), size(3000, 2), 3),), 1)
    yield Row("tocsc, 16 a row", "tocsc", lambda: (large(),), 3, lambda A: 24 * A.nnz)
    yield Row("tocsc, 10,000 entries", "tocsc", lambda: (gallery.uniform(1000, 1000, 10),), 1)
    yield Row("prune, half kept", "prune", lambda: (large(), 0.5), 6, lambda A, threshold: 18 * A.nnz)

    def halved():
        A = large()
        return csr_array((A.data * (np.random.default_rng(0).random(A.nnz) < 0.5), A.indices, A.indptr), shape=A.shape)

    def shuffled():
        A = large()
        columns = np.random.default_rng(0).integers(0, A.shape[1], A.nnz, np.int32)
        return csr_array((A.data, columns, A.indptr), shape=A.shape)

    yield Row("eliminate_zeros, half of the entries zero", "eliminate_zeros", lambda: (halved(),), 6)
    yield Row("sort_indices", "sort_indices", lambda: (shuffled(),), 1)
    yield Row("sum_duplicates", "sum_duplicates", lambda: (shuffled(),), 1)


def _drawn(entries, side):
    rng = np.random.default_rng(0)
    i, j = (rng.integers(0, side, entries, np.int32) for _ in range(2))
    return rng.random(entries), i, j, (side, side)


def _sorted(size):
    A = gallery.uniform(size(100_000), size(100_000), 10).tocoo()
    return np.array(A.data), np.array(A.row), np.array(A.col), A.shape


def _triangles(size):
    """Those that the elements of a mesh add to."""
    side = size(300, 2)
    corners = np.arange((side + 1) ** 2, dtype=np.int32).reshape(side + 1, side + 1)
    a, b, c, d = (x.ravel() for x in (corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]))
    triangles = np.stack([a, b, c, b, c, d], axis=1).reshape(-1, 3)
    i, j = np.repeat(triangles, 3, axis=1).ravel(), np.tile(triangles, 3).ravel()
    return np.random.default_rng(0).random(i.size), i, j, (corners.size, corners.size)


def arithmetic(size, large):
    """Two matrices of other patterns, of one pattern, and a matrix with a number or a dense row."""
    other = once(lambda: gallery.uniform(*large().shape, 16, seed=2))
    two, same, one = lambda: (large(), other()), lambda: (large(), large()), lambda: (large(),)
    equal = lambda: (large(), csr_array((large().data + 1, large().indices.copy(), large().indptr.copy())))  # noqa: E731
    row = lambda: (large(), np.random.default_rng(0).random(large().shape[1]))  # noqa: E731
    yield Row("A + B, 16M", "A + B", two, 1.5, lambda A, B: 24 * (A.nnz + B.nnz))
    for name, wanted in {"A - B": 1.5, "A.multiply(B)": 1.5, "A.maximum(B)": None, "A < B": None}.items():
        yield Row(f"{name}, 16M", name, two, wanted)
    yield Row("A + A, 16M", "A + B", same, 1.5)
    yield Row("A + B, equal patterns, 16M", "A + B", equal)
    yield Row("A * 2, 16M", "A * 2", one)
    yield Row("A * dense row, 16M", "A * dense row", row)
    for n in (100, 1000):
        small = functools.partial(lambda n: tuple(gallery.uniform(n, n, 10, seed=seed) for seed in (1, 2)), n)
        for name in ("A + B", "A.multiply(B)", "A < B"):
            yield Row(f"{name}, {10 * n:,} entries", name, small, 1)


def reductions(size, large):
    """16 entries in each of a million rows, and few in all."""
    few = once(lambda: uniform(640))
    for title, A, wanted in (("16M", large, {"sum rows": 3, "max rows": 4}), ("10,000", few, {})):
        for name in ("sum rows", "sum columns", "sum", "mean rows", "max rows", "max columns", "max", "nanmax rows", "argmax"):
            method, _, axis = name.partition(" ")
            operands = lambda A=A, axis=axis: (A(), {"rows": 1, "columns": 0, "": None}[axis])  # noqa: E731
            yield Row(f"{name}, {title} entries", method, operands, wanted.get(name, 1), lambda A, axis: 8 * A.nnz)
        yield Row(f"count_nonzero rows, {title} entries", "count_nonzero", lambda A=A: (A(), 1), 1)
    yield Row("argmax rows, 0.16M entries", "argmax", lambda: (uniform(10_000), 1), 1)


def indexing(size, large):
    """Parts of matrices of many sizes, and places set."""
    for title, (n, per_row) in {"10": (5, 2), "10k": (1000, 10), "1M": (size(100_000), 10), "16M": (None, 16)}.items():
        A = large if n is None else once(functools.partial(uniform, n, per_row))
        for name, (key, wanted) in KEYS.items():
            yield Row(f"{name}, {title} entries", "A[key]", lambda A=A, key=key: (A(), key(A().shape[0])), wanted)
    A = once(lambda: uniform(size(100_000), 10))
    points = lambda: (A(), _places(A().shape[0]), 1.5)  # noqa: E731
    yield Row("A[i, j] = x, 1000 new places, with a copy", "A[key] = x, with a copy", points, 1)
    yield Row("setdiag, with a copy", "setdiag, with a copy", lambda: (A(),))


def _some(n):
    return np.random.default_rng(1).integers(0, n, n // 2 + 1)


def _places(n):
    rng = np.random.default_rng(1)
    return rng.integers(0, n, 1000), rng.integers(0, n, 1000)


KEYS = {
    "A[a:b]": (lambda n: slice(1, n - 1), 1),
    "A[rows]": (_some, 1),
    "A[::2]": (lambda n: slice(None, None, 2), 1),
    "A[i]": (lambda n: n // 2, 1),
    "A[i, j]": (lambda n: (n // 2, 3), None),
    "A[:, a:b]": (lambda n: (slice(None), slice(1, n - 1)), None),
    "A[:, columns]": (lambda n: (slice(None), _some(n)), None),
    "A[:, j]": (lambda n: (slice(None), 3), None),
    "A[i, j] of 1000": (_places, None),
}
"""By name the maker of a key for so many rows and columns, and how many times faster than SciPy is wanted."""


def construction(size, large):
    """Matrices of matrices, by chance, of diagonals: five million entries and more."""
    n = size(500_000)
    A = once(lambda: (gallery.uniform(n, n, 10),))
    for name, wanted in {"vstack": 1, "hstack": 1, "tril": 1, "find": None}.items():
        yield Row(f"{name}, 5M", name, A, wanted)
    yield Row("kron of tridiagonal, 18M", "kron", lambda: (gallery.poisson((size(600_000),)), gallery.poisson((4,))), 1)
    few, half = {"density": 10 / n, "rng": 0}, {"density": 0.5, "rng": 0}
    drawn = ("random_array",)  # in another order than SciPy's: what is drawn differs
    yield Row("random_array 5M, few of all places", *drawn, lambda: ((n, n), few), 1)
    yield Row("random_array 5M, half of all places", *drawn, lambda: ((2000, size(5000)), half), 1)
    yield Row("eye_array 5M", "eye_array", lambda: (10 * n, {}), 1)
    yield Row("diags_array, 5 of 1M", "diags_array", lambda: diagonals(2 * n), 1)


def diagonals(n):
    """Five of a square matrix, as the operands of `diags_array`."""
    far = min(1000, n - 1)
    lines = [-1.0, -1.0, np.linspace(1.0, 2.0, n), -1.0, -1.0]
    return lines, {"offsets": [-far, -1, 0, 1, far], "shape": (n, n)}
