"""Operators, monoids and semirings: what they are made of, and what they refuse."""

import functools
import math
import operator
import re

import numba
import numpy as np
import pytest
from numba.np.numpy_support import from_dtype

from spark_csr import Monoid, Semiring, csr_array
from spark_csr import _ops as ops
from spark_csr._array import DTYPES, SIMULATED
from spark_csr._engine.meaning import can_raise, note_if_raising
from spark_csr._operations.reduce import extremes
from spark_csr._operations.reduce import sums as reduce
from spark_csr.graph.algorithms import power
from spark_csr.primitives import inclusive_scan, segmented_reduce


def add(a, b):
    return a + b


def three(a, b, c):
    return a


def nested():
    c = 1

    def inner(a, b):
        return a + c

    return inner


compiled = numba.njit(add)


@pytest.mark.parametrize("function", [add, compiled])
def test_module_level_functions(function):
    assert repr(Monoid(function, 0)) == "Monoid(add)"
    assert repr(Semiring("min", function)) == "Semiring(min_add)"
    assert repr(Monoid(function, 0, name="mine")) == "Monoid(mine)"


@pytest.mark.parametrize(
    "function, message",
    [
        (nested(), "must not close over variables.*with c: make them"),
        (three, "must take two arguments, got 'three' with 3"),
        (operator.add, "Python function of two scalars"),
        (np.add, "Python function of two scalars"),
        (functools.partial(add, 1), "Python function of two scalars"),
        ("plus", "Python function of two scalars"),
        (None, "Python function of two scalars"),
    ],
)
def test_refuses_functions(function, message):
    with pytest.raises(TypeError, match=f"a monoid's operator.*{message}"):
        Monoid(function, 0)
    with pytest.raises(TypeError, match=f"a semiring's multiply.*{message}"):
        Semiring("sum", function)


def test_refuses_unknown_names():
    with pytest.raises(
        ValueError, match=r"unknown monoid 'median': use Monoid\(f, identity\), or one of sum, prod, min, max, any, all"
    ):
        Semiring("median", add)
    for symbol in ("+", "add"):
        with pytest.raises(ValueError, match=f"unknown monoid '{re.escape(symbol)}': use 'sum'$"):
            Semiring(symbol, add)
    for function, use in ((np.add, "use 'sum'$"), (max, "use 'max'$"), (lambda a, b: a, r"use Monoid\(f, identity\), or")):
        with pytest.raises(TypeError, match=f"a monoid is needed, got the function .*: {use}"):
            Semiring(function, add)
    with pytest.raises(ValueError, match="'mean' is no monoid, as two means make no third: .* segmented_reduce"):
        Semiring("mean", add)
    with pytest.raises(ValueError, match="unknown semiring 'plus'"):
        ops.semiring("plus")


@pytest.mark.parametrize("name", ops.MONOIDS)
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.int64, np.float32, np.float64])
def test_identities_change_nothing(name, dtype):
    identity = ops.MONOIDS[name].identity_for(dtype)
    assert type(identity) is np.dtype(dtype).type
    op = getattr(ops.MONOIDS[name].op, "py_func", ops.MONOIDS[name].op)
    logical = name in ("any", "all")
    for value in (0, 1) if np.dtype(dtype).kind in "bu" else (-1, 0, 1):
        x = np.dtype(dtype).type(value)
        wanted = bool(x) if logical else x
        assert op(identity, x) == op(x, identity) == wanted


@pytest.mark.parametrize("name", ["min", "max"])
def test_complex_numbers_have_no_order(name):
    with pytest.raises(TypeError, match=f"'{name}' needs an order, and complex64 has none: use abs"):
        ops.MONOIDS[name].identity_for(np.complex64)


def test_identity_may_depend_on_the_dtype():
    assert Monoid(add, lambda dtype: dtype.itemsize).identity_for(np.int16) == 2


@pytest.mark.parametrize("function", [ops.minimum, ops.maximum])
def test_nan_wins_on_either_side(function):
    plain = getattr(function, "py_func", function)
    assert math.isnan(plain(math.nan, 1.0))
    assert math.isnan(plain(1.0, math.nan))


def test_result_dtypes():
    assert ops.SEMIRINGS["plus_times"].result_dtype(np.float32, np.int64) == np.float64
    assert ops.SEMIRINGS["min_plus"].result_dtype(np.int8, np.uint8) == np.int16
    assert ops.SEMIRINGS["or_and"].result_dtype(np.float32, np.int64) == bool
    assert ops.SEMIRINGS["plus_times"].result_dtype(np.longlong, np.longlong).char == np.dtype(np.int64).char


@pytest.mark.parametrize("identity", [1.5, -1, np.nan, 1j, 2**70, "one", None, np.zeros(1, np.uint8)])
def test_identity_must_fit_the_dtype(identity):
    with pytest.raises(TypeError, match="does not fit uint8"):
        Monoid(add, identity).identity_for(np.uint8)


@pytest.mark.parametrize("identity", [1j, "one", None, np.zeros(1)])
def test_identity_of_floats_is_a_real_number(identity):
    with pytest.raises(TypeError, match="does not fit float32"):
        Monoid(add, identity).identity_for(np.float32)


def test_a_name_alone_changes_no_operator():
    ring = Semiring("min", add, name="min_plus")
    assert ring.multiply_for(np.dtype(np.int64)) is ring.multiply
    named = ops.SEMIRINGS["min_plus"]
    assert named.multiply_for(np.dtype(np.int64)) is not named.multiply
    assert named.multiply_for(np.dtype(np.float64)) is named.multiply


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != np.float16], ids=str)
@pytest.mark.parametrize("function", ops.scalars.COMPILED_FOR, ids=lambda function: function.__name__)
def test_what_is_known_to_compile_does(function, dtype):
    kind = from_dtype(dtype)
    if dtype.kind in ops.scalars.COMPILED_FOR[function]:
        function.compile((kind, kind))
        note_if_raising(function, (kind, kind))
        assert not can_raise(function)


def test_named_operators_are_asked_for_no_types():
    """Numba would load all that it knows of types."""
    semirings = *ops.SEMIRINGS.values(), reduce.SUM_OF_FIRST, power.PLUS_SECOND
    monoids = *ops.MONOIDS.values(), *extremes.OF_FLOATS.values(), *extremes.OF_COMPLEX.values()
    for op in (*(known.multiply for known in semirings), *(known.op for known in monoids)):
        assert op in ops.scalars.COMPILED_FOR


def with_default(a, b, c=3):
    return a + c * b


def add_with_default(a, b, c=0):
    return a + b + c


def importing(a, b):
    import math

    return a + math.floor(b)


def complex_of(a, b):
    return a * 1j + b


def test_arguments_with_defaults(xp, to_numpy):
    x, offsets = xp.asarray([1, 2, 5]), xp.asarray([0, 2, 3])
    for op in (add_with_default, numba.njit(add_with_default)):
        assert to_numpy(inclusive_scan(x, Monoid(op, 0))).tolist() == [1, 3, 8]
        assert to_numpy(segmented_reduce(x, offsets, Monoid(op, 0))).tolist() == [3, 5]
    A = csr_array(xp.asarray([[1.0, 2], [3, 0]]))
    for op in (with_default, numba.njit(with_default)):
        semiring = Semiring("max", op)
        assert to_numpy(A.matmul(xp.asarray([5.0, 1]), semiring=semiring)).tolist() == [16, 18]
        assert to_numpy(A.matmul(A, semiring=semiring).toarray()).tolist() == [[11, 7], [6, 9]]


@pytest.mark.skipif(SIMULATED, reason="njit leaves functions as they are")
@pytest.mark.parametrize(
    "op, message",
    [
        (importing, "'importing' does not compile for two float64 scalars: .*IMPORT_NAME"),
        (complex_of, "'complex_of' returns complex numbers for two float64 scalars: convert the operands first"),
    ],
)
def test_functions_that_cannot_become_part_of_a_kernel(op, message):
    for call in (
        lambda: inclusive_scan(np.ones(2), Monoid(op, 0)),
        lambda: csr_array(np.ones((2, 2))).matmul(np.ones(2), semiring=Semiring("max", op)),
    ):
        with pytest.raises(TypeError, match=message):
            call()
