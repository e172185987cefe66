"""The transpose of a compressed matrix: its entries with their rows, made on the way, assembled by column.

Design: a matrix that fits the cache is counted by column and written once, by one core, and so is one whose neighbouring
entries go to neighbouring columns, unless many cores share the work; see `assemble` for others.
"""

import numpy as np

from spark_csr._array import by_width
from spark_csr._cpu.assemble import gather_rows
from spark_csr._cpu.assemble_summed import reach
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, count_cores


@compile_kernel(reads=("offsets", "columns", "data"))
def _transpose_alone(offsets, columns, data, indptr, indices, out):
    """Count the entries of every column, sum the counts, write rows and values."""
    indptr[:] = 0
    n, rows = np.uint64(columns.size), np.uint64(offsets.size - 1)
    last = np.uint64(indptr.size - 1)
    for p in range(n):
        indptr[np.uint64(columns[p]) + 1] += 1
    running = np.uint64(0)
    for c in range(np.uint64(1), last + 1):
        count = np.uint64(indptr[c])
        indptr[c] = running
        running += count
    for row in range(rows):
        for p in range(np.uint64(offsets[row]), np.uint64(offsets[row + 1])):
            c = np.uint64(columns[p]) + 1
            to = np.uint64(indptr[c])
            indptr[c] = to + 1
            indices[to] = row
            out[to] = p if data is None else data[p]


def transpose(offsets, columns, data, indptr, indices, out):
    """Write the entries of every column in the order of their rows; if `data` is None, `out` takes positions."""
    columns = by_width(columns)
    if _is_for_one_core(columns, indptr.size - 1):
        _transpose_alone(offsets, columns, None if data is None else by_width(data), indptr, indices, by_width(out))
    else:
        gather_rows(columns, None, offsets, data, offsets.size - 1, False, indptr, indices, out)


def _is_for_one_core(columns, width):
    if columns.size <= TUNING.transpose_serial:
        return True
    cores = count_cores()
    if columns.size * max(cores, 2) <= TUNING.transpose_cached:
        return True
    return cores <= 2 and reach(columns, width) <= TUNING.transpose_reach
