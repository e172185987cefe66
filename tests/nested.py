"""Nested Python lists: the oracle of ragged arrays, and strategies of hypothesis that draw them."""

import itertools

import numpy as np
from hypothesis import strategies as st

from spark_csr import Ragged

DEPTH = 5

SMALL = st.integers(-9, 9)


def lists_of(ndim, elements=SMALL):
    """Nested lists of `ndim` axes, empty ones at every level."""
    drawn = elements
    for _ in range(ndim):
        drawn = st.lists(drawn, max_size=6 if ndim < 3 else 3)
    return drawn


def ragged_lists(elements=SMALL, *, least=1, most=DEPTH):
    """`(ndim, lists)`: nested lists of any depth, and the number of their axes, which empty ones do not tell."""
    return st.integers(least, most).flatmap(lambda ndim: st.tuples(st.just(ndim), lists_of(ndim, elements)))


EXAMPLES = [
    (1, []),
    (1, [3, 1, 2]),
    (2, []),
    (2, [[], [], []]),
    (2, [[6, 5, 5], [2], [9, 9]]),
    (2, [[], [], [1, 2, 3, 4, 5], [], [6], [], []]),
    (3, []),
    (3, [[], []]),
    (3, [[[]], [[], []]]),
    (3, [[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]),
    (3, [[], [[], [1], []], [], [[2, 3], [4]], [[]], []]),
    (4, [[[[1, 2], []], []], [], [[[3]], [[], [4, 5, 6]]]]),
    (5, [[[[[1]], []], [[[], [2, 3]]]], [], [[[[4, 5], [], [6]]], []]]),
]
"""`(ndim, lists)`: what every method is tried on."""


def array(xp, lists, ndim, dtype=np.int64):
    """The ragged array of nested lists, with `xp`'s arrays."""
    made = Ragged.from_lists(lists, ndim=ndim, dtype=dtype)
    return made if xp is np else made.to_device("cuda")


def loose(ragged):
    """The same array, not packed: its offsets start above zero, and before and behind what they hold stand other lists."""
    packed = ragged.packed().to_device("cpu")
    junk = np.ones(2, packed.dtype)
    values, room = np.concatenate([junk, packed.values, junk]), packed.size + 4
    offsets = []
    for level in reversed(packed.offsets):
        inner = np.concatenate([[0], level + 2 if not offsets else level + 1, [room]])
        offsets, room = [inner, *offsets], inner.size - 1
    if offsets:
        offsets[0] = offsets[0][1:-1]
    else:
        values = packed.values
    return Ragged(values, *offsets).to_device(ragged.device)


def joined(lists, times=1):
    """Nested lists without their outermost `times` levels."""
    for _ in range(times):
        lists = list(itertools.chain.from_iterable(lists))
    return lists


def each(lists, depth, func):
    """`func` of every item at a depth: 0 the whole, 1 its items, ..., `ndim` the values."""
    return func(lists) if depth == 0 else [each(item, depth - 1, func) for item in lists]


def plain(got):
    """What a method returned, as nested lists or a number."""
    return got.to_lists() if isinstance(got, Ragged) else got.tolist()


ELEMENTS, OFFSETS, ROWS = [6, 5, 5, 2, 9, 9], [0, 3, 4, 6], [[6, 5, 5], [2], [9, 9]]
"""A worked example of two axes: values, offsets, and the lists that they are."""

OUTER, INNER = [0, 2, 6], [0, 3, 5, 9, 10, 12, 15]
SECTIONS = [[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]
"""One of three axes: both offsets of the numbers from 1 to 15, and the lists that they are."""
