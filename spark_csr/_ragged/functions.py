"""NumPy's functions on ragged arrays: `numpy.sum(R, axis=-1)`, `numpy.where(R > 0, R, 0)`.

Design: a table leads from NumPy's functions to ours; `__array_function__` looks them up. Options that have no meaning for
ragged arrays are refused by name. Functions that are not in the table raise a TypeError.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._matrix.numpy_functions import read_limits
from spark_csr._ragged.base import RaggedBase, describe_difference
from spark_csr._ragged.operands import apply_to_values, find_deepest, is_operand
from spark_csr.primitives import _check, compact
from spark_csr.primitives.segmented import check_dtype_of_variances

if TYPE_CHECKING:
    from spark_csr._types import Number


class Functions(RaggedBase):
    """NumPy's protocol for functions, and methods of NumPy's arrays that work value by value."""

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """Call the function of this package that does what a function of NumPy does.

        Parameters
        ----------
        func : function
            NumPy's function.
        types : collection of types
            The types of its arguments that have this method; they do not matter here.
        args, kwargs : tuple and dict
            Its arguments.

        Returns
        -------
        object
            What NumPy's function would return, as ragged arrays where that has lists.

        Raises
        ------
        TypeError
            If ragged arrays do not have the function or one of the options; the message says what to use.
        """
        if func not in HANDLERS:
            raise TypeError(
                f"numpy.{func.__name__} is not defined for ragged arrays: use R.values, R.to_padded(), or R.map(func)"
            )
        return HANDLERS[func](*args, **kwargs)

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Return an array whose values are limited to a lower and an upper bound.

        Parameters
        ----------
        min, max : Ragged, array_like or scalar, optional
            The bounds, as operands of an operator. Default: there is no bound.

        Returns
        -------
        Ragged
            An array with the same lists.

        Raises
        ------
        ValueError
            If the lists of a bound differ; the message names the first list that does.

        Notes
        -----
        *Cost*: that of one operator for each bound. Where `min` lies above `max`, the result is `max`, as in NumPy.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 5], [], [9, 1]]).clip(2, [5, 5, 8])
        Ragged([[5, 5, 5], [], [8, 2]], dtype=int64)
        """
        return _clip(self, min, max)

    def round(self, decimals: int = 0) -> Self:
        """Return an array whose values are rounded to a number of decimals.

        Parameters
        ----------
        decimals : int, default 0
            The number of decimals; negative numbers round to tens, hundreds, and so on.

        Returns
        -------
        Ragged
            An array with the same lists and dtype, rounded as NumPy does it: a half to the even neighbour.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6.25, 5.5], [], [9.71]]).round(1)
        Ragged([[6.2, 5.5], [], [9.7]], dtype=float64)
        """
        return self._with(self.packed().values.round(decimals))

    def fill(self, value: Number) -> None:
        """Set all values of the lists to one number, in place.

        Parameters
        ----------
        value : scalar
            The number.

        Raises
        ------
        TypeError
            If `value` does not fit the dtype.

        Notes
        -----
        All arrays that share the values change. Values that no list holds are left as they are.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5], [2]])
        >>> R[:1].fill(0)
        >>> R
        Ragged([[0, 0], [2]], dtype=int64)
        """
        self.packed().values[...] = _check.cast_scalar("value", value, self.dtype)


FIRST = "axis", "dtype", "out"
PARAMETERS = {
    "sum": (*FIRST, "keepdims", "initial", "where"),
    "prod": (*FIRST, "keepdims", "initial", "where"),
    "mean": (*FIRST, "keepdims"),
    "var": (*FIRST, "ddof", "keepdims"),
    "std": (*FIRST, "ddof", "keepdims"),
    "cumsum": FIRST,
    "cumprod": FIRST,
    "any": ("axis", "out", "keepdims"),
    "all": ("axis", "out", "keepdims"),
    "min": ("axis", "out", "keepdims", "initial", "where"),
    "max": ("axis", "out", "keepdims", "initial", "where"),
    "argmin": ("axis", "out"),
    "argmax": ("axis", "out"),
    "sort": ("axis", "kind", "order"),
    "argsort": ("axis", "kind", "order"),
    "round": ("decimals", "out"),
    "copy": (),
}
"""Functions of NumPy that are methods of the same name here, and the names of their arguments that may be positional."""

ALIASES = {"amin": "min", "amax": "max", "around": "round"}

DEFAULTS = {"out": None, "where": True, "order": None, "mean": np._NoValue, "correction": np._NoValue, "subok": True}
"""Options of NumPy's functions that are refused, unless they have these values."""

IGNORED = "kind", "stable", "subok"
"""Options of NumPy's functions without effect: sorts are stable whatever their kind."""


def _call_method(name, ragged, *given, **options):
    """Call the method of that name with the arguments of NumPy's function."""
    options.update(zip(PARAMETERS[name], given, strict=False))
    for option, value in options.items():
        if option in DEFAULTS and value is not DEFAULTS[option] and value is not np._NoValue:
            raise TypeError(f"numpy.{name} does not take {option}= for ragged arrays: leave it out")
    dtype = options.pop("dtype", None)
    known = {key: value for key, value in options.items() if key not in (*DEFAULTS, *IGNORED) and value is not np._NoValue}
    if not isinstance(ragged, RaggedBase):
        raise TypeError(f"numpy.{name} takes a ragged array as its first argument only, got {type(ragged).__name__}")
    if dtype is None:
        return getattr(ragged, name)(**known)
    if name in ("var", "std"):
        check_dtype_of_variances(np.dtype(dtype))
    return getattr(ragged.astype(dtype), name)(**known).astype(dtype)


def _clip(a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue):
    if out is not None:
        raise TypeError("numpy.clip does not take out= for ragged arrays: leave it out")
    limits = read_limits(a_min, a_max, min, max)
    operands = [a, *(limit for limit in limits if limit is not None)]
    _check_operands("clip", operands)

    def clip(x, *given):
        given = iter(given)
        return namespace_of(x).clip(x, *(limit if limit is None else next(given) for limit in limits))

    return apply_to_values(clip, *operands)


def _check_operands(name, operands):
    for x in operands:
        if not is_operand(x):
            raise TypeError(f"numpy.{name} takes ragged arrays, arrays and numbers, got {type(x).__name__}")


def _where(condition, *choices):
    if not choices:
        return _nonzero(condition)
    if len(choices) != 2:
        raise ValueError("numpy.where takes a condition alone, or a condition, x and y")
    operands = condition, *choices
    _check_operands("where", operands)
    xp = namespace_of(find_deepest(operands).values)
    return apply_to_values(xp.where, *operands)


def _nonzero(a):
    differs = (a != 0).packed().values
    return tuple(compact(x, differs) for x in a.coordinates())


def _isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    def compare(x, y):
        y = y * 1.0  # as NumPy does: differences of unsigned integers would wrap around
        with np.errstate(invalid="ignore"):
            close = (abs(x - y) <= atol + rtol * abs(y)) & np.isfinite(y) | (x == y)
        return close | (np.isnan(x) & np.isnan(y)) if equal_nan else close

    _check_operands("isclose", (a, b))
    return apply_to_values(compare, a, b)


def _allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return bool(to_host_scalar(_isclose(a, b, rtol, atol, equal_nan).packed().values.all()))


def _array_equal(a1, a2, equal_nan=False):
    if not (isinstance(a1, RaggedBase) and isinstance(a2, RaggedBase)):
        return False
    if a1.ndim != a2.ndim or a1.values.shape[1:] != a2.values.shape[1:] or describe_difference(a1, a2) is not None:
        return False
    equal = a1 == a2
    equal = equal | ((a1 != a1) & (a2 != a2)) if equal_nan else equal
    return bool(to_host_scalar(equal.packed().values.all()))


def _concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = list(arrays)
    if out is not None:
        raise TypeError("numpy.concatenate does not take out= for ragged arrays: leave it out")
    if axis is None:
        arrays = [x.flatten() for x in arrays]
        joined = namespace_of(*arrays).concatenate(arrays)
    else:
        joined = next(type(x) for x in arrays if isinstance(x, RaggedBase)).concatenate(arrays, axis)
    target = joined.dtype if dtype is None else np.dtype(dtype)
    for at, x in enumerate(arrays):
        if not np.can_cast(x.dtype, target, casting):
            raise TypeError(
                f"numpy.concatenate cannot cast arrays[{at}] from {x.dtype} to {target} by the rule {casting!r}:"
                f" use casting='unsafe'"
            )
    return joined if dtype is None else joined.astype(dtype)


def _take_along_axis(arr, indices, axis=-1):
    if not (isinstance(arr, RaggedBase) and isinstance(indices, RaggedBase)) or arr._axis(axis) != arr.ndim - 1:
        raise TypeError("numpy.take_along_axis takes two ragged arrays and the innermost axis, axis=-1")
    return arr[indices]


def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    made = _empty_like(a, dtype, order, subok, shape, device=device)
    made.fill(fill_value)
    return made


def _empty_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    if shape is not None:
        raise TypeError("the lists of a ragged array are kept, so it takes no shape=: leave it out")
    np.empty_like(np.empty(0), dtype, order, subok, device=device)  # NumPy refuses what it does not take; nothing else is kept
    values = a.packed().values
    return a._with(namespace_of(values).empty_like(values, dtype=dtype))


def _count_nonzero(a, axis=None, *, keepdims=False):
    return (a != 0).sum(axis, keepdims=keepdims)


HANDLERS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): functools.partial(_call_method, name) for name in PARAMETERS},
    **{getattr(np, alias): functools.partial(_call_method, name) for alias, name in ALIASES.items()},
    np.clip: _clip,
    np.where: _where,
    np.nonzero: _nonzero,
    np.isclose: _isclose,
    np.allclose: _allclose,
    np.array_equal: _array_equal,
    np.concatenate: _concatenate,
    np.take_along_axis: _take_along_axis,
    np.count_nonzero: _count_nonzero,
    np.empty_like: _empty_like,
    np.full_like: _full_like,
    np.zeros_like: lambda a, dtype=None, **options: _full_like(a, 0, dtype, **options),
    np.ones_like: lambda a, dtype=None, **options: _full_like(a, 1, dtype, **options),
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else _refuse_axis_of_size(axis),
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
}
"""What each function of NumPy calls."""


def _refuse_axis_of_size(axis):
    raise TypeError(f"numpy.size of a ragged array has no axis, got {axis}: use len(R), R.counts() or R.size")
