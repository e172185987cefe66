"""Choosing, setting and walking, beside SciPy: names and parameters after SciPy's own benchmarks."""

import warnings

import numpy as np

from benchmarks import data
from benchmarks.common import Benchmark

LIBRARIES = ["ours", "scipy"]
COUNTS = [1, 10, 100, 1000]


def matrix(library, name="uniform"):
    """One matrix for either library."""
    A = data.matrix(name)
    assert A.has_canonical_format
    return A if library == "ours" else A.to_scipy()


class OfLibraries(Benchmark):
    """The last parameter is a library; all run on the cores."""

    track_bandwidth = None  # of keys, not of bytes

    def setup(self, *params):
        warnings.simplefilter("ignore")  # about changed patterns
        super().setup(*params, "cpu")

    def time_call(self, *params):
        self.call()


class Getset(OfLibraries):
    """Single points, in one call; for setting each call sets other places of a fresh copy."""

    param_names = ("points", "action", "library")
    params = (COUNTS, ["get", "set_existing", "set_new"], LIBRARIES)

    def prepare(self, points, action, library):
        A, rng = matrix(library), np.random.default_rng(0)
        i, j = (rng.integers(0, n, points) for n in A.shape)
        if action == "get":
            return lambda: A[i, j], 0
        if action == "set_existing":
            at = np.sort(rng.choice(A.nnz, points, replace=False))
            i, j = np.searchsorted(A.indptr, at, side="right") - 1, np.array(A.indices[at])
            return lambda: A.__setitem__((i, j), 2.0), 0
        return lambda: A.copy().__setitem__((i, j), 2.0), 0


SELECTIONS = {
    "row": lambda A, k: A[7],
    "item": lambda A, k: A[7, 3],
    "rows": lambda A, k: A[k],
    "row_slice": lambda A, k: A[10:-10],
    "row_steps": lambda A, k: A[::2],
    "column": lambda A, k: A[:, 7],
    "columns": lambda A, k: A[:, k],
    "column_slice": lambda A, k: A[:, 10:-10],
    "outer": lambda A, k: A[np.ix_(k[:1000], k[:1000])],
    "diagonal": lambda A, k: A.diagonal(),
}


class NullSlice(OfLibraries):
    """Parts of a matrix."""

    param_names = ("selection", "library")
    params = (list(SELECTIONS), LIBRARIES)

    def prepare(self, selection, library):
        A = matrix(library)
        chosen = np.random.default_rng(0).integers(0, A.shape[0], A.shape[0] // 2)
        return lambda: SELECTIONS[selection](A, chosen), 0


class Iteration(OfLibraries):
    """A thousand rows, one by one."""

    param_names = ("library",)
    params = (LIBRARIES,)

    def prepare(self, library):
        A = matrix(library)[:1000]
        return lambda: sum(row.nnz for row in A), 0
