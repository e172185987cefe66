"""The C functions through which Python calls kernels: what they call, and what of Numba's they are made of."""

import numba
import numpy as np
import pytest
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba.entry import emit
from spark_csr._engine.numba.layouts import PYTHON

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_what_is_used_of_numbas_context_is_there():
    context = cpu_target.target_context
    assert missing(context, "create_module make_array make_tuple make_complex get_value_type get_dummy_value call_conv") == []
    assert parameters(context.insert_const_string)[:2] == ["mod", "string"]
    assert missing(cgutils, "alloca_once get_or_insert_function if_unlikely unpack_tuple") == []


def test_the_calling_convention_takes_what_it_took():
    assert parameters(CPUCallConv.get_function_type) == ["restype", "argtypes"]
    assert parameters(CPUCallConv.call_function)[:5] == ["builder", "callee", "resty", "argtys", "args"]


def test_arrays_are_filled_in_as_they_were():
    assert parameters(populate_array) == ["array", "data", "shape", "strides", "itemsize", "meminfo", "parent"]


def test_functions_of_python_that_are_called_are_listed():
    """The linker finds others on some systems only."""
    values = (True, 1, np.uint8(1), np.uint64(2), 1.5, np.float32(1), 1j, None, (1, 2.0), np.ones(3))
    kernel = numba.njit(lambda *args: args[:-1][:6] + args[7:9])
    kernel(*values)
    module = emit(kernel.overloads[kernel.signatures[0]], "entry")
    called = {function.name for function in module.functions if function.is_declaration and function.name.startswith("Py")}
    assert called == set(PYTHON)
