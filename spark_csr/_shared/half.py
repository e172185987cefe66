"""float16 as storage: its sixteen bits become a float32 by integer arithmetic, on every device alike."""

import numpy as np

from spark_csr._engine import njit


@njit(forceinline=True)
def half_to_float(bits):
    """Return the float32 with the value of the float16 of these bits: exact; subnormals, infinities and NaN are kept."""
    magnitude = (np.uint32(bits) & 0x7FFF) << 13
    sign = (np.uint32(bits) & 0x8000) << 16
    if magnitude >= 0x0F800000:
        return np.uint32(sign | magnitude | 0x7F800000).view(np.float32)
    scaled = np.float32(np.uint32(magnitude).view(np.float32) * np.float32(2.0**112))
    return np.uint32(np.float32(scaled).view(np.uint32) | sign).view(np.float32)


@njit(forceinline=True)
def _read_as_is(value):
    return value


def stored_reader(half):
    """Return the function by which a kernel reads a matrix's values: from float16's bits if `half`, as they are otherwise."""
    return half_to_float if half else _read_as_is


def product_meanings(ring, dtype, half):
    """Return what names in a kernel of products mean: of `ring`, in `dtype`, for values stored as float16 if `half`."""
    return {"add": ring.add.op, "multiply": ring.multiply_for(dtype), "scalar": dtype.type, "decode": stored_reader(half)}
