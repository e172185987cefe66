"""Functions that are compiled into kernels: what Numba is made to leave out, and what still works."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.options import DefaultOptions
from numba.core.registry import CPUDispatcher, cpu_target

from hooks import parameters
from interrupts import interrupt_step
from spark_csr import Ragged
from spark_csr._array import SIMULATED
from spark_csr._engine import store
from spark_csr.primitives import for_each, map_where

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)

from spark_csr._engine.kernel import Kernel
from spark_csr._engine.numba import DeviceFunction, njit
from spark_csr._engine.numba.codegen import lock_compiler


@njit
def _twice(x):
    return x + x


@njit(forceinline=True)
def _least(x, y):
    return min(_twice(x), y)


def _sum_least(x, y):
    total = 0.0
    for i in range(x.size):
        total += _least(x[i], y)
    return total


@pytest.fixture
def compiled():
    """A device function, compiled as kernels compile it."""
    function = njit(_twice.py_func)
    function.compile((numba.int64,))
    return function, function.overloads[(numba.int64,)]


def test_what_is_used_of_numbas_dispatchers_is_there():
    assert parameters(CPUDispatcher.__init__) == ["py_func", "locals", "targetoptions", "pipeline_class"]
    assert parameters(CPUDispatcher.get_call_template) == ["args", "kws"]
    assert parameters(CPUDispatcher.compile) == ["sig"]
    assert {"no_cpython_wrapper", "no_cfunc_wrapper"} <= set(vars(DefaultOptions))
    assert _twice._compiler.targetoptions["no_cpython_wrapper"]
    assert "no_cpython_wrapper" not in _twice.targetoptions


def test_kernels_call_them():
    assert Kernel(_sum_least)(np.arange(5.0), 5.0) == 0 + 2 + 4 + 5 + 5


def test_they_have_no_wrappers_and_no_machine_code(compiled):
    function, found = compiled
    assert isinstance(function, DeviceFunction)
    assert [f.name for f in found.library.get_defined_functions()] == [found.fndesc.llvm_func_name]
    assert found.library.get_pointer_to_function(found.fndesc.llvm_cpython_wrapper_name) == 0
    assert not found.library._codegen._engine.is_symbol_defined(found.fndesc.llvm_func_name)


def test_python_may_call_them_all_the_same(compiled):
    function, _ = compiled
    assert function(2.5) == 5
    assert function(np.uint8(200)) == 400
    assert function(21) == 42


def test_users_functions_may_call_them():
    assert numba.njit(lambda x: _least(x, 100))(3) == 6
    assert numba.njit(lambda x: _sum_least_device(x))(np.arange(4.0)) == 0 + 2 + 3 + 3


@njit
def _sum_least_device(x):
    total = 0.0
    for i in range(x.size):
        total += _least(x[i], 3.0)
    return total


def test_they_may_call_themselves():
    assert Kernel(lambda n: _factorial(n))(5) == 120


@njit
def _factorial(n):
    return 1 if n < 2 else n * _factorial(n - 1)


def test_a_function_of_numba_that_kernels_call_is_called_by_python_too():
    """Numba's own functions have wrappers: their machine code is made when the address is asked for."""
    other = numba.njit(lambda x: x * 3)
    with lock_compiler():
        other.compile((numba.int64,))
    assert other(7) == 21
    with pytest.raises(ZeroDivisionError):
        _raising_in_kernels_code()(1, 0)


def _raising_in_kernels_code():
    function = numba.njit(lambda x, y: x // y)
    with lock_compiler():
        function.compile((numba.int64, numba.int64))
    return function


def test_functions_of_numba_that_sort_are_found():
    assert Kernel(_sort_into)(np.array([3.0, 1.0, 2.0])) == 123


def _sort_into(x):
    total = 0.0
    for value in np.sort(x):
        total = 10 * total + value
    return total


def test_numba_has_its_own_back_whatever_happens():
    context = cpu_target.target_context
    own = context.codegen()
    with lock_compiler():
        assert context.codegen() is not own
        with lock_compiler():
            pass
        assert context.codegen() is not own
    assert context.codegen() is own
    with pytest.raises(numba.TypingError):
        njit(lambda x: x.no_such_attribute).compile((numba.int64,))
    assert context.codegen() is own


def test_code_that_is_shown_is_optimised():
    """Whether a function can raise is read off its code: before optimisation every call may."""
    function = njit(lambda x: _twice(_twice(x)))
    function.compile((numba.int64,))
    library = function.overloads[(numba.int64,)].library
    assert " call " not in library.get_llvm_str()
    assert " call " in str(library._final_module)


@numba.njit
def _even(n):
    return True if n <= 0 else _odd(n - 1)


@numba.njit
def _odd(n):
    return False if n <= 0 else _even(n - 1)


@numba.njit
def _item(pair, k):
    return pair[numba.literally(k)]


def _printing(v):
    print(v)
    return v


def _by_python(v):
    with numba.objmode(y="float64"):
        y = v * 2.0
    return y + 1


def _failing(v):
    if v > 1:
        raise ValueError("bad value", v)
    return v


X, ALL = np.arange(3.0), np.ones(3, bool)


@pytest.mark.parametrize(
    "func, expected",
    [
        (lambda v: _even(int(v)), [1, 0, 1]),
        (lambda v: _item((v, 1), 0), [0, 1, 2]),
        (_printing, [0, 1, 2]),
        (_by_python, [1, 3, 5]),
    ],
    ids=["two that call each other", "a constant is asked for", "print", "objmode"],
)
def test_what_users_functions_may_do(func, expected):
    compiled = numba.njit(func)

    def visit(i, x, out, f=compiled):
        out[i] = f(x[i])

    out = np.empty(3)
    for_each(3, numba.njit(visit), X, out)
    assert out.tolist() == expected
    assert Ragged(X, np.array([0, 2, 3])).map(lambda v, i, j, f=compiled: f(v)).values.tolist() == expected
    assert map_where(compiled, X, ALL).tolist() == expected


def test_exceptions_keep_their_values():
    with pytest.raises(ValueError, match="bad value") as caught:
        map_where(numba.njit(_failing), X, ALL)
    assert caught.value.args == ("bad value", 2.0)


def test_functions_that_numba_keeps_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @numba.extending.register_jitable(cache=True)
    def triple(v):
        return 3 * v

    assert map_where(numba.njit(lambda v, f=triple: f(v)), X, ALL).tolist() == [0, 3, 6]


def test_numba_has_its_switch_back(monkeypatch):
    monkeypatch.setattr(store, "read", lambda name: None)
    before = numba.config.SLP_VECTORIZE
    assert Kernel(lambda x: x + 1, packed=True)(1.0) == 2
    assert before == numba.config.SLP_VECTORIZE


def test_functions_of_no_module():
    def triple(v):
        return 3 * v

    triple.__module__ = None
    assert map_where(numba.njit(triple), X, ALL).tolist() == [0, 3, 6]


def test_ctrl_c_is_answered_when_a_function_is_compiled(monkeypatch):
    function = njit(lambda x: x + 1)
    interrupt_step(monkeypatch, function._compiler, "compile", lambda: function.compile((numba.int64,)))


def test_kernels_that_are_not_to_be_compiled_are_refused_at_import(cpu_only):
    """`NUMBA_DISABLE_JIT=1` is set to debug functions of one's own; without the message, some later call would fail."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    found = subprocess.run([sys.executable, "-c", "import spark_csr"], env=environment, capture_output=True, text=True)
    assert found.stderr.strip().splitlines()[-1].startswith("ImportError: spark_csr cannot be used with NUMBA_DISABLE_JIT=1")
