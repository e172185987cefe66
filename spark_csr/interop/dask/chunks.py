"""What Dask asks of a matrix as a chunk: its size, its name, and how to join several.

Design: nearly all that Dask does with chunks it does by NumPy's functions, which know matrices, so a worker that never imported
this module computes the same. Only what NumPy has no word for is registered here. Without `sizeof`, Dask counts 56 bytes for
any matrix, and places tasks and data blindly. Cost: to name a matrix its arrays are hashed.
"""

from __future__ import annotations

import numpy as np
from dask.array.dispatch import concatenate_lookup
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form.record import Csr
from spark_csr._ragged import Ragged


@concatenate_lookup.register(SparseArray)
def _concatenate(parts, axis=0):
    """Join chunks; one chunk alone is not copied, as by `numpy.concatenate` (dask/dask#7437)."""
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts, axis=axis)
    return joined.asformat(parts[0].format) if isinstance(parts[0], SparseArray) else joined


@sizeof.register(SparseArray)
def _size_of_matrix(matrix):
    record = matrix._record
    return matrix.nbytes + _bytes(getattr(record, "plans", None) or list(getattr(record, "arranged", ())))


@sizeof.register(Ragged)
def _size_of_ragged(ragged):
    return ragged.nbytes


def _bytes(x):
    """Return the number of bytes of the arrays of plans."""
    if isinstance(x, dict):
        return sum(map(_bytes, list(x.values())))
    if isinstance(x, (list, tuple)):
        return sum(map(_bytes, x))
    if isinstance(x, Csr):
        return _bytes(x.arrays) + _bytes(x.plans)
    return getattr(x, "nbytes", 0)


@normalize_token.register(SparseArray)
def _name_of_matrix(matrix):
    return type(matrix).__name__, matrix.shape, [normalize_token(x) for x in matrix._held.arrays]


@normalize_token.register(Ragged)
def _name_of_ragged(ragged):
    return "Ragged", [normalize_token(x) for x in (ragged.values, *ragged.offsets)]
