"""What NumPy's functions of several matrices, and those that make new ones, mean for matrices."""

import importlib

import numpy as np

from spark_csr._construct.kron import kron
from spark_csr._construct.stack import hstack, vstack
from spark_csr._matrix.axes import keep_dims
from spark_csr._matrix.base import issparse
from spark_csr._matrix.numpy_functions import as_operand
from spark_csr._matrix.protocols import FUNCTIONS
from spark_csr.primitives import _check


def _concatenate(arrays, axis=0, *, dtype=None, casting="same_kind"):
    """Join matrices below each other or side by side, or vectors to a vector; of any of them all elements if `axis` is None."""
    blocks = list(arrays)
    if axis is None:
        blocks, axis = [x.ravel() if issparse(x) else np.ravel(x) for x in blocks], 0
    dimensions = [np.ndim(x) for x in blocks]
    axis = _check.axis(axis, dimensions[0])
    for at, ndim in enumerate(dimensions):
        if ndim != dimensions[0]:
            raise ValueError(
                f"all arrays must have as many dimensions as arrays[0], {dimensions[0]}, but arrays[{at}] has {ndim}"
            )
    joined = _join(hstack if axis == dimensions[0] - 1 else vstack, blocks, dtype, casting)
    return joined if dimensions[0] > 1 else joined.reshape(joined.shape[-1])


def _hstack(tup, *, dtype=None, casting="same_kind"):
    return _concatenate(tup, 0 if np.ndim(tup[0]) == 1 else 1, dtype=dtype, casting=casting)


def _vstack(tup, *, dtype=None, casting="same_kind"):
    return _join(vstack, list(tup), dtype, casting)


def _join(stack, blocks, dtype, casting):
    """Return the blocks joined by `hstack` or `vstack`, for which None is an empty block, and which cast to any dtype."""
    if any(x is None for x in blocks):
        raise ValueError("None is no array: leave it out")
    dtypes = [as_operand(x).dtype for x in blocks]
    target = np.result_type(*dtypes) if dtype is None else np.dtype(dtype)
    for at, given in enumerate(dtypes):
        if not np.can_cast(given, target, casting):
            raise TypeError(f"cannot cast arrays[{at}] from {given} to {target} by the rule {casting!r}: use casting='unsafe'")
    return stack(blocks, dtype=dtype)


def _norm(x, ord=None, axis=None, keepdims=False):
    """Return norms of rows or columns, or of the whole as a number; integers as float64, as NumPy computes them."""
    if axis is not None:
        axis = tuple(_check.axis(n, x.ndim) for n in (axis if isinstance(axis, tuple) else (axis,)))
    if x.ndim == 1 and isinstance(ord, str):
        raise ValueError(f"Invalid norm order for vectors: {ord!r}")
    x = x.astype(np.float64) if x.dtype.kind in "biu" else x
    found = importlib.import_module("spark_csr.linalg").norm(x, ord, axis)
    return keep_dims(x, axis, found if x.ndim == 2 else found.reshape(())[()], keepdims)


def _kron(a, b):
    """Return the Kronecker product; a tuple is an array here, not the shape of a matrix."""
    return kron(*(np.asarray(x) if isinstance(x, tuple) else x for x in (a, b)))


FUNCTIONS.update({np.linalg.norm: _norm, np.concatenate: _concatenate, np.hstack: _hstack, np.vstack: _vstack, np.kron: _kron})
