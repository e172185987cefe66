"""Entries along any number of axes, and their folds: matrices whose rows and columns are positions along several axes.

Design: positions along axes are numbered in C order, so that a matrix can hold the entries, see `coo_nd`. Cost: a number takes
a multiplication and a sum for each axis, and a division for each axis on the way back.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

from spark_csr._array import contiguous, index_dtype, namespace_of, same_device
from spark_csr._matrix.base import as_ours
from spark_csr._matrix.coo import coo_array
from spark_csr._operations.form import build, check, dtypes
from spark_csr._operations.form.coordinates import as_coordinates, hold
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns, note_facts
from spark_csr._operations.form.record import Csr
from spark_csr.primitives import _check
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array

FEW = 4096
"""How many more rows than entries a fold may have. Not tuned."""


class Entries(NamedTuple):
    """Entries in any order: an index array for each axis, the values, and the shape of the array."""

    coords: tuple[Array, ...]
    data: Array
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def number(self, axes: Sequence[int]) -> tuple[Array, int]:
        """Return the number of each entry's position along some axes, in C order, and how many positions there are."""
        sizes = [self.shape[axis] for axis in axes]
        count = math.prod(sizes)
        if count > check.INT64_MAX:
            raise ValueError(f"the {count} positions along axes of sizes {sizes} cannot be numbered in 64 bits")
        dtype = index_dtype(max(count, *sizes, 1))
        numbers = namespace_of(self.data).zeros(self.data.size, dtype)
        for axis, size in zip(axes, sizes, strict=True):
            numbers *= size
            numbers += self.coords[axis].astype(dtype, copy=False)
        return numbers, count

    def fold(self, rows: Sequence[int], columns: Sequence[int]) -> coo_array:
        """Return the matrix of these entries whose rows and columns are the positions along these axes."""
        (i, height), (j, width) = self.number(rows), self.number(columns)
        return as_matrix(i, j, self.data, (height, width))

    def take(self, axes: Sequence[int]) -> Entries:
        """Return the entries along these axes only, in their order."""
        return Entries(tuple(self.coords[n] for n in axes), self.data, tuple(self.shape[n] for n in axes))


def as_matrix(rows, columns, data, shape, ndim=2):
    """Return a matrix of these entries; with `ndim` 1 a vector, whose rows are zeros."""
    return coo_array._of(hold(rows, columns, data, shape), ndim)


def as_vector(values):
    """Return a vector that stores all of these values."""
    xp, n = namespace_of(values), values.size
    indices = xp.arange(n, dtype=index_dtype(n))
    record = Csr(xp.asarray([0, n], dtype=indices.dtype), indices, values, (1, n))
    return coo_array._of(note_facts(record, has_sorted_columns, has_canonical_columns), 1)


def entries_of(matrix):
    """Return the entries of a sparse matrix of any library."""
    matrix = as_ours(matrix)
    if matrix.ndim > 2:
        return matrix._entries
    record = matrix.tocoo()._held
    record = as_coordinates(record) if isinstance(record, Csr) else record
    return Entries((record.rows, record.indices)[-matrix.ndim :], record.data, matrix.shape)


def list_coords(numbers, sizes):
    """Return the coordinates of numbered positions, the inverse of `Entries.number`."""
    if not numbers.size:
        return [numbers] * len(sizes)
    coords = []
    for size in sizes[:0:-1]:
        quotients = numbers // size
        coords.append(numbers - quotients * size)
        numbers = quotients
    return [numbers, *reversed(coords)][: len(sizes)]


def wrap(coords, data, shape):
    """Return entries as a vector, a matrix, or an array of more axes."""
    if len(shape) > 2:
        return coo_array._many_axes._make(Entries(tuple(coords), data, shape))
    rows = coords[0] if len(shape) == 2 else namespace_of(data).zeros_like(coords[0])
    return as_matrix(rows, coords[-1], data, build.two_dimensional(shape), len(shape))


def narrow(numbers, count, most):
    """Return numbers below `count` as they are if there are no more than `most` of them, else numbered anew; how many there are
    then, and a function that gives the old numbers."""
    if count <= most:
        return numbers, count, lambda x: x
    known, numbers = namespace_of(numbers).unique(numbers, return_inverse=True)
    return numbers, known.size, functools.partial(gather, known)


def check_entries(coords, data, shape=None, copy=True):
    """Return entries after checking that there are as many coordinates as values, and that all are in range.

    Without `shape` it is the least that holds all of them. Index arrays are copied unless `copy` is False.
    """
    same_device(data, *coords)
    if data.ndim != 1:
        raise ValueError(f"data must be one-dimensional, got shape {data.shape}")
    names = [f"coords[{n}]" for n in range(len(coords))]
    for name, x in zip(names, coords, strict=True):
        if check.index_array(name, x).size != data.size:
            raise ValueError(f"{name} and data must have equal length, got {x.size} and {data.size}")
    if shape is None:
        if not data.size:
            raise ValueError("cannot infer the shape of an array without entries: give shape=(...)")
        shape = tuple(map(check.infer_extent, names, coords))
    if len(shape) != len(coords):
        raise ValueError(f"{len(coords)} index arrays were given for shape {shape}: give one for each axis")
    for name, x, size in zip(names, coords, shape, strict=True):
        check.within(name, x, size)
    dtype = index_dtype(max(shape))
    coords = tuple(contiguous(x.astype(dtype, copy=copy)) for x in coords)
    return Entries(coords, contiguous(data, dtypes.dtype_of(data)), shape)


def axes_of(axis, ndim):
    """Return one axis or several, counted from the front; raise ValueError for one that is out of range or given twice."""
    given = axis if isinstance(axis, (tuple, list, range)) else (axis,)
    axes = [_check.axis(n, ndim) for n in given]
    if len(set(axes)) < len(axes):
        raise ValueError(f"duplicate value in axis: got {axis}")
    return axes


def number_within(x, chosen):
    """Return the numbers that elements of a range have in it."""
    if not chosen or chosen == range(len(chosen)):
        return x
    return (x - chosen.start) // chosen.step if len(chosen) > 1 else x - chosen.start


def select_positions(given, wanted, others, block):
    """Return the entries at these positions, as coordinates in `block`, along the other axes, and values.

    `given` and `others` are the same entries along different axes; `wanted` are index arrays of the axes of `given`, which have
    the shape `block` when broadcast.
    """
    axes = range(given.ndim)
    wanted = tuple(x.ravel() for x in namespace_of(*wanted).broadcast_arrays(*wanted))
    (rows, height), (columns, width) = given.number(axes), others.number(range(others.ndim))
    asked, _ = Entries(wanted, wanted[0], given.shape).number(axes)
    if height > rows.size + FEW:
        xp = namespace_of(rows)
        known, rows = xp.unique(rows, return_inverse=True)
        known = xp.concatenate([known, xp.asarray([height], dtype=known.dtype)])
        places = xp.searchsorted(known, asked)
        asked, height = xp.where(known[places] == asked, places, known.size), known.size + 1
    (i, j), data, _ = entries_of(as_matrix(rows, columns, given.data, (height, width))[asked])
    return list_coords(i, block), list_coords(j, others.shape), data
