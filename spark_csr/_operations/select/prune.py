"""What a matrix is without some of its entries, its empty rows or its empty columns.

Every entry stands for itself: those of one position are tested one by one, as by SciPy's `eliminate_zeros`.
"""

import math

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device
from spark_csr._engine import njit
from spark_csr._operations.form.canonical import sort_columns, sort_indices
from spark_csr._operations.form.keep import ALL, make_test, select_entries, select_passing
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.points import find_positions
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import exclusive_scan
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented_topk import segmented_topk
from spark_csr.primitives.sort import gather

PART_IS_NOT_ZERO = make_test(mask=2**64 - 1 - 2**63 - 2**31)
"""The test of `select_passing` for complex64 that is not zero: a bit beside the two signs is set."""


def eliminate_zeros(csr, spend=False):
    """Drop stored zeros: -0.0 counts as zero, NaN does not. `spend`: see `select_passing`."""
    return select_passing(csr, *magnitude_test(csr.data, 0), spend)


def prune(csr, threshold=None, topk=None, mask=None, keep_diagonal=False):
    """Return a new record of the entries that meet every condition given, or lie on the diagonal if that is to be kept.

    `threshold`: a magnitude above it, or NaN; the only condition where none is given, with 0. `topk`: among the k of the
    largest magnitude of their row. `mask`: a bool array, one for each entry, or a record of the same shape that has an entry
    at their position.
    """
    if topk is None and mask is None:
        threshold = 0 if threshold is None else threshold
        if not keep_diagonal:
            return select_passing(csr, *magnitude_test(csr.data, threshold))
    flags = csr.xp.ones(csr.indices.size, bool)
    if isinstance(mask, Csr):
        flags &= _flag_stored_in(csr, mask)
    elif mask is not None:
        flags &= mask
    if threshold is not None:
        flags &= _flag_above(csr.data, threshold)
    if topk is not None:
        flags &= _flag_largest(csr, topk)
    if keep_diagonal:
        flags |= csr.indices == segment_ids(csr.indptr)
    return select_entries(csr, flags)


def magnitude_test(data, threshold):
    """Return the array that `select_passing` has to test, and the test, for entries whose magnitude is above a threshold."""
    if data.dtype.kind != "c":
        return data, _make_magnitude_test(data.dtype, threshold)
    if threshold == 0 and data.itemsize == 8:
        return data, PART_IS_NOT_ZERO
    return _flag_above(data, threshold), make_test()


def _make_magnitude_test(dtype, threshold):
    """Return the test of `select_passing` for a magnitude above `threshold`, in a real dtype."""
    bits = 8 * dtype.itemsize
    if dtype.kind == "f":
        return make_test(_round_threshold(dtype, threshold).view(f"u{dtype.itemsize}")[0], mask=2 ** (bits - 1) - 1)
    limit = math.floor(min(threshold, 2**bits))
    if dtype.kind != "i":
        return make_test(min(limit, ALL))
    if limit >= 2 ** (bits - 1):
        return make_test(ALL)
    return make_test(2 * limit, shift=limit, width=2**bits - 1)


def _round_threshold(dtype, threshold):
    """Return a threshold in a floating dtype; one above all its finite numbers still lies below infinity."""
    largest = np.finfo(dtype).max
    return np.array([threshold if math.isinf(threshold) else min(threshold, float(largest))], dtype)


@njit
def _note_above(i, numbers, mask, shift, width, limit, flags):
    flags[i] = (np.uint64(numbers[i]) & mask) + shift & width > limit


@njit
def _note_nonzero(i, numbers, flags):
    flags[i] = numbers[i] != 0


@njit
def _note_magnitude(i, numbers, threshold, flags):
    number = numbers[i]
    flags[i] = not abs(number) <= threshold[0] or number != number


def _flag_above(data, threshold):
    xp = namespace_of(data)
    flags = xp.empty(data.size, bool)
    if data.dtype.kind == "c" and threshold == 0:
        for_each(data.size, _note_nonzero, data, flags)
    elif data.dtype.kind == "c":
        limit = xp.asarray(_round_threshold(np.dtype(f"f{data.dtype.itemsize // 2}"), threshold))
        for_each(data.size, _note_magnitude, data, limit, flags)
    else:
        for_each(data.size, _note_above, by_width(data), *_make_magnitude_test(data.dtype, threshold), flags)
    return flags


def _magnitudes(data):
    """Unsigned integers in the order of the magnitudes, all NaN alike and above everything."""
    if data.dtype.kind in "bu":
        return by_width(data)
    sizes = abs(data)
    codes = by_width(sizes)
    if sizes.dtype.kind == "f":
        codes[sizes != sizes] = codes.dtype.type(ALL >> (64 - 8 * codes.itemsize))
    return codes


def _flag_largest(csr, k):
    """Return flags of the k largest entries of every row; of equal ones those of lower columns."""
    flags = csr.xp.zeros(csr.indices.size, bool)
    codes, (_, order) = _magnitudes(csr.data), sort_columns(csr)
    chosen = segmented_topk(codes if order is None else gather(codes, order), csr.indptr, k)[2]
    flags[chosen if order is None else gather(order, chosen)] = True
    return flags


def _flag_stored_in(csr, other):
    """Return a flag for every entry: whether `other` has one at its position."""
    if not other.indices.size:
        return csr.xp.zeros(csr.indices.size, bool)
    return find_positions(sort_indices(other), segment_ids(csr.indptr), as_operand(csr.indices))[1]


@njit
def _mark(i, places, flags):
    """Mark a position; all that mark it store the same value."""
    flags[places[i]] = True


@njit
def _renumber(i, columns, numbers, out):
    out[i] = numbers[columns[i]]


def drop_empty(csr, axis):
    """Return a record without the rows (`axis` 0) or columns (1) that have no entry, and which are left; the arrays are new."""
    xp, (rows, columns), indptr, indices = csr.xp, csr.shape, csr.indptr, csr.indices
    if axis == 0:
        kept = _find_true(indptr[1:] > indptr[:-1])
        starts = xp.zeros(kept.size + 1, indptr.dtype)
        starts[1:] = gather(indptr, kept + 1)
        return Csr(starts, indices.copy(), csr.data.copy(), (kept.size, columns)), kept
    used = xp.zeros(columns, bool)
    for_each(indices.size, _mark, indices, used)
    kept, numbers = _find_true(used), exclusive_scan(used)
    renumbered = xp.empty(indices.size, index_dtype(kept.size))
    for_each(indices.size, _renumber, indices, numbers, renumbered)
    indptr = indptr.astype(index_dtype(max(indices.size, kept.size)))
    return Csr(indptr, renumbered, csr.data.copy(), (rows, kept.size)), kept


def _find_true(flags):
    return compact(flags, flags, return_index=True)[1]


def as_entry_mask(mask, csr):
    """Return a bool array with one element for each entry of `csr`, on its device; raise ValueError or TypeError for others."""
    if mask.dtype != bool:
        raise TypeError(f"mask must have dtype bool, got {mask.dtype}: use mask != 0")
    if mask.shape != csr.indices.shape:
        raise ValueError(f"mask must have one element for each of the {csr.indices.size} entries, got shape {mask.shape}")
    same_device(csr.data, mask)
    return as_operand(mask)
