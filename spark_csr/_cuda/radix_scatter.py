"""Keys, and up to two arrays that go with them, to where a digit says: a pass of the radix sort, in one launch.

Design: a tile counts its keys of each digit and tells how many there are, puts its keys in order in shared memory, and waits
for what the tiles before tell: then it knows where its keys go, and neighbours are written side by side. In the same memory
each array that goes with the keys is moved. Progress: as in `scan`, tiles are taken by a ticket, and a block tells of
its own tile before it waits for tiles of smaller tickets.
Source: Adinets & Merrill, *Onesweep: A Faster Least Significant Digit Radix Sort for GPUs*, 2022.
"""

import functools

import numpy as np
from numba import uint32

from spark_csr import _ops as ops
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.radix_digits import BINS
from spark_csr._cuda.radix_payload import mover
from spark_csr._cuda.radix_rank import (
    ALONE,
    DONE,
    count_keys,
    load_strips,
    look_back_for_digit,
    rank_keys,
    rank_meanings,
    scan_warps,
    tell_count,
)
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda, fetch_add
from spark_csr._engine.holes import (
    HAS_PAYLOAD,
    ITEMS,
    THREADS,
    TILE,
    WARPS,
    Hole,
    carry_in,
    digit,
    key_type,
    payload_type,
    position_type,
)

second_type = Hole(
    "second_type: NumPy scalar type", "The type of another array that moves along; without one, that of the keys."
)
slot_type = Hole("slot_type: NumPy scalar type", "The type that keys have in shared memory: theirs, or that of a word.")
room_type = Hole(
    "room_type: NumPy scalar type",
    "The widest type of what moves through one shared array, which is viewed in the type of each.",
)
HAS_SECOND = Hole("HAS_SECOND: bool", "Whether another array moves along with keys and payload.")
carry_counts = Hole(
    "carry_counts(thread, value, broken, before) -> (carried, handed_on)", "Do as `carry_in` for counts of all keys."
)
move_payload = Hole(
    "move_payload(source, here, strip, length, carried, ranks, targets, out)",
    "Move the payload of a tile as its keys went: into shared `carried` by `ranks`, from there to `targets`.",
)
move_second = Hole(
    "move_second(source, here, strip, length, carried, ranks, targets, out)", "Do as `move_payload` with another array."
)

BOXES = {4: box(256, 32), 8: box(256, 20)}
"""Tiles by the bytes of the widest of what is moved: 32 or 40 KiB of shared memory. The larger they are, the longer are runs of
a digit. With 32 items of four bytes a thread takes 128 registers, so two blocks fit, as with 24. Not tuned."""


def _move_tile(
    keys, payload, second, n, shift, mask, number, counts, tickets, states, out_keys, out_payload, out_second
):  # fmt: skip
    """Put the tile of the block's ticket in order in shared memory, then move every key to the position of its digit."""
    room = cuda.shared.array(TILE, room_type)
    bases = cuda.shared.array(BINS, position_type)
    ticket = cuda.shared.array(1, uint32)
    own = cuda.local.array(ITEMS, key_type)
    ranks = cuda.local.array(ITEMS, uint32)
    targets = cuda.local.array(ITEMS, position_type)
    ordered, seen = room.view(slot_type), room.view(np.uint32)  # what warps have seen, until keys take the room
    thread = np.uint32(cuda.threadIdx.x)
    if thread == 0:
        ticket[0] = np.uint32(fetch_add(tickets, number, position_type(1)))
    for w in range(WARPS):
        seen[np.uint64(thread) + np.uint64(w * BINS)] = np.uint32(0)
    cuda.syncthreads()
    tile = np.int64(ticket[0])
    start = tile * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    strip = load_strips(keys, start, length, own)
    total = count_keys(own, shift, mask, seen)
    done = DONE + (np.uint32(number) & 1)
    base = position_type(0)
    if tile == 0:
        of_all = position_type(counts[number * BINS + np.int64(thread)])
        base, _ = carry_counts(thread, of_all, False, position_type(0))
        tell_count(states, tile, done, position_type(base + position_type(total)))
    else:
        tell_count(states, tile, np.uint32(ALONE), position_type(total))
    cuda.syncthreads()
    first, _ = carry_in(thread, total, False, np.uint32(0))
    scan_warps(seen, first)
    rank_keys(own, shift, mask, seen, ranks)
    if tile != 0:
        base = look_back_for_digit(states, tile, done)
        tell_count(states, tile, done, position_type(base + position_type(total)))
    bases[thread] = position_type(base - position_type(first))
    cuda.syncthreads()
    for k in range(ITEMS):
        ordered[ranks[k]] = slot_type(own[k])
    cuda.syncthreads()
    _store_in_order(ordered, length, shift, mask, bases, targets, out_keys)
    here = start + np.int64(strip)
    if HAS_PAYLOAD:
        move_payload(payload, here, strip, length, room.view(payload_type), ranks, targets, out_payload)
    if HAS_SECOND:
        move_second(second, here, strip, length, room.view(second_type), ranks, targets, out_second)


@helper
def _store_in_order(ordered, length, shift, mask, bases, targets, out):
    """Store the keys of a tile, side by side those of one digit, and note where each went."""
    thread = np.uint32(cuda.threadIdx.x)
    if length == TILE:
        for k in range(ITEMS):
            i = thread + np.uint32(k * THREADS)
            key = key_type(ordered[i])
            targets[k] = position_type(position_type(bases[digit(key, shift, mask)]) + position_type(i))
            out[targets[k]] = key
    else:
        for k in range(ITEMS):
            i = thread + np.uint32(k * THREADS)
            if i < length:
                key = key_type(ordered[i])
                targets[k] = position_type(position_type(bases[digit(key, shift, mask)]) + position_type(i))
                out[targets[k]] = key


def widest_of(*dtypes):
    """Return the widest dtype of what is moved; a key takes a word at least: a narrower one would share a bank."""
    return max((np.dtype(np.uint32), *filter(None, dtypes)), key=lambda x: x.itemsize)


@functools.cache
def _kernel(key, payload, second, counts_up, position):
    """Return the kernel for dtypes of keys, of a payload and of another (or None), and of positions.

    If `counts_up`, the payload is the position of the key.
    """
    widest = widest_of(key, payload, second)
    shape = BOXES[widest.itemsize]
    carries = (block_carry_in(shape.threads, ops.MONOIDS["sum"].op, x) for x in (np.dtype(np.uint32), position))
    meanings = {
        "THREADS": shape.threads,
        "HAS_PAYLOAD": payload is not None,
        "HAS_SECOND": second is not None,
        "payload_type": (payload or key).type,
        "second_type": (second or key).type,
        "slot_type": widest_of(key).type,
        "room_type": widest.type,
        "move_payload": mover(counts_up, shape),
        "move_second": mover(False, shape),
        **dict(zip(("carry_in", "carry_counts"), carries, strict=True)),
        **rank_meanings(key, position, shape),
    }
    return Kernel(specialise(_move_tile, **meanings), shape.threads)


def tiles_for(n, arrays):
    """Return how many tiles `n` keys make, where these arrays are moved."""
    return blocks_for(n, BOXES[widest_of(*(x.dtype for x in arrays)).itemsize].tile)


def scatter(sources, targets, shift, mask, number, counts, tickets, states):
    """Move keys and up to two arrays from `sources` to `targets`, in the order of one digit, in the pass of a number.

    A payload that is None is the position.
    """
    keys, n = sources[0], sources[0].size
    dtypes = [None if x is None else x.dtype for x in (*targets, None, None)[:3]]
    filled = [keys if x is None else x for x in (*sources, None, None)[:3]]
    written = [targets[0] if x is None else x for x in (*targets, None, None)[:3]]
    kernel = _kernel(*dtypes, len(sources) > 1 and sources[1] is None, states.dtype)
    kernel(tiles_for(n, targets), *filled, n, shift, mask, number, counts, tickets, states, *written)
