"""Sorts of textbooks, step by step: networks, and radix sort by single bits.

Sources: Batcher, *Sorting Networks and Their Applications*, 1968; Knuth, *The Art of Computer Programming* 3, 5.3.4; Habermann,
*Parallel Neighbor-Sort*, 1972.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr.primitives.textbook.steps import algorithm, along, row, step

if TYPE_CHECKING:
    from spark_csr._types import ArrayLike
    from spark_csr.primitives.textbook.steps import Steps


def _exchange(name, x, left, right):
    """Put each pair of elements in order, and return the step."""
    x[left], x[right] = np.minimum(x[left], x[right]), np.maximum(x[left], x[right])
    return along(name, x, np.r_[left, right], np.r_[right, left])


def _network(x):
    x = row("x", x)
    if np.isnan(x).any():
        raise ValueError("x must be free of NaN: networks compare by <")
    return x


@algorithm
def bitonic_sort(x: ArrayLike) -> Steps:
    """Sort by a bitonic network of any length: ascending runs are merged with their mirror image, then at half the distance.

    Parameters
    ----------
    x : (n,) array_like
        Numbers; an array on a GPU is copied to the host.

    Returns
    -------
    (n,) array
        The sorted numbers.

    Raises
    ------
    ValueError
        If `x` is not one list of numbers, or has NaN.

    Notes
    -----
    *Cost*: one Python loop for each step, on the host: it is for reading. `sort` with `algorithm="bitonic"` is this network.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.bitonic_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x, size = _network(x), 2
    yield step("begin", x)
    while size < 2 * x.size:
        i = np.arange(x.size)
        partner = i // size * size + size - 1 - i % size
        left = i[(i < partner) & (partner < x.size)]
        yield _exchange(f"compare with the mirror of {size}", x, left, partner[left])
        distance = size // 4
        while distance:
            left = i[(i & distance == 0) & (i + distance < x.size)]
            yield _exchange(f"compare {distance} apart", x, left, left + distance)
            distance //= 2
        size *= 2


@algorithm
def odd_even_merge_sort(x: ArrayLike) -> Steps:
    """Sort by Batcher's odd-even merges: two sorted runs merge by merging their even and their odd elements.

    Parameters, result and exceptions are those of `bitonic_sort`.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.odd_even_merge_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x, run = _network(x), 1
    yield step("begin", x)
    while run < x.size:
        distance = run
        while distance:
            i = np.arange(distance % run, x.size - distance)
            is_left = ((i - distance % run) // distance % 2 == 0) & (i // (2 * run) == (i + distance) // (2 * run))
            yield _exchange(f"merge runs of {run}: {distance} apart", x, i[is_left], i[is_left] + distance)
            distance //= 2
        run *= 2


@algorithm
def brick_sort(x: ArrayLike) -> Steps:
    """Sort by odd-even transposition: even neighbours are put in order, then odd ones, n times in all.

    Parameters, result and exceptions are those of `bitonic_sort`.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.brick_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x = _network(x)
    yield step("begin", x)
    for k in range(x.size):
        left = np.arange(k % 2, x.size - 1, 2)
        yield _exchange(f"compare {'odd' if k % 2 else 'even'} neighbours", x, left, left + 1)


@algorithm
def radix_sort(x: ArrayLike) -> Steps:
    """Sort integers of 0 and above bit by bit: all whose bit is 0 move before all whose bit is 1, both in their order.

    Parameters, result and exceptions are those of `bitonic_sort`, but numbers that are not integers of 0 and above are
    refused. `sort_by_bits` does the same on all cores.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.radix_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x = row("x", x)
    if x.dtype.kind not in "iu" or (x.size and x.min() < 0):
        raise ValueError("x must hold integers of 0 and above")
    yield step("begin", x)
    for bit in range(int(x.max(initial=0)).bit_length()):
        order = np.argsort(x >> bit & 1, kind="stable")
        x = x[order]
        yield along(f"split by bit {bit}", x, order, np.arange(x.size))
