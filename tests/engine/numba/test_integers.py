"""Types of integers in kernels: of constants, of numbers of 32 bits, and of indices."""

import ast
import operator
import pathlib

import numba
import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typing.context import BaseContext, CallStack

import spark_csr
from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba.integers import ARITHMETIC, REPLACED, integer_types

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)

from spark_csr._engine.numba import njit

LARGE = 1 << 40


def function_of(text, module="spark_csr.x"):
    """A function of two parameters `x` and `y`, as if it stood in this module."""
    scope = {"np": np, "LARGE": LARGE, "__name__": module}
    exec(f"def function(x, y):\n    return {text}", scope)
    return scope["function"]


def returned(text, x, y=numba.int64, module="spark_csr.x"):
    """The type of what a function returns for these types, as kernels compile it."""
    function = njit(function_of(text, module))
    function.compile((x, y))
    return function.overloads[(x, y)].signature.return_type


def test_what_is_used_of_typing_contexts_is_there():
    assert parameters(BaseContext.resolve_function_type) == ["func", "args", "kws"]
    assert parameters(BaseContext.resolve_overload)[:4] == ["key", "cases", "args", "kws"]
    assert parameters(BaseContext.unify_pairs) == ["first", "second"]
    assert not missing(CallStack, "__len__ __getitem__")
    assert {operator.add, operator.iadd, operator.rshift, operator.and_} <= ARITHMETIC


@pytest.mark.parametrize(
    "operation", ["x + 1", "1 + x", "x - 1", "x * 3", "x // 3", "x % 3", "x & 3", "x | 3", "x ^ 3", "x << 3", "x >> 3"]
)
@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
def test_a_constant_takes_the_type_beside_it(operation, kind):
    value = np.iinfo(kind).max - 5
    assert returned(operation, numba.from_dtype(kind)) == numba.from_dtype(kind)
    with np.errstate(over="ignore"):
        expected = function_of(operation)(kind(value), 0)
    assert expected.dtype == kind
    compiled = njit(function_of(f"np.{kind.__name__}({operation})"))
    kernel = numba.njit(lambda x, y: compiled(x, y))
    assert kernel(kind(value), 0) == expected


def test_constants_of_modules_and_of_calls():
    assert returned("x + LARGE", numba.uint64) == numba.uint64
    assert returned("x + LARGE", numba.uint32) == numba.int64
    assert returned("min(x, 3)", numba.uint64) == numba.uint64
    assert returned("[i for i in range(0, x)][0]", numba.uint64) == numba.uint64


def test_negative_constants_and_signed_numbers_are_as_numba_has_them():
    assert returned("x + -1", numba.uint64) == returned("x + -1", numba.uint64, module="users") == numba.int64
    assert returned("x + 1", numba.int32) == numba.int64
    assert returned("x + y", numba.uint64, numba.int64) == numba.int64


def test_two_numbers_of_32_bits_give_one():
    for operation in ("x + y", "x * y", "x << y", "x >> y", "x // y", "x & y"):
        assert returned(operation, numba.uint32, numba.uint32) == numba.uint32
    wrapped = njit(function_of("(x + y) >> 1"))
    assert numba.njit(lambda x, y: wrapped(x, y))(np.uint32(2**32 - 1), np.uint32(3)) == 1


def test_functions_of_users_keep_numbas_types():
    assert returned("x + 1", numba.uint64, module="users") == numba.int64
    assert returned("x + y", numba.uint32, numba.uint32, module="users") == numba.uint64
    assert numba.njit(function_of("x[y]", "users"))(np.arange(3), -1) == 2


@pytest.mark.parametrize("text", ["x if x == 3 else y", "x < y", "x == y", "min(x, y)"])
def test_integers_do_not_turn_into_floats(text):
    with pytest.raises(TypingError, match="unify|Invalid use"):
        returned(text, numba.uint64, numba.int64)
    assert returned(text, numba.uint64, numba.int64, module="users") in (numba.float64, numba.boolean)
    assert returned(text, numba.uint64, numba.uint64) in (numba.uint64, numba.boolean)
    ours = njit(function_of("users(x, y)"))  # code of Numba's functions, too, is emitted while ours is typed
    ours.py_func.__globals__["users"] = njit(function_of(text, "users"))
    ours.compile((numba.uint64, numba.int64))


def test_a_users_function_in_a_kernel_and_a_kernels_function_in_it():
    ours, one = njit(function_of("(x + y) >> 1")), np.uint32(1)
    users = njit(function_of("(x + y) >> y, ours(x, y)", "users"))
    users.py_func.__globals__["ours"] = ours
    kernel = njit(function_of("users(x, y), ours(x, y)"))
    kernel.py_func.__globals__["users"], kernel.py_func.__globals__["ours"] = users, ours
    largest = np.uint32(2**32 - 1)
    assert numba.njit(lambda x, y: kernel(x, y))(largest, one) == ((1 << 31, 0), 0)


def test_an_index_does_not_count_from_the_end():
    kernel = njit(function_of("x[y]"))
    kernel.compile((types.Array(types.int64, 1, "C"), numba.int32))
    assert "select" not in kernel.overloads[(types.Array(types.int64, 1, "C"), numba.int32)].library.get_llvm_str()
    x = np.arange(12).reshape(3, 4)
    pick = njit(function_of("x[y, y + 1]"))
    assert numba.njit(lambda x, y: pick(x, y))(x, 2) == 11


def test_the_context_is_as_before_afterwards():
    context = cpu_target.typing_context
    with integer_types(context, types), integer_types(context, types):
        assert "resolve_overload" in vars(context)
    assert not set(REPLACED) & set(vars(context))


def is_constant(node):
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper() and len(node.id) > 1)


def is_cast(node, kinds="int32 int64 uint32 uint64"):
    return isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("np.") in kinds.split()


def is_needless(cast, other):
    """Whether an operand is the cast of a constant beside a number that has a type of its own."""
    return is_cast(cast) and is_constant(cast.args[0]) and not is_constant(other) and not is_cast(other)


def needless_casts(tree):
    """Casts of constants beside numbers, and of indices, in functions."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in (node for function in functions for node in ast.walk(function)):
        match node:
            case ast.BinOp(left=a, right=b) | ast.AugAssign(target=a, value=b) | ast.Compare(left=a, comparators=[b]):
                if is_needless(a, b) or is_needless(b, a):
                    yield ast.unparse(node)
            case ast.Subscript(slice=index) if is_cast(index, "uint64"):
                yield ast.unparse(node)


@pytest.mark.parametrize("text", ["start + np.uint64(1)", "start += np.uint32(SIZE)", "np.int64(0) < start", "x[np.uint64(i)]"])
def test_needless_casts_are_found(text):
    assert list(needless_casts(ast.parse(f"def f():\n    {text}"))) == [text]
    assert not list(
        needless_casts(ast.parse("def f():\n    x = np.uint64(1) << np.uint64(i), np.uint64(1), SIZE + np.uint64(1)"))
    )


def test_nothing_is_cast_that_needs_no_cast():
    files = [file for file in pathlib.Path(spark_csr.__file__).parent.rglob("*.py") if "_engine" not in file.parts]
    assert [(str(file), text) for file in files for text in needless_casts(ast.parse(file.read_text()))] == []
