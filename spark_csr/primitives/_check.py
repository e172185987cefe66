"""What every primitive asks of its arguments, said once, with the offending value in the message."""

import numpy as np

from spark_csr._array import DTYPES, as_operand, is_array, to_host_scalar
from spark_csr.config import config


def one_dimensional(name, x):
    """TypeError for what is not an array of a numeric dtype, ValueError for other than one dimension."""
    if not is_array(x):
        raise TypeError(f"{name} must be a NumPy or CuPy array, got {type(x).__name__}: use numpy.asarray(...)")
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: use {name}.filled(value)")
    if x.dtype not in DTYPES:
        raise TypeError(
            f"{name} has dtype {x.dtype}: use bool, an integer, float16/32/64 or complex64/128, in native byte order"
        )
    if x.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {x.shape}: use {name}.ravel()")
    return x


def fitting(name, value, dtype):
    """`value` as a scalar of `dtype`; TypeError where that changes it by more than a float's rounding."""
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be a number, got {value!r}")
    with np.errstate(all="ignore"):
        cast = np.asarray(given.real if dtype.kind != "c" else given).astype(dtype)
    exact = np.array_equal(cast, given)
    overflows = bool(np.isfinite(given)) and not np.isfinite(cast)
    if (dtype.kind in "biu" and not exact) or overflows or (dtype.kind == "f" and given.dtype.kind == "c"):
        raise TypeError(f"{name} must fit the dtype {dtype}, got {value!r}")
    return cast[()]


def integers(name, x):
    """One-dimensional signed or unsigned integers."""
    one_dimensional(name, x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got dtype {x.dtype}")
    return x


def first_true(flags):
    """Position of the first true flag, or None. Two host reads, none where there are no flags."""
    if not flags.size:
        return None
    at = to_host_scalar(flags.argmax())
    return at if to_host_scalar(flags[at]) else None


def offsets(name, x, length=None):
    """n+1 integers that start at 0 or above, never decrease and end within `length`, and below 2**63."""
    integers(name, x)
    if x.size == 0:
        raise ValueError(f"{name} must have one entry more than there are segments, got none: use [0] for no segments")
    if not config.validate:
        return as_operand(x)
    start, stop = to_host_scalar(x[0]), to_host_scalar(x[-1])
    if start < 0:
        raise ValueError(f"{name} must start at 0 or above, got {name}[0] = {start}")
    at = first_true(x[1:] < x[:-1])
    if at is not None:
        before, after = to_host_scalar(x[at]), to_host_scalar(x[at + 1])
        raise ValueError(f"{name} must not decrease, got {name}[{at}] = {before} > {name}[{at + 1}] = {after}")
    if length is not None and stop > length:
        raise ValueError(f"{name} must end within the {length} values, got {name}[{x.size - 1}] = {stop}")
    if stop >= 2**63:
        raise ValueError(f"{name} must lie below 2**63, got {name}[{x.size - 1}] = {stop}")
    return as_operand(x)


def mask(name, x, length):
    """A boolean array of `length` elements."""
    one_dimensional(name, x)
    if x.dtype != np.bool_:
        raise TypeError(f"{name} must have dtype bool, got {x.dtype}: use {name} != 0")
    if x.size != length:
        raise ValueError(f"{name} must have {length} elements, got {x.size}")
    return as_operand(x)
