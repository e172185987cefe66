"""What NumPy's functions of several matrices, and those that make new ones, mean for matrices."""

import importlib

import numpy as np

from spark_csr._construct.kron import kron
from spark_csr._construct.stack import hstack, vstack
from spark_csr._matrix.protocols import FUNCTIONS


def _concatenate(arrays, axis=0, *, dtype=None):
    """Join matrices below each other or side by side, or vectors to a vector."""
    blocks = list(arrays)
    if all(getattr(x, "ndim", 2) == 1 for x in blocks):
        if axis not in (0, -1):
            raise ValueError(f"axis must be 0 to join vectors, got {axis}")
        joined = hstack(blocks, dtype=dtype)
        return joined.reshape(joined.shape[-1])
    if axis not in (0, 1, -1, -2):
        raise ValueError(f"axis must be 0 or 1 to join matrices, got {axis}: they have two dimensions")
    return (vstack if axis in (0, -2) else hstack)(blocks, dtype=dtype)


def _norm(x, ord=None, axis=None):
    return importlib.import_module("spark_csr.linalg").norm(x, ord, axis)


FUNCTIONS.update(
    {
        np.linalg.norm: _norm,
        np.concatenate: _concatenate,
        np.hstack: lambda tup, *, dtype=None: _concatenate(tup, 1 if getattr(tup[0], "ndim", 2) == 2 else 0, dtype=dtype),
        np.vstack: lambda tup, *, dtype=None: vstack(list(tup), dtype=dtype),
        np.kron: kron,
    }
)
