"""Entries with two indices each, in any order, to the three arrays of a compressed matrix.

Design: one radix sort of keys of row and column where 32 bits hold both; else one by row, and a sort of each row, unless there
are more rows than entries. Wider keys are moved in more passes, and each of these moves more bytes.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.radix import differing_bits, join_bits, list_digits, move_by_digits
from spark_csr._cuda.scan import scan
from spark_csr._cuda.segmented_sort import segmented_sort, sort_items
from spark_csr._cuda.target import blocks_for, box, cuda, device_function
from spark_csr._cuda.warp import lane_of, reader
from spark_csr._holes import THREADS, WRITES_MINOR, key_type, warp_shuffle
from spark_csr._numba import njit
from spark_csr._shared.merge_path import Tiles, cut
from spark_csr._specialise import specialise

BOX = box(256, 1)  # not tuned

NARROW = 32
"""Bits of the widest keys of row and column that are sorted at once."""


@device_function
def _key(operands, position):
    major, minor, bits, _ = operands
    return np.uint64(np.uint64(major[position]) << np.uint64(bits)) | np.uint64(minor[position])


@device_function
def _pack(operands, position):
    """Write the key of an entry; return the bits in which it differs from that of the first."""
    key = _key(operands, position)
    operands[3][position] = key
    return key ^ _key(operands, np.int64(0))


def _unpack(keys, n, bits, indptr, indices, repeats):
    """Write where the row of each key begins, if it is the first of it: the row is what is above the lowest `bits` bits. With
    `WRITES_MINOR` write those too, and note whether the key before is the same.
    """
    thread = np.uint32(cuda.threadIdx.x)
    i = np.int64(cuda.blockIdx.x) * np.int64(THREADS) + np.int64(thread)
    key = key_type(0)
    if i < n:
        key = keys[i]
    before = key_type(warp_shuffle(key, np.uint32(lane_of(thread) - np.uint32(1))))  # the lanes wrap around
    if i < n:
        if i == 0:
            before = key_type(~key)
        elif lane_of(thread) == 0:
            before = keys[i - 1]
        row = np.uint64(key) >> np.uint64(bits)
        if np.uint64(before) >> np.uint64(bits) != row:
            indptr[np.int64(row)] = i
        if WRITES_MINOR:
            indices[i] = np.uint64(key) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
            if before == key:
                repeats[0] = True


@functools.cache
def _unpack_kernel(key, writes_minor):
    meanings = {"key_type": key.type, "warp_shuffle": reader(key), "THREADS": BOX.threads, "WRITES_MINOR": writes_minor}
    return Kernel(specialise(_unpack, **meanings), BOX.threads)


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


@njit
def _take(i, source, order, out):
    out[i] = source[np.uint64(order[i])]


def _sort_rows(major, minor, data, indptr, indices, out):
    """Do as `assemble` for keys that would be wide: sort by row alone, then the entries of each row."""
    n, xp = major.size, namespace_of(major)
    digits = list_digits(differing_bits(major))
    sources = major, None if data is None else by_width(data), minor
    moved = tuple(xp.empty_like(x) for x in (major, by_width(out), minor))
    spares = tuple(xp.empty_like(x) for x in moved) if len(digits) > 1 else moved
    move_by_digits(digits, sources, moved, spares)
    rows, payload, columns = moved
    unpack(rows, 0, indptr)
    listed, order, fits = n + indptr.size - 1, xp.empty(n, index_dtype(n)), columns.itemsize == indices.itemsize
    ordered = by_width(indices) if fits else xp.empty_like(columns)
    items = sort_items(n)
    cuts = xp.empty(-(-listed // items) + 1, index_dtype(indptr.size))
    for_each(cuts.size, cut, indptr, indptr.size - 1, items, cuts)
    segmented_sort(Tiles(cuts, items, listed), indptr, columns, ordered, order)
    if not fits:
        indices[...] = ordered
    for_each(n, _take, payload, order, by_width(out))


def assemble(major, minor, data, minors, ordered, indptr, indices, out):
    """Write entries by row `major`, stably, and if `ordered` by `minor` in a row. If `data` is None, `out` takes positions.

    Return whether no position is known to have two entries. The host reads twice, and once more where row and column need more
    than 32 bits: then entries are sorted by row, which takes half the passes, and by column in shared memory.
    """
    n, xp = major.size, namespace_of(major)
    bits = max(minors - 1, 0).bit_length()
    in_use = bits + max(indptr.size - 2, 0).bit_length()
    if in_use > NARROW and ordered and indptr.size <= n:
        _sort_rows(by_width(major), by_width(minor), data, indptr, indices, out)
        return False
    keys = xp.empty(n, np.uint32 if in_use <= NARROW else np.uint64)
    differing = join_bits(_pack, (by_width(major), by_width(minor), bits, keys), n, keys.dtype)
    digits = list_digits(differing & ((1 << in_use) - (1 << (0 if ordered else bits))))
    pair, out = [keys, xp.empty_like(keys) if digits else keys], by_width(out)
    spare = xp.empty_like(out) if len(digits) > 1 else out
    source, target = None if data is None else by_width(data), len(digits) % 2
    move_by_digits(digits, [keys, source], [pair[target], out], [pair[1 - target], spare])
    repeats = xp.zeros(1, bool)
    unpack(pair[target], bits, indptr, indices, repeats)
    return not to_host_scalar(repeats[0])
