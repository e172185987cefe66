"""Check the arguments of primitives; messages name the offending value."""

import operator

import numpy as np

from spark_csr._array import (
    DTYPES,
    as_operand,
    goes_to_gpu,
    is_array,
    is_on_gpu,
    is_tensor,
    namespace_of,
    refuse_masked,
    to_host_list,
    to_host_scalar,
)
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._shared.atomics import atomic_min


def _numbers(name, x):
    """Return `x`; raise TypeError if it is not an array of a numeric dtype."""
    if not is_array(x):
        raise TypeError(f"{name} must be a NumPy or CuPy array, got {type(x).__name__}: use {advice_for(x)}")
    refuse_masked(name, x)
    if x.dtype not in DTYPES:
        raise TypeError(
            f"{name} has dtype {x.dtype}: use bool, an integer, float16/32/64 or complex64/128, in native byte order"
        )
    return x


def rows(name, x):
    """Return `x`, whose rows are its elements; raise TypeError if it is no numeric array, ValueError if it has no axis."""
    if not _numbers(name, x).ndim:
        raise ValueError(f"{name} must have one axis or more, got a single number: use {name}.reshape(1)")
    return x


def one_dimensional(name, x):
    """Return `x`; raise TypeError if it is not an array of a numeric dtype, and ValueError if it has other than one axis."""
    if _numbers(name, x).ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {x.shape}: use {name}.ravel()")
    return x


def advice_for(x):
    """Return what to do with an operand that is no array: the functions for tensors, or the way to make an array."""
    if is_tensor(x):
        return "the functions of spark_csr.interop.torch, or tensor.numpy(force=True), which has no gradient"
    return "numpy.from_dlpack(...)" if hasattr(x, "__dlpack__") and not is_on_gpu(x) else "numpy.asarray(...)"


def cast_scalar(name, value, dtype):
    """Return `value` as a scalar of `dtype`; raise TypeError if that changes it by more than a float's rounding."""
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
    """Return `x`; raise an exception unless it is a one-dimensional array of signed or unsigned integers."""
    one_dimensional(name, x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got dtype {x.dtype}")
    return x


def integer(name, x):
    """Return `x` as an integer of Python; raise TypeError for anything else, also for a bool."""
    try:
        if not isinstance(x, (bool, np.bool)):
            return operator.index(x)
    except TypeError:
        pass
    raise TypeError(f"{name} must be an integer, got {x!r}")


def count_of(name, value):
    """Return a value as a Python int; raise an exception unless it is an integer of 0 or above."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}") from None
    if value < 0:
        raise ValueError(f"{name} must be 0 or above, got {value}")
    return value


def axis(given, ndim, name="axis"):
    """Return the number of an axis, counted from the front; raise NumPy's AxisError if it is out of range."""
    number = integer(name, given)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(f"{name} {number} is out of range for {ndim} axes")
    return number % ndim


def find_first_true(flags):
    """Return the position of the first true flag, or None. There is one host read on a GPU, and none without flags."""
    if not flags.size:
        return None
    if goes_to_gpu(flags):
        at = to_host_scalar(namespace_of(flags).where(flags.any(), flags.argmax(), -1))
        return None if at < 0 else at
    at = int(flags.argmax())
    return at if flags.item(at) else None


def offsets(name, x, length=None, *, of_lengths="use offsets_from_counts"):
    """Check n+1 integers that start at 0 or above, never decrease, and end within `length` and below 2**63.

    Return them as kernels take them, and the first and the last of them. On a GPU there are one kernel and one host read.
    """
    integers(name, x)
    if x.size == 0:
        raise ValueError(f"{name} must have one element more than there are segments, got none: use [0] for no segments")
    if not config.validate:
        return as_operand(x), *read_ends(x)
    x = as_operand(x)
    start, stop, at = inspect_offsets(x)
    if start < 0:
        raise ValueError(f"{name} must start at 0 or above, got {name}[0] = {start}")
    if at is not None:
        before, after = to_host_scalar(x[at]), to_host_scalar(x[at + 1])
        raise ValueError(
            f"{name} must not decrease, got {name}[{at}] = {before} > {name}[{at + 1}] = {after}: if these are lengths, "
            f"{of_lengths}"
        )
    if length is not None and stop > length:
        raise ValueError(f"{name} must end within the {length} values, got {name}[{x.size - 1}] = {stop}")
    if stop >= 2**63:
        raise ValueError(f"{name} must lie below 2**63, got {name}[{x.size - 1}] = {stop}")
    return x, start, stop


def offsets_alone(name, x):
    """Check offsets as `offsets` does and return them alone. With `config.validate` off, nothing is read."""
    return offsets(name, x)[0] if config.validate or not x.size else as_operand(integers(name, x))


def read_ends(x):
    """Return the first and the last element as Python numbers, in one host read on a GPU."""
    if not goes_to_gpu(x):
        return x.item(0), x.item(-1)
    found = to_host_list(x[:: max(x.size - 1, 1)])
    return found[0], found[-1]


def inspect_offsets(x):
    """Return the first and the last element as Python numbers, and the first position whose successor is less, or None.

    On a GPU there are one kernel and one host read; for a single element there is no kernel.
    """
    if x.size == 1:
        return *read_ends(x), None
    if not goes_to_gpu(x):
        return *read_ends(x), find_first_true(x[1:] < x[:-1])
    found = namespace_of(x).full(3, x.size, np.int64)
    backend_of(x).for_each(x.size, _look, x, found)
    at, start, stop = to_host_list(found)
    if x.dtype == np.uint64:
        start, stop = start % 2**64, stop % 2**64
    return start, stop, at if at < x.size else None


@njit
def _look(i, x, found):
    if i > 0 and x[i] < x[i - 1]:
        atomic_min(found, 0, i - 1)
    if i == 0:
        found[1] = np.int64(x[i])
    if i == x.size - 1:
        found[2] = np.int64(x[i])


def mask(name, x, length):
    """Return `x` as a contiguous array; raise an exception unless it is a boolean array of `length` elements."""
    one_dimensional(name, x)
    if x.dtype != np.bool_:
        raise TypeError(f"{name} must have dtype bool, got {x.dtype}: use {name} != 0")
    if x.size != length:
        raise ValueError(f"{name} must have {length} elements, got {x.size}")
    return as_operand(x)
