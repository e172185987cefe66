"""Scan arrays: every element becomes the combination of all elements up to it.

Sources: Blelloch, *Prefix Sums and Their Applications*, 1990: the kernels reduce tiles, scan the totals, then scan the tiles.
Merrill & Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, 2016: integers on a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.primitives import _check
from spark_csr.primitives._rows import as_columns

if TYPE_CHECKING:
    from spark_csr._ops import Monoid, MonoidLike
    from spark_csr._types import Array, ArrayLike, Number


def accumulator_dtype(monoid: Monoid, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that NumPy accumulates `dtype` in: 64 bits for sums and products of integers and bools, else itself."""
    dtype = np.dtype(dtype)
    if monoid in (ops.MONOIDS["any"], ops.MONOIDS["all"]):
        return np.dtype(bool)
    if monoid in (ops.MONOIDS["sum"], ops.MONOIDS["prod"]) and dtype.kind in "biu":
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    return dtype


def as_storable(x: Array) -> Array:
    """Return `x` in a dtype that kernels compute in: float32 for float16, itself otherwise."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def run_scan(
    x: Array, op: MonoidLike, heads: Array | None, initial: Any, exclusive: bool, reverse: bool
) -> tuple[Array, Array]:
    """Return the scan of every column and, in an array, their totals."""
    monoid = ops.monoid(op)
    dtype = accumulator_dtype(monoid, x.dtype)
    xp, shape = namespace_of(x), x.shape
    x = as_operand(as_storable(x))
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    out, total = xp.empty(shape, computed), xp.empty(shape[1:] or 1, computed)
    if initial is not None:
        initial = _check.cast_scalar("initial", initial, computed)
    way = {"heads": heads, "initial": initial, "exclusive": exclusive, "reverse": reverse}
    if not x.size:
        total[...] = monoid.identity_for(computed) if initial is None else initial
    elif x.size == len(x):
        ends = ops.element, ops.store, (x.reshape(-1), out.reshape(-1))
        backend_of(x).scan(monoid, computed, x.size, *ends, total.reshape(-1), **way)
    else:
        total = backend_of(x).scan_rows(monoid, computed, as_columns(x), as_columns(out), **way).reshape(total.shape)
    return out.astype(dtype, copy=False), total.astype(dtype, copy=False)


def inclusive_scan(x: ArrayLike, op: MonoidLike = "sum", *, reverse: bool = False) -> Array:
    """Combine every element with all elements before it.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    op : {"sum", "prod", "min", "max", "any", "all"} or Monoid
        The operator. A `Monoid` may have any associative operator.
    reverse : bool
        If True, combine every element with all elements after it instead.

    Returns
    -------
    (n, ...) array
        The scan, in the dtype that NumPy accumulates in: integers and bools are summed and multiplied in 64 bits, and "any" and
        "all" give bool. Elements of float16 are combined in float32.

    Raises
    ------
    TypeError
        If `x` is not an array of a supported dtype, or for "min" and "max" of complex numbers.
    ValueError
        If `x` has no dimension, or the operator is unknown.

    Notes
    -----
    *Cost*: The function reads n elements twice and writes n once; on a GPU it reads them once, in one launch without a host
    read. Scratch memory holds one partial result and one flag for each block of elements; float16 also takes a copy of `x` and
    of the result in float32. *Order*: The tiles are fixed, so the result has the same bits in every run; floats are combined in
    another order than in a loop from left to right. *Empty input*: The result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import inclusive_scan
    >>> inclusive_scan(np.array([1, 2, 3, 4]))
    array([ 1,  3,  6, 10])
    """
    return run_scan(_check.rows("x", x), op, None, None, False, reverse)[0]


@overload
def exclusive_scan(
    x: ArrayLike, op: MonoidLike = ..., *, initial: Number | None = ..., reverse: bool = ..., return_total: Literal[False] = ...
) -> Array: ...
@overload
def exclusive_scan(
    x: ArrayLike, op: MonoidLike = ..., *, initial: Number | None = ..., reverse: bool = ..., return_total: Literal[True]
) -> tuple[Array, Array]: ...
def exclusive_scan(
    x: ArrayLike, op: MonoidLike = "sum", *, initial: Number | None = None, reverse: bool = False, return_total: bool = False
) -> Array | tuple[Array, Array]:
    """Combine all elements before each element.

    The first result is `initial`, the second is `initial` combined with `x[0]`, and so on.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    op : {"sum", "prod", "min", "max", "any", "all"} or Monoid
        The operator. A `Monoid` may have any associative operator.
    initial : scalar, optional
        The value to begin with. The default is the operator's identity.
    reverse : bool
        If True, combine all elements after each element instead.
    return_total : bool
        If True, also return the combination of `initial` and all elements.

    Returns
    -------
    out : (n, ...) array
        The scan, in the dtype of `inclusive_scan`.
    total : (...) array
        The combination of `initial` and all elements. It stays on the device of `x`, so the call does not wait for it. Only
        returned if `return_total` is True.

    Raises
    ------
    TypeError
        If `x` is not an array of a supported dtype or `initial` does not fit the dtype, or for "min" and "max" of complex
        numbers.
    ValueError
        If `x` has no dimension, or the operator is unknown.

    Notes
    -----
    *Cost*: The cost and the scratch memory are those of `inclusive_scan`. *Order*: The tiles are fixed, so the result has the
    same bits in every run. *Empty input*: The result is empty, and the total is `initial`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import exclusive_scan
    >>> exclusive_scan(np.array([1, 0, 1, 2, 1, 0, 3, 0]))
    array([0, 1, 1, 2, 4, 5, 5, 8])
    """
    out, total = run_scan(_check.rows("x", x), op, None, initial, True, reverse)
    return (out, total.reshape(out.shape[1:])) if return_total else out
