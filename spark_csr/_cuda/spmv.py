"""`A @ x` on a GPU: gather, multiply and sum in one pass over the matrix.

Short rows of bounded length go to a few lanes each; all others go by tiles of equal work, with a second small launch or two for
the rows that tiles cut. The plan decides once per pattern.

What the kernels for float64 and `plus_times` do, as plain Python. Rows of lanes, `_reduce_rows` of `segmented`::

    for row in range(rows):
        totals = np.zeros(LANES)
        for lane in range(LANES):  # in parallel
            for p in range(indptr[row] + lane, indptr[row + 1], LANES):
                totals[lane] += data[p] * x[indices[p]]
        y[row] = ...  # the sum of `totals`: the first half plus the second, and so on

Tiles, `_reduce_tiles` of `segmented`. A block first writes the products of its tile to shared memory::

    for tile in range(tiles):  # a block each
        row, stop = tile_rows[tile], tile_rows[tile + 1]
        start = tile * TILE - row
        products = [data[p] * x[indices[p]] for p in range(start, min((tile + 1) * TILE, entries) - stop)]
        lasts = {indptr[r + 1] - 1 - start for r in range(row, stop)}  # bits in shared memory
        carried = 0.0
        for thread in range(THREADS):  # in parallel; each thread gets `carried` from `carry_in`
            total = 0.0
            for i in range(thread * ITEMS, min((thread + 1) * ITEMS, len(products))):
                total += products[i]
                if i in lasts:
                    products[i], carried, total = carried + total, 0.0, 0.0
            carried += total
        y[row:stop] = ...  # products[indptr[r + 1] - 1 - start], or 0 for a row without entries
        carry[tile] = carried  # `carries` adds it to the row that ends in a later tile

What is read once goes through the caches without staying there, so that `x` stays.
"""

import functools

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._cuda.carries import carries_of, carry_adder
from spark_csr._cuda.segmented import BOX, row_kernel, tile_kernel
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.workspace import Workspace
from spark_csr._engine import inline
from spark_csr._engine.gpu import WARP, blocks_for, load_once
from spark_csr._engine.holes import decode, multiply, scalar
from spark_csr._shared.half import product_meanings


def _product(operands, position):
    data, indices, x = operands
    return scalar(multiply(scalar(decode(load_once(data, position))), scalar(x[np.int64(load_once(indices, position))])))


def _permuted_product(operands, position):
    data, indices, x, order = operands
    here = data[np.int64(load_once(order, position))]
    return scalar(multiply(scalar(decode(here)), scalar(x[np.int64(load_once(indices, position))])))


@functools.cache
def product(ring, dtype, half, permuted=False):
    """Return the source of items: one product of the matrix and the vector, of entry `order[position]` if `permuted`."""
    source = _permuted_product if permuted else _product
    return inline(source, **product_meanings(ring, dtype, half))


def lanes_for(indptr, entries):
    """Return how many lanes a row deserves, 0 if tiles are the better choice, and the length of the longest row."""
    counts = indptr[1:] - indptr[:-1]
    longest = int(to_host_scalar(counts.max()))
    mean = entries / counts.size
    lanes = 1
    while 2 * lanes <= min(mean, WARP):
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
        by_rows = row_kernel(ring.add, dtype, item, lanes, indptr.dtype).launcher()

        def launch(data, x, y):
            by_rows(blocks, (data.view(np.uint16) if half else data, indices, x), indptr, rows, y)

        return launch

    count, entries = tiles.rows.size - 1, np.int64(tiles.entries)
    by_tiles = tile_kernel(ring.add, dtype, item).launcher()
    add_carries = carry_adder(ring.add, dtype, count, longest <= TUNING.spmv_few_tiles * BOX.tile)
    workspace = Workspace(carries_of(count), dtype)

    def launch(data, x, y):
        with workspace as carry:
            by_tiles(count, (data.view(np.uint16) if half else data, indices, x), indptr, tiles.rows, entries, carry, y)
            add_carries(tiles.rows, carry, y)

    return launch
