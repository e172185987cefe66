"""The rows of the tables: a module for each family, with a function `rows(options)`, and `arguments` for options of its own."""

import functools
import os
import pathlib

from spark_csr import load_npz

FAMILIES = {
    "spmv": "`A @ x` and `A @ X` on matrices of many kinds, real ones too",
    "spgemm": "`A @ A`, also masked by itself",
    "matrix": "conversions, sums, indexing, reductions, construction",
    "primitives": "sorts, scans, selections, segments, pairs",
    "ragged": "ragged arrays beside awkward-array",
    "graph": "graph algorithms",
    "networks": "centralities, communities, paths and neighbourhoods beside networkx and igraph",
    "backend": "networkx's functions, called by networkx, beside its own",
    "gap": "graph algorithms beside the C++ of the GAP benchmark",
    "segments": "segmented primitives on segments of every length",
    "directions": "breadth-first search level by level: pushing, pulling, and both",
    "constants": "the numbers that kernels were tuned with, at half and at twice what they are",
    "busy": "operations beside other busy processes",
    "gpu": "products, conversions, primitives and graphs beside libraries for GPUs, larger than their caches",
    "everyday": "calls that people make every day, beside SciPy and NumPy",
    "patched": "SciPy's own matrices with and without `interop.scipy`",
    "jobs": "whole jobs: finite elements, an edge list with names, events from Arrow, a graph network",
}


def sized(options, n, axes=1, least=4):
    """A size of a full table at the size that is asked for; of a side, how many there are."""
    return max(int(n * options.size ** (1 / axes)), least)


def scaled(options, scale):
    """The same for a number of vertices that is told by its logarithm."""
    return sized(options, 2**scale, least=64).bit_length() - 1


def once(make):
    """Operands that several rows share: made when the first of them has its turn."""
    return functools.cache(make)


def real_matrix(name):
    """A maker of a matrix of the folder that SPARK_CSR_DATA names; None where there is no such file."""
    beside = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"
    path = pathlib.Path(os.environ.get("SPARK_CSR_DATA", beside)) / f"{name}.npz"
    return (lambda: load_npz(path).tocsr()) if path.exists() else None
