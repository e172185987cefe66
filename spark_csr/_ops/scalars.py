"""Scalar operators that kernels combine two numbers with, and the source and the sink of a scan."""

import functools

from spark_csr._engine import inline, njit
from spark_csr._engine.holes import combine

COMPILED_FOR: dict[object, str] = {}
"""The kinds of dtypes that operators of this package compile for: Numba would take half a second to find out."""


def operator_for(kinds):
    """Return a decorator that makes an `@njit` function of an operator, known to compile for dtypes of these kinds."""

    def decorate(function):
        operator = njit(forceinline=True)(function)
        COMPILED_FOR[operator] = kinds
        return operator

    return decorate


@operator_for("biufc")
def plus(a, b):
    return a + b


@operator_for("biufc")
def minus(a, b):
    return a - b


@operator_for("biufc")
def times(a, b):
    return a * b


@operator_for("biuf")
def less_than(a, b):
    return a < b


@operator_for("biuf")
def greater_than(a, b):
    return a > b


@operator_for("biufc")
def not_equal(a, b):
    return a != b


@operator_for("biuf")
def minimum(a, b):
    """Return the smaller of two numbers; NaN wins, as in `numpy.minimum`."""
    return a if a < b or a != a else b


@operator_for("biuf")
def maximum(a, b):
    """Return the larger of two numbers; NaN wins, as in `numpy.maximum`."""
    return a if a > b or a != a else b


@operator_for("biufc")
def logical_or(a, b):
    return (a != 0) | (b != 0)


@operator_for("biufc")
def logical_and(a, b):
    return (a != 0) & (b != 0)


@operator_for("biufc")
def pair(a, b):
    """Return 1, whatever the values of two entries are."""
    return 1


def _flip(a, b):
    return combine(b, a)


@njit(forceinline=True)
def element(operands, i):
    """Return element `i` of the first of two arrays, `operands`: the source of a scan from array to array."""
    return operands[0][i]


@njit(forceinline=True)
def store(operands, i, result):
    """Write result `i` to the second of two arrays, `operands`: the sink of a scan from array to array."""
    operands[1][i] = result


@functools.cache
def flip_arguments(function):
    """Return an operator with its arguments exchanged, which a scan from right to left combines with."""
    return inline(_flip, combine=function)
