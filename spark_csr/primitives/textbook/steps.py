"""Algorithms of textbooks, step by step: what a teacher writes on the board. They are for small arrays, in plain NumPy.

A step is what all processors do at once, between two barriers. `trace` returns the steps of an algorithm, which can be printed
and, in notebooks, are drawn; a call of an algorithm returns its result alone.

Sources: Hillis & Steele, *Data Parallel Algorithms*, 1986; Blelloch, *Prefix Sums and Their Applications*, 1990; Batcher,
*Sorting Networks and Their Applications*, 1968; Knuth, *The Art of Computer Programming* 3, 5.3.4; Habermann, *Parallel
Neighbor-Sort*, 1972.
"""

from __future__ import annotations

import functools
import html
import inspect
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spark_csr._array import is_array, to_device

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike

Steps = Iterator["Step"]


class Step(NamedTuple):
    """What an algorithm has done at once: in words, the elements after that, and which elements of before each is made of.

    Parameters
    ----------
    name : str
        What is done.
    values : list
        The elements after the step.
    pairs : list of tuples of ints
        Pairs (i, j): element i of the step before takes part in element j of this one, besides element j of the step before.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.trace(textbook.brick_sort, [2, 1])[1]
    Step(name='compare even neighbours', values=[1, 2], pairs=[(0, 1), (1, 0)])
    """

    name: str
    values: list[Any]
    pairs: list[tuple[int, int]]

    def __str__(self) -> str:
        return f"{self.name:32} {' '.join(f'{value!s:>3}' for value in self.values)}"


class Trace(list[Step]):
    """The steps of an algorithm, the first of which is what it begins with. Printing it prints a line for each.

    In a notebook it is drawn: a row of cells for each step, with lines from the elements that its pairs name.

    Parameters
    ----------
    iterable : iterable of Step
        The steps.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> len(textbook.trace(textbook.bitonic_sort, range(16)))
    11
    """

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def svg(self) -> str:
        """Return the drawing.

        Returns
        -------
        str
            The text of an SVG file.

        Examples
        --------
        >>> from spark_csr.primitives import textbook
        >>> textbook.trace(textbook.brick_sort, [2, 1]).svg()[:4]
        '<svg'
        """
        wide = max((len(str(value)) for step in self for value in step.values), default=1)
        cell, left, pitch = 18 + 9 * wide, 230, 62
        shapes = []
        for k, step in enumerate(self):
            y = 8 + pitch * k
            shapes.append(f'<text x="8" y="{y + 20}">{html.escape(step.name)}</text>')
            for i, j in step.pairs:
                ends = f'x1="{left + (i + 0.5) * cell}" y1="{y - pitch + 30}" x2="{left + (j + 0.5) * cell}" y2="{y}"'
                shapes.append(f'<line {ends} stroke="#2f6f9f" stroke-width="1.5"/>')
            for j, value in enumerate(step.values):
                x = left + j * cell
                shapes.append(f'<rect x="{x + 2}" y="{y}" width="{cell - 4}" height="30" fill="none" stroke="#7d8a97"/>')
                text = html.escape(str(value))
                shapes.append(f'<text x="{x + cell / 2}" y="{y + 20}" text-anchor="middle">{text}</text>')
        width = left + cell * max((len(step.values) for step in self), default=0) + 8
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{pitch * len(self)}" fill="currentColor"'
        return "\n".join([f'{head} font-family="sans-serif" font-size="14">', *shapes, "</svg>", ""])

    _repr_html_ = svg


def algorithm(steps: Callable[..., Steps]) -> Callable[..., Array]:
    """Return a function that returns the result of an algorithm; its attribute `steps` is the function of its steps."""

    def call(*args: Any, **options: Any) -> Array:
        return np.array(deque(steps(*args, **options), maxlen=1)[0].values)

    wrapper: Any = functools.update_wrapper(call, steps)
    wrapper.steps = steps
    wrapper.__signature__ = inspect.signature(steps).replace(return_annotation="Array")
    del wrapper.__wrapped__  # a generator: documentation would say what it yields
    return wrapper


def trace(algorithm: Callable[..., Array], *args: Any, **options: Any) -> Trace:
    """Return the steps of an algorithm for these arguments.

    Parameters
    ----------
    algorithm : function of this module
        For example `bitonic_sort`.
    *args, **options
        Its arguments.

    Returns
    -------
    list of `Step`
        What it begins with, and its steps. `print` prints a line for each; notebooks draw them, and `svg()` is the drawing.

    Raises
    ------
    TypeError
        If `algorithm` is not a function of this module.
    ValueError
        What the algorithm refuses.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> for step in textbook.trace(textbook.hillis_steele_scan, [3, 1, 2, 4, 1]):
    ...     print(step)
    begin                              3   1   2   4   1
    add what is 1 before               3   4   3   6   5
    add what is 2 before               3   4   6  10   8
    add what is 4 before               3   4   6  10  11
    """
    if not hasattr(algorithm, "steps"):
        raise TypeError(f"trace takes a function of spark_csr.primitives.textbook, got {algorithm!r}")
    return Trace(algorithm.steps(*args, **options))


def _row(name, x):
    """Return a copy of an array of one axis on the host."""
    x = np.array(to_device(x, "cpu") if is_array(x) else list(x))
    if x.ndim != 1 or x.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a list of numbers, got shape {x.shape} and dtype {x.dtype}")
    return x.astype(np.int64) if x.dtype.kind == "b" else x


def _step(name, x, pairs=()):
    return Step(name, x.tolist(), [(int(i), int(j)) for i, j in pairs])


def _along(name, x, sources, targets):
    """Return the step in which each of `targets` takes part of the element of `sources` at the same place."""
    return _step(name, x, zip(sources, targets, strict=True))


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
    x, distance = _row("x", x), 1
    yield _step("begin", x)
    while distance < x.size:
        x = np.concatenate([x[:distance], x[distance:] + x[:-distance]])
        here = np.arange(distance, x.size)
        yield _along(f"add what is {distance} before", x, here - distance, here)
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
    x = _row("x", x)
    n = 1 << max(x.size - 1, 0).bit_length()
    x = np.concatenate([x, np.zeros(n - x.size, x.dtype)])
    yield _step("begin", x)
    distances = [1 << k for k in range(n.bit_length() - 1)]
    for distance in distances:
        right = np.arange(2 * distance - 1, n, 2 * distance)
        x[right] += x[right - distance]
        yield _along(f"up: add what is {distance} before", x, right - distance, right)
    x[-1] = 0
    yield _step("write 0 at the root", x)
    for distance in reversed(distances):
        right = np.arange(2 * distance - 1, n, 2 * distance)
        left = right - distance
        x[left], x[right] = x[right].copy(), x[right] + x[left]
        yield _along(f"down: move and add, {distance} apart", x, np.r_[left, right], np.r_[right, left])


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
    valid = _row("valid", valid)
    positions = np.where(valid != 0, np.arange(valid.size), -1).tolist()
    yield _step("begin", valid)
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


def _exchange(name, x, left, right):
    """Put each pair of elements in order, and return the step."""
    x[left], x[right] = np.minimum(x[left], x[right]), np.maximum(x[left], x[right])
    return _along(name, x, np.r_[left, right], np.r_[right, left])


def _network(x):
    x = _row("x", x)
    if np.isnan(x).any():
        raise ValueError("x must be free of NaN: networks compare by <")
    return x


@algorithm
def bitonic_sort(x: ArrayLike) -> Steps:
    """Sort by a bitonic network of any length: ascending runs are merged with their mirror image, then at half the distance.

    Parameters, result and exceptions are those of `hillis_steele_scan`, but the result is sorted, and NaN is refused.
    `sort` with `algorithm="bitonic"` is this network.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.bitonic_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x, size = _network(x), 2
    yield _step("begin", x)
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

    Parameters, result and exceptions are those of `hillis_steele_scan`, but the result is sorted, and NaN is refused.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.odd_even_merge_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x, run = _network(x), 1
    yield _step("begin", x)
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

    Parameters, result and exceptions are those of `hillis_steele_scan`, but the result is sorted, and NaN is refused.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.brick_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x = _network(x)
    yield _step("begin", x)
    for k in range(x.size):
        left = np.arange(k % 2, x.size - 1, 2)
        yield _exchange(f"compare {'odd' if k % 2 else 'even'} neighbours", x, left, left + 1)


@algorithm
def radix_sort(x: ArrayLike) -> Steps:
    """Sort integers of 0 and above bit by bit: all whose bit is 0 move before all whose bit is 1, both in their order.

    Parameters, result and exceptions are those of `hillis_steele_scan`, but the result is sorted, and other numbers are
    refused. `sort_by_bits` does the same on all cores.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.radix_sort([3, 1, 2, 5, 4])
    array([1, 2, 3, 4, 5])
    """
    x = _row("x", x)
    if x.dtype.kind not in "iu" or (x.size and x.min() < 0):
        raise ValueError("x must hold integers of 0 and above")
    yield _step("begin", x)
    for bit in range(int(x.max(initial=0)).bit_length()):
        order = np.argsort(x >> bit & 1, kind="stable")
        x = x[order]
        yield _along(f"split by bit {bit}", x, order, np.arange(x.size))


@algorithm
def compact(x: ArrayLike, mask: ArrayLike) -> Steps:
    """Select the elements at which a mask is true: a scan of the mask says where each goes.

    Parameters
    ----------
    x : (n,) array_like
        Numbers.
    mask : (n,) array_like
        Numbers; not 0 for elements to select.

    Returns
    -------
    (k,) array
        The selected elements, in their order.

    Raises
    ------
    ValueError
        If an argument is not one list of numbers, or the two differ in length.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.compact([5, 6, 7, 8], [1, 0, 0, 1])
    array([5, 8])
    """
    x, mask = _row("x", x), _row("mask", mask) != 0
    if x.size != mask.size:
        raise ValueError(f"mask must have the {x.size} elements of x, got {mask.size}")
    yield _step("begin", x)
    yield _step("mask", mask.astype(int))
    places = np.cumsum(mask) - mask
    yield _step("sums before each", places)
    yield _along("write the selected ones", x[mask], np.flatnonzero(mask), places[mask])


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
    x, flags, distance = _row("x", x), _row("head_flags", head_flags) != 0, 1
    if x.size != flags.size:
        raise ValueError(f"head_flags must have the {x.size} elements of x, got {flags.size}")
    yield _step("flags", flags.astype(int))
    yield _step("begin", x)
    while distance < x.size:
        here = np.arange(distance, x.size)
        open_here = here[~flags[here]]
        sums, flag = x[open_here] + x[open_here - distance], flags[here] | flags[here - distance]
        x[open_here], flags[here] = sums, flag
        yield _along(f"add what is {distance} before", x, open_here - distance, open_here)
        distance *= 2


@algorithm
def spmv(indptr: ArrayLike, indices: ArrayLike, data: ArrayLike, x: ArrayLike) -> Steps:
    """Multiply a CSR matrix with a vector: gather, multiply, scan each row, take the ends of rows.

    Parameters
    ----------
    indptr : (m + 1,) array_like
        Where the entries of each row begin, and the end of the last.
    indices : (nnz,) array_like
        The column of each entry.
    data : (nnz,) array_like
        The value of each entry.
    x : (n,) array_like
        The vector.

    Returns
    -------
    (m,) array
        The product, `A @ x`.

    Raises
    ------
    ValueError
        If an argument is not one list of numbers, or they do not describe a matrix with as many columns as `x` has elements.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.spmv([0, 2, 2, 3], [0, 2, 1], [1, 2, 3], [10, 20, 30])
    array([70,  0, 60])
    """
    indptr, indices, data, x = (_row(*pair) for pair in {"indptr": indptr, "indices": indices, "data": data, "x": x}.items())
    lengths = np.diff(indptr)
    if indptr[:1].tolist() != [0] or (lengths < 0).any() or not indptr[-1] == indices.size == data.size:
        raise ValueError("indptr must ascend from 0 to the number of entries")
    if indices.size and not 0 <= indices.min() <= indices.max() < x.size:
        raise ValueError(f"indices must lie in 0 to {x.size - 1}")
    yield _step("begin: x", x)
    yield _along("gather x by column", x[indices], indices, np.arange(indices.size))
    products = data * x[indices]
    yield _step("multiply with the values", products)
    flags, full = np.zeros(indices.size, int), indptr[:-1][lengths > 0]
    flags[full] = 1
    yield _step("flags of first entries", flags)
    for step in trace(segmented_scan, products, flags):
        if step.pairs:
            yield step
            products = np.array(step.values)
    ends = indptr[1:][lengths > 0] - 1
    y = np.zeros(lengths.size, products.dtype)
    y[lengths > 0] = products[ends]
    yield _along("take the ends of rows", y, ends, np.flatnonzero(lengths > 0))
