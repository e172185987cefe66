"""Scans of textbooks, step by step: running sums, of segments too, and the tree of a right flood.

Sources: Hillis & Steele, *Data Parallel Algorithms*, 1986; Blelloch, *Prefix Sums and Their Applications*, 1990.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr.primitives.textbook.steps import Step, algorithm, along, row, step

if TYPE_CHECKING:
    from spark_csr._types import ArrayLike
    from spark_csr.primitives.textbook.steps import Steps


@algorithm
def hillis_steele_scan(x: ArrayLike) -> Steps:
    """Add to each element what is 1, 2, 4 and so on before it: running sums in log2(n) steps and n log2(n) additions.

    Parameters
    ----------
    x : (n,) array_like
        Numbers; an array on a GPU is copied to the host.

    Returns
    -------
    (n,) array
        The running sums.

    Raises
    ------
    ValueError
        If `x` is not one list of numbers.

    Notes
    -----
    *Cost*: one Python loop for each step, on the host: it is for reading. `inclusive_scan` gives the same.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.hillis_steele_scan([3, 1, 2, 4, 1])
    array([ 3,  4,  6, 10, 11])
    """
    x, distance = row("x", x), 1
    yield step("begin", x)
    while distance < x.size:
        x = np.concatenate([x[:distance], x[distance:] + x[:-distance]])
        here = np.arange(distance, x.size)
        yield along(f"add what is {distance} before", x, here - distance, here)
        distance *= 2


@algorithm
def blelloch_scan(x: ArrayLike) -> Steps:
    """Return the sum of all elements before each: up a tree, down again, in 2 log2(n) steps and 2n additions.

    Parameters, result and exceptions are those of `hillis_steele_scan`, but zeros fill the array up to a power of two, and
    the result is as long as that. `exclusive_scan` gives the same.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.blelloch_scan([3, 1, 2, 4, 1])
    array([ 0,  3,  4,  6, 10, 11, 11, 11])
    """
    x = row("x", x)
    n = 1 << max(x.size - 1, 0).bit_length()
    x = np.concatenate([x, np.zeros(n - x.size, x.dtype)])
    yield step("begin", x)
    distances = [1 << k for k in range(n.bit_length() - 1)]
    for distance in distances:
        right = np.arange(2 * distance - 1, n, 2 * distance)
        x[right] += x[right - distance]
        yield along(f"up: add what is {distance} before", x, right - distance, right)
    x[-1] = 0
    yield step("write 0 at the root", x)
    for distance in reversed(distances):
        right = np.arange(2 * distance - 1, n, 2 * distance)
        left = right - distance
        x[left], x[right] = x[right].copy(), x[right] + x[left]
        yield along(f"down: move and add, {distance} apart", x, np.r_[left, right], np.r_[right, left])


@algorithm
def segmented_scan(x: ArrayLike, head_flags: ArrayLike) -> Steps:
    """Return running sums that begin anew at each flag: Hillis and Steele's scan of pairs of a flag and a sum.

    Parameters
    ----------
    x : (n,) array_like
        Numbers.
    head_flags : (n,) array_like
        Numbers; not 0 for elements at which a segment begins.

    Returns
    -------
    (n,) array
        The running sums.

    Raises
    ------
    ValueError
        If an argument is not one list of numbers, or the two differ in length.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.segmented_scan([1, 2, 3, 4, 5], [1, 0, 1, 0, 0])
    array([ 1,  3,  3,  7, 12])
    """
    x, flags, distance = row("x", x), row("head_flags", head_flags) != 0, 1
    if x.size != flags.size:
        raise ValueError(f"head_flags must have the {x.size} elements of x, got {flags.size}")
    yield step("flags", flags.astype(int))
    yield step("begin", x)
    while distance < x.size:
        here = np.arange(distance, x.size)
        open_here = here[~flags[here]]
        sums, flag = x[open_here] + x[open_here - distance], flags[here] | flags[here - distance]
        x[open_here], flags[here] = sums, flag
        yield along(f"add what is {distance} before", x, open_here - distance, open_here)
        distance *= 2


@algorithm
def right_flood(valid: ArrayLike) -> Steps:
    """Find the last valid position at or before each: the tree of `flood_by_reduce_deduce`, one level in a step.

    A node over `l <= i < r` with middle m holds W = (S(l, l+1), S(l, m), S(l, m+1), S(l, r)) on the way up, and on the way down
    the same with 0 in place of l, where S(a, b) is the last valid position from a on before b, or -1.

    Parameters
    ----------
    valid : (n,) array_like
        Numbers; elements that are not 0 are valid.

    Returns
    -------
    (n,) array
        The positions, -1 where no valid element is before.

    Raises
    ------
    ValueError
        If `valid` is not one list of numbers.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.right_flood([1, 0, 0, 0, 3, 0])
    array([0, 0, 0, 0, 4, 4])
    """
    valid = row("valid", valid)
    positions = np.where(valid != 0, np.arange(valid.size), -1).tolist()
    yield step("begin", valid)
    levels = [[(at,) * 4 for at in positions]]
    yield Step("W of single elements", levels[0], [(i, i) for i in range(valid.size)])
    while len(levels[-1]) > 1:
        below = levels[-1]
        groups = [below[i : i + 2] for i in range(0, len(below), 2)]
        levels.append([(a[0], a[3], max(a[3], b[0][0]) if b else a[3], max(a[3], b[0][3]) if b else a[3]) for a, *b in groups])
        yield Step("reduce: W of two", levels[-1], [(i, i // 2) for i in range(len(below))])
    above = levels.pop()
    while levels:
        here = []
        for child, (_, up_to_middle, after, _) in enumerate(levels.pop()):
            begin, end = above[child // 2][2 * (child % 2) : 2 * (child % 2) + 2]
            here.append((begin, max(begin, up_to_middle), max(begin, after), end))
        yield Step("deduce: M of both children", here, [(child // 2, child) for child in range(len(here))])
        above = here
    yield Step("take the first number", [node[0] for node in above], [(i, i) for i in range(len(above))])
