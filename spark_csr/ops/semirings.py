"""Semirings: the two operators of a matrix product."""

import functools

import numpy as np
from numba import njit

from spark_csr._specialise import specialise
from spark_csr.ops.checks import check_compiles, check_function
from spark_csr.ops.monoids import monoid, named
from spark_csr.ops.scalars import logical_and, pair, plus, times


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
        self.multiply = check_function(multiply, "a semiring's multiply")
        self.name = name or f"{self.add.name}_{self.multiply.__name__}"

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
    return named(Semiring, SEMIRINGS, ring)


PLUS_TIMES = SEMIRINGS["plus_times"]
