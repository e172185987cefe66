"""Decode and encode runs of equal elements.

Source: run-length coding as scan, scatter and flood (Blelloch 1990). Here the load-balancing search of `segment_ids` (Baxter,
*moderngpu*, 2013) writes the elements in one pass, so a count of zero and a count of all elements are no special cases.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, is_array, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives._rows import moves_rows, take_rows
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.counts import scan_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles, segment_ids_of_trusted

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@moves_rows()
def repeat(x: ArrayLike, counts: ArrayLike | int, *, total: int | None = None) -> Array:
    """Repeat every element as often as its count says: the inverse of `run_length_encode`.

    Parameters
    ----------
    x : (n, ...) array
        The elements, of any supported dtype.
    counts : (n,) integer array, or int
        How often each element is repeated, 0 or above. An int applies to every element.
    total : int, optional
        The sum of `counts`, if the caller knows it. Then the call does not wait for the device, unless `config.validate` is
        True.

    Returns
    -------
    (total, ...) array of the dtype of `x`
        The repeated elements.

    Raises
    ------
    ValueError
        If a count is negative (the message names its position), `counts` has another length than `x`, the counts add up to
        2**63 or more, or `total` is not their sum. The last is noticed only if `config.validate`; otherwise the behaviour is
        undefined.
    TypeError
        If `counts` does not hold integers, or devices are mixed.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: The function makes a scan of the counts, reads `x` once and writes the result once. On a GPU it makes three launches
    and two host reads, or no host read with `total` and with `config.validate` off. Scratch memory holds n+1 offsets.
    *Order*: The order is kept. *Empty input*: The result is empty. Counts of zero may occur anywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import repeat
    >>> repeat(np.array([1, 3, 6]), np.array([3, 2, 3]))
    array([1, 1, 1, 3, 3, 6, 6, 6])
    """
    _check.one_dimensional("x", x)
    return repeat_by_offsets(x, *_offsets(x, counts, total))


def repeat_by_offsets(x: Array, offsets: Array, total: int) -> Array:
    """Return an array of `total` with element `i` at all positions `offsets[i]:offsets[i+1]`; the first offset is 0, the last
    `total`."""
    if x.ndim > 1:
        return take_rows(x, segment_ids_of_trusted(offsets, total))
    x = as_operand(x)
    out = allocate_array(namespace_of(x), total, x.dtype, f"{total} elements")
    if total:
        backend_of(x).repeat(merge_path_tiles(offsets, total), by_width(x), offsets, by_width(out))
    return out


def _offsets(x, counts, total):
    """Return where the copies of every element begin, and how many there are in all."""
    total = total if total is None else _check.count_of("total", total)
    if is_array(counts):
        same_device(x, counts)
        if counts.shape != x.shape:
            raise ValueError(f"counts must have the {x.size} elements of x, got shape {counts.shape}")
        return scan_counts(counts, total)
    try:
        count = operator.index(counts)
    except TypeError:
        raise TypeError(f"counts must be an integer array or an int, got {type(counts).__name__}") from None
    if count < 0:
        raise ValueError(f"counts must be 0 or above, got {count}")
    found = count * x.size
    if found >= 2**63:
        raise ValueError(f"counts must add up to less than 2**63, got {x.size} counts of {count}")
    if total not in (None, found):
        raise ValueError(f"total must be the sum of counts, {found}, got {total}")
    ranks = namespace_of(x).arange(x.size + 1, dtype=index_dtype(max(found, x.size)))
    return ranks * ranks.dtype.type(count if x.size else 0), found


@njit
def _mark_head(i, bits, heads):
    """Flag element `i + 1` if it differs from the element before it."""
    heads[i + 1] = bits[i + 1] != bits[i]


@njit
def _mark_wide_head(i, bits, heads):
    """Do as `_differs` for elements of two words."""
    here = 2 * np.uint64(i)
    low = bits[here + 2] != bits[here]
    heads[np.uint64(i) + 1] = low | (bits[here + 3] != bits[here + 1])


def run_length_encode(x: ArrayLike) -> tuple[Array, Array]:
    """Return the value and the length of every run, that is of every sequence of equal neighbours.

    Parameters
    ----------
    x : (n,) array
        The elements, of any supported dtype.

    Returns
    -------
    values : (m,) array of the dtype of `x`
        One element of every run.
    counts : (m,) int32 array (int64 for n >= 2**31)
        The lengths of the runs, all above zero.

    Raises
    ------
    TypeError
        If `x` is not an array of a supported dtype.
    ValueError
        If `x` has other than one dimension.

    Notes
    -----
    Elements are equal if they have the same bits, so `repeat(values, counts)` is exactly `x`: a NaN continues a run of the same
    NaN, and -0.0 and 0.0 are two runs.

    *Cost*: The function reads `x` twice, writes a mask of n bytes and reads it three times, and makes three writes for every
    run. On a GPU it makes five launches and one host read. Scratch memory holds the mask and where runs begin. *Order*: The
    order is kept. *Empty input*: There are no runs.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import run_length_encode
    >>> run_length_encode(np.array([1, 1, 1, 3, 3, 6, 6, 6]))
    (array([1, 3, 6]), array([3, 2, 3], dtype=int32))
    """
    x = as_operand(_check.one_dimensional("x", x))
    n, xp = x.size, namespace_of(x)
    heads = xp.ones(n, np.uint8)
    if x.dtype.itemsize == 16:
        for_each(max(n - 1, 0), _mark_wide_head, x.view(np.uint64), heads)
    else:
        for_each(max(n - 1, 0), _mark_head, by_width(x), heads)
    before = count_selected_before(heads)
    runs = to_host_scalar(before[-1])
    values, offsets = xp.empty(runs, x.dtype), xp.full(runs + 1, n, index_dtype(n))
    write_selected(by_width(x), heads, before, by_width(values))
    write_selected(None, heads, before, offsets[:-1])
    return values, offsets[1:] - offsets[:-1]
