"""Keys as unsigned integers of the same width that compare like them, and back.

Design: integers need their sign bit flipped; floats, which are sign and magnitude, all bits where they are negative
(Herf, *Radix tricks*, 2001). A descending order is that of the inverted code, so equal keys keep their order. NumPy's order
knows one zero and one NaN: both zeros get the code of 0.0, all NaN the highest code in either direction. Which bits they
had is lost in the code and brought back afterwards from the input, where there were any; the rest of the work is not
slowed down by them.
"""

import numpy as np
from numba import njit

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr.primitives.foreach import for_each

INFINITY = {np.dtype(dtype): by_width(np.full(1, np.inf, dtype))[0] for dtype in (np.float16, np.float32, np.float64)}


@njit
def _flip(i, bits, mask, out):
    out[i] = bits[i] ^ mask


@njit
def _code_of_float(i, bits, sign, infinity, ones, down, codes, ambiguous):
    """`sign`: the sign bit, `ones`: all bits, `down`: all bits for a descending order, else none."""
    key = bits[i]
    if key & ~sign > infinity or key == sign:
        if ambiguous[0] == 0:
            ambiguous[0] = 1
        key = bits[i] if key != sign else sign ^ sign
    code = (key ^ (ones if key & sign else sign)) ^ down
    codes[i] = ones if key & ~sign > infinity else code


@njit
def _float_of_code(i, codes, sign, ones, down):
    code = codes[i] ^ down
    codes[i] = code ^ (sign if code & sign else ones)


def _constants(dtype):
    """The sign bit and all bits of a key."""
    width = np.uint64(8 * dtype.itemsize)
    unsigned = np.dtype(f"u{dtype.itemsize}").type
    return unsigned(1 << int(width - 1)), unsigned((1 << int(width)) - 1)


def encode(x, descending):
    """The codes of `x` (contiguous) in a new array, and whether they say less than `x`: an element on its device, or None."""
    xp, bits = namespace_of(x), by_width(x)
    sign, ones = _constants(x.dtype)
    down = ones if descending else ones ^ ones
    if x.dtype.kind == "f":
        codes, ambiguous = xp.empty_like(bits), xp.zeros(1, np.uint8)
        for_each(x.size, _code_of_float, bits, sign, INFINITY[x.dtype], ones, down, codes, ambiguous)
        return codes, ambiguous
    return _flipped(bits, x.dtype, down, None), None


def _flipped(bits, dtype, down, out):
    mask = down ^ _constants(dtype)[0] if dtype.kind == "i" else down
    if mask == 0:
        return bits.copy() if out is None else out
    out = namespace_of(bits).empty_like(bits) if out is None else out
    for_each(bits.size, _flip, bits, mask, out)
    return out


def decode(codes, dtype, descending):
    """The keys whose codes these are: the same memory, written anew."""
    sign, ones = _constants(dtype)
    down = ones if descending else ones ^ ones
    if dtype.kind == "f":
        for_each(codes.size, _float_of_code, codes, sign, ones, down)
    else:
        _flipped(codes, dtype, down, codes)
    return codes.view(dtype)


def restore(x, ambiguous, descending, out):
    """Give the zeros and NaN of the sorted `out` the bits they have in `x`, in the order of `x`. One host read, or three."""
    if ambiguous is None or not x.size or not to_host_scalar(ambiguous[0]):
        return
    before = to_host_scalar(((x > 0) if descending else (x < 0)).sum())
    zeros, nans = by_width(x)[x == 0], by_width(x)[x != x]
    by_width(out)[before : before + zeros.size] = zeros
    by_width(out)[x.size - nans.size :] = nans
