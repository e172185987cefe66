"""The matrices and segments that are measured: same seed, same bytes, every time."""

import functools

import numpy as np

from benchmarks.common import LARGE, SMOKE, N
from spark_csr import gallery

SIDE, SCALE, ROWS = (200, 21, 4_000_000) if LARGE else (10, 9, 2000) if SMOKE else (50, 15, 100_000)

MATRICES = {
    "poisson": lambda dtype: gallery.poisson((SIDE,) * 3, dtype),
    "rmat": lambda dtype: gallery.rmat(SCALE, dtype=dtype),
    "uniform": lambda dtype: gallery.uniform(ROWS, ROWS, 16, dtype=dtype),
    "banded": lambda dtype: gallery.banded(ROWS, 9, dtype=dtype),
    "one_dense_row": lambda dtype: gallery.one_dense_row(ROWS, ROWS, dtype=dtype),
}
NAMES = list(MATRICES) if LARGE else ["poisson", "rmat", "uniform"]
DTYPES = ["float32", "float64"]


def matrix(name, dtype="float64"):
    """One of `MATRICES`, on the processor."""
    return MATRICES[name](np.dtype(dtype))


@functools.cache
def values(dtype="float64", n=N):
    """`n` random numbers in [0, 1)."""
    return np.random.default_rng(0).random(n).astype(dtype)


SEGMENTS = ["short", "long", "skewed"] if LARGE else ["short", "skewed"]


def offsets(kind, n=N):
    """Cuts of `n` items: eight in every segment, one segment of all, or many empty ones and few of great length."""
    if kind == "long":
        return np.array([0, n], np.int32)
    if kind == "short":
        return np.arange(0, n + 1, 8, dtype=np.int32)
    weights = np.random.default_rng(0).pareto(1.0, n // 8)
    cuts = np.concatenate([[0], np.cumsum(np.floor(weights / weights.sum() * n))])
    cuts[-1] = n
    return cuts.astype(np.int32)
