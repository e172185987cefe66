"""Shared parts of cartesian products, combinations and permutations: arguments, and sizes of results."""

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.scan import exclusive_scan

INT64_MAX = np.iinfo(np.int64).max

ALIGNED = 32
"""Each index array starts at a multiple of this many elements, as wide stores want it."""


def check_ranges(argument, number=""):
    """Check an argument and return `(starts, stops)` of every segment.

    Messages name `offsets<number>`, or `starts<number>` and `stops<number>`.
    """
    if not isinstance(argument, tuple):
        offsets = _check.offsets_alone(f"offsets{number}", argument)
        return offsets[:-1], offsets[1:]
    if len(argument) != 2:
        raise TypeError(f"offsets{number} must be an array or a pair (starts, stops), got a tuple of {len(argument)}")
    starts, stops = (_check.integers(f"{name}{number}", x) for name, x in zip(("starts", "stops"), argument, strict=True))
    same_device(starts, stops)
    if starts.size != stops.size:
        raise ValueError(f"starts{number} and stops{number} must be equally long, got {starts.size} and {stops.size}")
    if config.validate:
        at = _check.find_first_true(starts < 0)
        if at is not None:
            raise ValueError(f"starts{number} must be 0 or above, got starts{number}[{at}] = {to_host_scalar(starts[at])}")
        at = _check.find_first_true(stops < starts)
        if at is not None:
            start, stop = to_host_scalar(starts[at]), to_host_scalar(stops[at])
            raise ValueError(
                f"stops{number} must not lie before starts{number}, got starts{number}[{at}] = {start} > "
                f"stops{number}[{at}] = {stop}"
            )
    return starts, _within_int64(f"stops{number}", stops)


def _within_int64(name, x):
    if x.dtype == np.uint64 and config.validate:
        at = _check.find_first_true(x > INT64_MAX)
        if at is not None:
            raise ValueError(f"{name} must lie below 2**63, got {name}[{at}] = {to_host_scalar(x[at])}")
    return x


def starts_and_counts(factors, index):
    """Return the `starts` and `counts` of all factors, one factor after the other, in the dtype that holds every index."""
    if index not in ("global", "local"):
        raise ValueError(f"index must be 'global' or 'local', got {index!r}")
    xp, n = namespace_of(*(x for pair in factors for x in pair)), factors[0][0].size
    dtype = np.result_type(*(_index_dtype_for(starts, stops, index) for starts, stops in factors))
    starts, counts = xp.zeros(len(factors) * n, dtype), xp.empty(len(factors) * n, dtype)
    for f, (start, stop) in enumerate(factors):
        counts[f * n : (f + 1) * n] = stop.astype(np.int64) - start.astype(np.int64)
        if index == "global":
            starts[f * n : (f + 1) * n] = start
    return starts, counts


def _index_dtype_for(starts, stops, index):
    """Return int32 if all indices fit it, else int64. Nothing is read from the device if the arguments fit int32 themselves."""
    if stops.size == 0 or np.result_type(starts, stops, np.int32) == np.int32:
        return np.dtype(np.int32)
    reach = stops if index == "global" else stops.astype(np.int64) - starts.astype(np.int64)
    return index_dtype(to_host_scalar(reach.max()))


def scan_sizes(sizes, noun, total=None):
    """Return the offsets of segments that give `sizes` results (int64; -1 means more than 2**62), and the total.

    A given `total` is compared with the sum, or trusted with `config.validate` off: then nothing is read.
    """
    xp = namespace_of(sizes)
    if total is not None:
        total = _check.count_of("total", total)
    if total is None or config.validate:
        at = _check.find_first_true(sizes < 0)
        if at is not None:
            raise MemoryError(f"segment {at} has more than 2**62 {noun}, which is more than can be stored")
        about = to_host_scalar(sizes.sum(dtype=np.float64))
        if about > 2**62:
            raise MemoryError(f"{about:.4g} {noun} were requested, which is more than can be stored")
    starts, there = exclusive_scan(sizes, return_total=True)
    if total is None or config.validate:
        given, total = total, to_host_scalar(there)
        if given is not None and given != total:
            raise ValueError(f"total must be {total}, the number of {noun}, got {given}")
    out = xp.empty(sizes.size + 1, index_dtype(total))
    out[:-1] = starts
    out[-1:] = there
    return out, total


def write_tuples(xp, out_offsets, total, dtype, factors, noun, kernel):
    """Return `(out_offsets, index0, index1, ...)`, filled by `kernel(stride, out)`."""
    stride = -(-total // ALIGNED) * ALIGNED
    out = allocate_array(xp, factors * stride, dtype, f"{total} {noun} of {factors} indices")
    if total:
        kernel(stride, out)
    return (out_offsets, *(out[f * stride : f * stride + total] for f in range(factors)))
