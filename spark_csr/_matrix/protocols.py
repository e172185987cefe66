"""What NumPy's functions do with a matrix: its protocols `__array__`, `__array_ufunc__` and `__array_function__`.

Design: a matrix is not a dense array, and nothing makes it one in silence. Without `__array__` NumPy would take it for one
object, which other libraries then compute with, or write to a file in its place. So `__array__` refuses with a sentence, and
`OPERATORS` and `FUNCTIONS` list what NumPy's functions mean for a matrix; all others refuse with the same sentence. Python asks
the left operand of an operator first, and SciPy's matrices ask `numpy.asanyarray` whether they know the right one: to an
operator of `scipy.sparse`, `__array__` gives an array of one object, as NumPy does for unknown objects, and Python then asks
the matrix. Cost: `x @ A` of a NumPy array comes here by way of `numpy.matmul`.
"""

from __future__ import annotations

import inspect
import sys
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_array, is_device_array, namespace_of
from spark_csr._current_device import on_current_device, on_their_device
from spark_csr._matrix.base import SparseArray, issparse, say_not_dense
from spark_csr._operations.form.canonical import without_duplicates
from spark_csr._operations.form.dtypes import dtype_of
from spark_csr._operations.merge.operands import is_scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, DTypeLike

OPERATORS: dict[Any, tuple[str, str]] = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.divide: ("__truediv__", "__rtruediv__"),
    np.power: ("__pow__", "__rpow__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
    np.maximum: ("maximum", "maximum"),
    np.minimum: ("minimum", "minimum"),
}
"""The method of the left, and that of the right operand, by the ufunc of two operands that it stands for."""

METHODS: dict[Any, str] = {np.negative: "__neg__", np.absolute: "__abs__", np.conjugate: "conjugate"}
"""The method that a ufunc of one operand stands for; others are applied to the entries."""

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What a function of NumPy means, by that function, with its parameters; what lies above this package adds to it."""

ASKING = frozenset(
    f"__{name}__" for name in ("matmul", "rmatmul", "mul", "rmul", "truediv", "eq", "ne", "lt", "le", "gt", "ge")
)
"""Operators of SciPy's matrices that ask NumPy whether the other operand is an array."""

HINTS = {
    "linalg.inv": "spark_csr.linalg.inv(A)",
    "linalg.solve": "spark_csr.linalg.spsolve(A, b)",
    "linalg.eigh": "spark_csr.linalg.eigsh(A, k)",
    "linalg.eig": "spark_csr.linalg.eigs(A, k)",
    "linalg.svd": "spark_csr.linalg.svds(A, k)",
    "linalg.lstsq": "spark_csr.linalg.lsqr(A, b)",
    "block": "spark_csr.block_array(blocks)",
    "tril": "spark_csr.tril(A, k)",
    "triu": "spark_csr.triu(A, k)",
    "where": "A.multiply(mask), A[mask]",
    "clip": "A.maximum(least).minimum(largest)",
    "allclose": "abs(A - B).max()",
    "isclose": "abs(A - B)",
    "shares_memory": "A.data, A.indices, A.indptr",
    "may_share_memory": "A.data, A.indices, A.indptr",
}
"""What to use instead of a function of NumPy that has no meaning in `FUNCTIONS`, by its name."""


def refuse(name, matrix, hint=None):
    """Return a TypeError that says that a function of NumPy has no meaning for a matrix."""
    use = f" (use {hint})" if hint else ""
    return TypeError(f"{name} is not defined for a {matrix.format}_array{use}, which is {say_not_dense(matrix)}")


class HiddenOnGpu:
    """A method that NumPy finds, since it looks at classes, and that a matrix on a GPU does not show: CuPy looks there, and
    leaves its operators to objects without `__array_ufunc__` and of a higher `__array_priority__` only."""

    def __init__(self, function):
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, matrix, kind=None):
        if matrix is None:
            return self.function
        if is_device_array(matrix._holder):
            raise AttributeError("a matrix on a GPU leaves __array_ufunc__ to CuPy's arrays")
        return MethodType(self.function, matrix)


def _apply_ufunc(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **options: Any) -> Any:
    """Apply a ufunc of NumPy: operators as SciPy's matrices, functions of one operand that map 0 to 0 entry by entry."""
    if ufunc is np.matmul and out is None and not options and method == "__call__" and type(inputs[0]) is np.ndarray:
        return self.__rmatmul__(inputs[0])
    matrix = next(x for x in (*inputs, *(out or ())) if isinstance(x, SparseArray))
    name = _name_of(ufunc) if method == "__call__" else f"{_name_of(ufunc)}.{method}"
    if method != "__call__":
        raise refuse(name, matrix, "A.sum, A.max, A.min")
    in_place = out is not None and len(out) == 1 and out[0] is inputs[0] and isinstance(out[0], np.ndarray)
    if in_place and ufunc is np.matmul:
        options.pop("axes", None)  # `x @= A` gives them
    if options:
        raise TypeError(f"{name} of a {matrix.format}_array takes no {next(iter(options))}=: leave it out")
    if out is not None and not in_place:
        raise TypeError(f"{name} of a {matrix.format}_array takes no out=: leave it out, and assign the result")
    if ufunc in OPERATORS:
        result = _operate(ufunc, name, matrix, *inputs)
        return _write(result, out[0]) if in_place else result
    if len(inputs) == 1 and ufunc.signature is None:
        return _map_entries(ufunc, name, matrix)
    raise refuse(name, matrix)


def _name_of(function):
    """Return the name of a function of NumPy, or of another ufunc, with its module."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{function.__name__}"


def _operate(ufunc, name, matrix, left, right):
    """Return the result of an operator, of which the matrix is one operand."""
    on_left, on_right = OPERATORS[ufunc]
    ours = isinstance(left, SparseArray)
    other = right if ours else left
    if isinstance(other, (list, tuple)):
        other = namespace_of(matrix._holder).asarray(other)
    if not (issparse(other) or is_array(other) or is_scalar(other)) and hasattr(type(other), "__array_ufunc__"):
        return NotImplemented
    if ufunc is np.subtract and matrix.dtype == bool == getattr(other, "dtype", type(other)):
        raise TypeError(f"{name} is not defined for bools: use A != B")
    operator = getattr(matrix, on_left if ours else on_right, None)
    result = NotImplemented if operator is None else operator(other)
    if isinstance(result, bool):  # as `A == B` says of operands that cannot be compared
        raise ValueError(f"{name} cannot compare operands of shapes {np.shape(left)} and {np.shape(right)}")
    if result is NotImplemented:
        kinds = " and ".join(f"{x.format}_array" if isinstance(x, SparseArray) else type(x).__name__ for x in (left, right))
        raise TypeError(f"{name} is not defined for {kinds}: the matrix is {say_not_dense(matrix)}")
    return result


def _write(result, array):
    """Write the result of an operator in place, such as `x += A`, into the array on its left; return the array."""
    if result.shape != array.shape:
        raise ValueError(f"the array on the left has shape {array.shape}, but the result has shape {result.shape}")
    np.copyto(array, result.toarray() if isinstance(result, SparseArray) else result, casting="same_kind")
    return array


@on_their_device
def _map_entries(ufunc, name, matrix):
    """Apply a ufunc to the entries, whose duplicates are summed first; raise TypeError if it does not map 0 to 0."""
    if ufunc in METHODS:
        return getattr(matrix, METHODS[ufunc])()
    with np.errstate(all="ignore"):
        zeros = ufunc(np.zeros(1, matrix.dtype))
    if any((zero != 0).any() for zero in (zeros if ufunc.nout > 1 else (zeros,))):
        raise TypeError(
            f"{name} does not map 0 to 0, so its result is not sparse: use {name}(A.data) for the entries, or"
            f" {name}(A.toarray()) for all elements"
        )
    if matrix.ndim > 2:
        return matrix._map(lambda values: _map_entries(ufunc, name, values))
    csr = without_duplicates(matrix._csr)
    function = getattr(namespace_of(csr.data), ufunc.__name__, ufunc) if is_device_array(csr.data) else ufunc
    results = function(csr.data)
    several = results if ufunc.nout > 1 else (results,)
    made = tuple(matrix._like(csr.with_data(x.astype(dtype_of(x, "the result"), copy=False))) for x in several)
    return made if ufunc.nout > 1 else made[0]


class Protocols(SparseArray):
    """The protocols by which NumPy's functions ask a matrix what they mean."""

    __array_ufunc__ = HiddenOnGpu(_apply_ufunc)

    @on_current_device
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Raise TypeError: a matrix is not a dense array. An operator of SciPy's matrices gets an array of one object."""
        if _is_operator_of_scipy(sys._getframe(1)):
            return np.empty((), object)
        raise TypeError(f"a {self.format}_array is {say_not_dense(self)}")

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """Call what a function of NumPy means for a matrix, see `FUNCTIONS`; raise TypeError for others."""
        if not all(issubclass(kind, (SparseArray, np.ndarray)) or kind.__module__.startswith("cupy") for kind in types):
            return NotImplemented
        meaning = FUNCTIONS.get(func)
        name = _name_of(func)
        if meaning is None:
            raise refuse(name, self, HINTS.get(name.removeprefix("numpy.")))
        return meaning(*args, **_drop_defaults(func, meaning, kwargs, f"{name} of a {self.format}_array"))


def _drop_defaults(function, meaning, options, called):
    """Return the options of a function of NumPy without those that its meaning does not have, which must have their default."""
    known = inspect.signature(meaning).parameters
    given = {option: value for option, value in options.items() if option in known}
    if len(given) < len(options):
        try:
            theirs = inspect.signature(function).parameters
        except ValueError:  # functions that are written in C have none before NumPy 2.4
            theirs = {}
        for option, value in options.items():
            if option not in known and (option not in theirs or value is not theirs[option].default):
                raise TypeError(f"{called} takes no {option}=: leave it out")
    return given


def _is_operator_of_scipy(frame):
    """Return whether a function of `scipy.sparse` has called, on behalf of one of its operators."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("scipy.sparse._"):
        if frame.f_code.co_name in ASKING:
            return True
        frame = frame.f_back
    return False
