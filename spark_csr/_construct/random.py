"""Matrices by chance.

Design: positions are drawn until enough of them are different, sorted to find those that were drawn twice, and surplus ones are
dropped by chance. As no position is treated unlike another, every set of positions is as likely as every other. Of more than
half of all positions, the empty ones are drawn. Cost: another stream than SciPy's, which shuffles the positions.
"""

import math

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._construct._operands import wrap
from spark_csr._numba import njit
from spark_csr._operations.form import build, check, dtypes
from spark_csr._operations.form.record import Csr
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import sort

FEW = 1000
"""Up to here all positions are shuffled; not tuned."""


def random_array(shape, *, density=0.01, format="csr", dtype=None, rng=None, data_sampler=None, device=None):
    """Entries at random positions, each position at most once.

    Parameters
    ----------
    shape : tuple of one or two int
    density : float
        Share of all positions that has an entry, from 0 to 1: there are `round(density * places)` entries, exactly.
    format : str, optional
        As `csr_array.asformat` takes it.
    dtype : dtype, optional
        Default: float64.
    rng : int, numpy.random.Generator, ..., optional
        What `numpy.random.default_rng` takes; default: another stream each time.
    data_sampler : function, optional
        `data_sampler(size=k)` gives `k` values as an array. Default: uniform in [0, 1), for complex dtypes in both parts; for
        integers uniform over all but the largest.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        Default: "cpu".

    Returns
    -------
    csr_array

    Raises
    ------
    ValueError
        If the density is outside [0, 1], the shape is negative or has 2**63 positions and more, the format is unknown, or
        `data_sampler` gives another number of values.
    TypeError
        For what is no seed, and unsupported dtypes.
    MemoryError
        If there is no room for the entries: named with their size.

    Notes
    -----
    The same seed gives the same matrix on every device and for every number of threads: it is drawn on the host. It is
    another matrix than SciPy's of that seed.

    *Cost*: drawing and sorting little more than the positions needed, 4 bytes each (8 for shapes of more than 2**32 positions);
    above a density of 1/2 a byte for each position besides. *Order*: sorted. *Empty input*: no entries.

    Examples
    --------
    >>> from spark_csr import random_array
    >>> random_array((1000, 1000), density=0.005, rng=0)
    <csr_array of dtype 'float64' on cpu, shape (1000, 1000), with 5000 stored elements>
    """
    shape = check.shape_of(tuple(shape))
    if not 0 <= density <= 1:
        raise ValueError(f"density must lie in [0, 1], got {density}")
    places = math.prod(shape)
    if places > check.INT64_MAX:
        raise ValueError(f"shape must have fewer than 2**63 positions, got {shape}")
    size = round(density * places)
    rows, columns = build.two_dimensional(shape)
    check.row_count(rows)
    dtype = np.dtype(np.float64) if dtype is None else dtypes.check_dtype(dtype)
    rng = np.random.default_rng(rng)
    allocate_array(np, size, np.dtype(np.complex128), f"{size} random entries")
    found = sample(rng, places, size)
    values = np.asarray((data_sampler or _sampler(rng, dtype))(size=size))
    if values.shape != (size,):
        raise ValueError(f"data_sampler must give {size} values, got shape {values.shape}")
    csr = _make_record(found, values.astype(dtype, copy=False), (rows, columns))
    return wrap(build.move_to(csr, device), format, len(shape))


def _sampler(rng, dtype):
    """SciPy's choice of values."""
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return lambda size: rng.integers(bounds.min, bounds.max, size, dtype=dtype)
    if dtype.kind == "c":
        return lambda size: rng.uniform(size=size) + 1j * rng.uniform(size=size)
    return lambda size: rng.uniform(size=size)


@njit
def _split(i, places, size, rows, columns, indptr, indices):
    """The column of position `i`; the first position of a row, or of rows above it that are empty, says where they begin."""
    here = np.uint64(i)
    row, before = np.uint64(rows), np.uint64(0)  # position `size`, behind the last, stands in the row behind the last
    if i < size:
        row = np.uint64(places[here]) // np.uint64(columns)
        indices[here] = np.uint64(places[here]) - row * np.uint64(columns)
    if i > 0:
        before = np.uint64(places[here - np.uint64(1)]) // np.uint64(columns) + np.uint64(1)
    for k in range(before, row + np.uint64(1)):
        indptr[k] = i


def _make_record(places, values, shape):
    """Return the record with entries at ascending positions, numbered row by row."""
    rows, columns = shape
    indptr = allocate_array(np, rows + 1, index_dtype(places.size), f"offsets of {rows} rows")
    indices = np.empty(places.size, index_dtype(columns))
    for_each(places.size + 1, _split, places, places.size, rows, max(columns, 1), indptr, indices)
    return Csr(indptr, indices, values, shape)


def sample(rng, places, size):
    """Return `size` different numbers below `places` in ascending order, each set as likely as any other."""
    dtype = np.dtype(np.uint32 if places <= 2**32 else np.int64)
    if places <= FEW:
        return np.sort(rng.permutation(places)[:size]).astype(dtype)
    if 2 * size > places:
        return _take_others(
            sample(rng, places, places - size), allocate_array(np, places, np.dtype(np.bool_), f"{places} positions"), dtype
        )
    found = np.empty(0, dtype)
    while found.size < size:
        needed = -places * math.log1p(-(size - found.size) / (places - found.size))
        more = rng.integers(0, places, int(needed + 3 * math.sqrt(needed)) + 8, dtype)
        found = _drop_repeats(sort(np.concatenate([found, more])))
    surplus = found.size - size
    surplus = sample(rng, found.size, surplus) if found.size < places else rng.permutation(places)[:surplus]
    return _take_others(surplus, np.empty(found.size, bool), dtype, found)


def _drop_repeats(ascending):
    """Return ascending numbers without repeats."""
    first = np.ones(ascending.size, bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return compact(ascending, first)


def _take_others(positions, keep, dtype, x=None):
    """Return the elements of `x` at all other positions, or these positions themselves."""
    keep[...] = True
    keep[positions] = False
    return compact(x, keep) if x is not None else compact(keep, keep, return_index=True)[1].astype(dtype, copy=False)
