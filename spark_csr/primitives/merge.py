"""Merge two sorted arrays, and test whether an array is bitonic.

Sources: Odeh, Green, Mwassi, Shmueli & Birk, *Merge Path: Parallel Merging Made Simple*, 2012; Batcher, *Sorting Networks
and Their Applications*, 1968.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.order import as_comparable, is_less, restore
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


def _check_ordered(name, x):
    """Raise an exception unless `x` has one dimension and a dtype that has an order."""
    if _check.one_dimensional(name, x).dtype.kind == "c":
        raise TypeError(f"{name} must have an order, and {x.dtype} has none: use the real part or the absolute value")
    return x


@njit
def _steps_up(i, x, flags):
    flags[i] = is_less(x[i], x[i + 1])


@njit
def _steps_down(i, x, flags):
    flags[i] = is_less(x[i + 1], x[i])


def _flag_steps(x, body):
    """Return a flag for each element but the last: whether `x` goes up from there, or down, as `body` says."""
    flags = namespace_of(x).empty(max(x.size - 1, 0), np.bool_)
    for_each(flags.size, body, x, flags)
    return flags


def _check_ascending(name, given, x):
    at = _check.find_first_true(_flag_steps(x, _steps_down))
    if at is not None:
        before, after = to_host_scalar(given[at]), to_host_scalar(given[at + 1])
        raise ValueError(f"{name} must ascend, got {name}[{at}] = {before} > {name}[{at + 1}] = {after}: sort it first")


def _common_dtype(a, b):
    """Return the dtype that holds both arrays exactly; raise TypeError if there is none."""
    dtype = np.result_type(a.dtype, b.dtype)
    for x in (a, b):
        if dtype.kind == "f" and x.dtype.kind in "iu" and x.dtype.itemsize == 8:
            raise TypeError(f"no dtype holds both {a.dtype} and {b.dtype} exactly: convert a or b first")
    return dtype


@overload
def merge(a: ArrayLike, b: ArrayLike, *, return_index: Literal[False] = ...) -> Array: ...
@overload
def merge(a: ArrayLike, b: ArrayLike, *, return_index: Literal[True]) -> tuple[Array, Array, Array]: ...
def merge(a: ArrayLike, b: ArrayLike, *, return_index: bool = False) -> Array | tuple[Array, Array, Array]:
    """Merge two sorted arrays into one.

    Parameters
    ----------
    a : (n,) array
        An ascending array of a dtype that has an order, with NaN last.
    b : (m,) array
        Another such array.
    return_index : bool
        If True, also return the positions in `out` of the elements of `a` and of `b`.

    Returns
    -------
    out : (n+m,) array
        The sorted elements of both, in the dtype that holds both, `numpy.result_type(a, b)`.
    a_index : (n,) int32 array (int64 for n + m > 2**31)
        The position in `out` of every element of `a`: `out[a_index] == a`. Only returned if `return_index` is True.
    b_index : (m,) array
        The position in `out` of every element of `b`: `out[b_index] == b`. Only returned if `return_index` is True.

    Raises
    ------
    ValueError
        If `a` or `b` does not ascend (the message names the first position that does not; this is not checked with
        `config.validate` off), or has other than one dimension.
    TypeError
        If a dtype is complex or unsupported, no dtype holds both exactly, or devices are mixed.

    Notes
    -----
    *Cost*: The function reads and writes every element once, with a binary search for each tile. On a GPU it makes two
    launches. The check reads both arrays once more, writes a flag for each element and, on a GPU, makes a host read for each
    array. On a GPU, scratch memory also holds three numbers for each tile. Arrays of float16 are merged in float32, which takes
    copies. *Order*: The merge is stable: elements of `a` come before equal elements of `b`. The result has the same bits in
    every run. *Empty input*: If one array is empty, the result is a copy of the other.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import merge
    >>> out, of_a, of_b = merge(np.array([1, 3, 12, 28]), np.array([2, 10, 15, 21]), return_index=True)
    >>> out
    array([ 1,  2,  3, 10, 12, 15, 21, 28])
    >>> of_a, of_b
    (array([0, 2, 4, 7], dtype=int32), array([1, 3, 5, 6], dtype=int32))
    """
    _check_ordered("a", a), _check_ordered("b", b)
    same_device(a, b)
    dtype = _common_dtype(a, b)
    left, right = (as_comparable(x.astype(dtype, copy=False)) for x in (a, b))
    if config.validate:
        _check_ascending("a", a, left)
        _check_ascending("b", b, right)
    xp, n = namespace_of(a), a.size + b.size
    out = xp.empty(n, left.dtype)
    positions = tuple(xp.empty(x.size, index_dtype(n - 1)) for x in (a, b)) if return_index else None
    if n:
        backend_of(a).merge(left, right, out, positions)
    out = restore(out, dtype)
    return out if positions is None else (out, positions[0], positions[1])


def is_bitonic(x: ArrayLike) -> bool:
    """Return whether an array changes direction at most once: it ascends, then descends, or the other way round.

    Parameters
    ----------
    x : (n,) array
        The elements, of a dtype that has an order. Equal neighbours have no direction and change none. NaN is greater than any
        number.

    Returns
    -------
    bool
        True if the array changes direction at most once. An array that would become bitonic only by rotation gives False:
        [1, 3, 2, 4, 5] changes direction twice.

    Raises
    ------
    ValueError
        If `x` has other than one dimension.
    TypeError
        If `x` is not an array, or its dtype is complex or unsupported.

    Notes
    -----
    *Cost*: The function reads `x` twice and writes two flags for each element; it searches these flags two or four times. On a
    GPU there are up to four host reads. Scratch memory holds the flags. *Order*: The result is exact. *Empty input*: The result
    is True, as for constant arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import is_bitonic
    >>> is_bitonic(np.array([1, 2, 5, 4, 2])), is_bitonic(np.array([7, 5, 3, 4, 6])), is_bitonic(np.array([1, 3, 2, 4, 5]))
    (True, True, False)
    """
    x = as_comparable(_check_ordered("x", x))
    up, down = _flag_steps(x, _steps_up), _flag_steps(x, _steps_down)
    return _all_before(up, down) or _all_before(down, up)


def _all_before(flags, others):
    """Return whether every true element of `flags` comes before every true element of `others`."""
    from_end, first = _check.find_first_true(flags[::-1]), _check.find_first_true(others)
    return from_end is None or first is None or flags.size - 1 - from_end < first
