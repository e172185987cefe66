"""Ragged arrays: reductions by axis, softmax, sorts and pairs, beside awkward-array and NumPy."""

import functools
import importlib

import numpy as np

from benchmarks.common import BACKENDS, LARGE, Benchmark
from spark_csr import Ragged

LISTS = 1_000_000 if LARGE else 100_000
MEAN = 10
EVENTS = 5000 if LARGE else 200
"""With 100 elements on average on both sides: 50 million pairs, the product of 2018's GPU prototypes."""


@functools.cache
def lists(count, mean, seed=0):
    """Normal values and offsets of lists whose lengths are Poisson's."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.poisson(mean, count))])
    return rng.standard_normal(offsets[-1]), offsets


OPERATIONS = {
    "sum inner": lambda R: R.sum(axis=-1),
    "max inner": lambda R: R.max(axis=-1),
    "argmin inner": lambda R: R.argmin(axis=-1),
    "mean inner": lambda R: R.mean(axis=-1),
    "sum outer": lambda R: R.sum(axis=0),
    "argmin outer": lambda R: R.argmin(axis=0),
    "softmax": lambda R: R.softmax(),
    "sort": lambda R: R.sort(),
    "topk": lambda R: R.topk(3),
}
SAME_SIZE = ("softmax", "sort")
"""Those that write as many values as they read."""


class RaggedOperations(Benchmark):
    param_names = ("operation", "backend")
    params = (list(OPERATIONS), BACKENDS)

    def prepare(self, operation):
        values, offsets = lists(LISTS, MEAN)
        R, call = Ragged(self.on_device(values), self.on_device(offsets)), OPERATIONS[operation]
        R.packed()
        return lambda: call(R), (1 + (operation in SAME_SIZE)) * values.nbytes


class RaggedCartesian(Benchmark):
    def prepare(self):
        left, right = (Ragged(*map(self.on_device, lists(EVENTS, 100, seed))) for seed in range(2))
        return lambda: left.cartesian(right), 16 * left.cartesian(right)[0].size


def _softmax(ak, A):
    powers = np.exp(A - ak.max(A, axis=-1, keepdims=True))
    return powers / ak.sum(powers, axis=-1, keepdims=True)


AWKWARD = {
    "sum inner": lambda ak, A: ak.sum(A, axis=-1),
    "max inner": lambda ak, A: ak.max(A, axis=-1),
    "argmin inner": lambda ak, A: ak.argmin(A, axis=-1),
    "mean inner": lambda ak, A: ak.mean(A, axis=-1),
    "sum outer": lambda ak, A: ak.sum(A, axis=0),
    "argmin outer": lambda ak, A: ak.argmin(A, axis=0),
    "softmax": _softmax,
    "sort": lambda ak, A: ak.sort(A),
    "topk": lambda ak, A: ak.sort(A, ascending=False)[:, :3],
}
NUMPY = {
    "sum inner": lambda x, starts: np.add.reduceat(x, starts),
    "max inner": lambda x, starts: np.maximum.reduceat(x, starts),
}
"""Of lists none of which is empty; there is no NumPy for the others."""


def _awkward_array(ak, values, offsets):
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(values)))


def _awkward():
    try:
        return importlib.import_module("awkward")
    except ImportError as error:
        raise NotImplementedError(f"no awkward: {error}") from error


class PeersRagged(Benchmark):
    """The parameters of `RaggedOperations` on the processor, and pairs, for one library after the other."""

    param_names = ("operation", "library")
    params = ([*OPERATIONS, "cartesian"], ["ours", "awkward", "numpy"])
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, operation, library):
        return getattr(self, f"_{library}")(operation), 0

    def _ours(self, operation):
        maker = RaggedCartesian() if operation == "cartesian" else RaggedOperations()
        maker.device = "cpu"
        return maker.prepare(*() if operation == "cartesian" else (operation,))[0]

    def _awkward(self, operation):
        ak = _awkward()
        if operation == "cartesian":
            pair = [_awkward_array(ak, *lists(EVENTS, 100, seed)) for seed in range(2)]
            return lambda: ak.cartesian(pair)
        A, call = _awkward_array(ak, *lists(LISTS, MEAN)), AWKWARD[operation]
        return lambda: call(ak, A)

    def _numpy(self, operation):
        if operation not in NUMPY:
            raise NotImplementedError(f"no NumPy for {operation}")
        (values, offsets), call = lists(LISTS, MEAN), NUMPY[operation]
        starts = offsets[:-1][offsets[1:] > offsets[:-1]]
        return lambda: call(values, starts)
