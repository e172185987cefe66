"""Semirings: the two operators of a matrix product."""

import functools

import numpy as np

from spark_csr._holes import MISSING
from spark_csr._ops.checks import check_compiles, check_function, freeze_operator
from spark_csr._ops.monoids import Monoid, look_up, monoid
from spark_csr._ops.scalars import logical_and, pair, plus, times
from spark_csr._specialise import inlined


def _sum_of_present(a, b):
    return a + b if a != MISSING and b != MISSING else MISSING


@functools.cache
def _plus_unless_missing(missing):
    return inlined(_sum_of_present, MISSING=missing)


class Semiring:
    """The two operators of a matrix product: `y[i] = add over j of multiply(A[i, j], x[j])`.

    Parameters
    ----------
    add : Monoid or str
        Combines the products of a row; commutative. Its identity is the result of a row without entries.
    multiply : function
        Python function or lambda `multiply(a, x)` of two scalars of the result's dtype, as that of a `Monoid`.
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
        self.add = add if isinstance(add, Monoid) else monoid(add)
        self._given = check_function(multiply, "a semiring's multiply")
        self.name = name or f"{self.add.name}_{multiply.__name__}"

    @property
    def multiply(self):
        """The function as it is now, as an `@njit` function."""
        return freeze_operator(self._given)

    def freeze(self):
        """Return the semiring of the functions as they are now: one object for all that mean the same. See `Monoid`."""
        known = self.add.freeze(), freeze_operator(self._given), self.name
        return _semirings.get(known) or _semirings.setdefault(known, _FixedSemiring(*known))

    def __eq__(self, other):
        return self.freeze() is other.freeze() if isinstance(other, Semiring) else NotImplemented

    def __hash__(self):
        return object.__hash__(self.freeze())

    def result_dtype(self, *dtypes):
        """The dtype of a product of operands of `dtypes`."""
        result = np.dtype(bool) if self is SEMIRINGS["or_and"] else np.result_type(*dtypes)
        check_compiles(self.multiply, result)
        return result

    def multiply_for(self, dtype):
        """`multiply`; of `min_plus` and `max_plus` one under which the identity, an integer's infinity, stays what it is."""
        if self not in (SEMIRINGS["min_plus"], SEMIRINGS["max_plus"]) or dtype.kind != "i":
            return self.multiply
        return _plus_unless_missing(self.add.identity_for(dtype).item())

    def __repr__(self):
        return f"Semiring({self.name})"


_semirings = {}
"""By monoid, function and name: what kernels are made of."""


class _FixedSemiring(Semiring):
    """A semiring that never changes, and is compared by what it is itself."""

    multiply = None  # instead of the property

    def __init__(self, add, multiply, name):
        self.add, self.name = add, name
        self.multiply = self._given = multiply
        self._results = {}

    def result_dtype(self, *dtypes):
        """The dtype of a product of operands of `dtypes`, looked up: every product asks."""
        found = self._results.get(dtypes)
        if found is None:
            found = self._results[dtypes] = super().result_dtype(*dtypes)
        return found

    def freeze(self):
        """Return the semiring itself."""
        return self

    __eq__, __hash__ = object.__eq__, object.__hash__


SEMIRINGS = {
    "plus_times": Semiring("sum", times, name="plus_times").freeze(),
    "min_plus": Semiring("min", plus, name="min_plus").freeze(),
    "max_plus": Semiring("max", plus, name="max_plus").freeze(),
    "max_times": Semiring("max", times, name="max_times").freeze(),
    "any_pair": Semiring("any", pair, name="any_pair").freeze(),
    "or_and": Semiring("any", logical_and, name="or_and").freeze(),
}


def semiring(ring):
    """`ring` as it is now if it is a `Semiring`, else the named one; ValueError for an unknown name."""
    return look_up(Semiring, SEMIRINGS, ring)


PLUS_TIMES = SEMIRINGS["plus_times"]
