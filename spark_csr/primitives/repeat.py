"""Runs of equal elements: write them out, find them again.

Source: run-length coding as scan, scatter and flood (Blelloch 1990); here the load-balancing search of `segment_ids`
(Baxter, *moderngpu*, 2013) writes the elements in one pass, so that neither a count of zero nor one of all is special.
"""

import operator

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, is_array, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.counts import scan_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles


def repeat(x, counts, *, total=None):
    """Every element as often as its count says: the inverse of `run_length_encode`.

    Parameters
    ----------
    x : (n,) array
    counts : (n,) integer array, or int
        None negative; an int counts for every element.
    total : int, optional
        The sum of `counts`, if the caller knows it: nothing then waits for the device unless `config.validate`.

    Returns
    -------
    (total,) array of the dtype of `x`

    Raises
    ------
    ValueError
        If a count is negative (named with its position), `counts` has another length than `x`, they add up to 2**63 and
        more, or `total` is not their sum (found only if `config.validate`; without it a wrong one is undefined behaviour).
    TypeError
        If counts are not integers, or devices are mixed.
    MemoryError
        If there is no room for the result: named with its size.

    Notes
    -----
    *Cost*: a scan of the counts, one read of `x`, one write of the result; five launches on a GPU and two host reads, none
    with `total` and `config.validate` off. Scratch: n+1 offsets. *Order*: kept. *Empty input*: empty; counts of zero are
    legal anywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import repeat
    >>> repeat(np.array([1, 3, 6]), np.array([3, 2, 3]))
    array([1, 1, 1, 3, 3, 6, 6, 6])
    """
    _check.one_dimensional("x", x)
    return repeat_by_offsets(x, *_offsets(x, counts, total))


def repeat_by_offsets(x, offsets, total):
    """Return an array of `total` with element `i` at all positions `offsets[i]:offsets[i+1]`; the first offset is 0, the last
    `total`."""
    x = as_operand(x)
    out = allocate_array(namespace_of(x), total, x.dtype, f"{total} elements")
    if total:
        backend_of(x).repeat(merge_path_tiles(offsets, total), by_width(x), offsets, by_width(out))
    return out


def _offsets(x, counts, total):
    """Where the copies of every element begin, and how many there are in all."""
    total = total if total is None else operator.index(total)
    if total is not None and total < 0:
        raise ValueError(f"total must be 0 or above, got {total}")
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
def _differs(i, bits, heads):
    """Does element `i + 1` differ from the one before it?"""
    here = np.uint64(i)
    heads[here + np.uint64(1)] = bits[here + np.uint64(1)] != bits[here]


@njit
def _differs_wide(i, bits, heads):
    """The same for elements of two words."""
    here = np.uint64(2) * np.uint64(i)
    low = bits[here + np.uint64(2)] != bits[here]
    heads[np.uint64(i) + np.uint64(1)] = low | (bits[here + np.uint64(3)] != bits[here + np.uint64(1)])


def run_length_encode(x):
    """The maximal runs of equal elements.

    Parameters
    ----------
    x : (n,) array

    Returns
    -------
    values : (m,) array of the dtype of `x`
        One element of every run.
    counts : (m,) int32 array (int64 for n >= 2**31)
        The runs' lengths, none of them zero.

    Raises
    ------
    TypeError, ValueError
        For what is not a one-dimensional array of a supported dtype.

    Notes
    -----
    Equal means the same bits, so `repeat(values, counts)` is exactly `x`: NaN continues a run of the same NaN, and -0.0 and
    0.0 are two runs.

    *Cost*: two reads of `x`, a mask of n bytes written and read three times, three writes for every run; seven launches on
    a GPU and one host read. Scratch: that mask, and where runs begin. *Order*: kept. *Empty input*: no runs.

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
        for_each(max(n - 1, 0), _differs_wide, x.view(np.uint64), heads)
    else:
        for_each(max(n - 1, 0), _differs, by_width(x), heads)
    before = count_selected_before(heads)
    runs = to_host_scalar(before[-1])
    values, offsets = xp.empty(runs, x.dtype), xp.full(runs + 1, n, index_dtype(n))
    write_selected(by_width(x), heads, before, by_width(values))
    write_selected(None, heads, before, offsets[:-1])
    return values, offsets[1:] - offsets[:-1]
