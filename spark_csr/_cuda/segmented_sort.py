"""Sort every segment on its own, stably, with a strategy for every length.

Design: a block takes the short segments (up to half a tile) that end in its tile of the list of items and segment ends,
and sorts all of them at once in shared memory. Longer segments are cut into tiles, a block each, which are then
merged in rounds between the output and a scratch array; each block writes a tile of the output and finds by binary search
which two ranges it comes from. A segment starts in the array from which its own number of rounds leads to the output, so
those that are done are left alone. The longest segment says how many rounds there are: one host read.
Sources: Green, McColl & Bader, *GPU Merge Path*, 2012; Baxter, *moderngpu* (segmented sort), 2013.
"""

import functools

import numpy as np
from numba import int64, uint16

from spark_csr import _ops as ops
from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.merge import load_merge_order
from spark_csr._cuda.rows import row_finder
from spark_csr._cuda.runs import sort_block, sort_meanings
from spark_csr._cuda.scan import scan
from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import helper, njit, specialise
from spark_csr._engine.gpu import Kernel, box, cuda, shared_type
from spark_csr._engine.holes import ITEMS, THREADS, TILE, Hole, find_rows, shared_scalar
from spark_csr._shared.bisection import segment_of
from spark_csr._shared.merge_path import split

WRITES_INDEX = Hole("WRITES_INDEX: bool", "Whether the positions that sorted items come from are written too.")

BOX = box(256, 7)  # odd items: threads read their own items without bank conflicts; not tuned

SHORT = BOX.tile // 2
"""Items of the longest short segment, and the items and segment ends of a tile of their list: together they fit into a tile."""


def sort_tile_size(total):
    """Return how many items and segment ends a tile of their list has."""
    return SHORT


def is_picking_faster(longest):
    """Return whether to pick few elements of segments of up to `longest` by one thread each is faster than to sort."""
    return longest <= TUNING.segmented_sort_picked


@helper
def _store_sorted(held, sources, start, length, keys, index):
    """Write the sorted items of a block and the positions they came from."""
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < length:
            keys[start + np.int64(i)] = held[i]
            if WRITES_INDEX:
                index[start + np.int64(i)] = start + np.int64(sources[i])


def _sort_short(offsets, tile_rows, x, keys, index):
    """Sort the short segments that end in one tile per block. A long one can only be the first."""
    held = cuda.shared.array(TILE, shared_scalar)
    sources = cuda.shared.array(TILE, uint16)
    owners = cuda.shared.array(TILE, uint16)
    begins = cuda.shared.array(TILE, uint16)
    row, last_row = np.int64(tile_rows[cuda.blockIdx.x]), np.int64(tile_rows[cuda.blockIdx.x + 1])
    if row < last_row and offsets[row + 1] - offsets[row] > SHORT:
        row += 1
    start = np.int64(offsets[row])
    length = np.uint32(offsets[last_row] - start)
    if length > 0:
        find_rows(offsets, row, np.uint32(last_row - row), start, length, owners, begins)
        for k in range(ITEMS):
            i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
            if i < length:
                held[i] = x[start + np.int64(i)]
                sources[i] = np.uint16(i)
        cuda.syncthreads()
        sort_block(held, sources, owners, begins, length)
        _store_sorted(held, sources, start, length, keys, index)


@helper
def _find_segment_tile(block, tile_offsets, tiles, tile_rows):
    """Return the segment that a block's tile lies in, the number of the tile there, and how many rounds of merges it needs."""
    at = segment_of(tile_offsets, tiles, block)
    first = np.int64(tile_offsets[at])
    rounds = np.int64(0)
    while (1 << rounds) < np.int64(tile_offsets[at + 1]) - first:
        rounds += 1
    return np.int64(tile_rows[at]), block - first, rounds


def _sort_long_tiles(offsets, tile_rows, tile_offsets, tiles, x, keys, index, other_keys, other_index):
    """Sort one tile of a long segment per block; it goes where an even number of rounds leads to the output."""
    held = cuda.shared.array(TILE, shared_scalar)
    sources = cuda.shared.array(TILE, uint16)
    owners = cuda.shared.array(TILE, uint16)
    begins = cuda.shared.array(2, uint16)
    row, number, rounds = _find_segment_tile(np.int64(cuda.blockIdx.x), tile_offsets, tiles, tile_rows)
    start = np.int64(offsets[row]) + number * TILE
    length = np.uint32(min(np.int64(offsets[row + 1]) - start, np.int64(TILE)))
    for k in range(ITEMS):
        i = np.uint32(np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS))
        if i < length:
            held[i] = x[start + np.int64(i)]
            sources[i] = np.uint16(i)
            owners[i] = np.uint16(0)
    if cuda.threadIdx.x < 2:
        begins[cuda.threadIdx.x] = np.uint16(length if cuda.threadIdx.x == 1 else 0)
    cuda.syncthreads()
    sort_block(held, sources, owners, begins, length)
    if rounds & 1:
        _store_sorted(held, sources, start, length, other_keys, other_index)
    else:
        _store_sorted(held, sources, start, length, keys, index)


@helper
def _merge_tile(cuts, held, order, left, right, right_stop, begin, keys, index, to_keys, to_index):
    """Write a tile of the merge of `keys[left:right]` and `keys[right:right_stop]`, from its element `begin` on."""
    thread = np.uint32(cuda.threadIdx.x)
    end = min(begin + TILE, right_stop - left)
    if thread < 2:
        a, b, diagonal = np.uint64(left), np.uint64(right), np.uint64(begin if thread == 0 else end)
        cuts[thread] = split(keys, a, np.uint64(right - left), keys, b, np.uint64(right_stop - right), diagonal)
    cuda.syncthreads()
    first = np.int64(cuts[0])
    count = np.uint32(np.int64(cuts[1]) - first)
    length = np.uint32(end - begin)
    a_start, b_start = left + first, right + (begin - first)
    load_merge_order(held, order, keys, a_start, count, keys, b_start, length)
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            to_keys[left + begin + np.int64(i)] = held[i]
            if WRITES_INDEX:
                source = np.uint32(order[i])
                here = a_start + np.int64(source) if source < count else b_start + np.int64(np.uint32(source - count))
                to_index[left + begin + np.int64(i)] = index[here]


def _merge_long_tiles(offsets, tile_rows, tile_offsets, tiles, done, keys, index, other_keys, other_index):
    """Write one tile per block of a long segment's next round of merges, `done` rounds after the first, or nothing if it has
    none.
    """
    cuts = cuda.shared.array(2, int64)
    held = cuda.shared.array(TILE, shared_scalar)
    order = cuda.shared.array(TILE, uint16)
    row, number, rounds = _find_segment_tile(np.int64(cuda.blockIdx.x), tile_offsets, tiles, tile_rows)
    if done < rounds:
        width = TILE << np.int64(done)
        stop = np.int64(offsets[row + 1])
        inside = (number & ((2 << np.int64(done)) - 1)) * TILE
        left = np.int64(offsets[row]) + number * TILE - inside
        right, right_stop = min(left + width, stop), min(left + width + width, stop)
        if (rounds - np.int64(done)) & 1:
            _merge_tile(cuts, held, order, left, right, right_stop, inside, other_keys, other_index, keys, index)
        else:
            _merge_tile(cuts, held, order, left, right, right_stop, inside, keys, index, other_keys, other_index)


@njit
def count_long_tiles(tile, offsets, tile_rows, short, length, counts):
    """Count the tiles of the long segment that ends in a tile of items and segment ends."""
    row = tile_rows[tile]
    items = offsets[row + 1] - offsets[row] if row < tile_rows[tile + 1] else np.int64(0)
    counts[tile] = (items + length - 1) // length if items > short else 0


@functools.cache
def kernels(dtype, indexed):
    """Return the kernels `_sort_short`, `_sort_long_tiles` and `_merge_long_tiles` for one type."""
    meanings = {
        "find_rows": row_finder(BOX),
        "shared_scalar": shared_type(dtype),
        "TILE": BOX.tile,
        "THREADS": BOX.threads,
        "WRITES_INDEX": indexed,
        "WRITES_ORDER": indexed,
        **sort_meanings(BOX, shared_type(dtype), indexed),
    }
    return tuple(Kernel(specialise(k, **meanings), BOX.threads) for k in (_sort_short, _sort_long_tiles, _merge_long_tiles))


def segmented_sort(tiles, offsets, x, keys, index):
    xp, count = namespace_of(x), tiles.rows.size - 1
    sort_short, sort_long, merge_long = kernels(x.dtype, index is not None)
    index = keys if index is None else index
    sort_short(count, offsets, tiles.rows, x, keys, index)
    counts, tile_offsets, total = xp.empty(count, np.int64), xp.empty(count + 1, np.int64), xp.empty(1, np.int64)
    for_each(count, count_long_tiles, offsets, tiles.rows, SHORT, BOX.tile, counts)
    operands = counts, tile_offsets[:-1]
    scan(ops.MONOIDS["sum"], tile_offsets.dtype, counts.size, ops.element, ops.store, operands, total, exclusive=True)
    tile_offsets[-1:] = total
    blocks, most = to_host_scalar(total[0]), to_host_scalar(counts.max())
    if blocks:
        scratch = (xp.empty_like(keys), xp.empty_like(index)) if most > 1 else (keys, index)
        where = offsets, tiles.rows, tile_offsets, count
        sort_long(blocks, *where, x, keys, index, *scratch)
        for done in range((most - 1).bit_length()):
            merge_long(blocks, *where, done, keys, index, *scratch)
