"""Encode keys as unsigned integers of the same width that compare as the keys do, and decode them.

Design: signed integers need their sign bit flipped; floats, which are sign and magnitude, need all bits flipped if they are
negative, else the sign bit (Herf, *Radix tricks*, 2001). The code of a descending order is inverted, so equal keys keep their
order. NumPy's order knows one zero and one NaN: both zeros get the code of 0.0, and all NaN get the highest code in either
direction. The code loses which bits they had; if there are any, they are brought back from the input afterwards.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array

INFINITY: dict[np.dtype[Any], Any] = {
    np.dtype(dtype): by_width(np.full(1, np.inf, dtype))[0] for dtype in (np.float16, np.float32, np.float64)
}


@njit
def _flip(i, bits, mask, out):
    out[i] = bits[i] ^ mask


@njit
def _code_of_float(i, bits, sign, infinity, ones, down, codes):
    """Write the code of a float without branches, which are slow.

    `sign` is the sign bit, `ones` are all bits, and `down` is all bits for a descending order, else none.
    """
    key = bits[i] * np.uint64(bits[i] != sign)
    code = key ^ (ones * np.uint64(key >= sign) | sign) ^ down
    codes[i] = code | ones * np.uint64(key & (ones ^ sign) > infinity)


@njit
def _float_of_code(i, codes, sign, ones, down):
    code = codes[i] ^ down
    codes[i] = code ^ (sign if code & sign else ones)


@functools.cache
def _constants(dtype):
    """Return the sign bit and all bits of a key."""
    width = np.uint64(8 * dtype.itemsize)
    unsigned = np.dtype(f"u{dtype.itemsize}").type
    return unsigned(1 << int(width - 1)), unsigned((1 << int(width)) - 1)


def encode(x: Array, descending: bool) -> Array:
    """Return the codes of `x` (contiguous) in a new array."""
    bits = by_width(x)
    sign, ones = _constants(x.dtype)
    down = ones if descending else ones ^ ones
    if x.dtype.kind != "f":
        return _flip_bits(bits, x.dtype, down, None)
    codes = namespace_of(x).empty_like(bits)
    for_each(x.size, _code_of_float, bits, sign, INFINITY[x.dtype], ones, down, codes)
    return codes


def _flip_bits(bits, dtype, down, out):
    mask = down ^ _constants(dtype)[0] if dtype.kind == "i" else down
    if mask == 0:
        return bits.copy() if out is None else out
    out = namespace_of(bits).empty_like(bits) if out is None else out
    for_each(bits.size, _flip, bits, mask, out)
    return out


def decode(codes: Array, x: Array, descending: bool) -> Array:
    """Return the keys of sorted codes, in the memory of the codes; `x` holds the keys before they were encoded."""
    sign, ones = _constants(x.dtype)
    down = ones if descending else ones ^ ones
    if x.dtype.kind != "f":
        return _flip_bits(codes, x.dtype, down, codes).view(x.dtype)
    zero = sign ^ down
    limits = namespace_of(x).asarray(np.array([zero, zero + zero.dtype.type(1), ones]))
    zeros, after_zeros, nans = (to_host_scalar(at) for at in codes.searchsorted(limits))
    for_each(codes.size, _float_of_code, codes, sign, ones, down)
    _restore(codes, x, zeros, after_zeros, nans)
    return codes.view(x.dtype)


def restore_bits(out: Array, x: Array) -> Array:
    """Give zeros and NaN among sorted keys the bits that they have in `x`, in their order there; return the keys."""
    if x.dtype.kind == "f" and x.size:
        zero, nan = np.array([0, np.nan], x.dtype)
        _restore(by_width(out), x, out.searchsorted(zero), out.searchsorted(zero, "right"), out.searchsorted(nan))
    return out


def _restore(bits, x, zeros, after_zeros, nans):
    """Write the bits of the zeros and of the NaN of `x` to where these begin among the sorted keys."""
    if zeros < after_zeros:
        bits[zeros:after_zeros] = by_width(x)[x == 0]
    if nans < bits.size:
        bits[nans:] = by_width(x)[x != x]
