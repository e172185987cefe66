"""`A @ x` of bands, stencils and grids: runs of rows each of which has the columns of the row before, shifted.

Design: a run is summed with the columns of its first row, so that only the values are read of its other rows: two thirds of the
bytes of a matrix of float64, half of one of float32. Several rows are summed at once, as each addition waits for the last.
Floats are summed in lanes, eight rows at once where rows are shifted by one column, so that their entries of `x` lie side by
side. Where runs begin is found once for a pattern; it takes 12 bytes for each run.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, for_tiles, helper, specialise
from spark_csr._engine.holes import Hole, add, decode, multiply, scalar
from spark_csr._engine.numba.intrinsics.lanes import put
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at

dot_from = Hole(
    "dot_from(operands, start, stop, pattern, first, identity) -> scalar",
    "Return the sum of products `start` to `stop`, with the columns of the entries from `pattern` on, each plus `first`.",
)
dot_eight = Hole(
    "dot_eight(operands, position, length, pattern, column, identity) -> vector",
    "Do as `_sum_one` for eight rows. Each row has the columns of the row before it, shifted by one.",
)
sum_rows = Hole(
    "sum_rows(operands, row, stop, position, length, pattern, column, shift, identity, out)",
    "Write the sums of rows `row` to `stop` of a run: each has the columns of the row before, plus `shift`.",
)


def runs_of(indptr, indices, lengths, tile_rows):
    """Return the runs of a pattern, None if they are too short to be of use.

    They are four arrays: the row where each begins, and the number of rows; its first entry, and the number of entries; how
    many entries each of its rows has; and the run that the first row of each tile belongs to.
    """
    if np.count_nonzero(lengths[1:] != lengths[:-1]) * TUNING.spmv_run_rows > 2 * lengths.size:
        return None
    starts = np.empty(lengths.size // TUNING.spmv_run_rows + 2, indptr.dtype)
    count = _find_runs(indptr, indices, starts)
    if count < 0:
        return None
    rows = starts[: count + 1].copy()
    first = np.searchsorted(rows, tile_rows[:-1], "right") - 1
    return rows, indptr[rows], lengths[rows[:-1]], first.astype(indptr.dtype)


@compile_kernel
def _find_runs(indptr, indices, starts):
    """Write where runs begin, and the number of rows; return how many runs there are, -1 if `starts` is too short."""
    rows = np.uint64(indptr.size - 1)
    count, shift, alone = np.uint64(0), np.int64(0), True
    for row in range(rows):
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        same = False
        if row:
            length = stop - start
            before = start - length
            same = np.uint64(indptr[row - 1]) == before and length > 0
            if same:
                here = indices[start] - indices[before]
                same = alone or here == shift
                for j in range(length):
                    same &= indices[start + j] - indices[before + j] == here
                if same:
                    shift, alone = here, False
        if not same:
            if count + 1 >= np.uint64(starts.size):
                return np.int64(-1)
            starts[count] = row
            count += 1
            alone = True
    starts[count] = rows
    return np.int64(count)


@helper
def _sum_four(operands, position, length, pattern, column, shift, identity):
    """Return the sums of four rows, from entry `position` on; their first has the columns of the run, moved by `column`."""
    data, indices, x = operands
    a, b, c, d = identity, identity, identity, identity
    second, third, fourth = length, length + length, length + length + length
    for j in range(length):
        at, here = position + j, np.uint64(indices[pattern + j]) + column
        a = scalar(add(a, scalar(multiply(scalar(decode(data[at])), scalar(x[here])))))
        b = scalar(add(b, scalar(multiply(scalar(decode(data[at + second])), scalar(x[here + shift])))))
        c = scalar(add(c, scalar(multiply(scalar(decode(data[at + third])), scalar(x[here + shift + shift])))))
        d = scalar(add(d, scalar(multiply(scalar(decode(data[at + fourth])), scalar(x[here + shift + shift + shift])))))
    return a, b, c, d


@helper
def _sum_one(operands, position, length, pattern, column, identity):
    """Return the sum of one row."""
    data, indices, x = operands
    total = identity
    for j in range(length):
        here = np.uint64(indices[pattern + j]) + column
        total = scalar(add(total, scalar(multiply(scalar(decode(data[position + j])), scalar(x[here])))))
    return total


@helper
def _sum_rows(operands, row, stop, position, length, pattern, column, shift, identity, out):
    """Sum rows of a run up to `stop`, four at a time; `row` begins at `position`, its columns are the run's plus `column`."""
    while row + 4 <= stop:
        sums = _sum_four(operands, position, length, pattern, column, shift, identity)
        out[row], out[row + 1], out[row + 2], out[row + 3] = sums
        position, column, row = position + 4 * length, column + 4 * shift, row + 4
    while row < stop:
        out[row] = _sum_one(operands, position, length, pattern, column, identity)
        position, column, row = position + length, column + shift, row + 1


@helper
def _dot_rows(operands, row, stop, position, length, pattern, column, shift, identity, out):
    """Do as `_sum_rows` in lanes: eight rows at a time if they are shifted by one column."""
    while shift == 1 and row + 8 <= stop:
        put(out, row, dot_eight(operands, position, length, pattern, column, identity))
        position, column, row = position + 8 * length, column + 8, row + 8
    while row < stop:
        out[row] = dot_from(operands, position, position + length, pattern, column, identity)
        position, column, row = position + length, column + shift, row + 1


@helper(inlined=False)
def _sum_tile(tile, operands, runs, tile_rows, ahead, identity, out):
    """Sum the rows that end in a tile. The columns of the run `ahead` runs further on are asked for."""
    rows, entries, lengths, first = runs
    row, last, run = np.uint64(tile_rows[tile]), np.uint64(tile_rows[tile + 1]), np.uint64(first[tile])
    while row < last:
        prefetch_at(operands[1], np.uint64(entries[min(run + np.uint64(ahead), np.uint64(lengths.size) - 1)]))
        pattern, length = np.uint64(entries[run]), np.uint64(lengths[run])
        start, stop = np.uint64(rows[run]), np.uint64(rows[run + 1])
        shift = np.uint64(0)
        if length and stop > start + 1:
            shift = np.uint64(operands[1][pattern + length]) - np.uint64(operands[1][pattern])
        stop = min(stop, last)
        position, column = pattern + (row - start) * length, (row - start) * shift
        sum_rows(operands, row, stop, position, length, pattern, column, shift, identity, out)
        row, run = stop, run + 1


def _sum_tiles(cores, operands, runs, tile_rows, ahead, identity, out):
    for_tiles(cores, tile_rows.size - 1, _sum_tile, (operands, runs, tile_rows, ahead, identity, out))


def shifted_kernel(meanings):
    """Return the kernel `(cores, operands, runs, tile_rows, ahead, identity, out)`; `meanings` are those of a product."""
    return compile_kernel(specialise(_sum_tiles, sum_rows=_sum_rows, **meanings), reads=("operands",))


def dot_kernel(dots):
    """Return the same for products of floats, summed by `dots`."""
    meanings = {"sum_rows": _dot_rows, "dot_from": dots.one_of_run, "dot_eight": dots.eight_of_run}
    return compile_kernel(specialise(_sum_tiles, **meanings), reads=("operands",))
