"""Monoids: an associative operator and its identity, for scans and reductions."""

import inspect

import numpy as np

from spark_csr._meaning import current
from spark_csr._ops.checks import check_compiles, check_function, freeze_operator
from spark_csr._ops.scalars import logical_and, logical_or, maximum, minimum, plus, times


class Monoid:
    """An associative operator with its identity.

    Parameters
    ----------
    op : function
        Python function or lambda `op(a, b)` of two scalars, `@numba.njit` or not, that closes over no variables;
        `op(op(a, b), c) == op(a, op(b, c))`.
    identity : scalar or function
        The value with `op(identity, a) == a` and `op(a, identity) == a`; or a function that maps a dtype to that value.
    name : str, optional
        How it is shown; default: the function's name.

    Raises
    ------
    TypeError
        If `op` is not a Python function of two arguments, or closes over variables.

    Notes
    -----
    Divisions by zero give what NumPy's do; a function that can raise runs on one core, where its exception arrives. An
    operation uses `op` as it is when the operation is called: a global or helper function that was changed since the last
    call is compiled anew. Monoids of the same name whose functions and identities mean the same compare equal and share
    compiled code, wherever they were made.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import inclusive_scan
    >>> inclusive_scan(np.array([3, 1, 4, 1, 5]), op="max")
    array([3, 3, 4, 4, 5])

    In a module of one's own: `gcd = Monoid(greatest_common_divisor, 0)`.
    """

    def __init__(self, op, identity, *, name=None):
        self._given = check_function(op, "a monoid's operator")
        self.identity = identity
        self.name = name or op.__name__

    @property
    def op(self):
        """The operator as it is now, as an `@njit` function."""
        return freeze_operator(self._given)

    def freeze(self):
        """Return the monoid of the operator and identity as they are now: one object for all that mean the same."""
        identity = self.identity
        known = freeze_operator(self._given), _key(identity), self.name
        return _monoids.get(known) or _monoids.setdefault(known, _FixedMonoid(known[0], identity, self.name))

    def __eq__(self, other):
        return self.freeze() is other.freeze() if isinstance(other, Monoid) else NotImplemented

    def __hash__(self):
        return object.__hash__(self.freeze())

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


_monoids = {}
"""By operator, identity and name: what kernels are made of."""


def _key(identity):
    """What an identity is compared by."""
    if inspect.isfunction(identity):
        return current(identity)
    return identity if callable(identity) else (type(identity), repr(identity))


class _FixedMonoid(Monoid):
    """A monoid that never changes, and is compared by what it is itself."""

    op = None  # instead of the property

    def __init__(self, op, identity, name):
        self.op = self._given = op
        self.identity, self.name = identity, name

    def freeze(self):
        """Return the monoid itself."""
        return self

    __eq__, __hash__ = object.__eq__, object.__hash__


def _largest(dtype):
    if dtype.kind == "b":
        return True
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _smallest(dtype):
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


MONOIDS = {
    "sum": Monoid(plus, 0, name="sum").freeze(),
    "prod": Monoid(times, 1, name="prod").freeze(),
    "min": Monoid(minimum, _largest, name="min").freeze(),
    "max": Monoid(maximum, _smallest, name="max").freeze(),
    "any": Monoid(logical_or, False, name="any").freeze(),
    "all": Monoid(logical_and, True, name="all").freeze(),
}


def look_up(kind, table, value):
    """Return the monoid or semiring that is meant, as it is now."""
    if isinstance(value, kind):
        return value.freeze()
    if isinstance(value, str) and value in table:
        return table[value]
    raise ValueError(f"unknown {kind.__name__.lower()} {value!r}: use one of {', '.join(table)}, or a {kind.__name__}(...)")


def monoid(op):
    """`op` as it is now if it is a `Monoid`, else the named one; ValueError for an unknown name."""
    return look_up(Monoid, MONOIDS, op)
