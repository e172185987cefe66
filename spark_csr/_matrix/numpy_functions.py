"""What NumPy's functions mean for a matrix: methods of the same name, for the most part."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import FORMATS, SparseArray, issparse
from spark_csr._matrix.protocols import FUNCTIONS, HINTS, refuse
from spark_csr._matrix.structure import parse_shape
from spark_csr._operations.merge import elementwise
from spark_csr._operations.merge.operands import is_scalar
from spark_csr.primitives import _check

if TYPE_CHECKING:
    from collections.abc import Callable

REDUCTION = "axis dtype out keepdims"
EXTREME = "axis out keepdims"

METHODS = {
    "sum": REDUCTION,
    "mean": REDUCTION,
    "std": "axis dtype out ddof keepdims",
    "var": "axis dtype out ddof keepdims",
    "max": EXTREME,
    "min": EXTREME,
    "amax": EXTREME,
    "amin": EXTREME,
    "nanmax": EXTREME,
    "nanmin": EXTREME,
    "argmax": EXTREME,
    "argmin": EXTREME,
    "count_nonzero": "axis keepdims",
    "trace": "offset",
    "ravel": "order",
    "nonzero": "",
    "copy": "",
}
"""Functions that a method stands for, and those of their parameters that it takes, in NumPy's order."""

SHORTER = {"amax": "max", "amin": "min"}


def means(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let the decorated function be what a function of NumPy means for a matrix."""

    def note(meaning):
        FUNCTIONS[function] = meaning
        return meaning

    return note


def take_matrix(name, first):
    """Return the first argument, which must be a matrix: where it is not, a matrix was given as another argument."""
    if isinstance(first, SparseArray):
        return first
    raise TypeError(f"numpy.{name} takes a matrix of spark_csr as its first argument only: give arrays as the others")


def _call_method(name, parameters):
    """Return a function that calls a method with those arguments that it takes."""
    names = ["a", *parameters.split()]

    def call(*args, **options):
        options.update(zip(names, args, strict=False))
        matrix = take_matrix(name, options.pop("a"))
        if len(args) > len(names):
            raise TypeError(f"numpy.{name} of a {matrix.format}_array takes no more than {', '.join(names)}")
        return getattr(matrix, SHORTER.get(name, name))(**options)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return call


FUNCTIONS.update({getattr(np, name): _call_method(name, parameters) for name, parameters in METHODS.items()})

FUNCTIONS.update({np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.real: lambda val: val.real})
FUNCTIONS.update({np.imag: lambda val: val.imag, np.iscomplexobj: lambda x: x.dtype.kind == "c"})
FUNCTIONS[np.isrealobj] = lambda x: x.dtype.kind != "c"


def _dtype_of(x):
    return x.dtype if issparse(x) else x


@means(np.result_type)
def _result_type(*arrays_and_dtypes):
    return np.result_type(*map(_dtype_of, arrays_and_dtypes))


@means(np.can_cast)
def _can_cast(from_, to, casting="safe"):
    return np.can_cast(_dtype_of(from_), to, casting)


def as_operand(x):
    """Return a matrix or an array as it is, and anything else as an array."""
    return x if issparse(x) or is_array(x) else np.asarray(x)


@means(np.dot)
def _dot(a, b, out=None):
    if out is not None:
        raise TypeError("numpy.dot of a matrix takes no out=: leave it out, or use A.matmul(x, out=...)")
    if isinstance(a, SparseArray):
        return a.dot(b)
    if is_scalar(a):
        return b * a
    if b.ndim > 2:
        return b._dot(a, b)
    return a @ b if issparse(a) or is_array(a) else b.__rmatmul__(a)


@means(np.transpose)
def _transpose(a, axes=None):
    matrix = take_matrix("transpose", a)
    return matrix.transpose(axes if axes is None else tuple(_check.axis(n, matrix.ndim, "axes") for n in _as_tuple(axes)))


def _as_tuple(x):
    return tuple(x) if np.iterable(x) else (x,)


@means(np.size)
def _size(a, axis=None):
    """Return how many elements, stored or not, there are along these axes."""
    matrix = take_matrix("size", a)
    given = range(matrix.ndim) if axis is None else _as_tuple(axis)
    axes = {_check.axis(n, matrix.ndim) for n in given}
    if len(axes) < len(given):
        raise ValueError(f"duplicate value in axis: got {axis}")
    return math.prod(matrix.shape[n] for n in axes)


@means(np.diagonal)
def _diagonal(a, offset=0, axis1=0, axis2=1):
    matrix = take_matrix("diagonal", a)
    if matrix.ndim == 1:
        return matrix.diagonal(offset)  # which refuses vectors
    axes = _check.axis(axis1, 2, "axis1"), _check.axis(axis2, 2, "axis2")
    if axes[0] == axes[1]:
        raise ValueError(f"axis1 and axis2 must be the two axes of the matrix, got {axis1} and {axis2}")
    return (matrix if axes == (0, 1) else matrix.T).diagonal(offset)


@means(np.take)
def _take(a, indices, axis=None):
    """Return the elements, rows or columns at these positions; unlike in a key, bools are the integers 0 and 1."""
    matrix = take_matrix("take", a)
    if not is_array(indices):
        indices = np.asarray(indices)
    if indices.size and indices.dtype.kind not in "biu":
        raise TypeError(f"the indices of numpy.take must be integers, got dtype {indices.dtype}: use indices.astype(int)")
    indices = indices.astype(np.int64, copy=False)
    if axis is None:
        return matrix.reshape(-1)[indices]
    return matrix[(slice(None),) * _check.axis(axis, matrix.ndim) + (indices,)]


@means(np.tensordot)
def _tensordot(a, b, axes=2):
    """Return the sum of products over some axes of both operands: over one axis, or both, as a product of matrices."""
    a, b = as_operand(a), as_operand(b)
    of_a, of_b = axes if np.iterable(axes) else (range(-axes, 0), range(axes))
    of_a, of_b = ([_check.axis(n, x.ndim, "axes") for n in _as_tuple(which)] for which, x in ((of_a, a), (of_b, b)))
    if [a.shape[n] for n in of_a] != [b.shape[n] for n in of_b]:
        raise ValueError(
            f"shape mismatch: the operands have shapes {a.shape} and {b.shape}, summed over axes {of_a} and {of_b}"
        )
    if len(of_a) == len(of_b) == 1 and max(a.ndim, b.ndim) < 3:
        return (a if of_a == [a.ndim - 1] else a.T) @ (b if of_b == [0] else b.T)
    if sorted(of_a) == sorted(of_b) == [0, 1] and a.ndim == b.ndim == 2:
        return (a * (b if of_a == of_b else b.T)).sum(dtype=np.result_type(a.dtype, b.dtype))
    return FORMATS["coo"]._many_axes._tensordot(a, b, (of_a, of_b))


@means(np.reshape)
def _reshape(a, shape, order="C", *, copy=None):
    return take_matrix("reshape", a).reshape(shape, order=order, copy=bool(copy))


@means(np.round)
@means(np.around)
def _round(a, decimals=0):
    return round(take_matrix("round", a), _check.integer("decimals", decimals))


@means(np.any)
def _any(a, axis=None, *, keepdims=False):
    return take_matrix("any", a).count_nonzero(axis, keepdims=keepdims) > 0


@means(np.all)
def _all(a, axis=None, *, keepdims=False):
    return take_matrix("all", a).count_nonzero(axis, keepdims=keepdims) == _size(a, axis)


@means(np.where)
def _where(condition, *values):
    if values:
        matrix = next(x for x in (condition, *values) if isinstance(x, SparseArray))
        raise refuse("numpy.where", matrix, HINTS["where"])
    return take_matrix("where", condition).nonzero()


@means(np.zeros_like)
def _zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    matrix = take_matrix("zeros_like", a)
    np.empty_like(np.empty(0), dtype, order, subok, device=device)  # NumPy refuses what it does not take
    return _zeros(matrix, matrix.shape if shape is None else shape, dtype or matrix.dtype)


@means(np.ones_like)
def _ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Return a matrix that stores all its elements: Dask makes one element, to find out what a function returns."""
    zeros = _zeros_like(a, dtype, order, subok, shape, device=device)
    if isinstance(zeros, SparseArray):
        return type(zeros)(namespace_of(zeros._holder).ones(zeros.shape, zeros.dtype))
    return zeros + zeros.dtype.type(1)


def _zeros(matrix, shape, dtype):
    """Return zeros beside a matrix, in its format; a number where there are no axes."""
    shape = parse_shape((shape,))
    if not shape:
        return namespace_of(matrix._holder).zeros((), dtype)
    form = {1: FORMATS["csr"], 2: FORMATS["csr"] if matrix.ndim > 2 else type(matrix)}.get(len(shape), FORMATS["coo"])
    return form(shape, dtype=dtype, device=matrix.device)


def read_limits(a_min, a_max, min, max):
    """Return the two limits of `numpy.clip`, None for one that is not given; raise what NumPy raises for wrong combinations."""
    given = {"a_min": a_min, "a_max": a_max, "min": min, "max": max}
    np.clip(np.zeros(1), **{name: None if limit is None else 0 for name, limit in given.items() if limit is not np._NoValue})
    pairs = (a_min, min), (a_max, max)
    return [next((limit for limit in pair if limit is not np._NoValue), None) for pair in pairs]


@means(np.clip)
def _clip(a, a_min=np._NoValue, a_max=np._NoValue, *, min=np._NoValue, max=np._NoValue):
    """Clip the entries. A zero is clipped first, so NumPy refuses limits that do not fit the dtype."""
    matrix = take_matrix("clip", a)
    limits = read_limits(a_min, a_max, min, max)
    if not all(limit is None or is_scalar(limit) for limit in limits):
        raise refuse("numpy.clip", matrix, HINTS["clip"])
    if np.clip(np.zeros(1, matrix.dtype), *limits)[0] != 0:
        bounds = " and ".join(map(str, limits))
        raise TypeError(f"numpy.clip between {bounds} makes missing elements nonzero: clip A.data or A.toarray()")
    if matrix.ndim > 2:
        return matrix._map(lambda values: _clip(values, *limits))
    return matrix._like(elementwise.map_nonzeros(lambda data: namespace_of(data).clip(data, *limits), matrix._csr))


@means(np.broadcast_to)
def _broadcast_to(array, shape, subok=False):
    """Return zeros of another shape: Dask makes zeros of one element. Others are not sparse in general."""
    matrix = take_matrix("broadcast_to", array)
    if matrix.nnz:
        raise refuse("numpy.broadcast_to", matrix, "spark_csr.kron(spark_csr.csr_array(ones), A)")
    return _zeros(matrix, shape, matrix.dtype)


@means(np.array_equal)
def _array_equal(a1, a2):
    """Return whether two matrices, or a matrix and an array, have the same shape and equal elements."""
    a, b = as_operand(a1), as_operand(a2)
    if a.shape != b.shape:
        return False
    different = a != b
    return not (different.nnz if issparse(different) else different.any())
