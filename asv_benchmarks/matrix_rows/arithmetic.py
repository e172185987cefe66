"""Rows of the table of matrices: what is computed entry by entry, against SciPy."""

import operator

import numpy as np

from spark_csr import gallery


def arithmetic(shrink):
    """(name, ours, theirs, how many times faster is wanted)."""
    rows = 1_000_000 // shrink
    A, B = (gallery.uniform(rows, rows, 16, seed=seed) for seed in (1, 2))
    C = type(A)((A.data + 1, A.indices.copy(), A.indptr.copy()), shape=A.shape)
    S, T, R = A.to_scipy(), B.to_scipy(), C.to_scipy()
    row = np.random.default_rng(0).random(rows)
    yield "A + B 16M", lambda: A + B, lambda: S + T, 1.5
    yield "A - B 16M", lambda: A - B, lambda: S - T, 1.5
    yield "A.multiply(B) 16M", lambda: A.multiply(B), lambda: S.multiply(T), 1.5
    yield "A.maximum(B) 16M", lambda: A.maximum(B), lambda: S.maximum(T), None
    yield "A < B 16M", lambda: A < B, lambda: S < T, None
    yield "A + A 16M", lambda: A + A, lambda: S + S, 1.5
    yield "A + B, equal patterns 16M", lambda: A + C, lambda: S + R, None
    yield "A * 2 16M", lambda: A * 2, lambda: S * 2, None
    yield "A * dense row 16M", lambda: A * row, lambda: S * row, None
    for size in (100, 1000):
        yield from _small(size)


def _small(rows):
    """Ten entries in each row: what a call costs."""
    A, B = (gallery.uniform(rows, rows, 10, seed=seed) for seed in (1, 2))
    S, T = A.to_scipy(), B.to_scipy()
    for name, function in (("+", operator.add), ("*", operator.mul), ("<", operator.lt)):
        text = f"A {name} B {10 * rows:,}"
        yield text, lambda function=function: function(A, B), lambda function=function: function(S, T), 1
