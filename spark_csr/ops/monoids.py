"""Monoids: an associative operator and its identity, for scans and reductions."""

import numpy as np

from spark_csr.ops.checks import check_compiles, check_function
from spark_csr.ops.scalars import logical_and, logical_or, maximum, minimum, plus, times


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
        self.op = check_function(op, "a monoid's operator")
        self.identity = identity
        self.name = name or self.op.__name__

    def identity_for(self, dtype):
        """The identity as a scalar of `dtype`; TypeError where the operator has no meaning for it."""
        dtype = np.dtype(dtype)
        if dtype.kind == "c" and self.op in (minimum, maximum):
            raise TypeError(f"{self.name!r} needs an order, and {dtype} has none: use abs(x), x.real or x.imag")
        check_compiles(self.op, dtype)
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


def _largest(dtype):
    if dtype.kind == "b":
        return True
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _smallest(dtype):
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


MONOIDS = {
    "sum": Monoid(plus, 0, name="sum"),
    "prod": Monoid(times, 1, name="prod"),
    "min": Monoid(minimum, _largest, name="min"),
    "max": Monoid(maximum, _smallest, name="max"),
    "any": Monoid(logical_or, False, name="any"),
    "all": Monoid(logical_and, True, name="all"),
}


def named(kind, table, value):
    if isinstance(value, kind):
        return value
    if isinstance(value, str) and value in table:
        return table[value]
    raise ValueError(f"unknown {kind.__name__.lower()} {value!r}: use one of {', '.join(table)}, or a {kind.__name__}(...)")


def monoid(op):
    """`op` itself if it is a `Monoid`, else the named one; ValueError for an unknown name."""
    return named(Monoid, MONOIDS, op)
