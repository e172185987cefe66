"""Sorted runs on one core: made by insertion, merged from both ends at once.

Source of merging from both ends, where neither side can run out and nothing branches on the values: Peters, *glidesort*,
2022. NaN stand at the end of every run and are copied apart, so that comparing numbers costs one instruction.
"""

import functools

import numpy as np
from numba import njit

from spark_csr._specialise import specialise
from spark_csr.order import comes_before, comes_before_numbers

RUN = 24
"""Elements of the longest run that is sorted by insertion. 16 to 32 measured alike, 8 slower (EPYC 9005, 2026-11)."""


def _insert_run(x, start, stop, keys, index, base):
    """Elements `start` to `stop` of `x` in order into `keys[base + start:]`, their positions into `index`."""
    first = base + start
    for p in range(start, stop):
        value = x[p]
        slot = base + p
        while slot > first and before(value, keys[slot - np.uint64(1)]):
            keys[slot] = keys[slot - np.uint64(1)]
            if index is not None:
                index[slot] = index[slot - np.uint64(1)]
            slot -= np.uint64(1)
        keys[slot] = value
        if index is not None:
            index[slot] = p


def _copy(keys, index, start, stop, to_keys, to_index, to):
    for p in range(stop - start):
        to_keys[to + np.uint64(p)] = keys[start + np.uint64(p)]
        if index is not None:
            to_index[to + np.uint64(p)] = index[start + np.uint64(p)]
    return to + (stop - start)


def _merge(keys, index, base, left, left_stop, right, right_stop, to_keys, to_index, to):
    """Merge two sorted ranges of `keys[base:]` into `to_keys[to:]`; equal elements of the left one come first."""
    one = np.uint64(1)
    left, left_stop, right, right_stop = base + left, base + left_stop, base + right, base + right_stop
    left_nan, right_nan = left_stop, right_stop
    while left_stop > left and is_nan(keys[left_stop - one]):
        left_stop -= one
    while right_stop > right and is_nan(keys[right_stop - one]):
        right_stop -= one
    stop = to + (left_stop - left) + (right_stop - right)
    copy(keys, index, right_stop, right_nan, to_keys, to_index, copy(keys, index, left_stop, left_nan, to_keys, to_index, stop))
    for _ in range(min(left_stop - left, right_stop - right)):  # neither side can run out, from neither end
        from_right = before_numbers(keys[right], keys[left])
        to_keys[to] = keys[right] if from_right else keys[left]
        if index is not None:
            to_index[to] = index[right] if from_right else index[left]
        right += np.uint64(from_right)
        left += one - np.uint64(from_right)
        to += one
        from_left = before_numbers(keys[right_stop - one], keys[left_stop - one])
        stop -= one
        to_keys[stop] = keys[left_stop - one] if from_left else keys[right_stop - one]
        if index is not None:
            to_index[stop] = index[left_stop - one] if from_left else index[right_stop - one]
        left_stop -= np.uint64(from_left)
        right_stop -= one - np.uint64(from_left)
    while left < left_stop and right < right_stop:
        from_right = before_numbers(keys[right], keys[left])
        to_keys[to] = keys[right] if from_right else keys[left]
        if index is not None:
            to_index[to] = index[right] if from_right else index[left]
        right += np.uint64(from_right)
        left += one - np.uint64(from_right)
        to += one
    copy(keys, index, right, right_stop, to_keys, to_index, copy(keys, index, left, left_stop, to_keys, to_index, to))


def _rank(keys, base, left, right, left_length, right_length, count):
    """How many of the first `count` merged elements come from the left (merge path)."""
    low = count - min(count, right_length)
    high = min(count, left_length)
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if before(keys[base + right + (count - np.uint64(1) - middle)], keys[base + left + middle]):
            high = middle
        else:
            low = middle + np.uint64(1)
    return low


def _sort_range(x, start, stop, keys, index, base, other_keys, other_index, other_base):
    """Elements `start` to `stop` of `x` in order into `keys[base + start:]`; the other arrays are scratch."""
    length = stop - start
    levels = np.uint64(0)
    while (length >> levels) > np.uint64(RUN):
        levels += np.uint64(1)
    if levels & np.uint64(1):
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base
    for run in range(np.uint64(1) << levels):
        begin = start + (length * run >> levels)
        insert_run(x, begin, start + (length * (run + np.uint64(1)) >> levels), keys, index, base)
    while levels > np.uint64(0):
        for pair in range(np.uint64(1) << (levels - np.uint64(1))):
            run = np.uint64(2) * pair
            begin = start + (length * run >> levels)
            middle = start + (length * (run + np.uint64(1)) >> levels)
            end = start + (length * (run + np.uint64(2)) >> levels)
            merge(keys, index, base, begin, middle, middle, end, other_keys, other_index, other_base + begin)
        levels -= np.uint64(1)
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base


HELPERS = {"insert_run": _insert_run, "copy": _copy, "merge": _merge, "rank": _rank, "sort_range": _sort_range}
"""Each may call those before it."""


@functools.cache
def parts(dtype):
    """The functions above for one type, compiled, by name."""
    before_numbers, is_nan = comes_before_numbers(dtype)
    made = {"before": comes_before(dtype), "before_numbers": before_numbers, "is_nan": is_nan}
    for name, helper in HELPERS.items():
        made[name] = njit(nogil=True)(specialise(helper, **made))
    return made
