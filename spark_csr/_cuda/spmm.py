"""`A @ X` on a GPU: a block takes a tile of the matrix and a slice of the columns of X.

Design: the block brings its entries into shared memory, side by side, so it reads them once for all columns of the slice. Then
each team of lanes walks as many neighbouring entries, wherever rows end, and each lane has a few columns: it loads those of
four rows of X, up to 16 bytes at once, before it adds the first. What a team has of a row that began in an earlier team is
added to the sums of these through shared memory, and rows that tiles cut are finished by `carries`. The order is fixed. Cost: a
team has a power of two of lanes, so up to half of them are idle; a row of X is loaded for every entry, of which half lead to a
row that the tile has loaded before in a grid of seven neighbours, and one in seven in a power law.
Sources: Yang, Buluç & Owens, *Design Principles for Sparse Matrix Multiplication on the GPU*, Euro-Par 2018 (merge path);
Huang et al., *GE-SpMM*, SC20 (entries in shared memory).
"""

import functools

import numpy as np

from spark_csr._array import SIMULATED, to_host_scalar
from spark_csr._cuda.carries import carries_of, carry_adder
from spark_csr._cuda.segmented import BOX
from spark_csr._cuda.spmm_kernel import BLOCK, multiply_kernel
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.workspace import Workspace
from spark_csr._engine.gpu import WARP, blocks_for

WIDE = 16
"""Bytes that a lane loads at once."""


def _shape(columns, dtype, wide):
    """Return how many lanes a team has, and how many columns a lane: sums of all threads fit where a tile's values were."""
    wide = wide and dtype.kind in "iuf" and dtype.itemsize in (4, 8)
    width = min(WIDE // dtype.itemsize, BOX.tile // BLOCK) if wide else 1
    while width > 1 and (columns % width or width == columns):  # teams of one lane would read shared memory with conflicts
        width //= 2
    lanes = 1
    while lanes < WARP and lanes * width < columns:
        lanes *= 2
    return lanes, width


def prepare_columns(tiles, ring, indptr, indices, stored, dtype, columns, permuted=False):
    """Return `launch(values, x, y)` for `Y = A @ X`, with the values of A in `values`: `(data,)`, or `(data, order)` if
    `permuted`.
    """
    half = stored == np.float16
    count, entries = tiles.rows.size - 1, np.int64(tiles.entries)
    longest = int(to_host_scalar((indptr[1:] - indptr[:-1]).max()))
    few = longest <= TUNING.spmv_few_tiles * BOX.tile
    add_carries = carry_adder(ring.add, dtype, count, few, columns)
    workspace = Workspace(carries_of(count) * columns, dtype)

    @functools.cache
    def launcher(wide, position):
        lanes, width = _shape(columns, dtype, wide)
        kernel = multiply_kernel(ring, dtype, half, permuted, lanes, width, position).launcher()
        return kernel, blocks_for(columns, lanes * width)

    def launch(values, x, y):
        position = np.uint32 if x.size <= np.iinfo(np.uint32).max else np.uint64
        multiply_tiles, slices = launcher(_is_aligned(x) and _is_aligned(y), position)
        if half:
            values = (values[0].view(np.uint16), *values[1:])
        x, y = x.reshape(-1), y.reshape(-1)
        sizes = entries, np.uint32(columns), np.uint32(slices)
        with workspace as carry:
            multiply_tiles(count * slices, values, indptr, indices, x, tiles.rows, *sizes, carry, y)
            add_carries(tiles.rows, carry, y)

    return launch


def _is_aligned(x):
    return SIMULATED or x.data.ptr % WIDE == 0


def prepare_spmm(tiles, ring, indptr, indices, stored, dtype, columns):
    """Return `launch(data, x, y)`; an `x` in Fortran order is copied to C order."""
    multiply = prepare_columns(tiles, ring, indptr, indices, stored, dtype, columns)
    return lambda data, x, y: multiply((data,), x, y)
