"""Read, change and write in one step: for functions that operators call for many items at once.

Design: plain Python says what they mean, and is what the simulator runs; Numba is told how processors do it: those of cores
here, since functions are typed for them first, GPUs in `_cuda/atomics.py`. The last value of a slot does not depend on the
order of calls, but for sums of floats; the values returned do: only tests that hold for just one call, whichever that is (as
"was it still unreached?"), give the same result every run.
"""

from spark_csr._numba.intrinsics.atomics import implement_on_cores


def atomic_add(array, index, value):
    """`array[index] += value` in one step, in a function for an operator; returns what was there before.

    Parameters
    ----------
    array : (k,) array of int32, int64, uint32, uint64, float32 or float64
        Of the function's state.
    index : int
        At least 0.
    value : number
        Cast to the array's dtype.

    Returns
    -------
    scalar of the array's dtype
        What was there before.

    Raises
    ------
    TypeError
        By the operator that the function is given to, for an array of another dtype or of several axes.

    Notes
    -----
    *Cost*: a locked instruction; callers of one slot wait for each other, so look first whether there is anything to change. On
    one core, as for small frontiers of `traverse`, a plain read and write. *Order*: integers come out the same in any order,
    sums of floats do not. An index out of range is not looked for.

    Examples
    --------
    Vertices lose their edges to a frontier; one that has none left is in the next frontier, once:

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


def atomic_min(array, index, value):
    """`array[index] = min(array[index], value)` in one step; returns what was there before. See `atomic_add`."""
    before = array[index]
    array[index] = min(before, value)
    return before


def atomic_max(array, index, value):
    """`array[index] = max(array[index], value)` in one step; returns what was there before. See `atomic_add`."""
    before = array[index]
    array[index] = max(before, value)
    return before


def element_type(array):
    """The Numba type of an array's elements, where processors change it in one step; TypeError that says so elsewhere.

    It is asked while a function is compiled, so the error becomes one of Numba's.
    """
    if not getattr(array, "ndim", None) == 1 or str(array.dtype) not in DTYPES:
        raise TypeError(f"atomic functions take an array of one axis of {', '.join(DTYPES)}, got {array}")
    return array.dtype


DTYPES = "int32", "int64", "uint32", "uint64", "float32", "float64"
"""What both kinds of processors change in one step."""


implement_on_cores(atomic_add, element_type, "add", "add", "fadd")
implement_on_cores(atomic_min, element_type, "min", "umin", "fmin")
implement_on_cores(atomic_max, element_type, "max", "umax", "fmax")
