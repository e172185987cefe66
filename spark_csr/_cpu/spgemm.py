"""`A @ B` on the cores, row by row: products are added to an accumulator as wide as the matrix, of which a set of bits knows
the columns that were touched.

Design: walking the set gives the row's columns in order, so nothing is sorted (after Gustavson 1978, whose lists come out in
the order of touching). One pass counts the entries of every row, marking columns with the row's number; the second adds the
products, in the order of A's entries. Rows are cut into tiles of equal numbers of products; a row is one core's, hence
the same bits for every number of threads. Where A jumps about in B, rows of B are prefetched.
"""

import functools

import numpy as np

from spark_csr._cpu.bitmap import clear_row, drop, empty_bitmaps, has_column, put, put_row
from spark_csr._cpu.memory import prefetch_row_ahead
from spark_csr._engine import MOST, compile_kernel, cores_for, for_tiles_by_core, helper, njit, specialise
from spark_csr._engine.holes import MASKED, add, multiply, scalar
from spark_csr._engine.numba.intrinsics.bits import lowest_bit


@njit(forceinline=True)
def _widen(indices, start, stop, ordered, least, most):
    """Return `least` and `most`, widened by the columns of a row."""
    if start < stop:
        least, most = min(least, np.uint64(indices[start])), max(most, np.uint64(indices[stop - 1]))
    if ordered == 0:
        for q in range(start, stop):
            least, most = min(least, np.uint64(indices[q])), max(most, np.uint64(indices[q]))
    return least, most


@helper
def _count_row(row, pattern, mask, ahead, marks, allowed):
    """Return how many columns the products of a row touch; with a mask, how many of those it allows, each counted once."""
    (a_indptr, a_indices, b_indptr, b_indices), (mask_indptr, mask_indices) = pattern, mask
    touched, mark = np.int64(0), marks.dtype.type(row + 1)
    if MASKED:
        put_row(allowed, mask_indptr, mask_indices, row)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        if ahead:
            prefetch_row_ahead(a_indices, p, np.uint64(a_indices.size), ahead, b_indptr, b_indices, b_indices)
        j = a_indices[p]
        for q in range(np.uint64(b_indptr[j]), np.uint64(b_indptr[j + 1])):
            column = np.uint64(b_indices[q])
            if MASKED:
                if has_column(allowed, column):
                    drop(allowed, column)
                    touched += 1
            else:
                touched += marks[column] != mark
                marks[column] = mark
    if MASKED:
        clear_row(allowed, mask_indptr, mask_indices, row)
    return touched


@helper(inlined=False)
def _count_row_tile(core, tile, cuts, pattern, mask, ahead, marks, allowed, counts):
    """Count the entries of a tile's rows with the marks of the core that runs it."""
    my_marks, my_allowed = marks[core], allowed[core]
    for row in range(np.uint64(cuts[tile]), np.uint64(cuts[tile + 1])):
        counts[row] = _count_row(row, pattern, mask, ahead, my_marks, my_allowed)


def _count_rows(cores, cuts, pattern, mask, ahead, marks, allowed, counts):
    """Count the entries of every row, in tiles."""
    for_tiles_by_core(cores, cuts.size - 1, _count_row_tile, (cuts, pattern, mask, ahead, marks, allowed, counts))


@helper
def _write_row(bits, words, sums, least, most, position, identity, indices, data):
    """Write the columns and sums of a row, and clear `bits`, `words` and `sums`; return whether a sum is 0."""
    zero = False
    for w in range(least >> 12, (most >> 12) + 1):
        word = words[w]
        words[w] = np.uint64(0)
        while word != 0:
            b = w << 6 | lowest_bit(word)
            word &= word - 1
            members = bits[b]
            bits[b] = np.uint64(0)
            while members != 0:
                column = b << 6 | lowest_bit(members)
                members &= members - 1
                total = sums[column]
                sums[column] = identity
                indices[position], data[position] = column, total
                zero |= total == scalar(0)
                position += 1
    return zero


@helper(inlined=False)
def _fill_row_tile(core, tile, cuts, a, b, mask, ahead, ordered, scratch, identity, indptr, indices, data, zeros):
    """Write the rows of a tile; `zeros[tile]` takes whether one of its sums is 0."""
    (a_indptr, a_indices, a_data), (b_indptr, b_indices, b_data), (mask_indptr, mask_indices) = a, b, mask
    bits, words, allowed, sums = scratch[0][core], scratch[1][core], scratch[2][core], scratch[3][core]
    zero = False
    for row in range(np.uint64(cuts[tile]), np.uint64(cuts[tile + 1])):
        if MASKED:
            put_row(allowed, mask_indptr, mask_indices, row)
        least, most = np.uint64(2**64 - 1), np.uint64(0)
        for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
            if ahead:
                prefetch_row_ahead(a_indices, p, np.uint64(a_indices.size), ahead, b_indptr, b_indices, b_data)
            j, value = a_indices[p], a_data[p]
            start, stop = np.uint64(b_indptr[j]), np.uint64(b_indptr[j + 1])
            least, most = _widen(b_indices, start, stop, ordered, least, most)
            for q in range(start, stop):
                column = np.uint64(b_indices[q])
                if not MASKED or has_column(allowed, column):
                    put(bits, words, column)
                    sums[column] = scalar(add(sums[column], scalar(multiply(value, b_data[q]))))
        if MASKED:
            clear_row(allowed, mask_indptr, mask_indices, row)
        if least <= most:
            zero |= _write_row(bits, words, sums, least, most, np.uint64(indptr[row]), identity, indices, data)
    zeros[tile] = zero


def _fill_rows(cores, cuts, a, b, mask, ahead, ordered, scratch, identity, indptr, indices, data, zeros):
    """Write every row, in tiles."""
    args = cuts, a, b, mask, ahead, ordered, scratch, identity, indptr, indices, data, zeros
    for_tiles_by_core(cores, cuts.size - 1, _fill_row_tile, args)


NO_BITS = np.zeros((MOST, 1), np.uint64)
"""In place of the set of columns that a mask allows, for every core: there is no mask."""


@functools.cache
def _count_kernel(masked):
    return compile_kernel(specialise(_count_rows, MASKED=masked), reads=("pattern", "mask"))


@functools.cache
def _fill_kernel(ring, dtype, masked):
    """Return the kernel, the identity, and whether that is not 0."""
    identity = ring.add.identity_for(dtype)
    meanings = {"add": ring.add.op, "multiply": ring.multiply_for(dtype), "scalar": dtype.type, "MASKED": masked}
    return compile_kernel(specialise(_fill_rows, **meanings), reads=("a", "b", "mask")), identity, bool(np.any(identity != 0))


def _mark_type(rows):
    return np.dtype(np.uint32 if rows < 2**32 - 1 else np.uint64)


def bytes_of_core(columns, rows, dtype):
    """Return the bytes of one core's scratch memory: the wider of marks and sums, and the sets of bits."""
    return columns * max(_mark_type(rows).itemsize, dtype.itemsize) + columns // 3 + 4096


def _cores(plan, kernel):
    """Return how many cores run a kernel: at most as many as there is scratch memory for."""
    return 1 if plan.cores == 1 else min(plan.cores, cores_for(kernel))


def spgemm_count(plan, ring, a, b, mask, counts):
    """Count the entries of every row. Return what is kept for `spgemm_fill`: here nothing."""
    (a_indptr, a_indices), (b_indptr, b_indices) = a[:2], b[:2]
    masked = mask is not None
    kernel = _count_kernel(masked)
    cores = _cores(plan, kernel)
    marks = np.zeros((cores, 32 if masked else plan.columns), _mark_type(counts.size))
    allowed = empty_bitmaps(cores, plan.columns)[0] if masked else NO_BITS
    where = mask if masked else (a_indptr, a_indices)
    pattern = a_indptr, a_indices, b_indptr, b_indices
    kernel(cores, plan.cuts, pattern, where, plan.ahead, marks, allowed, counts)


def spgemm_fill(plan, ring, a, b, mask, kept, indptr, indices, data):
    """Write the entries of the product; return whether one of the values is 0."""
    masked = mask is not None
    kernel, identity, is_other = _fill_kernel(ring, data.dtype, masked)
    cores = _cores(plan, kernel)
    sums = np.zeros((cores, plan.columns), data.dtype)  # pages that stay zero are never touched
    if is_other:
        sums[...] = identity
    scratch = *empty_bitmaps(cores, plan.columns), empty_bitmaps(cores, plan.columns)[0] if masked else NO_BITS, sums
    zeros = np.zeros(plan.cuts.size - 1, np.bool_)
    where = mask if masked else a[:2]
    kernel(cores, plan.cuts, a, b, where, plan.ahead, plan.ordered, scratch, identity, indptr, indices, data, zeros)
    return bool(zeros.any())
