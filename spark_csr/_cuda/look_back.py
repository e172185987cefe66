"""What tiles of a chain tell each other: what each hands on, by itself at first, and then with all tiles before it.

Design: a word of a tile holds in its upper half how far the tile has come, and below it 32 bits of what it hands on; values of
64 and 128 bits take two and four such words. A word is stored and loaded in one piece. So no fence orders a flag and what it
stands for: who finds the same flag in all words of a tile has the value that was told with it, since each flag is told once.
What a tile finds is combined from whatever other tiles have told by then: this is for operators that give the same bits in any
order.
"""

import numpy as np
from numba import uint64

from spark_csr._cuda.warp import ballot, lane_of, reader
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, cuda, device_function, load_volatile, store_volatile
from spark_csr._engine.holes import IDENTITY, Hole, add, scalar, warp_shuffle

PARTS = Hole("PARTS: int", "How many words of 64 bits hold what a tile of a chain hands on.")
word_of = Hole("word_of(value, k) -> uint32", "Return 32 bits of a value, from bit `32 * k` on.")
value_of = Hole("value_of(words) -> scalar", "Return the value of which these words have the bits in their lower halves.")

ALONE, DONE = 1, 2
"""What a tile hands on is that of its own items, or of all items up to its last. 0: it has not told anything."""

HALF = 32


@helper
def tell(states, tile, flag, value):
    """Tell other blocks what a tile hands on. One thread calls."""
    head = np.uint64(flag) << HALF
    for k in range(PARTS):
        store_volatile(states, tile * PARTS + k, head | np.uint64(word_of(value, k)))


@helper
def listen(states, tile):
    """Wait until a tile has told something; return how far it has come, and what it hands on."""
    words = cuda.local.array(PARTS, uint64)
    waits = True
    while waits:
        waits = False
        for k in range(PARTS):
            words[k] = load_volatile(states, tile * PARTS + k)
        flag = np.uint32(words[0] >> HALF)
        for k in range(PARTS):
            waits |= flag == 0 or np.uint32(words[k] >> HALF) != flag
    return flag, scalar(value_of(words))


@helper
def combine_lanes(flag, value):
    """Return what tiles hand on together, and which lanes have one that is done. Lane 0 has the last tile, lane 1 the one
    before it, and so on; what comes before the last one that is done does not count.
    """
    lane = lane_of(cuda.threadIdx.x)
    votes = ballot(flag == DONE)
    if votes & ((1 << lane) - 1) != 0:
        value = scalar(IDENTITY)  # a nearer tile has told what this one hands on too
    distance = 1
    while distance < WARP:
        earlier = scalar(warp_shuffle(value, lane + np.uint32(distance)))
        if lane + np.uint32(distance) < WARP:
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
        nearest -= WARP
    if lane == 0 and not broken:
        tell(states, tile, DONE, scalar(add(found, total)))
    return found


@device_function
def _word_of_integer(value, k):
    return np.uint32(np.uint64(value) >> np.uint64(HALF * k))


@device_function
def _integer_of_word(words):
    return np.uint32(words[0])


@device_function
def _integer_of_words(words):
    return _join(words[0], words[1])


@device_function
def _join(low, high):
    """Return the 64 bits of the lower halves of two words."""
    return np.uint64(np.uint32(low)) | high << HALF


@device_function
def _word_of_float32(value, k):
    return np.float32(value).view(np.uint32)


@device_function
def _float32_of_word(words):
    return np.uint32(words[0]).view(np.float32)


@device_function
def _word_of_float64(value, k):
    return _word_of_integer(np.float64(value).view(np.uint64), k)


@device_function
def _float64_of_words(words):
    return _integer_of_words(words).view(np.float64)


@device_function
def _word_of_complex64(value, k):
    return np.float32(value.imag if k else value.real).view(np.uint32)


@device_function
def _complex64_of_words(words):
    return complex(np.uint32(words[0]).view(np.float32), np.uint32(words[1]).view(np.float32))


@device_function
def _word_of_complex128(value, k):
    return _word_of_float64(value.imag if k >= 2 else value.real, k % 2)


@device_function
def _complex128_of_words(words):
    return complex(_join(words[0], words[1]).view(np.float64), _join(words[2], words[3]).view(np.float64))


WORDS_OF = {
    "f4": (_word_of_float32, _float32_of_word),
    "f8": (_word_of_float64, _float64_of_words),
    "c8": (_word_of_complex64, _complex64_of_words),
    "c16": (_word_of_complex128, _complex128_of_words),
}
"""The functions `word_of` and `value_of` of floats and complex numbers."""


def parts_of(dtype):
    """Return how many words of a tile hold what it hands on."""
    return max(dtype.itemsize // 4, 1)


def word_meanings(monoid, dtype, operator):
    """Return what the names in functions that look back mean, for values of a dtype."""
    integers = _word_of_integer, _integer_of_words if dtype.itemsize == 8 else _integer_of_word
    word_of, value_of = WORDS_OF.get(dtype.str[1:], integers)
    meanings = {"PARTS": parts_of(dtype), "scalar": dtype.type, "word_of": word_of, "value_of": value_of, "add": operator}
    return meanings | {"IDENTITY": monoid.identity_for(dtype).item(), "warp_shuffle": reader(dtype)}
