"""Monoids: an associative operator and its identity, for scans and reductions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from spark_csr._engine import current
from spark_csr._ops.checks import check_compiles, check_function, freeze_operator
from spark_csr._ops.scalars import logical_and, logical_or, maximum, minimum, plus, times

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import DTypeLike

MonoidLike: TypeAlias = "str | Monoid"
"""A `Monoid` or the name of one."""


class Monoid:
    """An associative operator with its identity, for scans and reductions.

    Parameters
    ----------
    op : function
        A Python function or lambda `op(a, b)` of two scalars, decorated with `@numba.njit` or not. It must be associative,
        `op(op(a, b), c) == op(a, op(b, c))`. It must not use local variables of an enclosing function; make them global
        variables, or defaults of arguments.
    identity : scalar or function
        The value for which `op(identity, a) == a` and `op(a, identity) == a`, or a function that returns this value for a
        dtype.
    name : str, optional
        The name that `repr` shows. The default is the name of `op`.

    Attributes
    ----------
    identity : scalar or function
        The identity, as given.
    name : str
        The name that `repr` shows.

    Raises
    ------
    TypeError
        If `op` is not a Python function of two arguments, or uses local variables of an enclosing function.

    Notes
    -----
    In `op`, a real number divided by zero gives what it gives in NumPy, and raises no exception. If `op` can raise an
    exception, it runs on one core, and the exception reaches the caller. An operation uses `op` as it is when the operation is
    called: if a global variable or a function that `op` uses has changed since the last call, `op` is compiled again. Two
    monoids are equal if they have the same name and their functions and identities mean the same. Equal monoids share compiled
    code.

    Functions that take a monoid also take a name: "sum", "prod", "min", "max", "any" or "all".

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import Monoid
    >>> from spark_csr.primitives import inclusive_scan
    >>> largest = Monoid(lambda a, b: a if abs(a) > abs(b) else b, 0, name="largest")
    >>> inclusive_scan(np.array([3, -4, 1, 5]), op=largest)
    array([ 3, -4, -4,  5])
    """

    identity: Any
    name: str

    def __init__(self, op: Callable[[Any, Any], Any], identity: Any, *, name: str | None = None) -> None:
        self._given = check_function(op, "a monoid's operator")
        is_array = getattr(identity, "shape", None) == () and not isinstance(identity, np.generic)
        self.identity = identity.item() if is_array else identity  # into an array others may write
        self.name = name or op.__name__

    @property
    def op(self) -> Any:
        """The operator, with its present meaning, as a function compiled by `numba.njit`.

        Examples
        --------
        >>> from spark_csr import Monoid
        >>> Monoid(lambda a, b: a + b, 0).op(2, 3)
        5
        """
        return freeze_operator(self._given)

    def freeze(self) -> Monoid:
        """Return a monoid that keeps the present meaning of the operator and the identity, even if these change later.

        Returns
        -------
        Monoid
            A monoid of the same name. It is the same object for all monoids that have this meaning and this name.

        Examples
        --------
        >>> from spark_csr import Monoid
        >>> longest = Monoid(lambda a, b: max(a, b), 0, name="longest")
        >>> longest.freeze() is longest.freeze()
        True
        """
        identity = self.identity
        known = freeze_operator(self._given), _key(identity), self.name
        return _monoids.get(known) or _monoids.setdefault(known, _FixedMonoid(known[0], identity, self.name))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same meaning: the same name, equal functions, and equal identities."""
        return self.freeze() is other.freeze() if isinstance(other, Monoid) else NotImplemented

    def __hash__(self) -> int:
        return object.__hash__(self.freeze())

    def identity_for(self, dtype: DTypeLike) -> Any:
        """Return the identity as a scalar of a dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype of the elements that the monoid is to combine.

        Returns
        -------
        scalar
            The identity in that dtype.

        Raises
        ------
        TypeError
            If the operator has no meaning for the dtype or does not compile for it, or the identity does not fit it.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Monoid
        >>> Monoid(lambda a, b: a * b, 1).identity_for(np.float32)
        np.float32(1.0)
        """
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

    def __repr__(self) -> str:
        return f"Monoid({self.name})"


_monoids: dict[Any, Monoid] = {}
"""The monoids that kernels are made of, by operator, identity and name."""


def _key(identity):
    """Return the value that an identity is compared by."""
    if inspect.isfunction(identity):
        return current(identity)
    return identity if callable(identity) else (type(identity), repr(identity))


class _FixedMonoid(Monoid):
    """A monoid that never changes, and is equal to itself only."""

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


MEANT = {"+": "sum", "add": "sum", "*": "prod", "mul": "prod", "multiply": "prod", "product": "prod", "minimum": "min"}
MEANT |= {"maximum": "max", "|": "any", "or": "any", "logical_or": "any", "&": "all", "and": "all", "logical_and": "all"}
MEANT |= {name: name for name in MONOIDS}
"""Symbols and names of functions for which there are monoids."""

MADE = {"Monoid": "Monoid(f, identity)", "Semiring": "Semiring(add, multiply)"}
"""How monoids and semirings are made."""


def look_up(kind, table, value):
    """Return a monoid or semiring, as it is now, from a name or an object; raise ValueError for an unknown name, and TypeError
    for a function: a monoid also needs an identity."""
    if isinstance(value, kind):
        return value.freeze()
    if isinstance(value, str) and value in table:
        return table[value]
    name = kind.__name__
    meant = MEANT.get(value if isinstance(value, str) else getattr(value, "__name__", None))
    use = repr(meant) if meant in table else f"{MADE[name]}, or one of {', '.join(table)}"
    if callable(value):
        raise TypeError(f"a {name.lower()} is needed, got the function {value!r}: use {use}")
    raise ValueError(f"unknown {name.lower()} {value!r}: use {use}")


def monoid(op: MonoidLike) -> Monoid:
    """Return a `Monoid` as it is now, or the monoid of a name; raise ValueError for an unknown name."""
    if isinstance(op, str) and op == "mean":
        raise ValueError("'mean' is no monoid, as two means make no third: divide sums by counts, or call segmented_reduce")
    return look_up(Monoid, MONOIDS, op)
