"""Lines of the table of matrix operations: indexing beside SciPy."""

import warnings

import numpy as np

from spark_csr import csr_array

warnings.filterwarnings("ignore", message="Changing the sparsity structure")


def indexing(shrink):
    """(name, ours, theirs, how many times faster is wanted)."""
    sizes = {"10": (5, 2), "10k": (1000, 10), "1M": (100_000 // shrink, 10), "16M": (1_000_000 // shrink, 16)}
    for name, (rows, per_row) in sizes.items():
        yield from _selections(name, *_matrices(rows, per_row))
    yield from _assignments(*_matrices(100_000 // shrink, 10))


def _matrices(rows, per_row):
    """A random matrix of so many entries in every row, ours and SciPy's."""
    rng = np.random.default_rng(0)
    indptr = np.arange(rows + 1, dtype=np.int32) * np.int32(per_row)
    A = csr_array(
        (rng.random(rows * per_row), rng.integers(0, rows, rows * per_row).astype(np.int32), indptr), shape=(rows, rows)
    )
    A.sum_duplicates()
    S = A.copy().to_scipy()
    assert A.has_canonical_format
    assert S.has_canonical_format
    return A, S


def _selections(name, A, S):
    n, rng = A.shape[0], np.random.default_rng(1)
    some, points = rng.integers(0, n, n // 2 + 1), (rng.integers(0, n, 1000), rng.integers(0, n, 1000))
    keys = {
        "A[a:b]": (slice(1, n - 1), 1),
        "A[rows]": (some, 1),
        "A[::2]": (slice(None, None, 2), 1),
        "A[i]": (n // 2, 1),
        "A[i, j]": ((n // 2, 3), None),
        "A[:, a:b]": ((slice(None), slice(1, n - 1)), None),
        "A[:, columns]": ((slice(None), some), None),
        "A[:, j]": ((slice(None), 3), None),
        "A[i, j] of 1000": (points, None),
    }
    for text, (key, wanted) in keys.items():
        yield f"{text}, {name} entries", lambda key=key: A[key], lambda key=key: S[key], wanted


def _assignments(A, S):
    rng = np.random.default_rng(2)
    points = rng.integers(0, A.shape[0], 1000), rng.integers(0, A.shape[0], 1000)

    def set_in_copy(M):
        copy = M.copy()
        copy[points] = 1.5

    yield "A[i, j] = x, 1000 new places, with a copy", lambda: set_in_copy(A), lambda: set_in_copy(S), 1
    yield "setdiag, with a copy", lambda: A.copy().setdiag(1.0), lambda: S.copy().setdiag(1.0), None
