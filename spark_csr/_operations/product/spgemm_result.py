"""What is common to all ways of `A @ B`: checks of the operands, room for the result, zeros left out."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, same_device, to_host_list, to_host_scalar, trim
from spark_csr._operations.form import memory
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import Csr
from spark_csr.primitives import compact

PIECE = 1 << 20
"""Entries that are looked at together when zeros are left out. Not tuned."""


def check_product(a, b, mask=None):
    """TypeError for mixed devices, ValueError for shapes that do not fit."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"dimension mismatch in @: {a.shape} and {b.shape}; the second needs {a.shape[1]} rows")
    same_device(a.data, b.data)
    if mask is not None:
        same_device(a.data, mask.data)
        if mask.shape != (a.shape[0], b.shape[1]):
            raise ValueError(f"mask must have the shape of the product, {(a.shape[0], b.shape[1])}, got {mask.shape}")


def convert_operands(a, b, ring):
    """Return both operands with values of the dtype that is computed in, and the dtype of the result."""
    result = ring.result_dtype(a.data.dtype, b.data.dtype)
    dtype = computed_dtype(result)
    return a.as_dtype(dtype), b.as_dtype(dtype), result


def build_result(a, b, ring, result, count, fill):
    """Return the product, given `count(counts)` for every row, and `fill(indptr, indices, data)`, which says whether it wrote a
    0. If `count` knows already whether there is one, it returns an array of one number that says so, else None.
    """
    xp, shape = a.xp, (a.shape[0], b.shape[1])
    counts, offsets = xp.zeros(shape[0], np.int64), xp.zeros(shape[0] + 1, np.int64)
    flag = count(counts)
    counts.cumsum(out=offsets[1:])
    known = offsets[-1:] if flag is None else xp.concatenate([offsets[-1:], flag])
    entries, *zeros = to_host_list(known)
    indices, data = memory.allocate_entries(a.data, entries, index_dtype(shape[1]), a.data.dtype)
    zero = (fill(offsets, indices, data) if entries else False) or any(zeros)
    indptr = offsets.astype(index_dtype(entries))
    if zero and ring is ops.PLUS_TIMES:
        indptr, indices, data = remove_zeros(indptr, indices, data)
    return Csr(indptr, indices, data.astype(result, copy=False), shape)


def remove_zeros(indptr, indices, data):
    """Return the three arrays without the entries that are 0. Entries move to the front of the same arrays: no second copy."""
    xp, kept = namespace_of(data), 0
    out = indptr.copy()
    for start in range(0, data.size, PIECE):
        stop = min(start + PIECE, data.size)
        keep = data[start:stop] != 0
        before = xp.zeros(stop - start + 1, np.int64)
        xp.cumsum(keep, dtype=np.int64, out=before[1:])
        rows = slice(*(to_host_scalar(xp.searchsorted(indptr, xp.asarray(end), side="right")) for end in (start, stop)))
        out[rows] = kept + before[indptr[rows] - start]
        moved = slice(kept, kept + to_host_scalar(before[-1]))
        indices[moved], data[moved] = compact(indices[start:stop], keep), compact(data[start:stop], keep)
        kept = moved.stop
    return out.astype(index_dtype(kept), copy=False), trim(indices, kept), trim(data, kept)
