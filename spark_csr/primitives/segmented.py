"""Scan and reduce every segment on its own.

Source: Blelloch 1990 (segmented scan); Baxter, *moderngpu* (segmented reduction over load-balanced tiles).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, index_dtype, namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr.primitives import _check
from spark_csr.primitives._rows import RINGS, as_columns, by_columns, reduce_by_product
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import mark_head
from spark_csr.primitives.scan import accumulator_dtype, run_scan
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from spark_csr._ops import Monoid, MonoidLike
    from spark_csr._types import Array, ArrayLike, Number

CAST_BY_KERNEL = 1 << 16
"""From how many elements on a reduction casts what it reads instead of a copy. Not tuned."""


def heads_and_range(x: Array, offsets: Array | None, head_flags: Array | None) -> tuple[Array, int, int]:
    """Return head flags as long as `x`, and the start and stop of the range of `x` that belongs to segments."""
    if (offsets is None) == (head_flags is None):
        raise ValueError("give either offsets or head_flags, and not both")
    if head_flags is not None:
        same_device(x, head_flags)
        _check.one_dimensional("head_flags", head_flags)
        return _check.mask("head_flags", head_flags.astype(np.bool_, copy=False), len(x)), 0, len(x)
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, len(x))
    heads = namespace_of(x).zeros(len(x), np.bool_)
    for_each(offsets.size - 1, mark_head, offsets, 0, len(x), heads)
    heads[stop : stop + 1] = True
    return heads, start, stop


def segmented_scan(
    x: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    head_flags: ArrayLike | None = None,
    op: MonoidLike = "sum",
    exclusive: bool = False,
    reverse: bool = False,
) -> Array:
    """Scan every segment on its own.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    offsets : (m+1,) integer array, optional
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero and end before n; elements outside every
        segment become the identity. Exactly one of `offsets` and `head_flags` is required.
    head_flags : (n,) array, optional
        Nonzero at the first element of every segment. Element 0 begins a segment even if its flag is 0.
    op : {"sum", "prod", "min", "max", "any", "all"} or Monoid
        The operator. A `Monoid` may have any associative operator.
    exclusive : bool
        If True, combine only the elements before each element, as `exclusive_scan` does.
    reverse : bool
        If True, scan from the end of each segment to its start.

    Returns
    -------
    (n, ...) array
        The scan, in the dtype of `inclusive_scan`.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below 0 or ends past n; if `head_flags` has another length than `x`; if both or neither
        are given; or if the operator is unknown.
    TypeError
        If a dtype is not supported or devices are mixed, or for "min" and "max" of complex numbers.

    Notes
    -----
    *Cost*: The cost is that of a scan. With `offsets` the function also writes the flags (n bytes of scratch memory, one fill
    and one pass over the offsets). On a GPU it then makes one host read. *Order*: The order is that of
    `inclusive_scan`. *Empty input*: The result is empty; empty segments leave no trace.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_scan
    >>> segmented_scan(np.arange(1, 9), np.array([0, 2, 5, 8]), exclusive=True)
    array([ 0,  1,  0,  3,  7,  0,  6, 13])
    """
    _check.rows("x", x)
    heads, start, stop = heads_and_range(x, offsets, head_flags)
    out, _ = run_scan(x, op, heads, None, exclusive, reverse)
    if start > 0 or stop < len(x):
        monoid = ops.monoid(op)
        out[:start] = monoid.identity_for(out.dtype)
        out[stop:] = monoid.identity_for(out.dtype)
    return out


@overload
def segmented_reduce(
    x: ArrayLike,
    offsets: ArrayLike,
    op: MonoidLike | Literal["mean"] = ...,
    *,
    initial: Number | None = ...,
    return_index: Literal[False] = ...,
) -> Array: ...
@overload
def segmented_reduce(
    x: ArrayLike, offsets: ArrayLike, op: MonoidLike = ..., *, initial: Number | None = ..., return_index: Literal[True]
) -> tuple[Array, Array]: ...
def segmented_reduce(
    x: ArrayLike,
    offsets: ArrayLike,
    op: MonoidLike | Literal["mean"] = "sum",
    *,
    initial: Number | None = None,
    return_index: bool = False,
) -> Array | tuple[Array, Array]:
    """Combine all elements of every segment.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero and end before n.
    op : {"sum", "prod", "min", "max", "any", "all", "mean"} or Monoid
        The operator. A `Monoid` may have any associative operator; it need not commute. "mean" divides the sums by the numbers
        of elements.
    initial : scalar, optional
        A value that is combined in front of every segment. The default is the operator's identity. Not for "mean".
    return_index : bool
        If True, also return positions, see `index`. It requires "min" or "max".

    Returns
    -------
    out : (m, ...) array
        One result for each segment, in the dtype of `inclusive_scan`; means are float64 for integers and bools, else in the
        dtype of `x`. An empty segment gives `initial`, or the identity; NaN for "mean".
    index : (m, ...) int32 array (int64 for n >= 2**31)
        The position in `x` of the least or greatest element of each segment: the first, if several are equal. It is -1 for an
        empty segment. NaN counts as both least and greatest, as in NumPy. Only returned if `return_index` is True.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below 0 or ends past n; if the operator is unknown; if `return_index` is True for
        another operator than "min" and "max"; or if `initial` is given for "mean".
    TypeError
        If a dtype is not supported, devices are mixed, `initial` does not fit the dtype, or for "min" and "max" of complex
        numbers.

    Notes
    -----
    *Cost*: The function reads `x` and the offsets once and writes m results, and one cut and one carry for each tile. On a GPU
    it makes three or four launches, one that checks and one host read. With `return_index`, the cores read each segment once
    more while it is in the cache. A GPU then makes two more passes and three more launches, and its scratch memory holds an
    index for each element. *Order*: The tiles are fixed, so the result has the same bits in every run. *Empty input*: Without
    segments the result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_reduce
    >>> segmented_reduce(np.array([1.0, 2, 3, 4, 5]), np.array([0, 2, 2, 5]))
    array([ 3.,  0., 12.])
    >>> segmented_reduce(np.array([1, 2, 3, 4, 5]), np.array([0, 2, 2, 5]), "mean")
    array([1.5, nan, 4. ])
    """
    monoid = ops.MONOIDS["sum"] if _is_mean(op) else ops.monoid(op)
    _check.rows("x", x)
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, len(x))
    if _is_mean(op):
        if initial is not None or return_index:
            raise ValueError("op 'mean' takes neither initial nor return_index")
        return reduce_to_means(x, offsets, stop - start)[0]
    if return_index and monoid not in (ops.MONOIDS["min"], ops.MONOIDS["max"]):
        raise ValueError(f"return_index is for op 'min' or 'max', got {monoid.name!r}")
    reduced, index = reduce_trusted(x, offsets, monoid, initial, return_index, stop - start)
    return (reduced, index) if return_index else reduced


def _is_mean(op):
    return isinstance(op, str) and op == "mean"


def dtype_of_means(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of the mean of elements of a dtype."""
    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def check_dtype_of_variances(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that variances were asked for in; raise TypeError if it has no fractions."""
    if dtype.kind not in "fc":
        raise TypeError(f"variances are fractions, so dtype must be floating or complex, got {dtype}: cast the result")
    return dtype


def reduce_to_means(x: Array, offsets: Array, total: int | None = None) -> tuple[Array, Array]:
    """Return the mean of every segment, of offsets that were checked before, and how many elements it has as floats."""
    dtype = dtype_of_means(x.dtype)
    sums = _reduce(x, offsets, ops.MONOIDS["sum"], np.dtype(np.float32) if dtype == np.float16 else dtype, total)
    counts = (offsets[1:] - offsets[:-1]).astype(sums.real.dtype).reshape(-1, *[1] * (x.ndim - 1))
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(dtype, copy=False), counts


def reduce_trusted(
    x: Array, offsets: Array, op: MonoidLike, initial: Any = None, return_index: bool = False, total: int | None = None
) -> tuple[Array, Array | None]:
    """Do as `segmented_reduce` with offsets that were checked before; return two results, the second None or the index.

    `total` is the number of items that the segments hold, if the caller knows it.
    """
    monoid = ops.monoid(op)
    dtype = accumulator_dtype(monoid, x.dtype)
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    if initial is not None:
        initial = _check.cast_scalar("initial", initial, computed)
    if return_index:
        reduced, index = reduce_with_positions(x.astype(computed, copy=False), offsets, monoid, total)
    else:
        reduced, index = _reduce(x, offsets, monoid, computed, total), None
    if initial is not None:
        reduced = _combine_with_initial(reduced, initial, monoid)
    return reduced.astype(dtype, copy=False), index


def widen(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return an operand of a reduction in `dtype`: cast, or as it is if the kernel is to cast what it reads.

    The kernel casts elements of many, so that no wide copy of them is made. Few are copied, as that costs less than
    compiling a kernel for their dtype.
    """
    is_cast_by_kernel = x.size >= CAST_BY_KERNEL and x.dtype != np.float16 and np.can_cast(x.dtype, dtype)
    return as_operand(x if is_cast_by_kernel else x.astype(dtype, copy=False))


def _reduce(x, offsets, monoid, dtype, total):
    if x.ndim > 1:
        return _reduce_rows(x, offsets, monoid, dtype, total)
    x = widen(x, dtype)
    out = namespace_of(x).empty(offsets.size - 1, dtype)
    if out.size:
        backend_of(x).segmented_reduce(merge_path_tiles(offsets, total), monoid, offsets, x, out)
    return out


def _reduce_rows(x, offsets, monoid, dtype, total):
    rows = as_columns(x)
    if rows.shape[1] == 1:
        out = _reduce(rows.reshape(-1), offsets, monoid, dtype, total)
    elif monoid in RINGS:
        out = reduce_by_product(rows, offsets, monoid, dtype, total)
    else:  # an operator that may not commute, as products ask for
        (out,) = by_columns(rows, offsets, lambda flat, cuts: (_reduce(flat, cuts, monoid, dtype, None),))
    return out.reshape(offsets.size - 1, *x.shape[1:])


def _combine_with_initial(reduced, initial, monoid):
    """Combine `initial` with each result: a reduction of segments of two."""
    xp = namespace_of(reduced)
    pairs = xp.stack([xp.full_like(reduced, initial), reduced], axis=-1).ravel()
    offsets = xp.arange(0, pairs.size + 1, 2, dtype=index_dtype(pairs.size))
    return _reduce(pairs, offsets, monoid, pairs.dtype, None).reshape(reduced.shape)


def reduce_with_positions(x: Array, offsets: Array, monoid: Monoid, total: int | None = None) -> tuple[Array, Array]:
    """Return the least or greatest element of every segment, and its first position or -1; nothing is checked."""
    if x.ndim > 1:
        return _find_in_columns(x, offsets, monoid)
    x, xp = as_operand(x), namespace_of(x)
    out, index = xp.empty(offsets.size - 1, x.dtype), xp.empty(offsets.size - 1, index_dtype(x.size))
    if out.size:
        backend_of(x).extreme_positions(merge_path_tiles(offsets, total), monoid, offsets, x, out, index)
    return out, index


def _find_in_columns(x, offsets, monoid):
    """Do as `reduce_with_positions` for each column; positions are those of rows."""
    rows, shape, xp = as_columns(x), (offsets.size - 1, *x.shape[1:]), namespace_of(x)
    out, index = by_columns(rows, offsets, lambda flat, cuts: reduce_with_positions(flat, cuts, monoid))
    ranks = xp.where(index < 0, -1, index - xp.arange(rows.shape[1], dtype=index.dtype) * len(rows))
    return out.reshape(shape), ranks.astype(index_dtype(len(rows)), copy=False).reshape(shape)
