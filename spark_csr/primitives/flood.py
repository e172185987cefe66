"""Right flood, or forward fill: each element takes the last valid one to its left.

Design: a mask says which elements are valid, so zeros, NaN and -0.0 are elements like any other. Only if no mask is given, it
is `x != 0`. The flood is a max-scan of valid positions whose results are gathered as they come, in one pass. A gradient needs
the map of positions. Source of the name and of the worked example: "right flood" (supplient, 2022); databases call it
last-non-null or forward fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, as_positions, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr.primitives import _check
from spark_csr.primitives._rows import moves_rows
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import as_storable
from spark_csr.primitives.segmented import heads_and_range, reduce_trusted

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Number


@njit(forceinline=True)
def _position(operands, i):
    """Return what the flood scans: the position of the element, or `missing` where it is not valid."""
    valid, missing = operands[0], operands[1]
    return np.int64(i) if valid[i] else missing


@njit(forceinline=True)
def _take(operands, i, source):
    """Write the element at position `source`, or the fill value if none was found within `limit`."""
    length, limit, x, fill, out = operands[2], operands[3], operands[4], operands[5], operands[6]
    place, position = np.int64(i), np.int64(source)
    found = position >= 0 and position < length and abs(place - position) <= limit
    value = x[position if found else 0]
    out[i] = value if found else fill[0]


@njit(forceinline=True)
def _take_and_tell(operands, i, source):
    """Write the element as `_take` does, and the position it came from."""
    _take(operands, i, source)
    length, limit, index = operands[2], operands[3], operands[7]
    place, position = np.int64(i), np.int64(source)
    found = position >= 0 and position < length and abs(place - position) <= limit
    index[i] = position if found else -1


@overload
def right_flood(
    x: ArrayLike,
    valid: ArrayLike | None = ...,
    *,
    offsets: ArrayLike | None = ...,
    initial: Number = ...,
    limit: int | None = ...,
    return_index: Literal[False] = ...,
) -> Array: ...
@overload
def right_flood(
    x: ArrayLike,
    valid: ArrayLike | None = ...,
    *,
    offsets: ArrayLike | None = ...,
    initial: Number = ...,
    limit: int | None = ...,
    return_index: Literal[True],
) -> tuple[Array, Array]: ...
@moves_rows(fill="initial", required="valid")
def right_flood(
    x: ArrayLike,
    valid: ArrayLike | None = None,
    *,
    offsets: ArrayLike | None = None,
    initial: Number = 0,
    limit: int | None = None,
    return_index: bool = False,
) -> Array | tuple[Array, Array]:
    """Fill forward: a valid element stays, and any other takes the value of the nearest valid element to its left.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    valid : (n,) bool array, optional
        True for elements that hold a value. By default these are the elements that differ from zero; NaN is one of them. It
        must be given for elements that are vectors.
    offsets : (m+1,) integer array, optional
        Offsets of segments whose ends the flood does not cross. Elements outside every segment become `initial`. By default
        there is one segment.
    initial : scalar
        The value of elements that have no valid element to their left. The default is 0.
    limit : int, optional
        The greatest distance that a value is carried; elements farther away become `initial`. By default there is no limit.
    return_index : bool
        If True, also return the position that each value came from.

    Returns
    -------
    out : (n, ...) array of the dtype of `x`
        The filled array.
    index : (n,) int32 array (int64 for n >= 2**31)
        The position that each value came from, or -1 where it is `initial`: `out == where(index >= 0, x[index], initial)`.
        Within a segment, the positions other than -1 do not decrease. Only returned if `return_index` is True.

    Raises
    ------
    ValueError
        If `valid` has another length than `x`, `offsets` is malformed, or `limit` is negative.
    TypeError
        If `x` is not an array of a supported dtype, `valid` is not bool, `initial` does not fit the dtype, or devices are
        mixed.

    Notes
    -----
    *Cost*: The function makes one scan, which reads `valid` and `x` and writes the result; on the cores it reads `valid` twice.
    On a GPU it makes one launch. With `offsets` it also writes a flag of one byte for each element and makes one host read.
    Without `valid` it writes the mask `x != 0`. It makes no other array. *Order*: The result is exact. *Empty input*: The
    result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import right_flood
    >>> right_flood(np.array([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2]))
    array([1, 1, 1, 1, 3, 3, 2, 2, 2, 5, 2])
    """
    return _flood(x, valid, offsets, initial, limit, return_index, "max", False)


@overload
def left_flood(
    x: ArrayLike,
    valid: ArrayLike | None = ...,
    *,
    offsets: ArrayLike | None = ...,
    initial: Number = ...,
    limit: int | None = ...,
    return_index: Literal[False] = ...,
) -> Array: ...
@overload
def left_flood(
    x: ArrayLike,
    valid: ArrayLike | None = ...,
    *,
    offsets: ArrayLike | None = ...,
    initial: Number = ...,
    limit: int | None = ...,
    return_index: Literal[True],
) -> tuple[Array, Array]: ...
@moves_rows(fill="initial", required="valid")
def left_flood(
    x: ArrayLike,
    valid: ArrayLike | None = None,
    *,
    offsets: ArrayLike | None = None,
    initial: Number = 0,
    limit: int | None = None,
    return_index: bool = False,
) -> Array | tuple[Array, Array]:
    """Fill backward: a valid element stays, and any other takes the value of the nearest valid element to its right.

    Parameters, result and exceptions are those of `right_flood`, with what is to the right in place of what is to the left.
    *Cost*: that of `right_flood`; the scan goes from right to left.

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
    limit = n if limit is None else min(_check.count_of("limit", limit), n)
    fill = xp.full(1, _check.cast_scalar("initial", initial, x.dtype))
    heads, start, stop = (None, 0, n) if offsets is None else heads_and_range(x, offsets, None)
    dtype = index_dtype(n)
    out, index = xp.empty(n, x.dtype), xp.empty(n if return_index else 0, dtype)
    if n:
        operands = (valid, n if reverse else -1, n, limit, by_width(x), by_width(fill), by_width(out), index)
        store_result = _take_and_tell if return_index else _take
        total = xp.empty(1, dtype)
        backend_of(x).scan(ops.MONOIDS[op], dtype, n, _position, store_result, operands, total, heads=heads, reverse=reverse)
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
    """Flag a position that contradicts the map of a flood, where all positions from a source to its copy have that source."""
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
    """Write the sum of a run to the source of its last element."""
    index, n, out = operands[1], operands[2], operands[3]
    place = np.int64(i)
    source = np.int64(index[i])
    last = place + 1 == n or index[min(place + 1, n - 1)] != source
    if last and source >= 0:
        out[source] = total


def right_flood_vjp(grad: ArrayLike, index: ArrayLike) -> Array:
    """Return the gradient of a flood with respect to its elements.

    Each element gets the sum of the gradients at all positions that it was copied to.

    Parameters
    ----------
    grad : (n, ...) array
        The gradient with respect to the result of the flood, of a floating or complex dtype.
    index : (n,) integer array
        The map that `right_flood(..., return_index=True)` or `left_flood(..., return_index=True)` returned.

    Returns
    -------
    (n, ...) array of the dtype of `grad`
        `out[j]` is the sum of `grad[i]` over all i with `index[i] == j`, and 0 for elements that were not copied. Positions
        with index -1 took `initial` and contribute to no element.

    Raises
    ------
    ValueError
        If the lengths differ, or `index` is not the map of a flood. The message names the first wrong position.
    TypeError
        If `grad` is not floating or complex, `index` does not hold integers, or devices are mixed.

    Notes
    -----
    *Cost*: The function makes a segmented sum-scan over the runs of `index`, and writes one byte for each element to mark the
    runs. With `config.validate` it makes one more pass and, on a GPU, one more host read. *Order*: All copies of an element are
    adjacent, so sums are made over fixed tiles without atomics, and have the same bits in every run. *Empty input*: The result
    is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import right_flood, right_flood_vjp
    >>> _, index = right_flood(np.array([1.0, 0, 0, 3, 0, 6, 0, 0]), return_index=True)
    >>> right_flood_vjp(np.ones(8), index)
    array([3., 0., 0., 2., 0., 3., 0., 0.])
    """
    grad = _check.rows("grad", grad)
    if grad.dtype.kind not in "fc":
        raise TypeError(f"grad must be floating or complex, got dtype {grad.dtype}")
    same_device(grad, index)
    index = as_operand(_check.integers("index", index))
    n, xp = len(grad), namespace_of(grad)
    if index.size != n:
        raise ValueError(f"grad and index must have the same length, got {n} and {index.size}")
    flags = xp.empty(n, np.bool_)
    if config.validate:
        for_each(n, _is_foreign, index, flags)
        at = _check.find_first_true(flags)
        if at is not None:
            raise ValueError(f"index must be the map that a flood returned, got index[{at}] = {to_host_scalar(index[at])}")
    if grad.ndim > 1:
        return _credit_rows(grad, index, flags)
    computed = as_operand(as_storable(grad))
    out = xp.zeros(n, computed.dtype)
    if n:
        for_each(n, _starts_run, index, flags)
        operands, total = (computed, index, n, out), xp.empty(1, out.dtype)
        plus = ops.MONOIDS["sum"]
        backend_of(grad).scan(plus, out.dtype, n, _gradient, _credit, operands, total, heads=flags)
    return out.astype(grad.dtype, copy=False)


def _credit_rows(grad, index, flags):
    """Return the gradient where elements are rows: the sum of each run, in the row of its source."""
    n, xp, out = len(grad), namespace_of(grad), namespace_of(grad).zeros(grad.shape, grad.dtype)
    for_each(n, _starts_run, index, flags)
    firsts = compact(xp.arange(n, dtype=np.int64), flags)
    sums, _ = reduce_trusted(grad, xp.append(firsts, n), "sum", total=n)
    sources = index[firsts]
    kept = sources >= 0
    out[as_positions(compact(sources, kept))] = compact(sums, kept)
    return out
