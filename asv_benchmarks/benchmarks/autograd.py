"""Products and segments inside of PyTorch, forward and with their gradients, beside torch's sparse CSR and scatter code."""

import importlib

import numpy as np

from benchmarks import data
from benchmarks.common import LARGE, Benchmark
from spark_csr import gallery

ROWS = 2_000_000 if LARGE else 200_000
COLUMNS = 32
DIRECTIONS = ["forward", "both"]


def torch_modules():
    """torch and our bridge to it; NotImplementedError, which asv takes for "skip", where torch is missing."""
    try:
        return importlib.import_module("torch"), importlib.import_module("spark_csr.interop.torch")
    except ImportError as error:
        raise NotImplementedError(str(error)) from error


def both_ways(function, direction, *leaves):
    """The function alone, or it and its gradient for all leaves."""
    torch, _ = torch_modules()
    if direction == "forward":

        def forward():
            with torch.no_grad():
                return function()

        return forward
    given = torch.ones_like(function())
    return lambda: torch.autograd.grad(function(), leaves, given)


class OfTorch(Benchmark):
    """The last parameter names the code; all of it runs on the cores."""

    track_bandwidth = None

    def setup(self, *params):
        torch_modules()
        super().setup(*params, "cpu")


class Product(OfTorch):
    """`A @ x` and `A @ X` with the gradient for x, or also for the entries: ten entries in every row."""

    param_names = ("columns", "direction", "library")
    params = ([1, COLUMNS], ["forward", "of x", "both"], ["ours", "torch.sparse", "torch.index_add"])

    def prepare(self, columns, direction, library):
        torch, bridge = torch_modules()
        A = gallery.uniform(ROWS, ROWS, 10)
        x = torch.from_numpy(np.random.default_rng(0).random((ROWS, columns)).squeeze()).requires_grad_()
        entries = torch.from_numpy(A.data.copy()).requires_grad_()
        leaves = (x,) if direction == "of x" else (entries, x)
        entries.requires_grad_(direction == "both")
        if library == "ours":
            multiply = bridge.spmv if columns == 1 else bridge.spmm
            return both_ways(lambda: multiply(A, x, entries), direction, *leaves), 0
        if library == "torch.sparse":
            if direction == "both":
                raise NotImplementedError("torch makes a dense matrix of the gradient for a sparse one")
            T = A.to_torch()
            return both_ways(lambda: T @ x, direction, x), 0
        rows = torch.from_numpy(np.repeat(np.arange(ROWS), np.diff(A.indptr)))
        places = torch.from_numpy(A.indices.astype(np.int64))
        weights = entries if columns == 1 else entries[:, None]
        return both_ways(lambda: torch.zeros_like(x).index_add(0, rows, weights * x[places]), direction, *leaves), 0


class SmallProduct(OfTorch):
    """What a call costs: 100 rows."""

    param_names = ("direction", "library")
    params = (DIRECTIONS, ["ours", "torch.sparse"])

    def prepare(self, direction, library):
        torch, bridge = torch_modules()
        A, x = gallery.uniform(100, 100, 5), torch.rand(100, dtype=torch.float64, requires_grad=True)
        T = A.to_torch()
        return both_ways(lambda: bridge.spmv(A, x) if library == "ours" else T @ x, direction, x), 0


class Segments(OfTorch):
    """Reductions of segments."""

    param_names = ("op", "columns", "direction", "library")
    params = (["sum", "max", "softmax"], [1, COLUMNS], DIRECTIONS, ["ours", "torch scatter"])

    def prepare(self, op, columns, direction, library):
        torch, bridge = torch_modules()
        offsets = torch.from_numpy(data.offsets("short", ROWS * 5).astype(np.int64))
        x = torch.from_numpy(np.random.default_rng(0).random((ROWS * 5, columns)).squeeze()).requires_grad_()
        if library == "ours":
            reduce = (lambda: bridge.segmented_softmax(x, offsets)) if op == "softmax" else None
            return both_ways(reduce or (lambda: bridge.segmented_reduce(x, offsets, op)), direction, x), 0
        ids = torch.arange(offsets.numel() - 1).repeat_interleave(offsets.diff())
        wide = ids if columns == 1 else ids[:, None].expand_as(x)
        start = torch.zeros((offsets.numel() - 1, *x.shape[1:]), dtype=x.dtype)

        def softmax():
            greatest = start.scatter_reduce(0, wide, x.detach(), "amax", include_self=False)
            raised = (x - greatest[ids]).exp()
            return raised / start.index_add(0, ids, raised)[ids]

        functions = {
            "sum": lambda: start.index_add(0, ids, x),
            "max": lambda: start.scatter_reduce(0, wide, x, "amax", include_self=False),
            "softmax": softmax,
        }
        return both_ways(functions[op], direction, x), 0
