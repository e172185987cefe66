"""
Selection and runs
==================

Select elements, compute the positions to write results to, apply a function to few elements, and encode and decode runs.

Run it with ``python examples/05_compact.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/compaction.svg"

import numpy as np
from numba import njit

from spark_csr.primitives import (
    allocate,
    compact,
    exclusive_scan,
    head_flags_from_offsets,
    map_where,
    offsets_from_counts,
    partition,
    repeat,
    right_flood,
    run_length_encode,
)


def show(name, array):
    print(f"{name:<52}{array}")


@njit
def slow_square(v):
    """Square a number, in place of a costly function."""
    return v * v


def selection():
    x, mask = np.array([10, 11, 12, 13, 14]), np.array([True, False, True, False, True])
    show("x and what to keep", f"{x} {mask.astype(int)}")
    show("dense: gaps closed", compact(x, mask))
    show("sparse: holes filled with -1", compact(x, mask, layout="sparse", fill_value=-1))
    show("kept first, then the others; how many were kept", partition(x, mask))
    numbers = np.array([-2, 0, -1, 0, 1, 2])
    show("the even ones of [-2 0 -1 0 1 2], in order", compact(numbers, numbers % 2 == 0))

    # 13 of 52 cards are selected. A kernel that starts a thread for every card and tests it there has 39 idle threads.
    cards = np.arange(52)
    kept, index = compact(cards, cards % 4 == 2, return_index=True)
    show("13 of 52 cards", kept)
    show("their positions: the list to map over", index)
    show("squares of these 13 only", map_where(slow_square, cards, cards % 4 == 2))


def by_hand():
    """Compaction is a scan and a scatter: the exclusive sum of the flags says where each kept element goes."""
    x = np.array([1, 1, 1, 3, 3, 6, 6, 6])
    flags = np.append(True, x[1:] != x[:-1])
    places, size = exclusive_scan(flags, return_total=True)
    show("x", x)
    show("flags: differs from the one before", flags.astype(int))
    show("exclusive scan: flags before", places)
    out = np.empty(int(size), x.dtype)
    out[places[flags]] = x[flags]
    show("scatter", out)
    assert np.array_equal(out, compact(x, flags))


def addresses():
    counts = np.array([1, 0, 1, 2, 1, 0, 3, 0])
    show("writers produce so many items", counts)
    show("where each writes, and how many in all", allocate(counts))


def runs():
    x = np.array([1, 1, 1, 3, 3, 6, 6, 6])
    values, counts = run_length_encode(x)
    show("runs of x: values and counts", f"{values} {counts}")
    offsets = offsets_from_counts(counts)
    heads = head_flags_from_offsets(offsets)
    scattered = compact(x, heads, layout="sparse")
    show("values at the start of each run", scattered)
    show("right flood", right_flood(scattered, heads))
    show("repeat, in one pass", repeat(values, counts))
    assert np.array_equal(repeat(values, counts), x)

    # 0 is an element like any other, and a count may be 0.
    show("repeat [0 3 6] by [3 0 2]", repeat(np.array([0, 3, 6]), np.array([3, 0, 2])))
    odd = np.array([0.0, -0.0, np.nan, np.nan])
    assert repeat(*run_length_encode(odd)).tobytes() == odd.tobytes()
    print("decode(encode(x)) is x")


# %%
# Run the program:

if __name__ == "__main__":
    selection()
    by_hand()
    addresses()
    runs()
