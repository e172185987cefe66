"""Sort every segment on its own.

Design: one kernel moves elements and, if asked for, positions beside them. The sort is stable because the merges take equal
elements from the left; positions are never compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr._shared.order import as_comparable, flip, restore
from spark_csr.primitives import _check
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


def check_sortable_segments(x: Array, offsets: Array) -> tuple[Array, Array, int, int]:
    """Check the arguments and return them as kernels take them, with the start and stop of all segments."""
    _check.one_dimensional("x", x)
    if x.dtype.kind == "c":
        raise TypeError(f"x has dtype {x.dtype}: complex numbers have no order; sort by abs(x) or by x.real")
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, x.size)
    if offsets.dtype not in (np.int32, np.int64):
        offsets = offsets.astype(np.int64)
    return x, offsets, start, stop


def sort_segments(
    x: Array, offsets: Array, start: int, stop: int, descending: bool, with_index: bool
) -> tuple[Array, Array | None]:
    """Return the sorted elements as keys, and the position that each came from; segments lie between `start` and `stop`."""
    xp, n = namespace_of(x), x.size
    keys = flip(as_comparable(x)) if descending else as_comparable(x)
    values = xp.empty_like(keys)
    index = xp.empty(n, index_dtype(n)) if with_index else None
    if start < stop:
        backend = backend_of(x)
        tiles = merge_path_tiles(offsets, stop - start, backend.sort_tile_size)
        backend.segmented_sort(tiles, offsets, keys, values, index)
    return values, index


def segmented_sort(x: ArrayLike, offsets: ArrayLike, *, descending: bool = False) -> Array:
    """Sort every segment on its own.

    Parameters
    ----------
    x : (n,) array
        The elements, of any real dtype.
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero and end before n; elements outside every
        segment stay where they are.
    descending : bool
        If True, sort the largest elements first. The default is False.

    Returns
    -------
    (n,) array of the dtype of `x`
        The sorted segments.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below 0 or ends past n (the message names the position), or `x` has other than one
        dimension.
    TypeError
        If `x` is complex, a dtype is not supported, or devices are mixed.

    Notes
    -----
    *Order*: The sort is stable in both directions. NaN come last, and -0.0 and 0.0 are equal. *Cost*: On the cores, a segment
    of up to 65536 elements takes one read and one write, and is sorted in the cache of one core. A longer segment is cut into
    32 equal pieces, or into so many (a power of two) that none has more than 16384 elements. These are sorted in the same way
    and then merged in pairs, in one pass over memory for each halving of their number. On a GPU there are one pass, another for
    each doubling of the longest segment beyond 1024 elements, and three host reads. Descending order takes two passes more.
    *Scratch*: The cores need 65536 elements each, and as many as a longer segment has. A GPU needs as much as `x` if a segment
    is longer than 1024 elements. Descending order also needs as much as `x`. *Empty input*: The result is empty; empty segments
    are allowed. Sources: Odeh, Green, Mwassi, Shmueli & Birk, *Merge Path*, 2012; Green, McColl & Bader, *GPU Merge Path*,
    2012; Baxter, *moderngpu*, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_sort
    >>> segmented_sort(np.array([3, 1, 2, 9, 7, 8]), np.array([0, 3, 3, 5]))
    array([1, 2, 3, 7, 9, 8])
    """
    x, offsets, start, stop = check_sortable_segments(x, offsets)
    keys, _ = sort_segments(x, offsets, start, stop, descending, False)
    if descending:
        flip(keys, out=keys)
    keys[:start], keys[stop:] = x[:start], x[stop:]  # not written so far, and perhaps too large for float16
    return restore(keys, x.dtype)


def segmented_argsort(x: ArrayLike, offsets: ArrayLike, *, descending: bool = False) -> Array:
    """Return the positions in `x` that sort every segment: `x[segmented_argsort(x, offsets)]` is sorted.

    Parameters
    ----------
    x : (n,) array
        The elements, of any real dtype.
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero and end before n.
    descending : bool
        If True, sort the largest elements first. The default is False.

    Returns
    -------
    (n,) int32 array (int64 for n >= 2**31)
        A permutation of `range(n)`. Elements outside every segment have their own position.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below 0 or ends past n (the message names the position), or `x` has other than one
        dimension.
    TypeError
        If `x` is complex, a dtype is not supported, or devices are mixed.

    Notes
    -----
    *Order*, *Cost* and *Empty input* are those of `segmented_sort`; a position is moved with every element. *Scratch*: that of
    `segmented_sort`, and an array like `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_argsort
    >>> segmented_argsort(np.array([3, 1, 2, 9, 7, 8]), np.array([0, 3, 3, 5]), descending=True)
    array([0, 2, 1, 3, 4, 5], dtype=int32)
    """
    x, offsets, start, stop = check_sortable_segments(x, offsets)
    _, index = sort_segments(x, offsets, start, stop, descending, True)
    every = namespace_of(x).arange(x.size, dtype=index.dtype) if stop - start < x.size else index
    index[:start], index[stop:] = every[:start], every[stop:]
    return index
