"""What tiles of a chain tell each other: what each hands on, by itself at first, and then with all tiles before it.

Design: a word of a tile holds in its upper half how far the tile has come, and below it 32 bits of what it hands on; a value of
64 bits takes two such words. A word is stored and loaded in one piece. So no fence orders a flag and what it stands for: who
finds the same flag in all words of a tile has the value that was told with it, since each flag is told once. What a tile finds
is combined from whatever other tiles have told by then: this is for operators that give the same bits in any order.
"""

import numpy as np

from spark_csr._cuda.warp import ballot, lane_of, reader
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, cuda, device_function, load_volatile, store_volatile
from spark_csr._engine.holes import IDENTITY, Hole, add, scalar, warp_shuffle

PARTS = Hole("PARTS: int", "How many words of 64 bits hold what a tile of a chain hands on.")
to_bits = Hole("to_bits(value) -> uint64", "Return the bits of a value.")
from_bits = Hole("from_bits(bits) -> scalar", "Return the value of which these are the bits.")

ALONE, DONE = 1, 2
"""What a tile hands on is that of its own items, or of all items up to its last. 0: it has not told anything."""

HALF = 32


@helper
def tell(states, tile, flag, value):
    """Tell other blocks what a tile hands on. One thread calls."""
    bits = np.uint64(to_bits(value))
    head = np.uint64(np.uint64(flag) << np.uint64(HALF))
    first = tile * np.int64(PARTS)
    store_volatile(states, first, np.uint64(head | np.uint64(np.uint32(bits))))
    if PARTS == 2:
        store_volatile(states, first + 1, np.uint64(head | np.uint64(bits >> np.uint64(HALF))))


@helper
def listen(states, tile):
    """Wait until a tile has told something; return how far it has come, and what it hands on."""
    first = tile * np.int64(PARTS)
    low = np.uint64(load_volatile(states, first))
    high = np.uint64(load_volatile(states, first + np.int64(PARTS - 1)))
    while np.uint64(low >> np.uint64(HALF)) == 0 or low >> np.uint64(HALF) != high >> np.uint64(HALF):
        low = np.uint64(load_volatile(states, first))
        high = np.uint64(load_volatile(states, first + np.int64(PARTS - 1)))
    bits = np.uint64(np.uint32(low))
    if PARTS == 2:
        bits = np.uint64(bits | np.uint64(high << np.uint64(HALF)))
    return np.uint32(low >> np.uint64(HALF)), scalar(from_bits(bits))


@helper
def combine_lanes(flag, value):
    """Return what tiles hand on together, and which lanes have one that is done. Lane 0 has the last tile, lane 1 the one
    before it, and so on; what comes before the last one that is done does not count.
    """
    lane = lane_of(cuda.threadIdx.x)
    votes = np.uint32(ballot(flag == np.uint32(DONE)))
    if np.uint32(votes & np.uint32(np.uint32(np.uint32(1) << lane) - np.uint32(1))) != 0:
        value = scalar(IDENTITY)  # a nearer tile has told what this one hands on too
    distance = 1
    while distance < WARP:
        earlier = scalar(warp_shuffle(value, np.uint32(lane + np.uint32(distance))))
        if np.uint32(lane + np.uint32(distance)) < np.uint32(WARP):
            value = scalar(add(earlier, value))
        distance *= 2
    return scalar(warp_shuffle(value, np.uint32(0))), votes


@helper
def tell_and_look_back(states, tile, total, broken, initial):
    """Tell what a tile hands on, `total`; return what the tile before it does. All lanes of one warp call.

    Each lane asks one of the tiles before. If a segment begins in the tile, what it hands on depends on none of them.
    """
    lane = lane_of(cuda.threadIdx.x)
    if lane == 0:
        tell(states, tile, DONE if broken else ALONE, total)
    nearest = tile - 1
    found, votes = scalar(IDENTITY), np.uint32(0)
    while votes == 0:
        flag, value = np.uint32(DONE), scalar(initial)
        if nearest >= np.int64(lane):
            flag, value = listen(states, nearest - np.int64(lane))
        value, votes = combine_lanes(flag, value)
        found = scalar(add(value, found))
        nearest -= np.int64(WARP)
    if lane == 0 and not broken:
        tell(states, tile, DONE, scalar(add(found, total)))
    return found


@device_function
def _bits_of_integer(value):
    return np.uint64(value)


@device_function
def _integer_of_bits(bits):
    return bits


@device_function
def _bits_of_float32(value):
    return np.uint64(np.float32(value).view(np.uint32))


@device_function
def _float32_of_bits(bits):
    return np.uint32(bits).view(np.float32)


@device_function
def _bits_of_float64(value):
    return np.float64(value).view(np.uint64)


@device_function
def _float64_of_bits(bits):
    return np.uint64(bits).view(np.float64)


FLOATS = {4: (_bits_of_float32, _float32_of_bits), 8: (_bits_of_float64, _float64_of_bits)}


def parts_of(dtype):
    """Return how many words of a tile hold what it hands on."""
    return 2 if dtype.itemsize == 8 else 1


def word_meanings(monoid, dtype, operator):
    """Return what the names in functions that look back mean, for values of a dtype: bools, integers, float32 or float64."""
    to_bits, from_bits = FLOATS[dtype.itemsize] if dtype.kind == "f" else (_bits_of_integer, _integer_of_bits)
    meanings = {"PARTS": parts_of(dtype), "scalar": dtype.type, "to_bits": to_bits, "from_bits": from_bits, "add": operator}
    return meanings | {"IDENTITY": monoid.identity_for(dtype).item(), "warp_shuffle": reader(dtype)}
