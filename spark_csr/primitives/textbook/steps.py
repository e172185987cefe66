"""The steps of an algorithm, what a teacher writes on the board: printed, and in notebooks drawn.

A step is what all processors do at once, between two barriers. `trace` returns the steps of an algorithm; a call of it returns
its result alone. An algorithm is a generator of its steps, in plain NumPy.
"""

from __future__ import annotations

import functools
import html
import inspect
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spark_csr._array import is_array, to_device

if TYPE_CHECKING:
    from spark_csr._types import Array

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
    algorithm : function of `textbook`
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
        If `algorithm` is not one of them.
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


def row(name: str, x: Any) -> Array:
    """Return a copy of an array of one axis on the host."""
    x = np.array(to_device(x, "cpu") if is_array(x) else list(x))
    if x.ndim != 1 or x.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a list of numbers, got shape {x.shape} and dtype {x.dtype}")
    return x.astype(np.int64) if x.dtype.kind == "b" else x


def step(name: str, x: Array, pairs: Iterable[Any] = ()) -> Step:
    """Return a step that leaves the elements of `x`."""
    return Step(name, x.tolist(), [(int(i), int(j)) for i, j in pairs])


def along(name: str, x: Array, sources: Array, targets: Array) -> Step:
    """Return the step in which each of `targets` takes part of the element of `sources` at the same place."""
    return step(name, x, zip(sources, targets, strict=True))
