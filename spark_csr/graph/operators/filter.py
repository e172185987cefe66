"""`filter`: the items of a frontier that pass a test."""

import functools

import numpy as np

from spark_csr._array import by_width
from spark_csr._holes import call
from spark_csr._numba import njit
from spark_csr._specialise import specialise
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.visits import INT64, check_state, compile_test, select_visits


def filter(frontier, pred, state=()):
    """Keep the items that a function accepts.

    Parameters
    ----------
    frontier : Frontier
    pred : function
        `pred(item, *state) -> bool`, as the function of `advance`.
    state : tuple of (k,) arrays and numbers

    Returns
    -------
    Frontier
        Repeated items stay repeated: see `uniquify`.

    Raises
    ------
    TypeError, ValueError
        As `advance`.

    Notes
    -----
    *Cost*: one visit to every item, and a copy of those kept; one host read. *Order*: kept (stable). *Empty input*: empty.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, filter
    >>> filter(Frontier("vertex", [4, 1, 0, 2], n=5), lambda item: item % 2 == 0).items
    array([4, 0, 2], dtype=int32)
    """
    items = list_items(frontier)
    state = check_state(state, items)
    pred = compile_test(pred, {"item": INT64}, state)
    found = select_visits(items.size, make_body(pred), items.dtype, (by_width(items),), state, [])
    return Frontier._of(frontier.kind, frontier.n, found, ascending=frontier._ascending)


def list_items(frontier):
    """Return the items of what must be a frontier."""
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, got {type(frontier).__name__}: use Frontier.of(G, items)")
    return frontier._list()


def _test_tile(start, stop, items, shift, counts, out, *state):
    """Every item is stored, and the position to store at moves on behind a kept one."""
    place = start
    for k in range(start, stop):
        out[place] = items[k]
        place += np.uint64(call(np.int64(items[k]), *state) != 0)
    counts[start >> np.uint64(shift)] = place - start


@functools.cache
def make_body(pred):
    """Return the kernel's body for a test."""
    return njit(specialise(_test_tile, call=pred))
