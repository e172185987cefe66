"""Right flood: forward fill. Each element takes the last valid one to its left.

Design: validity is a mask, never a value, so zeros, NaN and -0.0 are elements like any other. The flood is a max-scan of
valid positions whose results are gathered as they come, in one pass; the map of positions is what a gradient needs. Source
of the name and of the worked example: "right flood" (supplient, 2022); in databases it is called last-non-null or forward
fill.
"""

import operator

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import as_storable
from spark_csr.primitives.segmented import heads_and_range


@njit(forceinline=True)
def _position(operands, i):
    """What the flood scans: the element's own position, or `missing` where it is not valid."""
    valid, missing = operands[0], operands[1]
    return np.int64(i) if valid[i] else np.int64(missing)


@njit(forceinline=True)
def _take(operands, i, source):
    """What becomes of a position: the element there, unless none was found within `limit`."""
    length, limit, x, fill, out = operands[2], operands[3], operands[4], operands[5], operands[6]
    place, position = np.int64(i), np.int64(source)
    found = position >= 0 and position < length and abs(place - position) <= limit
    value = x[np.uint64(position if found else 0)]
    out[i] = value if found else fill[0]


@njit(forceinline=True)
def _take_and_tell(operands, i, source):
    """The same, and where it came from."""
    _take(operands, i, source)
    length, limit, index = operands[2], operands[3], operands[7]
    place, position = np.int64(i), np.int64(source)
    found = position >= 0 and position < length and abs(place - position) <= limit
    index[i] = position if found else -1


def right_flood(x, valid=None, *, offsets=None, initial=0, limit=None, return_index=False):
    """Forward fill: each element takes the last valid one to its left (itself included).

    Parameters
    ----------
    x : (n,) array
    valid : (n,) bool array, optional
        Which elements hold a value; default: those that differ from zero.
    offsets : (m+1,) integer array, optional
        Segments that the flood does not cross.
    initial : scalar
        What elements take that have no valid one to their left.
    limit : int, optional
        How far a value reaches at most; beyond it `initial` stands.
    return_index : bool
        Also return where each element came from, -1 where it is `initial`.

    Returns
    -------
    out : (n,) array of the dtype of `x`
    index : (n,) int32 array (int64 for n >= 2**31)
        If asked for: `out == where(index >= 0, x[index], initial)`; non-decreasing within each segment apart from -1.

    Raises
    ------
    ValueError
        If `valid` has another length, offsets are malformed, or `limit` is negative.
    TypeError
        If `valid` is not bool, `initial` does not fit the dtype, or devices are mixed.

    Notes
    -----
    *Cost*: one scan that reads `valid` twice and `x` once and writes the result; three launches on a GPU; with `offsets`
    also a flag of one byte for each element and one host read; without `valid` the mask
    `x != 0`. No other array is made. *Order*: exact. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import right_flood
    >>> right_flood(np.array([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2]))
    array([1, 1, 1, 1, 3, 3, 2, 2, 2, 5, 2])
    """
    return _flood(x, valid, offsets, initial, limit, return_index, "max", False)


def left_flood(x, valid=None, *, offsets=None, initial=0, limit=None, return_index=False):
    """Backward fill: each element takes the first valid one to its right (itself included). The mirror of `right_flood`.

    Parameters
    ----------
    x, valid, offsets, limit, return_index
        As in `right_flood`.
    initial : scalar
        What elements take that have no valid one to their right.

    Returns
    -------
    out : (n,) array of the dtype of `x`
    index : (n,) int32 array (int64 for n >= 2**31)
        If asked for: as in `right_flood`.

    Raises
    ------
    ValueError, TypeError
        As `right_flood`.

    Notes
    -----
    *Cost*, *Order* and *Empty input* as `right_flood`: the scan goes from right to left.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import left_flood
    >>> left_flood(np.array([0, 0, 3, 0, 3, 0]))
    array([3, 3, 3, 3, 3, 0])
    """
    return _flood(x, valid, offsets, initial, limit, return_index, "min", True)


def _flood(x, valid, offsets, initial, limit, return_index, op, reverse):
    x = as_operand(_check.one_dimensional("x", x))
    n, xp = x.size, namespace_of(x)
    if valid is None:
        valid = x != 0
    valid = _check.mask("valid", valid, n)
    same_device(x, valid)
    limit = n if limit is None else min(operator.index(limit), n)
    if limit < 0:
        raise ValueError(f"limit must be 0 or above, got {limit}")
    fill = xp.full(1, _check.cast_scalar("initial", initial, x.dtype))
    heads, start, stop = (None, 0, n) if offsets is None else heads_and_range(x, offsets, None)
    dtype = index_dtype(n)
    out, index = xp.empty(n, x.dtype), xp.empty(n if return_index else 0, dtype)
    if n:
        operands = (valid, n if reverse else -1, n, limit, by_width(x), by_width(fill), by_width(out), index)
        emit = _take_and_tell if return_index else _take
        total = xp.empty(1, dtype)
        backend_of(x).scan(ops.MONOIDS[op], dtype, n, _position, emit, operands, total, heads=heads, reverse=reverse)
        for outside in (slice(0, start), slice(stop, n)):
            out[outside] = fill[0]
            if return_index:
                index[outside] = -1
    return (out, index) if return_index else out


@njit
def _starts_run(i, index, heads):
    heads[i] = i == 0 or index[i] != index[i - 1]


@njit
def _is_foreign(i, index, foreign):
    """In the map of a flood every element's source is reached through neighbours that have the same source."""
    source, n = np.int64(index[i]), index.size
    if source < -1 or source >= n:
        foreign[i] = True
    elif source == -1 or source == i:
        foreign[i] = False
    else:
        foreign[i] = index[i + 1 if source > i else i - 1] != source


@njit(forceinline=True)
def _gradient(operands, i):
    return operands[0][i]


@njit(forceinline=True)
def _credit(operands, i, total):
    """The last element of a run brings the run's sum home to its source."""
    index, n, out = operands[1], operands[2], operands[3]
    place = np.int64(i)
    source = np.int64(index[i])
    last = place + 1 == n or np.int64(index[np.uint64(min(place + 1, n - 1))]) != source
    if last and source >= 0:
        out[np.uint64(source)] = total


def right_flood_vjp(grad, index):
    """The gradient of a flood with respect to its elements: each gets the sum over all positions it was copied to.

    Parameters
    ----------
    grad : (n,) array
        The gradient with respect to the result; floating or complex.
    index : (n,) integer array
        The map that `right_flood(..., return_index=True)` or `left_flood` returned.

    Returns
    -------
    (n,) array of the dtype of `grad`
        `out[j] = sum of grad[i] over all i with index[i] == j`; 0 where nothing was copied. Positions with index -1 took
        `initial` and credit nobody.

    Raises
    ------
    ValueError
        If lengths differ, or `index` is not the map of a flood: named with the first position.
    TypeError
        For wrong dtypes or mixed devices.

    Notes
    -----
    *Cost*: a segmented sum-scan over the runs of `index` and one byte for each element to mark them; with `config.validate`
    one pass and a host read more. *Order*: fixed tiles, no atomics, so the same bits every run: the map never turns
    back, hence all copies of an element lie side by side. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import right_flood, right_flood_vjp
    >>> _, index = right_flood(np.array([1.0, 0, 0, 3, 0, 6, 0, 0]), return_index=True)
    >>> right_flood_vjp(np.ones(8), index)
    array([3., 0., 0., 2., 0., 3., 0., 0.])
    """
    grad = _check.one_dimensional("grad", grad)
    if grad.dtype.kind not in "fc":
        raise TypeError(f"grad must be floating or complex, got dtype {grad.dtype}")
    same_device(grad, index)
    index = as_operand(_check.integers("index", index))
    n, xp = grad.size, namespace_of(grad)
    if index.size != n:
        raise ValueError(f"grad and index must have the same length, got {n} and {index.size}")
    flags = xp.empty(n, np.bool_)
    if config.validate:
        for_each(n, _is_foreign, index, flags)
        at = _check.find_first_true(flags)
        if at is not None:
            raise ValueError(f"index must be the map that a flood returned, got index[{at}] = {to_host_scalar(index[at])}")
    computed = as_operand(as_storable(grad))
    out = xp.zeros(n, computed.dtype)
    if n:
        for_each(n, _starts_run, index, flags)
        operands, total = (computed, index, n, out), xp.empty(1, out.dtype)
        plus = ops.MONOIDS["sum"]
        backend_of(grad).scan(plus, out.dtype, n, _gradient, _credit, operands, total, heads=flags)
    return out.astype(grad.dtype, copy=False)
