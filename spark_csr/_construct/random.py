"""Make random matrices.

Design: positions are drawn until enough of them are different. They are sorted to find those that were drawn twice, and surplus
ones are dropped at random. As no position is treated differently from another, all sets of positions are equally likely. If
more than half of all positions are needed, the empty ones are drawn instead. Cost: the stream of random numbers is not SciPy's,
which shuffles the positions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._construct._operands import wrap
from spark_csr._engine import njit
from spark_csr._operations.form import build, check, dtypes
from spark_csr._operations.form.record import Csr
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import sort

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._types import DTypeLike

FEW = 1000
"""Up to this many positions, all of them are shuffled. Not tuned."""


@overload
def random_array(
    shape: Sequence[int],
    *,
    density: float = ...,
    format: Literal["csr"] | None = ...,
    dtype: DTypeLike | None = ...,
    rng: int | np.random.Generator | None = ...,
    data_sampler: Callable[..., npt.ArrayLike] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    device: str | None = ...,
) -> csr_array: ...
@overload
def random_array(
    shape: Sequence[int],
    *,
    density: float = ...,
    format: Literal["csc"],
    dtype: DTypeLike | None = ...,
    rng: int | np.random.Generator | None = ...,
    data_sampler: Callable[..., npt.ArrayLike] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    device: str | None = ...,
) -> csc_array: ...
@overload
def random_array(
    shape: Sequence[int],
    *,
    density: float = ...,
    format: Literal["coo"],
    dtype: DTypeLike | None = ...,
    rng: int | np.random.Generator | None = ...,
    data_sampler: Callable[..., npt.ArrayLike] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    device: str | None = ...,
) -> coo_array: ...
@overload
def random_array(
    shape: Sequence[int],
    *,
    density: float = ...,
    format: str | None,
    dtype: DTypeLike | None = ...,
    rng: int | np.random.Generator | None = ...,
    data_sampler: Callable[..., npt.ArrayLike] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    device: str | None = ...,
) -> Any: ...
def random_array(
    shape: Sequence[int],
    *,
    density: float = 0.01,
    format: str | None = "csr",
    dtype: DTypeLike | None = None,
    rng: int | np.random.Generator | None = None,
    data_sampler: Callable[..., npt.ArrayLike] | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    device: str | None = None,
) -> Any:
    """Return a matrix with entries at random positions, at most one at each position.

    Parameters
    ----------
    shape : tuple of one or two int
        The shape of the matrix, or of a vector.
    density : float
        The fraction of positions that have an entry, from 0 to 1. There are exactly `round(density * positions)` entries.
    format : str, optional
        A format as `csr_array.asformat` takes it. The default is "csr".
    dtype : dtype, optional
        The dtype of the values. The default is float64.
    rng : int, numpy.random.Generator, ..., optional
        The seed or generator, whatever `numpy.random.default_rng` takes. By default every call gives another matrix.
    data_sampler : function, optional
        A function that returns an array of `k` values when it is called as `data_sampler(size=k)`. By default values are
        uniform in [0, 1), in both parts for complex dtypes; integers are uniform over all numbers but the largest.
    random_state : int, numpy.random.Generator or numpy.random.RandomState, optional
        SciPy's older name for `rng`.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device to put the matrix on. The default is "cpu".

    Returns
    -------
    csr_array
        The matrix, or a matrix of another `format`.

    Raises
    ------
    ValueError
        If the density is outside [0, 1], the shape is negative or has 2**63 positions or more, the format is unknown, or
        `data_sampler` returns another number of values.
    TypeError
        If `rng` is not a seed, `random_state` is given too, or a dtype is not supported.
    MemoryError
        If there is not enough memory for the entries. The message gives their size.

    Notes
    -----
    The same seed gives the same matrix on every device and for every number of threads, as it is drawn on the host. It is not
    the matrix that SciPy gives for that seed.

    *Cost*: The function draws and sorts little more than the positions needed, of 4 bytes each (8 bytes for shapes of more than
    2**32 positions). Above a density of 1/2 it also needs a byte for each position. *Order*: The entries are sorted. *Empty
    input*: An empty shape has no entries.

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
    rng = _read_generator(rng, random_state)
    allocate_array(np, size, np.dtype(np.complex128), f"{size} random entries")
    found = sample(rng, places, size)
    values = np.asarray((data_sampler or _sampler(rng, dtype))(size=size))
    if values.shape != (size,):
        raise ValueError(f"data_sampler must return {size} values, got shape {values.shape}")
    csr = _make_record(found, values.astype(dtype, copy=False), (rows, columns))
    return wrap(build.move_to(csr, device), format, len(shape))


def _read_generator(rng, random_state):
    """Return the generator of a seed, which is given by one of its two names."""
    if random_state is not None and rng is not None:
        raise TypeError(f"rng and random_state are two names for one thing: give one, got {rng!r} and {random_state!r}")
    seed = rng if random_state is None else random_state
    return np.random.default_rng(seed._bit_generator if isinstance(seed, np.random.RandomState) else seed)


def _sampler(rng, dtype):
    """Return a function that draws values as SciPy does."""
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return lambda size: rng.integers(bounds.min, bounds.max, size, dtype=dtype)
    if dtype.kind == "c":
        return lambda size: rng.uniform(size=size) + 1j * rng.uniform(size=size)
    return lambda size: rng.uniform(size=size)


@njit
def _split(i, places, size, rows, columns, indptr, indices):
    """Write the column of position `i`. The first position of a row also writes where it and empty rows above it begin."""
    row, before = np.uint64(rows), np.uint64(0)  # position `size`, after the last, counts as one of the row after the last
    if i < size:
        row = np.uint64(places[i]) // np.uint64(columns)
        indices[i] = np.uint64(places[i]) - row * np.uint64(columns)
    if i > 0:
        before = np.uint64(places[i - 1]) // np.uint64(columns) + 1
    for k in range(before, row + 1):
        indptr[k] = i


def _make_record(places, values, shape):
    """Return the record with entries at ascending positions, numbered row by row."""
    rows, columns = shape
    indptr = allocate_array(np, rows + 1, index_dtype(places.size), f"offsets of {rows} rows")
    indices = np.empty(places.size, index_dtype(columns))
    for_each(places.size + 1, _split, places, places.size, rows, max(columns, 1), indptr, indices)
    return Csr(indptr, indices, values, shape)


def sample(rng, places, size):
    """Return `size` different numbers below `places` in ascending order; all sets of them are equally likely."""
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
