"""The transpose of a compressed matrix: its entries with their rows, made on the way, assembled by column.

Design: a matrix that fits the cache is counted by column and written once, by one core; see `assemble` for larger ones.
"""

import numpy as np

from spark_csr._array import by_width
from spark_csr._cpu.assemble import gather_rows
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, count_cores


@compile_kernel
def _transpose_alone(offsets, columns, data, indptr, indices, out):
    """Count the entries of every column, sum the counts, write rows and values."""
    indptr[:] = 0
    n, rows = np.uint64(columns.size), np.uint64(offsets.size - 1)
    last = np.uint64(indptr.size - 1)
    for p in range(n):
        indptr[np.uint64(columns[p]) + np.uint64(1)] += 1
    running = np.uint64(0)
    for c in range(np.uint64(1), last + np.uint64(1)):
        count = np.uint64(indptr[c])
        indptr[c] = running
        running += count
    for row in range(rows):
        for p in range(np.uint64(offsets[row]), np.uint64(offsets[row + np.uint64(1)])):
            c = np.uint64(columns[p]) + np.uint64(1)
            to = np.uint64(indptr[c])
            indptr[c] = to + np.uint64(1)
            indices[to] = row
            out[to] = p if data is None else data[p]


def transpose(offsets, columns, data, indptr, indices, out):
    """Write the entries of every column in the order of their rows; if `data` is None, `out` takes positions."""
    n = columns.size
    if n <= TUNING.transpose_serial or n * count_cores() <= TUNING.transpose_cached:
        data = None if data is None else by_width(data)
        _transpose_alone(offsets, by_width(columns), data, indptr, indices, by_width(out))
    else:
        gather_rows(by_width(columns), None, offsets, data, offsets.size - 1, False, indptr, indices, out)
