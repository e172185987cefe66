"""`analyse`: the pattern of a Cholesky factor in supernodes, its order of elimination, and what is updated by what.

Design: a supernode is a range of columns whose rows are kept as one dense panel, so that BLAS does the arithmetic. Columns are
counted by walks up the elimination tree, a step for each entry of the factor, which takes a hundredth of the arithmetic.
Counting without walks would take twice the code. Wide supernodes are cut into panels of `TUNING.cholesky_panel` columns, which
bounds all scratch memory. Source: Davis, *Direct Methods for Sparse Linear Systems*, 2006, chapter 4; supernodes are joined by
the rule of Chen, Davis, Hager & Rajamanickam, *Algorithm 887: CHOLMOD*, ACM TOMS 35, 2008.
"""

from typing import Any, NamedTuple

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, njit


class Symbolic(NamedTuple):
    """What `factorise` needs of a pattern. Arrays of the first three lines are of supernodes, in the order of elimination."""

    perm: Any
    """Row `perm[i]` of the matrix is row i of the factor."""
    starts: Any
    """Supernode s has columns `starts[s]:starts[s + 1]`."""
    offsets: Any
    rows: Any
    """`rows[offsets[s]:offsets[s + 1]]` are the rows of its panel, ascending; its columns are the first of them."""
    places: Any
    """Its panel is `values[places[s]:places[s + 1]]`, row by row."""
    update_offsets: Any
    updates: Any
    """`updates[:, update_offsets[s]:update_offsets[s + 1]]`: supernodes whose panels s is updated by, and the first of their
    `rows` that are columns of s, and the first behind these."""
    tiles: Any
    """Row t: a range of supernodes that depend on no others, `tiles[t, 0]:tiles[t, 1]`."""
    top: Any
    """The supernodes that are in no tile."""


@compile_kernel
def _find_tree(indptr, indices, perm, inverse, parent, counts):
    """Write the parent of every column in the elimination tree, or -1, and the entries of its column of the factor."""
    seen = np.full(perm.size, -1, np.int32)
    for row in range(perm.size):
        parent[row], counts[row], seen[row] = -1, 1, row
        for p in range(indptr[perm[row]], indptr[perm[row] + 1]):
            column = inverse[indices[p]]
            while column < row and seen[column] != row:
                if parent[column] < 0:
                    parent[column] = row
                counts[column] += 1
                seen[column] = row
                column = parent[column]


@compile_kernel
def _sort_tree(parent, counts, order):
    """List the columns such that each comes behind its children, and next to the child that has the longest column."""
    n = parent.size
    first, after = np.full(n + 1, -1, np.int32), np.full(n, -1, np.int32)
    longest = np.full(n + 1, -1, np.int32)
    for column in range(n):
        above = parent[column] if parent[column] >= 0 else n
        if longest[above] < 0 or counts[longest[above]] <= counts[column]:
            longest[above] = column
    for column in range(n - 1, -1, -1):
        above = parent[column] if parent[column] >= 0 else n
        if longest[above] != column:
            after[column] = first[above]
            first[above] = column
    stack, place = np.empty(n + 1, np.int32), 0
    stack[0], depth = n, 1
    while depth:
        column = stack[depth - 1]
        child = first[column]
        if child >= 0:
            first[column] = after[child]
        else:
            child, longest[column] = longest[column], -1
        if child >= 0:
            stack[depth] = child
            depth += 1
        else:
            depth -= 1
            if column < n:
                order[place] = column
                place += 1


@njit
def _is_worth_joining(zeros, columns, height):
    """Return whether a supernode of so many columns and rows may hold so many zeros: the fewer columns, the more."""
    share = 1.0 if columns <= 4 else 0.8 if columns <= 16 else 0.1 if columns <= 48 else 0.05
    return zeros < share * (columns * height - columns * (columns - 1) // 2)


@compile_kernel(error_model="numpy")
def _join_columns(parent, counts, panel, starts, owner, above):
    """Write the first column of every supernode, which supernode each column is in, and which comes above; return how many."""
    n, top = parent.size, 0
    begins, zeros, heights = np.empty(n + 1, np.int64), np.empty(n, np.float64), np.empty(n, np.int64)
    for column in range(n):
        begin, extra, height = column, 0.0, np.int64(counts[column])
        while top > 0 and begin <= parent[begin - 1] <= column:
            below = begins[top - 1]
            joined = begin - below + height
            missing = float(begin - below) * float(joined - heights[top - 1])
            total = zeros[top - 1] + extra + missing
            if missing > 0.0 and not _is_worth_joining(total, column + 1 - below, joined):
                break
            begin, extra, height = below, total, joined
            top -= 1
        begins[top], zeros[top], heights[top] = begin, extra, height
        top += 1
    begins[top], count = n, 0
    for k in range(top):
        pieces = (begins[k + 1] - begins[k] + panel - 1) // panel
        for piece in range(pieces):
            starts[count] = begins[k] + (begins[k + 1] - begins[k]) * piece // pieces
            starts[count + 1] = begins[k] + (begins[k + 1] - begins[k]) * (piece + 1) // pieces
            for column in range(starts[count], starts[count + 1]):
                owner[column] = count
            count += 1
    # In postorder no other column of a supernode has its parent below that of the last one.
    for s in range(count):
        parent_of_last = parent[starts[s + 1] - 1]
        above[s] = owner[parent_of_last] if parent_of_last >= 0 else -1
    return count


@compile_kernel
def _list_rows(indptr, indices, perm, inverse, starts, owner, above, ends, rows):
    """Append every row to the supernodes that have it: add to `ends`, where their rows end, and write to `rows` if there is
    room.
    """
    seen, fills = np.full(above.size, -1, np.int32), rows.size > 0
    for row in range(perm.size):
        own = owner[row]
        if fills:
            rows[ends[own]] = row
        ends[own] += 1
        seen[own] = row
        for p in range(indptr[perm[row]], indptr[perm[row] + 1]):
            column = inverse[indices[p]]
            s = owner[column] if column < row else own
            while seen[s] != row:
                if fills:
                    rows[ends[s]] = row
                ends[s] += 1
                seen[s] = row
                s = above[s]


@compile_kernel
def _list_updates(starts, offsets, rows, owner, ends, updates):
    """Append every supernode to the updates of those that it has rows of, as `_list_rows` appends rows."""
    for k in range(starts.size - 1):
        p, stop = offsets[k] + starts[k + 1] - starts[k], offsets[k + 1]
        while p < stop:
            s, q = owner[rows[p]], p
            while q < stop and owner[rows[q]] == s:
                q += 1
            if updates.size:
                updates[0, ends[s]], updates[1, ends[s]], updates[2, ends[s]] = k, p, q
            ends[s] += 1
            p = q


def offsets_of(counts):
    """Return the offsets of segments that have these numbers of elements."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


@compile_kernel
def _cut_tree(above, work, most, tiles, top):
    """Write the ranges of supernodes below which all work is at most `most`, and the supernodes in no range; return how many.

    Ranges are joined while their work is less than that.
    """
    n, first = above.size, np.arange(above.size)
    for s in range(n):
        if above[s] >= 0:
            work[above[s]] += work[s]
            first[above[s]] = min(first[above[s]], first[s])
    ranges, others, load = 0, 0, 0.0
    for s in range(n):
        if work[s] > most:
            top[others] = s
            others += 1
        elif above[s] < 0 or work[above[s]] > most:
            if ranges and tiles[ranges - 1, 1] == first[s] and load + work[s] <= most:
                load += work[s]
            else:
                tiles[ranges, 0], load = first[s], work[s]
                ranges += 1
            tiles[ranges - 1, 1] = s + 1
    return ranges, others


@compile_kernel
def _find_asymmetry(indptr, indices, data):
    n = indptr.size - 1
    ahead = indptr[:n].copy()
    for row in range(n):
        p = indptr[row]
        while p < indptr[row + 1] and indices[p] < row:
            column = indices[p]
            q = ahead[column]
            if q < indptr[column + 1] and indices[q] < row:
                return column, q
            if q == indptr[column + 1] or indices[q] > row or data[q] != data[p].conjugate():
                return row, p
            ahead[column] = q + 1
            p += 1
        if p < indptr[row + 1] and indices[p] == row:
            if data[p] != data[p].conjugate():
                return row, p
            p += 1
        ahead[row] = p
    for row in range(n):
        if ahead[row] < indptr[row + 1]:
            return row, ahead[row]
    return -1, -1


def find_asymmetry(indptr, indices, data):
    """Return the row of an entry of a square canonical matrix that is not the conjugate of that opposite, and its position; or
    two numbers of -1.
    """
    return _find_asymmetry(indptr, indices, data)


def invert(perm):
    """Return the inverse of a permutation."""
    inverse = np.empty_like(perm)
    inverse[perm] = np.arange(perm.size, dtype=perm.dtype)
    return inverse


def analyse(indptr, indices, perm, panel=None):
    """Return the `Symbolic` of a symmetric pattern whose rows and columns are taken in the order of `perm`, up to postorder.

    `panel`: columns of a supernode at most, or `TUNING.cholesky_panel`. Of two opposite entries only that in the later row is
    read.
    """
    n, panel = perm.size, panel or TUNING.cholesky_panel
    parent, counts, order, above = (np.empty(n, np.int32) for _ in range(4))
    _find_tree(indptr, indices, perm, invert(perm), parent, counts)
    _sort_tree(parent, counts, order)
    place = invert(order)
    parent = np.where(parent[order] < 0, np.int32(-1), place[parent[order]])
    perm, counts = perm[order], counts[order]
    starts, owner = np.zeros(n + 1, np.int64), np.empty(n, np.int32)
    supernodes = _join_columns(parent, counts, panel, starts, owner, above)
    starts, above = starts[: supernodes + 1].copy(), above[:supernodes].copy()
    lists = indptr, indices, perm, invert(perm), starts, owner, above
    heights = np.zeros(supernodes, np.int64)
    _list_rows(*lists, heights, np.empty(0, np.int32))
    offsets = offsets_of(heights)
    rows = np.empty(offsets[-1], np.int32)
    _list_rows(*lists, offsets[:-1].copy(), rows)
    degrees = np.zeros(supernodes, np.int64)
    _list_updates(starts, offsets, rows, owner, degrees, np.empty((3, 0), np.int64))
    update_offsets = offsets_of(degrees)
    updates = np.empty((3, update_offsets[-1]), np.int64)
    _list_updates(starts, offsets, rows, owner, update_offsets[:-1].copy(), updates)
    widths = np.diff(starts)
    work = widths * heights.astype(np.float64) ** 2
    most = min(max(work.sum() / TUNING.cholesky_tiles, TUNING.cholesky_least), TUNING.cholesky_most)
    tiles, top = np.empty((supernodes, 2), np.int64), np.empty(supernodes, np.int64)
    ranges, others = _cut_tree(above, work, most, tiles, top)
    places = offsets_of(widths * heights)
    return Symbolic(perm, starts, offsets, rows, places, update_offsets, updates, tiles[:ranges].copy(), top[:others].copy())
