"""Radix sort, eight bits at a time from the lowest in use (LSD).

Design: all digits are counted in one read of the keys (`radix_count`); then a pass for each digit moves the keys with what goes
along (`radix_scatter`). Bits in which all keys agree are never looked at: one host read tells which. Cost of a pass: a read and
a write of the keys and of what goes along. The first pass reads the caller's arrays, and the last one writes to where the
result is wanted.
Source: Adinets & Merrill, *Onesweep: A Faster Least Significant Digit Radix Sort for GPUs*, 2022.
"""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._cuda.radix_count import count_digits
from spark_csr._cuda.radix_digits import BINS
from spark_csr._cuda.radix_scatter import scatter, tiles_for
from spark_csr._cuda.segmented import reduce_items, tile_size
from spark_csr._engine.gpu import blocks_for, device_function
from spark_csr._shared.merge_path import Tiles

FEW = (1 << 30) - (1 << 16)
"""Keys up to which a word of 32 bits holds a flag of two bits and how many keys there are, with a tile of others."""


def _join_bits(a, b):
    return a | b


ANY_BIT = ops.Monoid(_join_bits, 0).freeze()


@device_function
def bits_unlike_first(operands, position):
    """Return the bits in which a key differs from the first one."""
    return operands[0][position] ^ operands[0][0]


def join_bits(read_item, operands, n, dtype):
    """Return the bits, of `n` numbers `read_item(operands, position)`, that are set in any of them. The host reads once."""
    xp = namespace_of(operands[0])
    items = tile_size(n + 1)
    rows = xp.zeros(blocks_for(n + 1, items) + 1, np.int32)
    rows[-1:] = 1
    offsets = xp.arange(2, dtype=index_dtype(n)) * index_dtype(n).type(n)
    out = xp.empty(1, dtype)
    reduce_items(Tiles(rows, items, n + 1), ANY_BIT, read_item, operands, offsets, out)
    return to_host_scalar(out[0])


def differing_bits(keys):
    """Return the bits in which some keys differ. The host reads once."""
    return join_bits(bits_unlike_first, (keys,), keys.size, keys.dtype)


def list_digits(bits):
    """Return `(shift, mask)` of the digits that hold all of these bits, from the lowest on."""
    digits = []
    while bits:
        shift = (bits & -bits).bit_length() - 1
        digits.append((shift, bits >> shift & (BINS - 1)))
        bits &= ~(digits[-1][1] << shift)
    return digits


def move_by_digits(digits, sources, targets, spares):
    """Sort the first of some arrays, the keys, by its digits; up to two others move along. Write all into `targets`.

    Sources are left as they are, unless they are spares too; the second may be None: then it is the position of each key.
    With an even number of digits a target may be its source, with an odd one a spare may. There are no spares if there is at
    most one digit.
    """
    if not digits:
        for source, target in zip(sources, targets, strict=True):
            if source is not target:
                target[...] = namespace_of(target).arange(target.size, dtype=target.dtype) if source is None else source
        return
    keys, many = sources[0], len(digits) * BINS
    words = many + len(digits) + tiles_for(keys.size, targets) * BINS
    room = namespace_of(keys).zeros(words, np.uint32 if keys.size <= FEW else np.uint64)
    counts, tickets, states = room[:many], room[many : many + len(digits)], room[many + len(digits) :]
    count_digits(keys, sum(mask << shift for shift, mask in digits), counts)
    for number, (shift, mask) in enumerate(digits):
        there = spares if (len(digits) - number) % 2 == 0 else targets
        scatter(sources, there, shift, mask, number, counts, tickets, states)
        sources = there


def radix_sort(keys, payload, begin_bit, end_bit, report=None):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. The host does not wait, so nothing is reported."""
    digits = list_digits(differing_bits(keys) & ((1 << end_bit) - (1 << begin_bit)))
    if not digits:
        return
    arrays = [keys] if payload is None else [keys, by_width(payload)]
    others = [namespace_of(x).empty_like(x) for x in arrays]
    if len(digits) % 2 == 0:
        move_by_digits(digits, arrays, arrays, others)
        return
    move_by_digits(digits, arrays, others, arrays)
    for x, moved in zip(arrays, others, strict=True):
        x[...] = moved


def radix_argsort(keys, order, begin_bit, end_bit, report=None):
    """Fill `order` with the positions that sort `keys` (unsigned, of no use afterwards)."""
    digits = list_digits(differing_bits(keys) & ((1 << end_bit) - (1 << begin_bit)))
    xp, order = namespace_of(keys), by_width(order)
    pair = [keys, xp.empty_like(keys) if digits else keys]
    spare = xp.empty_like(order) if len(digits) > 1 else order
    target = len(digits) % 2
    move_by_digits(digits, [keys, None], [pair[target], order], [pair[1 - target], spare])
