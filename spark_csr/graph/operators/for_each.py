"""`for_each`: a function of every item of a frontier, for its effects."""

import functools

import numpy as np

from spark_csr._array import by_width
from spark_csr._holes import call
from spark_csr._numba import njit
from spark_csr._specialise import specialise
from spark_csr.graph.operators.filter import list_items
from spark_csr.graph.operators.visits import INT64, check_state, compile_test
from spark_csr.primitives import foreach


def for_each(frontier, func, state=()):
    """Call a function for every item.

    Parameters
    ----------
    frontier : Frontier
    func : function
        `func(item, *state)`, as the function of `advance`; it writes only what no other item writes, or the same value.
    state : tuple of (k,) arrays and numbers

    Raises
    ------
    TypeError, ValueError
        As `advance`.

    Notes
    -----
    *Cost*: one launch; no host read (one where the frontier is a bitmap). *Order*: none. *Empty input*: nothing is called.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.graph import Frontier, for_each
    >>> depth = np.zeros(4, int)
    >>> def note(item, depth, level):
    ...     depth[item] = level
    >>> for_each(Frontier("vertex", [3, 0], n=4), note, (depth, 5))
    >>> depth
    array([5, 0, 0, 5])
    """
    items = list_items(frontier)
    state = check_state(state, items)
    func = compile_test(func, {"item": INT64}, state, tests=False)
    foreach.for_each(items.size, make_body(func), by_width(items), *state)


def _call_item(i, items, *state):
    call(np.int64(items[np.uint64(i)]), *state)


@functools.cache
def make_body(func):
    """Return the kernel's body for a function."""
    return njit(specialise(_call_item, call=func))
