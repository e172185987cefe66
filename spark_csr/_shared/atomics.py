"""Functions that read, change and write an array element in one step, for functions that operators call for many items at once.

Design: the plain Python code defines the meaning, and is what the simulator runs; Numba is told here how the cores do it,
because functions are typed for them first, and in `_cuda/atomics.py` how GPUs do it. The last value of an element does not
depend on the order of calls, except for sums of floats. The values that the calls return do depend on it. So only tests that
hold for exactly one call, whichever that is (such as "was it still unreached?"), give the same result on every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._engine.numba.intrinsics.atomics import implement_on_cores

if TYPE_CHECKING:
    from spark_csr._types import Array, Number


def atomic_add(array: Array, index: int, value: Number) -> Any:
    """Add a number to an array element in one step, in a function that an operator calls; return the value before.

    Parameters
    ----------
    array : (k,) array of int32, int64, uint32, uint64, float32 or float64
        An array of the function's state.
    index : int
        The position of the element, at least 0.
    value : number
        The number to add. It is cast to the array's dtype.

    Returns
    -------
    scalar of the array's dtype
        The value of the element before the call.

    Raises
    ------
    TypeError
        If the array is of another dtype or has several axes. The operator that the function is given to raises it.

    Notes
    -----
    It does `array[index] += value`. *Cost*: a locked instruction. Calls for one element wait for each other, so test first
    whether there is anything to change. If one core does all the work, as for small frontiers of `traverse`, it is a plain
    read and write. *Order*: the last value of integers is the same for any order of calls, whereas sums of floats are rounded
    differently. The index is not checked.

    Examples
    --------
    Every edge from the frontier takes 1 from the count of edges that enter its target. A vertex whose count becomes 0 is in the
    next frontier, once:

    >>> from spark_csr.graph import Frontier, Graph, advance, atomic_add
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> def cut(src, dst, edge, weight, left):
    ...     return atomic_add(left, dst, -1) == 1
    >>> advance(G, Frontier.of(G, 0), cut, (G.degrees("in"),)).items
    array([1], dtype=int32)
    """
    before = array[index]
    array[index] = before + value
    return before


def atomic_min(array: Array, index: int, value: Number) -> Any:
    """Replace an array element by a number if that is less, in one step, in a function that an operator calls.

    Parameters, result and exceptions are those of `atomic_add`; `value` is the number to compare with. It does
    `array[index] = min(array[index], value)`. *Cost*: that of `atomic_add`. *Order*: the last value is the same for any order
    of calls. The index is not checked.

    Examples
    --------
    Find the smallest vertex with an edge to each vertex:

    >>> import numpy as np
    >>> from spark_csr.graph import Frontier, Graph, advance, atomic_min
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> def compare(src, dst, edge, weight, least):
    ...     atomic_min(least, dst, src)
    >>> least = np.array([9, 9, 9])
    >>> advance(G, Frontier.all(G), compare, (least,), output=None)
    >>> least
    array([9, 0, 0])
    """
    before = array[index]
    array[index] = min(before, value)
    return before


def atomic_max(array: Array, index: int, value: Number) -> Any:
    """Replace an array element by a number if that is greater, in one step, in a function that an operator calls.

    Parameters, result and exceptions are those of `atomic_add`; `value` is the number to compare with. It does
    `array[index] = max(array[index], value)`. *Cost*: that of `atomic_add`. *Order*: the last value is the same for any order
    of calls. The index is not checked.

    Examples
    --------
    Find the largest vertex with an edge to each vertex:

    >>> import numpy as np
    >>> from spark_csr.graph import Frontier, Graph, advance, atomic_max
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> def compare(src, dst, edge, weight, largest):
    ...     atomic_max(largest, dst, src)
    >>> largest = np.array([-1, -1, -1])
    >>> advance(G, Frontier.all(G), compare, (largest,), output=None)
    >>> largest
    array([-1,  0,  1])
    """
    before = array[index]
    array[index] = max(before, value)
    return before


def element_type(array):
    """Return the Numba type of an array's elements if processors change it in one step; raise TypeError otherwise.

    It is called while a function is compiled, so the error becomes one of Numba's.
    """
    if not getattr(array, "ndim", None) == 1 or str(array.dtype) not in DTYPES:
        raise TypeError(f"atomic functions take an array of one axis of {', '.join(DTYPES)}, got {array}")
    return array.dtype


DTYPES = "int32", "int64", "uint32", "uint64", "float32", "float64"
"""The dtypes that both kinds of processors change in one step."""


implement_on_cores(atomic_add, element_type, "add", "add", "fadd")
implement_on_cores(atomic_min, element_type, "min", "umin", "fmin")
implement_on_cores(atomic_max, element_type, "max", "umax", "fmax")
