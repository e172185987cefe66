"""Sorted keys of rows, or of row and column, to the starts of all rows."""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.scan import scan
from spark_csr._cuda.warp import lane_of, reader
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import THREADS, Hole, key_type, warp_shuffle

WRITES_MINOR = Hole("WRITES_MINOR: bool", "Whether the lower bits of keys are written as indices, beside the starts of rows.")

BOX = box(256, 1)  # not tuned


@helper
def load_with_before(keys, i, n):
    """Return a key and the one before it, of no use for the first key and behind the last. All lanes of a warp call."""
    lane = lane_of(cuda.threadIdx.x)
    key = key_type(0)
    if i < n:
        key = keys[i]
    before = key_type(warp_shuffle(key, np.uint32(lane - 1)))  # the lanes wrap around
    if lane == 0 and i > 0 and i < n:
        before = keys[i - 1]
    return key, before


def key_meanings(key):
    """Return what the names in a kernel that loads keys of a dtype mean, with `BOX.threads` threads."""
    return {"key_type": key.type, "warp_shuffle": reader(key), "THREADS": BOX.threads}


def _unpack(keys, n, bits, indptr, indices, repeats):
    """Write where the row of each key begins, if it is the first of it: the row is what is above the lowest `bits` bits. With
    `WRITES_MINOR` write those too, and note whether the key before is the same.
    """
    i = np.int64(cuda.blockIdx.x) * THREADS + np.int64(np.uint32(cuda.threadIdx.x))
    key, before = load_with_before(keys, i, n)
    if i < n:
        if i == 0:
            before = key_type(~key)
        row = np.uint64(key) >> np.uint64(bits)
        if np.uint64(before) >> np.uint64(bits) != row:
            indptr[np.int64(row)] = i
        if WRITES_MINOR:
            indices[i] = np.uint64(key) & ((1 << np.uint64(bits)) - 1)
            if before == key:
                repeats[0] = True


@functools.cache
def _unpack_kernel(key, writes_minor):
    return Kernel(specialise(_unpack, WRITES_MINOR=writes_minor, **key_meanings(key)), BOX.threads)


def unpack(keys, bits, indptr, indices=None, repeats=None):
    """Write the starts of all rows, given sorted keys, and if `indices` are given the lowest `bits` bits of the keys.

    A row without entries begins where the next row begins that has some: a scan from the last row on.
    """
    indptr.fill(keys.size)
    kernel = _unpack_kernel(keys.dtype, indices is not None)
    given = (keys, keys) if indices is None else (indices, repeats)
    kernel(blocks_for(keys.size, BOX.threads), keys, keys.size, bits, indptr, *given)
    total = namespace_of(indptr).empty(1, indptr.dtype)
    scan(ops.MONOIDS["min"], indptr.dtype, indptr.size, ops.element, ops.store, (indptr, indptr), total, reverse=True)
