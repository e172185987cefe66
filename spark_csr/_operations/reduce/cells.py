"""How many entries lie in each cell of a coarse grid over a matrix: what a picture of its pattern shows."""

import numpy as np

from spark_csr._array import as_operand
from spark_csr._engine import njit
from spark_csr._shared.atomics import atomic_add
from spark_csr._shared.bisection import segment_of
from spark_csr.primitives.foreach import for_each_tile


@njit
def _count_entries(start, stop, bands, indices, width, columns, counts):
    """Count a tile of entries, which come band by band. Neighbours of one cell are added together."""
    band = np.uint64(segment_of(bands, bands.size - 1, np.int64(start)))
    cell, run = np.uint64(0), np.int64(0)
    for p in range(start, stop):
        while p >= np.uint64(bands[band + 1]):
            band += 1
        here = band * np.uint64(columns) + np.uint64(indices[p]) // np.uint64(width)
        if here != cell and run:
            atomic_add(counts, np.int64(cell), run)
            run = np.int64(0)
        cell = here
        run += 1
    if run:
        atomic_add(counts, np.int64(cell), run)


def count_cells(csr, height, width):
    """Return how many entries lie in each cell of `height` rows and `width` columns, as an array of int64 on the device.

    Cells at the right and at the bottom may be smaller. *Cost*: one pass over the indices. *Order*: exact.
    """
    xp, (rows, columns) = csr.xp, csr.shape
    down, across = -(-rows // height), -(-columns // width)
    counts = xp.zeros(down * across, np.int64)
    if csr.indices.size:
        edges = xp.minimum(xp.arange(down + 1, dtype=np.int64) * height, rows)
        bands = csr.indptr[edges].astype(np.int64)
        for_each_tile(csr.indices.size, _count_entries, bands, as_operand(csr.indices), width, across, counts)
    return counts.reshape(down, across)
