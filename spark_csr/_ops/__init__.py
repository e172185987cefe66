"""Scalar operators, and the algebra made of them: monoids for scans and reductions, semirings for products.

An operator is a plain module-level Python function of two scalars. Both backends compile it into their kernels, so Numba must
be able to compile it, and it contains nothing about devices.
"""

from spark_csr._ops.monoids import MONOIDS, Monoid, MonoidLike, monoid
from spark_csr._ops.scalars import (
    element,
    flip_arguments,
    greater_than,
    less_than,
    logical_and,
    logical_or,
    maximum,
    minimum,
    minus,
    not_equal,
    operator_for,
    pair,
    plus,
    store,
    times,
)
from spark_csr._ops.semirings import PLUS_TIMES, SEMIRINGS, Semiring, SemiringLike, exchange_factors, semiring

__all__ = [
    "MONOIDS",
    "PLUS_TIMES",
    "SEMIRINGS",
    "Monoid",
    "MonoidLike",
    "Semiring",
    "SemiringLike",
    "element",
    "exchange_factors",
    "flip_arguments",
    "greater_than",
    "less_than",
    "logical_and",
    "logical_or",
    "maximum",
    "minimum",
    "minus",
    "monoid",
    "not_equal",
    "operator_for",
    "pair",
    "plus",
    "semiring",
    "store",
    "times",
]
