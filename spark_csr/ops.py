"""Scalar operators, and the algebra made of them: monoids for scans and reductions, semirings for products.

An operator is a plain module-level Python function of two scalars. Both backends compile it into their kernels, so it
must be of the kind Numba compiles; nothing about devices appears in it.
"""

import functools

import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from numba.np.numpy_support import from_dtype

from spark_csr._array import SIMULATED
from spark_csr._specialise import specialise


@njit(forceinline=True)
def plus(a, b):
    return a + b


@njit(forceinline=True)
def minus(a, b):
    return a - b


@njit(forceinline=True)
def times(a, b):
    return a * b


@njit(forceinline=True)
def less_than(a, b):
    return a < b


@njit(forceinline=True)
def greater_than(a, b):
    return a > b


@njit(forceinline=True)
def not_equal(a, b):
    return a != b


@njit(forceinline=True)
def minimum(a, b):
    """NaN wins, as in `numpy.minimum`."""
    return a if a < b or a != a else b


@njit(forceinline=True)
def maximum(a, b):
    """NaN wins, as in `numpy.maximum`."""
    return a if a > b or a != a else b


@njit(forceinline=True)
def logical_or(a, b):
    return (a != 0) | (b != 0)


@njit(forceinline=True)
def logical_and(a, b):
    return (a != 0) & (b != 0)


@njit(forceinline=True)
def pair(a, b):
    """1 wherever both entries are present, whatever their values."""
    return 1


def _flip(a, b):
    return operator(b, a)


@njit(forceinline=True)
def element(operands, i):
    """The source of a scan from array to array, `operands`."""
    return operands[0][i]


@njit(forceinline=True)
def store(operands, i, result):
    """Its sink."""
    operands[1][i] = result


@functools.cache
def flipped(function):
    """The operator with its arguments exchanged: what a scan from right to left combines with."""
    return njit(forceinline=True)(specialise(_flip, operator=function))


def _largest(dtype):
    if dtype.kind == "b":
        return True
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _smallest(dtype):
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _check_function(function, role):
    """Operators become part of compiled kernels that are kept: only module-level functions have a lasting identity."""
    plain = getattr(function, "py_func", function)
    if not callable(plain) or not hasattr(plain, "__code__"):
        raise TypeError(f"{role} must be a module-level Python function of two scalars, got {function!r}")
    if plain.__closure__ or "<" in plain.__qualname__:
        raise TypeError(
            f"{role} must be a module-level Python function (a lambda or a nested function would be compiled again at "
            f"every call), got {plain.__qualname__!r}: move it to the top level of its module"
        )
    if plain.__code__.co_argcount != 2:
        raise TypeError(f"{role} must take two arguments, got {plain.__qualname__!r} with {plain.__code__.co_argcount}")
    return function if hasattr(function, "py_func") else njit(forceinline=True)(function)


@functools.cache
def _check_compiles(function, dtype):
    """TypeError that names the function where Numba cannot compile it for two scalars of `dtype`."""
    if SIMULATED or dtype == np.float16:
        return
    kind = from_dtype(dtype)
    try:
        function.compile((kind, kind))
    except NumbaError as error:
        first_line = str(error).strip().splitlines()
        reason = next((line for line in first_line[1:] if line.strip()), first_line[0])
        raise TypeError(
            f"{function.py_func.__qualname__!r} does not compile for two {dtype} scalars: {reason.strip()}"
        ) from error


class Monoid:
    """An associative operator with its identity.

    Parameters
    ----------
    op : function
        Module-level Python function `op(a, b)` of two scalars; `op(op(a, b), c) == op(a, op(b, c))`.
    identity : scalar or function
        The value with `op(identity, a) == a` and `op(a, identity) == a`; or a function that maps a dtype to that value.
    name : str, optional
        How it is shown; default: the function's name.

    Raises
    ------
    TypeError
        If `op` is not a module-level function of two arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import inclusive_scan
    >>> inclusive_scan(np.array([3, 1, 4, 1, 5]), op="max")
    array([3, 3, 4, 4, 5])

    In a module of one's own: `gcd = Monoid(greatest_common_divisor, 0)`.
    """

    def __init__(self, op, identity, *, name=None):
        self.op = _check_function(op, "a monoid's operator")
        self.identity = identity
        self.name = name or self.op.__name__

    def identity_for(self, dtype):
        """The identity as a scalar of `dtype`; TypeError where the operator has no meaning for it."""
        dtype = np.dtype(dtype)
        if dtype.kind == "c" and self.op in (minimum, maximum):
            raise TypeError(f"{self.name!r} needs an order, and {dtype} has none: use abs(x), x.real or x.imag")
        _check_compiles(self.op, dtype)
        value = self.identity(dtype) if callable(self.identity) else self.identity
        unfit = TypeError(f"the identity {value!r} of {self.name!r} does not fit {dtype}: give a function of the dtype")
        if value is None or np.ndim(value) or np.iscomplexobj(value) > (dtype.kind == "c"):
            raise unfit
        try:
            with np.errstate(all="ignore"):
                cast = np.asarray(value).astype(dtype)
        except (OverflowError, TypeError, ValueError):
            raise unfit from None
        if dtype.kind in "biu" and cast != value:
            raise unfit
        return cast[()]

    def __repr__(self):
        return f"Monoid({self.name})"


def _sum_of_present(a, b):
    return a + b if a != missing and b != missing else missing


@functools.cache
def _plus_unless_missing(missing):
    return njit(forceinline=True)(specialise(_sum_of_present, missing=missing))


class Semiring:
    """The two operators of a matrix product: `y[i] = add over j of multiply(A[i, j], x[j])`.

    Parameters
    ----------
    add : Monoid or str
        Combines the products of a row; commutative. Its identity is the result of a row without entries.
    multiply : function
        Module-level Python function `multiply(a, x)` of two scalars of the result's dtype.
    name : str, optional
        How it is shown.

    Notes
    -----
    Named ones, accepted wherever a semiring is: `plus_times`, `min_plus`, `max_plus`, `max_times`, `any_pair`, `or_and`.
    Values are computed in the result's dtype, `numpy.result_type(A, x)` (bool for `or_and`). In `min_plus` and `max_plus` of
    signed integers the identity (the largest, the smallest) is an infinity: it absorbs what is added. Source: Kepner & Gilbert,
    *Graph Algorithms in the Language of Linear Algebra*, 2011.
    """

    def __init__(self, add, multiply, *, name=None):
        self.add = monoid(add)
        self.multiply = _check_function(multiply, "a semiring's multiply")
        self.name = name or f"{self.add.name}_{self.multiply.__name__}"

    def result_dtype(self, *dtypes):
        """The dtype of a product of operands of `dtypes`."""
        result = np.dtype(bool) if self is SEMIRINGS["or_and"] else np.result_type(*dtypes)
        _check_compiles(self.multiply, result)
        return result

    def multiply_for(self, dtype):
        """`multiply`; of `min_plus` and `max_plus` one under which the identity, an integer's infinity, stays what it is."""
        if self not in (SEMIRINGS["min_plus"], SEMIRINGS["max_plus"]) or dtype.kind != "i":
            return self.multiply
        return _plus_unless_missing(self.add.identity_for(dtype).item())

    def __repr__(self):
        return f"Semiring({self.name})"


MONOIDS = {
    "sum": Monoid(plus, 0, name="sum"),
    "prod": Monoid(times, 1, name="prod"),
    "min": Monoid(minimum, _largest, name="min"),
    "max": Monoid(maximum, _smallest, name="max"),
    "any": Monoid(logical_or, False, name="any"),
    "all": Monoid(logical_and, True, name="all"),
}


def _named(kind, table, value):
    if isinstance(value, kind):
        return value
    if isinstance(value, str) and value in table:
        return table[value]
    raise ValueError(f"unknown {kind.__name__.lower()} {value!r}: use one of {', '.join(table)}, or a {kind.__name__}(...)")


def monoid(op):
    """`op` itself if it is a `Monoid`, else the named one; ValueError for an unknown name."""
    return _named(Monoid, MONOIDS, op)


SEMIRINGS = {
    "plus_times": Semiring("sum", times, name="plus_times"),
    "min_plus": Semiring("min", plus, name="min_plus"),
    "max_plus": Semiring("max", plus, name="max_plus"),
    "max_times": Semiring("max", times, name="max_times"),
    "any_pair": Semiring("any", pair, name="any_pair"),
    "or_and": Semiring("any", logical_and, name="or_and"),
}


def semiring(ring):
    """`ring` itself if it is a `Semiring`, else the named one; ValueError for an unknown name."""
    return _named(Semiring, SEMIRINGS, ring)


PLUS_TIMES = SEMIRINGS["plus_times"]
