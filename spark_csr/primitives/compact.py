"""Select elements by a mask, or partition an array by one.

Sources: Ross, *Selection Conditions in Main Memory*, 2004; Billeter, Olsson & Assarsson, *Efficient Stream Compaction on
Wide SIMD Many-Core Architectures*, 2009. Validity is a mask, never a value: zeros, NaN and -0.0 are selected like any other.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.visits import is_set
from spark_csr.primitives import _check
from spark_csr.primitives._rows import moves_rows
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Number


def check_selection(x: Array, mask: Array) -> tuple[Array, Array]:
    """Check `x` and a mask of its length; return both as contiguous arrays of one device, the mask as bytes."""
    x = as_operand(_check.one_dimensional("x", x))
    _check.one_dimensional("mask", mask)
    same_device(x, mask)
    return x, by_width(_check.mask("mask", mask, x.size))


def count_selected_before(mask: Array) -> Array:
    """Return the number of elements that are selected before each of the backend's tiles, and in all."""
    return count_before(is_set, mask, mask.size, mask)


def count_before(is_selected: Any, operands: Any, n: int, like: Array, **options: bool) -> Array:
    """Return the same as `count_selected_before` for a test of `n` elements, on the device of `like`."""
    before = namespace_of(like).zeros(backend_of(like).compact_tiles(n) + 1, np.int64)
    if n:
        backend_of(like).count_selected(is_selected, operands, n, before, **options)
    return before


def write_selected(x: Array | None, mask: Array, before: Array, out: Array) -> None:
    """Write the selected elements of `x`, or their positions if it is None."""
    if out.size:
        backend_of(out).compact(x, mask, before, out)


@njit
def _select_or_fill(i, x, mask, fill, out):
    """Write an element or the fill value. Both are always loaded: a load that depends on the mask keeps the loop scalar."""
    kept, filled = x[i], fill[0]
    out[i] = kept if mask[i] != 0 else filled


@overload
def compact(
    x: ArrayLike,
    mask: ArrayLike,
    *,
    layout: Literal["dense", "sparse"] = ...,
    fill_value: Number = ...,
    return_index: Literal[False] = ...,
    size: int | None = ...,
) -> Array: ...
@overload
def compact(
    x: ArrayLike,
    mask: ArrayLike,
    *,
    layout: Literal["dense", "sparse"] = ...,
    fill_value: Number = ...,
    return_index: Literal[True],
    size: int | None = ...,
) -> tuple[Array, Array]: ...
@moves_rows(fill="fill_value")
def compact(
    x: ArrayLike,
    mask: ArrayLike,
    *,
    layout: Literal["dense", "sparse"] = "dense",
    fill_value: Number = 0,
    return_index: bool = False,
    size: int | None = None,
) -> Array | tuple[Array, Array]:
    """Select the elements at which a mask is true, in order.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    mask : (n,) bool array
        True for elements to select.
    layout : {"dense", "sparse"}
        With "dense", the result has the selected elements only; with "sparse", every element stays at its position and
        `fill_value` replaces the others.
    fill_value : scalar
        The value of elements that are not selected, in the sparse layout. The default is 0.
    return_index : bool
        If True, also return the positions of the selected elements.
    size : int, optional
        The number of selected elements, if you know it. Then the call does not wait for the device, unless `config.validate` is
        True.

    Returns
    -------
    out : (size, ...) array, or (n, ...) array in the sparse layout
        The selected elements, in the dtype of `x`.
    index : (size,) int32 array (int64 for n >= 2**31)
        The positions of the selected elements, in either layout: `x[index] == x[mask]`. Only returned if `return_index` is
        True.

    Raises
    ------
    ValueError
        If `mask` has another length than `x`, `layout` is unknown, or `size` is not the number of true elements of `mask`.
        The last is noticed only if `config.validate`; otherwise elements past the true number are left unwritten.
    TypeError
        If `x` is not an array of a supported dtype, `mask` is not bool, `fill_value` does not fit the dtype, or devices are
        mixed.

    Notes
    -----
    *Cost*: The function reads the mask twice and `x` once, and writes the result once; for the index it reads the mask once
    more. On a GPU it makes three launches, or four with the index, and one host read. It makes no host read if `size` is given
    and `config.validate` is off. The sparse layout without the index and without `size` takes one pass, one launch and no host
    read. Scratch memory is one number for each tile. *Order*: The order is kept (the selection is stable), and the result is
    the same in every run. *Empty input*: The result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import compact
    >>> x = np.array([-2, 0, -1, 0, 1, 2])
    >>> compact(x, x % 2 == 0)
    array([-2,  0,  0,  2])
    >>> compact(x, x % 2 == 0, layout="sparse", fill_value=9, return_index=True)
    (array([-2,  0,  9,  0,  9,  2]), array([0, 1, 3, 5], dtype=int32))
    """
    x, mask = check_selection(x, mask)
    n, xp = x.size, namespace_of(x)
    if layout not in ("dense", "sparse"):
        raise ValueError(f"layout must be 'dense' or 'sparse', got {layout!r}")
    out: Any = None
    index: Any = None
    if layout == "sparse":
        fill, out = xp.full(1, _check.cast_scalar("fill_value", fill_value, x.dtype), x.dtype), xp.empty(n, x.dtype)
        for_each(n, _select_or_fill, by_width(x), mask, by_width(fill), by_width(out))
    if layout == "dense" or return_index or size is not None:
        before = count_selected_before(mask)
        size = _check_size(size, before, n)
        if layout == "dense":
            out = xp.empty(size, x.dtype)
            write_selected(by_width(x), mask, before, by_width(out))
        if return_index:
            index = xp.empty(size, index_dtype(n))
            write_selected(None, mask, before, index)
    return (out, index) if return_index else out


def _check_size(size, before, n):
    """Return the number of selected elements: read from the device, or taken from the caller."""
    if size is not None:
        size = operator.index(size)
        if not 0 <= size <= n:
            raise ValueError(f"size must lie in [0, {n}], got {size}")
    if size is None or config.validate:
        kept = to_host_scalar(before[-1])
        if size not in (None, kept):
            raise ValueError(f"size must be the number of true elements of mask, {kept}, got {size}")
        size = kept
    return size


@moves_rows()
def partition(x: ArrayLike, mask: ArrayLike) -> tuple[Array, int]:
    """Reorder an array: first the elements at which a mask is true, then the others, both in the order of the array.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    mask : (n,) bool array
        True for the elements that come first.

    Returns
    -------
    out : (n, ...) array of the dtype of `x`
        `concatenate([x[mask], x[~mask]])`.
    n_true : int
        The number of elements at which the mask is true: these are `out[:n_true]`.

    Raises
    ------
    ValueError
        If `mask` has another length than `x`.
    TypeError
        If `x` is not an array of a supported dtype, `mask` is not bool, or devices are mixed.

    Notes
    -----
    *Cost*: The function reads the mask twice, and reads and writes `x` once. On a GPU it makes three launches and one host
    read. Scratch memory is one number for each tile. *Order*: The order is kept on both sides (the partition is stable), and
    the result is the same in every run. *Empty input*: The result is an empty array, and 0.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import partition
    >>> x = np.array([0, 5, 2, 7])
    >>> partition(x, x % 2 == 0)
    (array([0, 2, 5, 7]), 2)
    """
    x, mask = check_selection(x, mask)
    out = namespace_of(x).empty(x.size, x.dtype)
    before = count_selected_before(mask)
    if x.size:
        backend_of(x).partition(by_width(x), mask, before, by_width(out))
    return out, to_host_scalar(before[-1])
