"""Select by a mask, or part in two.

Sources: Ross, *Selection Conditions in Main Memory*, 2004; Billeter, Olsson & Assarsson, *Efficient Stream Compaction on
Wide SIMD Many-Core Architectures*, 2009. Validity is a mask, never a value: zeros, NaN and -0.0 are kept like any other.
"""

import operator

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each


def check_selection(x, mask):
    """Return both as contiguous arrays of one device and length, the mask as bytes."""
    x = as_operand(_check.one_dimensional("x", x))
    _check.one_dimensional("mask", mask)
    same_device(x, mask)
    return x, by_width(_check.mask("mask", mask, x.size))


def count_selected_before(mask):
    """Return how many elements are selected before each of the backend's tiles, and in all."""
    before = namespace_of(mask).zeros(backend_of(mask).compact_tiles(mask.size) + 1, np.int64)
    if mask.size:
        backend_of(mask).kept_before(mask, before)
    return before


def write_selected(x, mask, before, out):
    """Write the selected elements of `x`, or their positions if it is None."""
    if out.size:
        backend_of(out).compact(x, mask, before, out)


@njit
def _select_or_fill(i, x, mask, fill, out):
    """Both are loaded, whatever the mask says: a load that depends on it is a branch, and keeps the loop scalar."""
    here = np.uint64(i)
    kept, filled = x[here], fill[0]
    out[here] = kept if mask[here] != 0 else filled


def compact(x, mask, *, layout="dense", fill_value=0, return_index=False, size=None):
    """The elements that a mask selects, in order.

    Parameters
    ----------
    x : (n,) array
    mask : (n,) bool array
        True for elements to select.
    layout : {"dense", "sparse"}
        Close the gaps, or keep every element in its place.
    fill_value : scalar
        What stands in the gaps of the sparse layout.
    return_index : bool
        Also return the positions of the selected elements.
    size : int, optional
        How many elements are selected, if the caller knows: nothing then waits for the device unless `config.validate`.

    Returns
    -------
    out : (size,) array, or (n,) in the sparse layout; of the dtype of `x`
    index : (size,) int32 array (int64 for n >= 2**31)
        If asked for, in either layout: `x[index] == x[mask]`.

    Raises
    ------
    ValueError
        If `mask` has another length, `layout` is unknown, or `size` is not the number of true entries (found only if
        `config.validate`; without it, entries past the true number are left unwritten).
    TypeError
        If `mask` is not bool, `fill_value` does not fit the dtype, or devices are mixed.

    Notes
    -----
    *Cost*: two reads of the mask, one of `x`, one write of the result; for the index one more read of the mask. Five
    launches on a GPU, six with the index, and one host read, none with `size` and `config.validate` off. The sparse layout
    without the index and `size`: one pass, one launch, no host read. Scratch: one number a tile. *Order*: kept (stable),
    same result every run. *Empty input*: empty.

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
    out = index = None
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
            raise ValueError(f"size must be the number of true entries of mask, {kept}, got {size}")
        size = kept
    return size


def partition(x, mask):
    """Reorder: first the elements that a mask selects, then the others, each in their order.

    Parameters
    ----------
    x : (n,) array
    mask : (n,) bool array

    Returns
    -------
    out : (n,) array of the dtype of `x`
        `concatenate([x[mask], x[~mask]])`.
    n_true : int
        How many were selected: `out[:n_true]` are these.

    Raises
    ------
    ValueError
        If `mask` has another length.
    TypeError
        If `mask` is not bool, or devices are mixed.

    Notes
    -----
    *Cost*: two reads of the mask, one read and one write of `x`; five launches on a GPU, one host read. Scratch: one number
    a tile. *Order*: kept on both sides (stable), same result every run. *Empty input*: empty, and 0.

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
