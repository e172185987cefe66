"""Sort every segment on its own.

Design: one kernel moves elements and, if asked for, positions beside them. Stability comes from the merges, which take
equal elements from the left, so no position is ever compared.
"""

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr._shared.order import comparable, flip, restored
from spark_csr.primitives import _check
from spark_csr.primitives.search import merge_path_tiles


def check_sortable_segments(x, offsets):
    """Return both as kernels take them, or raise the exception that says what is wrong with them."""
    _check.one_dimensional("x", x)
    if x.dtype.kind == "c":
        raise TypeError(f"x has dtype {x.dtype}: complex numbers have no order; sort by abs(x) or by x.real")
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, x.size)
    if offsets.dtype not in (np.int32, np.int64):
        offsets = offsets.astype(np.int64)
    return x, offsets, start, stop


def sort_segments(x, offsets, start, stop, descending, with_index):
    """The sorted elements as keys, and where each came from; segments hold those from `start` to `stop`."""
    xp, n = namespace_of(x), x.size
    keys = flip(comparable(x)) if descending else comparable(x)
    values = xp.empty_like(keys)
    index = xp.empty(n, index_dtype(n)) if with_index else None
    if start < stop:
        backend = backend_of(x)
        tiles = merge_path_tiles(offsets, stop - start, backend.sort_items)
        backend.segmented_sort(tiles, offsets, keys, values, index)
    return values, index


def segmented_sort(x, offsets, *, descending=False):
    """Sort every segment on its own.

    Parameters
    ----------
    x : (n,) array
        Of any real dtype.
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero and end before n: elements outside every segment
        stay where they are.
    descending : bool
        Largest first.

    Returns
    -------
    (n,) array of the dtype of `x`

    Raises
    ------
    ValueError
        If offsets decrease, start below 0 or end past n (named with the position), or for other than one dimension.
    TypeError
        For complex numbers, unsupported dtypes or mixed devices.

    Notes
    -----
    *Order*: stable, whatever the direction; NaN come last, -0.0 and 0.0 are equal. *Cost*: on the cores one read and one
    write, in the cache, for segments of up to 65536 elements; for longer ones a pass over memory for each doubling beyond
    16384. On a GPU one pass, for each doubling of the longest segment beyond 1024 another, and three host reads.
    Descending, two passes more. *Scratch*: on the cores 65536 elements each, and as many as a longer segment has; on a GPU
    as much as `x` where a segment is longer than 1024; descending, also as much as `x`. *Empty input*: empty, as are empty
    segments. Sources: those of `_cpu/segmented_sort.py` and `_cuda/segmented_sort.py`.

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
    keys[:start], keys[stop:] = x[:start], x[stop:]  # nothing was written there: it may be too large for float16
    return restored(keys, x.dtype)


def segmented_argsort(x, offsets, *, descending=False):
    """The positions in `x` that sort every segment: `x[segmented_argsort(x, offsets)]` is `segmented_sort(x, offsets)`.

    Parameters
    ----------
    x : (n,) array
        Of any real dtype.
    offsets : (m+1,) integer array
        As in `segmented_sort`.
    descending : bool
        Largest first.

    Returns
    -------
    (n,) int32 array (int64 for n >= 2**31)
        A permutation of `range(n)`; elements outside every segment have their own position.

    Raises
    ------
    ValueError, TypeError
        As `segmented_sort`.

    Notes
    -----
    As `segmented_sort`, moving a position with every element. *Scratch*: also an array like `x`.

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
