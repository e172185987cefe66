"""Merge two sorted arrays; tell whether one is bitonic.

Sources: Odeh, Green, Mwassi, Shmueli & Birk, *Merge Path: Parallel Merging Made Simple*, 2012; Batcher, *Sorting Networks
and Their Applications*, 1968.
"""

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._shared.order import comparable, less, restored
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each


def _check_ordered(name, x):
    """Raise an exception unless `x` has one dimension and a dtype that has an order."""
    if _check.one_dimensional(name, x).dtype.kind == "c":
        raise TypeError(f"{name} must have an order, and {x.dtype} has none: use the real part or the absolute value")
    return x


@njit
def _steps_up(i, x, flags):
    here = np.uint64(i)
    flags[here] = less(x[here], x[here + np.uint64(1)])


@njit
def _steps_down(i, x, flags):
    here = np.uint64(i)
    flags[here] = less(x[here + np.uint64(1)], x[here])


def _flag_steps(x, body):
    """Return flags of the elements but the last: whether `x` goes up, or down, from there."""
    flags = namespace_of(x).empty(max(x.size - 1, 0), np.bool_)
    for_each(flags.size, body, x, flags)
    return flags


def _check_ascending(name, given, x):
    at = _check.find_first_true(_flag_steps(x, _steps_down))
    if at is not None:
        before, after = to_host_scalar(given[at]), to_host_scalar(given[at + 1])
        raise ValueError(f"{name} must ascend, got {name}[{at}] = {before} > {name}[{at + 1}] = {after}: sort it first")


def _common_dtype(a, b):
    """What holds both exactly; TypeError where nothing does."""
    dtype = np.result_type(a.dtype, b.dtype)
    for x in (a, b):
        if dtype.kind == "f" and x.dtype.kind in "iu" and x.dtype.itemsize == 8:
            raise TypeError(f"no dtype holds both {a.dtype} and {b.dtype} exactly: convert a or b first")
    return dtype


def merge(a, b, *, return_index=False):
    """Merge two sorted arrays into one.

    Parameters
    ----------
    a : (n,) array
        Ascending; NaN last.
    b : (m,) array
        Likewise.
    return_index : bool
        Also return the index in `out` of every element of `a` and of `b`.

    Returns
    -------
    out : (n+m,) array
        Of the dtype that holds both, `numpy.result_type`.
    a_index : (n,) int32 array (int64 for n + m > 2**31)
        If asked for: `out[a_index] == a`.
    b_index : (m,) array
        If asked for: `out[b_index] == b`.

    Raises
    ------
    ValueError
        If `a` or `b` does not ascend (named with the first position that does not), unless `config.validate` is off; for
        other than one dimension.
    TypeError
        For complex or unsupported dtypes, two dtypes that none holds exactly, or mixed devices.

    Notes
    -----
    *Cost*: one read and one write of every element, and a binary search per tile; two launches on a GPU. The check reads
    both arrays once more, writes a flag for each element, and asks for a host read for each array; no other scratch
    memory to speak of. float16 is merged in float32, which takes copies. *Order*: stable, elements of `a` before equal ones of
    `b`; same bits every run. *Empty input*: legal, the result is a copy of the other array.

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
    left, right = (comparable(x.astype(dtype, copy=False)) for x in (a, b))
    if config.validate:
        _check_ascending("a", a, left)
        _check_ascending("b", b, right)
    xp, n = namespace_of(a), a.size + b.size
    out = xp.empty(n, left.dtype)
    positions = tuple(xp.empty(x.size, index_dtype(n - 1)) for x in (a, b)) if return_index else None
    if n:
        backend_of(a).merge(left, right, out, positions)
    out = restored(out, dtype)
    return (out, *positions) if return_index else out


def is_bitonic(x):
    """Whether `x` changes direction at most once: it ascends, then descends, or the other way round.

    Parameters
    ----------
    x : (n,) array
        Equal neighbours have no direction and change none; NaN is greater than any number.

    Returns
    -------
    bool
        A sequence that becomes bitonic only when rotated is not: [1, 3, 2, 4, 5] changes twice.

    Raises
    ------
    ValueError, TypeError
        For other than one dimension, complex or unsupported dtypes.

    Notes
    -----
    *Cost*: two reads of `x`, two flags written for each element, two or four searches among them; up to four host reads.
    Scratch: these flags. *Order*: exact. *Empty input*: True, as for constant arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import is_bitonic
    >>> is_bitonic(np.array([1, 2, 5, 4, 2])), is_bitonic(np.array([7, 5, 3, 4, 6])), is_bitonic(np.array([1, 3, 2, 4, 5]))
    (True, True, False)
    """
    x = comparable(_check_ordered("x", x))
    up, down = _flag_steps(x, _steps_up), _flag_steps(x, _steps_down)
    return _all_before(up, down) or _all_before(down, up)


def _all_before(flags, others):
    """Whether every true one of `flags` comes before every true one of `others`."""
    from_end, first = _check.find_first_true(flags[::-1]), _check.find_first_true(others)
    return from_end is None or first is None or flags.size - 1 - from_end < first
