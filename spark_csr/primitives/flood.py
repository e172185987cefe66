"""Right flood: forward fill. Each element takes the last valid one to its left.

Design: validity is a mask, never a value, so zeros, NaN and -0.0 are elements like any other. The flood is a max-scan of
valid positions followed by one gather; the map of positions is what a gradient needs. Source of the name and of the
worked example: "right flood" (supplient, 2022); in databases it is called last-non-null or forward fill.
"""

import numpy as np
from numba import njit

from spark_csr._array import by_width, index_dtype, namespace_of, same_device
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import inclusive_scan
from spark_csr.primitives.segmented import segmented_scan


@njit
def _position(i, valid, missing, positions):
    positions[i] = i if valid[i] else missing


@njit
def _within(i, length, limit, index):
    """A position that was never found, or lies more than `limit` away, becomes -1."""
    source = np.int64(index[i])
    if source < 0 or source >= length or abs(i - source) > limit:
        index[i] = -1


@njit
def _take(i, x, index, fill, out):
    source = np.int64(index[i])
    out[i] = x[source] if source >= 0 else fill[0]


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
    *Cost*: one pass that writes positions, one scan of them, one gather; five launches on a GPU; host reads only with
    `offsets`. *Order*: exact. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import right_flood
    >>> right_flood(np.array([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2]))
    array([1, 1, 1, 1, 3, 3, 2, 2, 2, 5, 2])
    """
    return _flood(x, valid, offsets, initial, limit, return_index, "max", False)


def left_flood(x, valid=None, *, offsets=None, initial=0, limit=None, return_index=False):
    """Backward fill: each element takes the first valid one to its right. The mirror of `right_flood`, word for word.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import left_flood
    >>> left_flood(np.array([0, 0, 3, 0, 3, 0]))
    array([3, 3, 3, 3, 3, 0])
    """
    return _flood(x, valid, offsets, initial, limit, return_index, "min", True)


def _flood(x, valid, offsets, initial, limit, return_index, op, reverse):
    x = _check.contiguous(_check.one_dimensional("x", x))
    n, xp = x.size, namespace_of(x)
    if valid is None:
        valid = x != 0
    same_device(x, valid)
    valid = _check.mask("valid", valid, n)
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or above, got {limit}")
    fill = xp.full(1, _check.fitting("initial", initial, x.dtype))
    positions = xp.empty(n, index_dtype(n))
    for_each(n, _position, valid, n if reverse else -1, positions)
    if offsets is None:
        index = inclusive_scan(positions, op, reverse=reverse)
    else:
        index = segmented_scan(positions, offsets, op=op, reverse=reverse)
    for_each(n, _within, n, n if limit is None else int(limit), index)
    out = xp.empty(n, x.dtype)
    for_each(n, _take, by_width(x), index, by_width(fill), by_width(out))
    return (out, index) if return_index else out
