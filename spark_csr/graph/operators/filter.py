"""`filter`: select the items of a frontier that pass a test."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import call
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.visits import select_visits
from spark_csr.primitives._calls import INT64, check_state, compile_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, Number


def filter(frontier: Frontier, pred: Callable[..., Any], state: tuple[Array | Number, ...] = ()) -> Frontier:
    """Select the items of a frontier that a function accepts.

    Parameters, result and exceptions that are not listed are those of `advance`.

    Parameters
    ----------
    pred : callable
        `pred(item, *state) -> bool` returns True for the items to select. `item` is int64: a vertex, or the id of an edge. The
        rules for the function are those of `func` in `advance`.

    Returns
    -------
    Frontier
        The selected items, in their order. Repeated items stay repeated; `uniquify` drops them.

    Notes
    -----
    *Cost*: one visit to every item, and a copy of the selected ones; one host read. *Order*: the order of the items (stable).
    *Empty input*: an empty frontier.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, filter, uniquify
    >>> F = Frontier("vertex", [4, 1, 0, 2, 4], n=5)
    >>> filter(F, lambda item: item % 2 == 0).items, uniquify(F).items
    (array([4, 0, 2, 4], dtype=int32), array([0, 1, 2, 4], dtype=int32))
    """
    items = list_items(frontier)
    state = check_state(state, items)
    pred = compile_test(pred, {"item": INT64}, state)
    found = select_visits(items.size, make_body(pred), items.dtype, (by_width(items),), state, [])
    return Frontier._of(frontier.kind, frontier.n, found, ascending=frontier._ascending)


def list_items(frontier: Frontier) -> Array:
    """Return the items of a frontier; raise TypeError for anything else."""
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, got {type(frontier).__name__}: use Frontier.of(G, items)")
    return frontier._list()


def _test_tile(start, stop, items, shift, counts, out, *state):
    """Select among items `start` to `stop`.

    Every item is stored; the position to store at advances only if the item passes.
    """
    place = start
    for k in range(start, stop):
        out[place] = items[k]
        place += np.uint64(call(np.int64(items[k]), *state) != 0)
    counts[start >> np.uint64(shift)] = place - start


@functools.cache
def make_body(pred: Any) -> Any:
    """Return the body of the kernel for a test."""
    return njit(specialise(_test_tile, call=pred))
