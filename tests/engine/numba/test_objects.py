"""What Numba's dispatchers, universal functions and intrinsics are made of, and others like them."""

import numba
import pytest
from llvmlite import ir
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba import DeviceFunction, njit, objects

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def _add(x, y):
    return x + y


def _subtract(x, y):
    return x - y


@intrinsic(prefer_literal=True)
def _nothing(typingctx, x):
    return x(x), lambda context, builder, sig, args: args[0]


def test_what_is_used_of_dispatchers_is_there():
    dispatcher = numba.njit(_add)
    assert missing(dispatcher, "targetoptions locals nopython_signatures overloads py_func typingctx disable_compile") == []
    assert dispatcher._can_compile
    assert dispatcher._compiler.pipeline_class is Compiler
    assert dispatcher._compiler.targetoptions == dispatcher.targetoptions


def test_kinds_of_objects():
    plain, device, universal = numba.njit(_add), njit(_add), numba.vectorize(_add)
    assert [objects.is_dispatcher(x) for x in (plain, device, universal, _add)] == [True, True, False, False]
    assert [objects.is_for_cores(x) for x in (plain, device, universal, _add)] == [True, True, False, False]
    assert [objects.is_universal(x) for x in (plain, universal)] == [False, True]
    assert [objects.is_intrinsic(x) for x in (plain, _nothing)] == [False, True]
    assert [objects.is_type(x) for x in (numba.int64, ir.IntType(64), int)] == [True, True, False]


def test_options_make_a_difference():
    texts = [objects.options_of(f) for f in (numba.njit(_add), njit(_add), numba.njit(fastmath=True)(_add))]
    assert len(set(texts)) == 3
    assert objects.options_of(numba.njit(_subtract)) == texts[0]


def test_a_dispatcher_like_another():
    x = numba.njit(fastmath=True, locals={"z": numba.int64})(_add)
    copy = objects.dispatcher_like(x, _subtract, error_model="numpy")
    assert type(copy) is DeviceFunction
    assert copy.py_func is _subtract
    assert copy.targetoptions == {**x.targetoptions, "error_model": "numpy"}
    assert copy.locals == x.locals
    objects.compile_as(copy, x)
    assert copy._can_compile
    assert not copy.signatures


def test_a_universal_function_like_another():
    x = numba.vectorize(identity=0, nopython=True)(_add)
    copy = objects.universal_like(x, _subtract)
    assert objects.function_of_universal(copy) is _subtract
    assert objects.options_of_universal(copy) == objects.options_of_universal(x)
    assert not x._frozen
    objects.compile_universal_as(copy, x)
    assert not copy._frozen


def test_copies_are_for_the_same_types():
    x = numba.njit("int64(int64, int64)")(_add)
    assert not x._can_compile
    copy = objects.dispatcher_like(x, _subtract)
    objects.compile_as(copy, x)
    assert copy.signatures == x.signatures
    assert not copy._can_compile
    x = numba.vectorize(["int64(int64, int64)"])(_add)
    copy = objects.universal_like(x, _subtract)
    objects.compile_universal_as(copy, x)
    assert copy.types == x.types
    assert copy._frozen


def test_intrinsics_are_functions_that_emit():
    function, literal = objects.definition_of(_nothing)
    assert parameters(function) == ["typingctx", "x"]
    assert literal is True
