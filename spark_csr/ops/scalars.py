"""Scalar operators: what kernels combine two numbers with, and the source and the sink of a scan."""

import functools

from numba import njit

from spark_csr._specialise import inlined


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


COMPILED_FOR = {
    **dict.fromkeys((plus, minus, times, not_equal, logical_or, logical_and, pair), "biufc"),
    **dict.fromkeys((less_than, greater_than, minimum, maximum), "biuf"),
}
"""The kinds of dtypes for which these compile. Asking Numba takes half a second in a new process."""


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
    return inlined(_flip, operator=function)
