"""`A @ x` on a GPU: gather, multiply and sum in one pass over the matrix.

Short rows of bounded length go to a few lanes each; all others go by tiles of equal work, with a second small launch for the
rows that tiles cut. The plan decides once per pattern.

What the kernels for float64 and `plus_times` do, as plain Python. Rows of lanes, `_reduce_rows` of `segmented`::

    for row in range(rows):
        totals = np.zeros(LANES)
        for lane in range(LANES):  # in parallel
            for p in range(indptr[row] + lane, indptr[row + 1], LANES):
                totals[lane] += data[p] * x[indices[p]]
        y[row] = ...  # the sum of `totals`: the first half plus the second, and so on

Tiles, `_reduce_tiles` of `segmented`. A block first writes the products of its tile to shared memory::

    for tile in range(tiles):  # a block each
        row, position, carried = tile_rows[tile], tile * TILE - tile_rows[tile], 0.0
        # in parallel; each thread gets `row` and `position` from the marks of row ends, and `carried` from `carry_in`
        for thread in range(THREADS):
            total = 0.0
            for entry in range(tile * TILE + thread * ITEMS, min(tile * TILE + (thread + 1) * ITEMS, entries)):
                if position == indptr[row + 1]:
                    y[row], carried, total, row = carried + total, 0.0, 0.0, row + 1
                else:
                    total, position = total + data[position] * x[indices[position]], position + 1
            carried = carried + total
        carry[tile] = carried  # `_finish_cut_rows` adds it to the row that ends in a later tile
"""

import functools

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._cuda.segmented import BOX, finish_kernel, finishing_blocks, row_kernel, tile_kernel
from spark_csr._cuda.target import WARP, blocks_for, device_function
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.workspace import Workspace
from spark_csr._holes import decode, multiply, scalar
from spark_csr._shared.half import product_meanings
from spark_csr._specialise import specialise


def _product(operands, position):
    data, indices, x = operands
    return multiply(scalar(decode(data[position])), scalar(x[np.int64(indices[position])]))


def _permuted_product(operands, position):
    data, indices, x, order = operands
    return multiply(scalar(decode(data[np.int64(order[position])])), scalar(x[np.int64(indices[position])]))


@functools.cache
def product(ring, dtype, half, permuted=False):
    """The source of items: one product of the matrix and the vector; `permuted`: of entry `order[position]`."""
    source = _permuted_product if permuted else _product
    return device_function(specialise(source, **product_meanings(ring, dtype, half)))


def lanes_for(indptr, entries):
    """How many lanes a row deserves, or 0 where tiles are the better choice; and the longest row."""
    counts = indptr[1:] - indptr[:-1]
    longest = int(to_host_scalar(counts.max()))
    mean = entries / counts.size
    lanes = 1
    while lanes < min(mean, WARP):
        lanes *= 2
    return (lanes if longest <= TUNING.spmv_bound * lanes else 0), longest


def prepare_spmv(tiles, ring, indptr, indices, stored, dtype):
    """Prepare repeated products of one pattern; return `launch(data, x, y)`."""
    half = stored == np.float16
    item = product(ring, dtype, half)
    rows = np.int64(indptr.size - 1)
    lanes, longest = lanes_for(indptr, indices.size)
    if lanes:
        blocks = blocks_for(int(rows) * lanes, BOX.threads)
        by_rows = row_kernel(ring.add, dtype, item, lanes).repeated()

        def launch(data, x, y):
            by_rows(blocks, (data.view(np.uint16) if half else data, indices, x), indptr, rows, y)

        return launch

    count, entries = np.int64(tiles.rows.size - 1), np.int64(tiles.entries)
    run = WARP if longest > TUNING.spmv_long_run * BOX.tile else 1
    by_tiles = tile_kernel(ring.add, dtype, item).repeated()
    finish = finish_kernel(ring.add, dtype, run).repeated()
    blocks, finishing, workspace = int(count), finishing_blocks(int(count), run), Workspace(int(count), dtype)

    def launch(data, x, y):
        with workspace as carry:
            by_tiles(blocks, (data.view(np.uint16) if half else data, indices, x), indptr, tiles.rows, entries, carry, y)
            finish(finishing, tiles.rows, count, carry, y)

    return launch
