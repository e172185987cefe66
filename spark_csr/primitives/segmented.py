"""Scans and reductions of every segment on its own.

Source: Blelloch 1990 (segmented scan); Baxter, *moderngpu* (segmented reduction over load-balanced tiles).
"""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, index_dtype, namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import mark_head
from spark_csr.primitives.scan import accumulator_dtype, run_scan
from spark_csr.primitives.search import merge_path_tiles


def heads_and_range(x, offsets, head_flags):
    """Flags as long as `x`, and the range of `x` that belongs to segments."""
    if (offsets is None) == (head_flags is None):
        raise ValueError("give either offsets or head_flags, and not both")
    if head_flags is not None:
        same_device(x, head_flags)
        _check.one_dimensional("head_flags", head_flags)
        return _check.mask("head_flags", head_flags.astype(np.bool_, copy=False), x.size), 0, x.size
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, x.size)
    heads = namespace_of(x).zeros(x.size, np.bool_)
    for_each(offsets.size - 1, mark_head, offsets, 0, x.size, heads)
    heads[stop : stop + 1] = True
    return heads, start, stop


def segmented_scan(x, offsets=None, *, head_flags=None, op="sum", exclusive=False, reverse=False):
    """Scan every segment on its own.

    Parameters
    ----------
    x : (n,) array
    offsets : (m+1,) integer array, optional
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero and end before n: elements outside every segment
        become the identity.
    head_flags : (n,) array, optional
        Instead of offsets: nonzero at the first element of every segment. Element 0 begins one in any case.
    op : str or Monoid
        As in `inclusive_scan`.
    exclusive, reverse : bool
        As `exclusive_scan`; from each segment's end to its start.

    Returns
    -------
    (n,) array
        dtype as in `inclusive_scan`.

    Raises
    ------
    ValueError
        If offsets decrease, start below 0 or end past n, if flags have another length than `x`, if both or none are given.
    TypeError
        For wrong dtypes or mixed devices, or "min"/"max" of complex numbers.

    Notes
    -----
    *Cost*: a scan; from offsets also the flags (n bytes of scratch, one fill and one pass over the offsets) and six host
    reads, two with `config.validate` off. *Order*: as the scan. *Empty input*: empty; empty segments leave no trace.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_scan
    >>> segmented_scan(np.arange(1, 9), np.array([0, 2, 5, 8]), exclusive=True)
    array([ 0,  1,  0,  3,  7,  0,  6, 13])
    """
    _check.one_dimensional("x", x)
    heads, start, stop = heads_and_range(x, offsets, head_flags)
    out, _ = run_scan(x, op, heads, None, exclusive, reverse)
    if start > 0 or stop < x.size:
        monoid = ops.monoid(op)
        out[:start] = monoid.identity_for(out.dtype)
        out[stop:] = monoid.identity_for(out.dtype)
    return out


def segmented_reduce(x, offsets, op="sum", *, initial=None, return_index=False):
    """Combine all elements of every segment.

    Parameters
    ----------
    x : (n,) array
    offsets : (m+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero and end before n.
    op : str or Monoid
        Any associative operator; it need not commute.
    initial : scalar, optional
        Combined in front of every segment; default: the identity.
    return_index : bool
        For "min" and "max": also the position in `x` of each segment's first least or greatest element (NaN counts as
        both, as in NumPy), -1 for an empty segment.

    Returns
    -------
    out : (m,) array
        dtype as in `inclusive_scan`; an empty segment gives `initial`, or the identity.
    index : (m,) int32 array (int64 for n >= 2**31)
        If asked for.

    Raises
    ------
    ValueError
        If offsets decrease, start below 0 or end past n; an unknown operator; `return_index` for another than min and max.
    TypeError
        For wrong dtypes, mixed devices, "min"/"max" of complex numbers, or an `initial` that does not fit.

    Notes
    -----
    *Cost*: one read of `x` and the offsets, one write of m results; the tiles' cuts and carries (under 1 % of that) beside
    them. Three launches on a GPU, and one that checks; one host read. With an index, on the cores each segment is
    looked through once more in the cache; on a GPU two passes and three launches more, and an index of scratch for each
    element. *Order*: fixed tiles, so the same bits every run.
    *Empty input*: no segments, no results.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import segmented_reduce
    >>> segmented_reduce(np.array([1.0, 2, 3, 4, 5]), np.array([0, 2, 2, 5]))
    array([ 3.,  0., 12.])
    """
    monoid = ops.monoid(op)
    _check.one_dimensional("x", x)
    same_device(x, offsets)
    offsets, start, stop = _check.offsets("offsets", offsets, x.size)
    if return_index and monoid not in (ops.MONOIDS["min"], ops.MONOIDS["max"]):
        raise ValueError(f"return_index is for op 'min' or 'max', got {monoid.name!r}")
    reduced, index = reduce_trusted(x, offsets, monoid, initial, return_index, stop - start)
    return (reduced, index) if return_index else reduced


def reduce_trusted(x, offsets, op, initial=None, return_index=False, total=None):
    """`segmented_reduce` of offsets that were checked before; always two results, the second None or the index.

    `total` is how many items the segments hold, where the caller knows it.
    """
    monoid = ops.monoid(op)
    dtype = accumulator_dtype(monoid, x.dtype)
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    if initial is not None:
        initial = _check.cast_scalar("initial", initial, computed)
    x = x.astype(computed, copy=False)
    if return_index:
        reduced, index = reduce_with_positions(x, offsets, monoid, total)
    else:
        reduced, index = _reduce(x, offsets, monoid, total), None
    if initial is not None:
        reduced = _combine_with_initial(reduced, initial, monoid)
    return reduced.astype(dtype, copy=False), index


def _reduce(x, offsets, monoid, total):
    x = as_operand(x)
    out = namespace_of(x).empty(offsets.size - 1, x.dtype)
    if out.size:
        backend_of(x).segmented_reduce(merge_path_tiles(offsets, total), monoid, offsets, x, out)
    return out


def _combine_with_initial(reduced, initial, monoid):
    """Combine `initial` with each result: a reduction of segments of two."""
    xp = namespace_of(reduced)
    pairs = xp.stack([xp.full_like(reduced, initial), reduced], axis=1).ravel()
    return _reduce(pairs, xp.arange(0, pairs.size + 1, 2, dtype=index_dtype(pairs.size)), monoid, None)


def reduce_with_positions(x, offsets, monoid, total=None):
    """The least or greatest element of every segment, and its first position, -1 where there is none; nothing is checked."""
    x, xp = as_operand(x), namespace_of(x)
    out, index = xp.empty(offsets.size - 1, x.dtype), xp.empty(offsets.size - 1, index_dtype(x.size))
    if out.size:
        backend_of(x).extreme_positions(merge_path_tiles(offsets, total), monoid, offsets, x, out, index)
    return out, index
