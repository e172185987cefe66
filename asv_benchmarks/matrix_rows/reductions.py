"""Lines of the table that compares matrices with SciPy's: reductions."""

import numpy as np

from spark_csr import csr_array


def reductions(shrink):
    """(name, ours, theirs, how many times faster is wanted): 16 random entries in each of a million rows, and few in all."""
    for rows, wanted in ((1_000_000 // shrink, {"sum rows": 3, "max rows": 4}), (640, {})):
        A = _uniform(rows)
        S = A.to_scipy()
        size = f"{A.nnz / 1e6:.2g}M entries"
        for name, method, axis in (
            ("sum rows", "sum", 1),
            ("sum columns", "sum", 0),
            ("sum", "sum", None),
            ("mean rows", "mean", 1),
            ("max rows", "max", 1),
            ("max columns", "max", 0),
            ("max", "max", None),
            ("nanmax rows", "nanmax", 1),
            ("argmax", "argmax", None),
            ("count_nonzero rows", "count_nonzero", 1),
        ):
            yield f"{name}, {size}", _call(A, method, axis), _call(S, method, axis), wanted.get(name, 1)
    small, theirs = _uniform(10_000), _uniform(10_000).to_scipy()
    yield "argmax rows, 0.16M entries", _call(small, "argmax", 1), _call(theirs, "argmax", 1), 1


def _uniform(rows):
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, rows, (rows, 16), np.int32), axis=1).ravel()
    A = csr_array((rng.random(columns.size), columns, np.arange(0, columns.size + 1, 16)), shape=(rows, rows))
    A.sum_duplicates()
    return A


def _call(matrix, method, axis):
    reduce = getattr(matrix, method)
    return lambda: reduce(axis=axis)
