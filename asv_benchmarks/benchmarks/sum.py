"""Reductions, named as SciPy's own benchmarks of them, for one library after the other."""

from benchmarks import data
from benchmarks.common import Benchmark

AXES = [None, 0, 1]


class Reduction(Benchmark):
    """`A.method(axis)` of the matrices of `data`."""

    param_names = ("matrix", "axis", "library")
    params = (["uniform", "rmat"], AXES, ["ours", "scipy", "cuda", "cupy"])
    method = "sum"
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] in ("cuda", "cupy") else "cpu")

    def prepare(self, matrix, axis, library):
        A = data.matrix(matrix).to_device(self.device)
        A = A.to_scipy() if library == "scipy" else A.to_cupy() if library == "cupy" else A
        reduce = getattr(A, self.method)
        return lambda: reduce(axis=axis), A.data.nbytes


class Sum(Reduction):
    pass


class Mean(Reduction):
    method = "mean"


class Max(Reduction):
    method = "max"


class NanMax(Reduction):
    method = "nanmax"


class Argmax(Reduction):
    """SciPy loops over rows in Python."""

    method = "argmax"


class CountNonzero(Reduction):
    params = (["uniform", "rmat"], AXES, ["ours", "scipy", "cuda"])
    method = "count_nonzero"
