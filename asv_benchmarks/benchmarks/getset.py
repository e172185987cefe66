"""Choosing, setting and walking: parameters after SciPy's own benchmarks."""

import warnings

import numpy as np

from benchmarks import data
from benchmarks.common import Compared

SELECTIONS = {
    "row": lambda k: 7,
    "item": lambda k: (7, 3),
    "rows": lambda k: k,
    "row_slice": lambda k: slice(10, -10),
    "row_steps": lambda k: slice(None, None, 2),
    "column": lambda k: (slice(None), 7),
    "columns": lambda k: (slice(None), k),
    "column_slice": lambda k: (slice(None), slice(10, -10)),
    "outer": lambda k: np.ix_(k[:1000], k[:1000]),
}


class Get(Compared, operations=("A[key]",), axes={"selection": list(SELECTIONS)}):
    """Parts of a matrix."""

    def operands(self, selection):
        A = data.matrix("uniform")
        return A, SELECTIONS[selection](np.random.default_rng(0).integers(0, A.shape[0], A.shape[0] // 2))


class Getset(Compared, operations=("A[key]", "A[key] = x, with a copy"), axes={"points": [1, 10, 100, 1000]}):
    """Single points, in one call; for setting each call sets places of a fresh copy, most of which are new."""

    def operands(self, operation, points):
        warnings.simplefilter("ignore")  # about changed patterns
        A, rng = data.matrix("uniform"), np.random.default_rng(0)
        places = tuple(rng.integers(0, n, points) for n in A.shape)
        return (A, places) if operation == "A[key]" else (A, places, 2.0)


class SetExisting(Compared, operations=("A[key] = x",), axes={"points": [1, 10, 100, 1000]}):
    """Places that have an entry."""

    def operands(self, points):
        A = data.matrix("uniform").copy()
        at = np.sort(np.random.default_rng(0).choice(A.nnz, points, replace=False))
        return A, (np.searchsorted(A.indptr, at, side="right") - 1, np.array(A.indices[at])), 2.0


class Whole(Compared, operations=("diagonal", "iteration")):
    """The diagonal; a thousand rows, one by one."""

    def operands(self, operation):
        A = data.matrix("uniform")
        return (A[:1000] if operation == "iteration" else A,)
