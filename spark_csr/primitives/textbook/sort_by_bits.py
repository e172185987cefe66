"""Radix sort as it is taught: one bit at a time, each time a stable partition made of scans.

Design: it is meant for reading and built from public primitives alone; `sort` gives the same result with eight bits at a time.
Source: Blelloch, *Prefix Sums and Their Applications*, 1990 (split-radix sort).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import exclusive_scan
from spark_csr.primitives.sort import check_bits, check_sortable, gather
from spark_csr.primitives.sort_keys import encode

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@njit
def _bit_is_zero(i, codes, order, bit, is_zero):
    is_zero[i] = np.uint8(1 - (np.uint64(codes[order[i]]) >> np.uint64(bit) & 1))


@njit
def _place(i, order, is_zero, zeros_before, zeros, out):
    """Move keys with a zero bit to the front and the others behind them, both in their order."""
    to = zeros_before[i] if is_zero[i] else zeros[0] + np.uint64(i) - zeros_before[i]
    out[to] = order[i]


def sort_by_bits(keys: ArrayLike, *, begin_bit: int = 0, end_bit: int | None = None) -> Array:
    """Return a sorted copy, made bit by bit: all keys whose bit is 0 move before all keys whose bit is 1.

    Parameters
    ----------
    keys : (n,) array of bools, integers or floats
        The keys to sort.
    begin_bit : int
        The lowest bit of the code to compare, see the notes of `sort`. The default is 0, the lowest bit of all.
    end_bit : int, optional
        The bit after the highest bit to compare. By default it follows the highest bit in which keys differ.

    Returns
    -------
    (n,) array of the dtype of `keys`
        The keys in NumPy's order. The sort is stable.

    Raises
    ------
    TypeError
        If `keys` is not an array, is complex, or a bit is not an integer.
    ValueError
        If `keys` has other than one dimension, or bits are out of range.

    Notes
    -----
    *Cost*: There are k steps for k bits, each with a scan and two passes, which is O(kn) work, and, on a GPU, two host reads.
    Scratch memory holds the codes, two arrays of positions, and nine bytes for each key. `sort` takes eight bits in a step.
    *Order*: The sort is stable, so the result is unique. *Empty input*: The result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import sort_by_bits
    >>> sort_by_bits(np.array([0, 5, 2, 7], np.uint8), end_bit=1)
    array([0, 2, 5, 7], dtype=uint8)
    >>> sort_by_bits(np.array([0, 5, 2, 7]))
    array([0, 2, 5, 7])
    """
    keys = check_sortable("keys", keys)
    n, xp = keys.size, namespace_of(keys)
    begin_bit, last_bit = check_bits(keys, begin_bit, end_bit)
    if not n:
        return keys.copy()
    codes = encode(keys, False)
    if end_bit is None:  # bits above agree in all keys
        last_bit = (to_host_scalar(codes.min()) ^ to_host_scalar(codes.max())).bit_length()
    order, moved = xp.arange(n, dtype=index_dtype(n)), xp.empty(n, index_dtype(n))
    is_zero = xp.empty(n, np.uint8)
    for bit in range(begin_bit, last_bit):
        for_each(n, _bit_is_zero, codes, order, bit, is_zero)
        zeros_before, zeros = exclusive_scan(is_zero, return_total=True)
        for_each(n, _place, by_width(order), is_zero, zeros_before, zeros.reshape(1), by_width(moved))
        order, moved = moved, order
    return gather(keys, order)
