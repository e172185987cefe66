"""Sorting networks: which elements are compared does not depend on what they hold.

Bitonic (Batcher, *Sorting Networks and Their Applications*, 1968), for any length: runs of twice the size are made by a
step that compares each element with its mirror image, then steps of half the distance, all in ascending direction. Partners
past the end would be greater than everything, so they are left out: nothing is padded. Steps of short distance are done
together by a block in shared memory; each longer one is a launch of its own. Not stable. No host read.

Odd-even transposition (Habermann, 1972): neighbours are exchanged only if the left one is greater, so it is stable. One
block sorts a tile in shared memory and stops after two steps without an exchange. More than a tile: tiles are sorted so,
then tiles shifted by half, in turn, and after each such pair of launches the host reads whether anything moved; at most as
many launches as there are halves of tiles.
"""

import functools

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda, shared_type
from spark_csr._engine.holes import HAS_PAYLOAD, ITEMS, THREADS, TILE, Hole, payload_type, scalar, shared_scalar
from spark_csr._shared.order import is_less

PAYLOAD_SIZE = Hole("PAYLOAD_SIZE: int", "The length of the shared array for the payload: `TILE`, or 1 without a payload.")
HALF = Hole("HALF: int", "`ITEMS // 2`: how many comparisons each thread does in one step of a sorting network.")
WITHIN_TILE = Hole(
    "WITHIN_TILE: bool",
    "Whether the kernel does only the last steps of a bitonic sort, those within a tile. Otherwise it sorts the whole tile.",
)

BOX = box(256, 8)  # a power of two, as the bitonic network asks; not tuned


@helper
def _load_keys(keys, payload, start, length, values, moved):
    """Bring the block's elements into shared memory, side by side. A barrier is inside."""
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < length:
            values[i] = scalar(keys[start + np.int64(i)])
            if HAS_PAYLOAD:
                moved[i] = payload[start + np.int64(i)]
    cuda.syncthreads()


@helper
def _store_keys(keys, payload, start, length, values, moved):
    """Write the block's elements back from shared memory. A barrier must come before."""
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < length:
            keys[start + np.int64(i)] = scalar(values[i])
            if HAS_PAYLOAD:
                payload[start + np.int64(i)] = moved[i]


@helper
def _compare_exchange(keys, payload, i, j):
    """Exchange elements `i` and `j` if the second is less; return whether it was."""
    x, y = scalar(keys[i]), scalar(keys[j])
    swap = is_less(y, x)
    if swap:
        keys[i] = y
        keys[j] = x
        if HAS_PAYLOAD:
            p = payload[i]
            payload[i] = payload[j]
            payload[j] = p
    return swap


@helper
def _apply_bitonic_step(values, moved, length, distance, flip):
    """Do one step within a block: compare elements whose indices differ in the bits of `flip`. A barrier is inside."""
    for k in range(HALF):
        c = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        i = c + c - (c & distance - 1)
        j = i ^ flip
        if j < length:
            _compare_exchange(values, moved, i, j)
    cuda.syncthreads()


def _sort_bitonic_tiles(keys, payload, n):
    """Sort one tile per block or, if WITHIN_TILE, do its steps of less than a tile."""
    values = cuda.shared.array(TILE, shared_scalar)
    moved = cuda.shared.array(PAYLOAD_SIZE, payload_type)
    start = np.int64(cuda.blockIdx.x) * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    _load_keys(keys, payload, start, length, values, moved)
    run = np.uint32(TILE) if WITHIN_TILE else np.uint32(1)
    while run <= TILE:
        if not WITHIN_TILE:
            _apply_bitonic_step(values, moved, length, run, run + run - 1)
        distance = run >> 1
        while distance > 0:
            _apply_bitonic_step(values, moved, length, distance, distance)
            distance >>= 1
        run += run
    _store_keys(keys, payload, start, length, values, moved)


def _compare_far(keys, payload, n, distance, flip):
    """Do one comparison per thread of a step between tiles."""
    c = np.int64(cuda.blockIdx.x) * THREADS + np.int64(cuda.threadIdx.x)
    i = c + c - (c & (np.int64(distance) - 1))
    j = i ^ np.int64(flip)
    if j < np.int64(n):
        _compare_exchange(keys, payload, i, j)


def _sort_odd_even_tiles(keys, payload, n, shift, any_moved):
    """Sort one tile per block by steps between neighbours, and note in `any_moved` whether anything moved."""
    values = cuda.shared.array(TILE, shared_scalar)
    moved = cuda.shared.array(PAYLOAD_SIZE, payload_type)
    thread = np.uint32(cuda.threadIdx.x)
    start = shift + np.int64(cuda.blockIdx.x) * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    _load_keys(keys, payload, start, length, values, moved)
    done, quiet, swapped = np.uint32(0), np.uint32(0), False
    while done < length and quiet < 2:
        mine = False
        for k in range(HALF):
            c = thread + np.uint32(k * THREADS)
            i = c + c + (done & 1)
            if i + 1 < length:
                mine |= _compare_exchange(values, moved, i, i + 1)
        found = cuda.syncthreads_or(np.int32(mine)) != 0
        swapped |= found
        quiet = np.uint32(0) if found else quiet + 1
        done += 1
    _store_keys(keys, payload, start, length, values, moved)
    if thread == 0 and swapped:
        any_moved[0] = np.uint8(1)


@functools.cache
def kernels(dtype, payload_dtype):
    """Return `(sort tiles, near steps, far step, odd-even)` for keys of one dtype and a payload of another, or None."""
    carries = payload_dtype is not None
    meanings = {
        "scalar": dtype.type,
        "shared_scalar": shared_type(dtype),
        "payload_type": shared_type(payload_dtype if carries else dtype),
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "HALF": BOX.items // 2,
        "THREADS": BOX.threads,
        "HAS_PAYLOAD": carries,
        "PAYLOAD_SIZE": BOX.tile if carries else 1,
    }

    def kernel(function, near=False):
        return Kernel(specialise(function, WITHIN_TILE=near, **meanings), BOX.threads)

    return kernel(_sort_bitonic_tiles), kernel(_sort_bitonic_tiles, True), kernel(_compare_far), kernel(_sort_odd_even_tiles)


def _prepare(keys, payload):
    """Return the kernels, and the arguments that all of them are given first."""
    of_payload = None if payload is None else payload.dtype
    return kernels(keys.dtype, of_payload), (keys, keys if payload is None else payload, keys.size)


def bitonic_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. Not stable."""
    (sort_tiles, near, far, _), operands = _prepare(keys, payload)
    n, tiles = keys.size, blocks_for(keys.size, BOX.tile)
    sort_tiles(tiles, *operands)
    run = BOX.tile
    while run < n:
        distance, flip = run, 2 * run - 1
        while distance >= BOX.tile:
            comparisons = -(-n // (2 * distance)) * distance
            far(blocks_for(comparisons, BOX.threads), *operands, distance, flip)
            distance //= 2
            flip = distance
        near(tiles, *operands)
        run *= 2


def odd_even_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. Stable. Two launches for each host read."""
    (_, _, _, sort_tiles), operands = _prepare(keys, payload)
    xp, n, half = namespace_of(keys), keys.size, BOX.tile // 2
    halves = blocks_for(n, half)
    for _ in range(0, halves, 2):
        moved = xp.zeros(1, np.uint8)
        sort_tiles(blocks_for(n, BOX.tile), *operands, 0, moved)
        if halves <= 2:
            return
        sort_tiles(blocks_for(n - half, BOX.tile), *operands, half, moved)
        if not to_host_scalar(moved[0]):
            return
