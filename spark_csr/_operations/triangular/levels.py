"""The level sets of the two triangles of a matrix: no row of a level depends on another one of it.

Design: the rows of a level can be solved, or eliminated, at the same time. Which they are depends on the pattern alone, so it
is found once for each record. Where few levels are wide, the cores go through the rows in their order: then every array is read
front to back, and nobody waits. Cost: on a GPU a launch for each level, however narrow.

Source: Anderson & Saad, *Solving sparse triangular linear systems on parallel computers*, Int. J. High Speed Computing 1, 1989.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from spark_csr._array import index_dtype, namespace_of, one_thread_is_fast, to_host_list
from spark_csr._engine import njit
from spark_csr._shared.bisection import first_at_least
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import argsort

WIDE = 1 << 16
"""Rows of a level from which on cores share it. On two cores smaller levels lose more by reading rows out of order than they
gain: 300,000 rows in 14 levels took 3.9 ms by levels and 2.9 ms in their order (EPYC, 2026-11). Not tuned for more cores."""

ROUNDS = 16
"""Rounds after which the host asks whether all levels are known. Not tuned."""


class Step(NamedTuple):
    """The rows `order[start:stop]`: one level, or, if they are solved one after the other, several."""

    start: int
    stop: int
    in_sequence: bool


class Schedule(NamedTuple):
    """The steps in which rows are solved. `order` lists the rows by level; where it is None they are taken as they come."""

    order: Any
    steps: list


@njit
def _find_diagonal(row, indptr, indices, diagonal):
    """Note the first entry of a row on the diagonal or to the right of it."""
    diagonal[row] = first_at_least(indices, indptr[row], indptr[row + 1], row)


def find_diagonal(csr):
    """Return for every row of a canonical record the position of its first entry on the diagonal or to the right of it."""
    diagonal = csr.xp.empty(csr.shape[0], csr.indptr.dtype)
    for_each(csr.shape[0], _find_diagonal, csr.indptr, csr.indices, diagonal)
    return diagonal


@njit
def _inspect_row(row, indptr, indices, diagonal, left, right, missing):
    """Note whether a row has entries on either side of the diagonal, and none on it."""
    at, stop = np.uint64(diagonal[row]), np.uint64(indptr[row + 1])
    stored = at < stop and indices[at] == row
    left[row] = np.uint64(indptr[row]) < at
    right[row] = at + np.uint64(stored) < stop
    missing[row] = not stored


class Sides(NamedTuple):
    """The first row with an entry left of the diagonal, right of it, and without one on it; None where there is none."""

    left: int | None
    right: int | None
    missing: int | None


def find_sides(csr):
    """Return the `Sides` of a canonical record."""
    flags = [csr.xp.empty(csr.shape[0], bool) for _ in range(3)]
    for_each(csr.shape[0], _inspect_row, csr.indptr, csr.indices, csr.plan(find_diagonal), *flags)
    return Sides(*map(find_first_true, flags))


@njit(forceinline=True)
def dependencies(row, indptr, indices, diagonal, upper):
    """Return where the entries of a row begin and end that lie left of the diagonal, or with `upper` right of it."""
    here = np.uint64(row)
    at, stop = np.uint64(diagonal[here]), np.uint64(indptr[here + 1])
    if upper:
        return (at + 1 if at < stop and np.uint64(indices[at]) == here else at), stop
    return np.uint64(indptr[here]), at


@njit
def _find_levels(i, rows, indptr, indices, diagonal, upper, levels):
    """One thread finds the level of every row: one more than the highest level that the row depends on."""
    for k in range(rows):
        row = rows - 1 - k if upper else k
        start, stop = dependencies(row, indptr, indices, diagonal, upper)
        level = 0
        for p in range(start, stop):
            level = max(level, levels[indices[p]] + 1)
        levels[row] = level


@njit
def _advance_row(row, level, indptr, indices, diagonal, upper, seen, levels, undecided):
    """Give a row this level, if all that it depends on have lower ones. What was looked at is not looked at again."""
    if levels[row] >= 0:
        return
    start, stop = dependencies(row, indptr, indices, diagonal, upper)
    p = start + np.uint64(seen[row])
    while p < stop and 0 <= levels[indices[p]] < level:
        p += 1
    seen[row] = p - start
    if p == stop:
        levels[row] = level
    else:
        undecided[0] = True


def find_levels(csr, upper):
    """Return the level of every row, from 0 on.

    *Cost*: on the cores one pass over the entries by one of them, which is as long as a substitution; on a GPU a launch for
    each level and a host read for every `ROUNDS` of them.
    """
    xp, rows, diagonal = csr.xp, csr.shape[0], csr.plan(find_diagonal)
    levels = xp.full(rows, -1, index_dtype(rows))
    if one_thread_is_fast(csr.indptr):
        for_each(1, _find_levels, rows, csr.indptr, csr.indices, diagonal, int(upper), levels)
        return levels
    seen, undecided = xp.zeros_like(levels), xp.empty(1, bool)
    known, level = not rows, 0
    while not known:
        if level > rows + ROUNDS:
            raise ValueError("the columns of a row do not ascend, although has_sorted_indices says so: call A.sort_indices()")
        undecided.fill(False)
        for_each(rows, _advance_row, level, csr.indptr, csr.indices, diagonal, int(upper), seen, levels, undecided)
        level += 1
        known = level % ROUNDS == 0 and not to_host_list(undecided)[0]
    return levels


def lower_schedule(csr):
    """Return the `Schedule` of the entries left of the diagonal; a `plan`."""
    return _make_schedule(csr, False)


def upper_schedule(csr):
    """Return the `Schedule` of the entries right of the diagonal; a `plan`."""
    return _make_schedule(csr, True)


def _make_schedule(csr, upper):
    rows, on_cores = csr.shape[0], one_thread_is_fast(csr.indptr)
    as_they_come = Schedule(None, [Step(0, rows, True)])
    if on_cores and rows < 2 * WIDE:
        return as_they_come
    levels = find_levels(csr, upper)
    sizes = np.asarray(to_host_list(namespace_of(levels).bincount(levels)), np.int64)
    if not on_cores:
        return Schedule(argsort(levels), [Step(start, stop, False) for start, stop in _steps(sizes)])
    if sizes[sizes >= WIDE].sum() < rows // 2:
        return as_they_come
    steps = []
    for start, stop in _steps(sizes):
        narrow = stop - start < WIDE
        if narrow and steps and steps[-1].in_sequence:
            start = steps.pop().start
        steps.append(Step(start, stop, narrow))
    return Schedule(argsort(levels), steps)


def _steps(sizes):
    """Return pairs of the start and the end of each level in the list of rows."""
    return itertools.pairwise([0, *np.cumsum(sizes).tolist()])


def run_by_levels(csr, upper, threads, each, in_sequence, *arrays):
    """Run `each(k, start, order, *arrays)` for the rows `order[start + k]`, a level after another, each level in parallel.

    With several `threads` for a row, `k` counts the threads. Where rows are taken one after the other, it is
    `in_sequence(i, start, stop, order, listed, *arrays)` for `i` 0 alone: `order` lists the rows if `listed`, else they are
    taken from the first to the last, or with `upper` from the last to the first.
    """
    schedule = csr.plan(upper_schedule if upper else lower_schedule)
    listed = schedule.order is not None
    order = schedule.order if listed else csr.indptr[:0]
    for start, stop, alone in schedule.steps:
        if alone:
            for_each(1, in_sequence, start, stop, order, int(listed), *arrays)
        else:
            for_each((stop - start) * threads, each, start, order, *arrays)
