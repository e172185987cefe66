"""Elements that are vectors: the rows of an array of two or more axes, along the first axis.

Design: what moves elements is asked where it moves the numbers 0, 1, 2, ..., and the rows are copied once, from there. What
sums elements takes every column as a sequence of its own, in one pass over the rows: sums of segments are the product with a
matrix that has a row for every segment. A trailing shape is flattened to columns and restored. Cost: positions are written.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of
from spark_csr._current_device import present_as
from spark_csr._dispatch import backend_of
from spark_csr._ops import MONOIDS, Semiring, operator_for
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from spark_csr._ops import Monoid
    from spark_csr._types import Array

F = TypeVar("F", bound=Callable[..., Any])


def as_columns(x: Array) -> Array:
    """Return an array of any shape as one of two axes: a row for each element."""
    return as_operand(x).reshape(len(x), math.prod(x.shape[1:]))


def take_rows(x: Array, positions: Array, fill: Any = None) -> Array:
    """Return `x[positions]`, with `fill` in the rows of negative positions; without a `fill` there must be none."""
    x = as_operand(x)
    xp, shape, width = namespace_of(x), (positions.size, *x.shape[1:]), math.prod(x.shape[1:])
    out = allocate_array(xp, math.prod(shape), x.dtype, f"{positions.size} elements of shape {x.shape[1:]}")
    if out.size:
        flat = by_width(x).reshape(-1)
        filler = flat if fill is None else by_width(xp.full(width, fill, x.dtype))
        backend_of(x).take_rows(flat, positions, width, filler, by_width(out))
    return out.reshape(shape)


def moves_rows(of: str = "x", fill: str | None = None, required: str | None = None) -> Callable[[F], F]:
    """Return a decorator for a primitive that moves elements: it moves rows by the positions that it gives for their numbers.

    `of` names the argument that holds the elements, and `fill` the one that holds a fill value. `required` names an argument
    whose default looks at single elements, and so must be given for rows.
    """

    def wrap(function):
        move, signature = _move_rows, inspect.signature(function)
        at = list(signature.parameters).index(of)

        def call(*args, **options):
            x = args[at] if len(args) > at else options.get(of)
            if getattr(x, "ndim", 1) < 2:
                return function(*args, **options)
            return move(function, signature.bind(*args, **options), of, at, fill, required)

        return present_as(function, call)

    return wrap


def _move_rows(function, bound, of, at, fill, required):
    given = bound.arguments
    x, value = _check.rows(of, given[of]), None
    if fill is not None:
        value, given[fill] = _check.cast_scalar(fill, given.get(fill, 0), x.dtype), -1
    if required is not None and given.get(required) is None:
        axes = tuple(range(1, x.ndim))
        raise ValueError(f"{required} must be given for {of} of shape {x.shape}: use ({of} != 0).any(axis={axes})")
    given[of] = namespace_of(x).arange(len(x), dtype=index_dtype(len(x)))
    result = function(*bound.args, **bound.kwargs)
    if not isinstance(result, tuple):
        return take_rows(x, result, value)
    return *result[:at], take_rows(x, result[at], value), *result[at + 1 :]


@operator_for("biufc")
def _element(a, x):
    """Return the element itself, whatever the entry is."""
    return x


RINGS = {monoid: Semiring(monoid, _element).freeze() for monoid in MONOIDS.values()}
"""For each named monoid, the semiring in which a matrix of any values sums rows."""


def reduce_by_product(x: Array, offsets: Array, monoid: Monoid, dtype: np.dtype[Any], total: int | None) -> Array:
    """Return the combination of the rows of every segment; `x` has two axes, and not one column. The monoid is in `RINGS`."""
    xp, out = namespace_of(x), namespace_of(x).empty((offsets.size - 1, x.shape[1]), dtype)
    if out.size:
        indptr = (offsets - offsets[:1]).astype(index_dtype(len(x)), copy=False)
        columns = xp.arange(len(x), dtype=indptr.dtype) + offsets[:1].astype(indptr.dtype)
        tiles = merge_path_tiles(indptr, total)
        launch = backend_of(x).prepare_spmm(tiles, RINGS[monoid], indptr, columns, np.dtype(bool), dtype, x.shape[1])
        launch(xp.ones(len(x), bool), as_operand(x.astype(dtype, copy=False)), out)
    return out


def by_columns(x: Array, offsets: Array, reduce: Callable[..., tuple[Array, ...]]) -> tuple[Array, ...]:
    """Return the results of `reduce(flat, cuts)` for the segments of every column; `flat` holds the columns end to end.

    Between the segments of two columns lies one more, whose result is dropped.
    """
    n, columns = x.shape
    xp, m = namespace_of(x), offsets.size - 1
    cuts = offsets.astype(index_dtype(n * columns)) + xp.arange(columns, dtype=index_dtype(n * columns))[:, None] * n
    found = reduce(xp.ascontiguousarray(x.T).reshape(-1), cuts.reshape(-1) if columns else offsets[:1])
    results = []
    for result in found:
        padded = xp.empty((columns, m + 1), result.dtype)
        padded.reshape(-1)[: result.size] = result
        results.append(xp.ascontiguousarray(padded[:, :m].T))
    return tuple(results)
