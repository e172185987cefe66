"""Shared parts of the generators: offsets and random values."""

import numpy as np

from spark_csr._array import index_dtype


def offsets_of(counts):
    """Return the n+1 offsets of n counts, as int32 if the total fits, else int64."""
    offsets = np.zeros(counts.size + 1, np.int64)
    counts.cumsum(out=offsets[1:])
    return offsets.astype(index_dtype(offsets[-1]), copy=False)


def random_values(rng, size, dtype):
    """Return random values for entries; they are not zero, except by chance for floating and complex dtypes."""
    if dtype.kind == "b":
        return np.ones(size, bool)
    if dtype.kind in "iu":
        return rng.integers(1, 10, size, dtype)
    part = np.dtype(np.float64) if dtype in (np.float64, np.complex128) else np.dtype(np.float32)
    values = rng.random(size, part)
    if dtype.kind == "c":
        values = values + 1j * rng.random(size, part)
    return values.astype(dtype, copy=False)
