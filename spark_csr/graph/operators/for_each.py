"""`for_each`: call a function for every item of a frontier, for its effects."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import call
from spark_csr.graph.operators.filter import list_items
from spark_csr.primitives import foreach
from spark_csr.primitives._calls import INT64, check_state, compile_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, Number
    from spark_csr.graph.frontier import Frontier


def for_each(frontier: Frontier, func: Callable[..., Any], state: tuple[Array | Number, ...] = ()) -> None:
    """Call a function for every item of a frontier, for its effects.

    Parameters, result and exceptions that are not listed are those of `advance`; nothing is returned.

    Parameters
    ----------
    frontier : Frontier
        Vertices or edges.
    func : callable
        `func(item, *state)`; what it returns is ignored. `item` is int64: a vertex, or the id of an edge. The function must
        write only array elements that no call for another item writes, or write the same value as all other calls that write to
        that element, or write by `atomic_add`, `atomic_min` and `atomic_max`. The other rules for the function are those of
        `func` in `advance`.

    Notes
    -----
    *Cost*: one launch and no host read, or one if the frontier is a bitmap. *Order*: calls run at the same time and in any
    order. *Empty input*: nothing is called.

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
    call(np.int64(items[i]), *state)


@functools.cache
def make_body(func: Any) -> Any:
    """Return the body of the kernel for a function."""
    return njit(specialise(_call_item, call=func))
