"""The code of jobs: what is used of Numba's calling convention, and of the types of functions."""

import pytest
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.callconv import RETCODE_EXC, CPUCallConv, Status, excinfo_ptr_t
from numba.core.dispatcher import Dispatcher

from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba import jobs
from spark_csr._engine.numba.intrinsics import record
from spark_csr._engine.numba.overloads import sources_of
from spark_csr._engine.team import for_tiles, for_tiles_by_core

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_a_status_has_the_parts_that_it_had():
    """One is made of a code and an exception, with nothing in between."""
    assert Status._fields[0] == "code"
    assert Status._fields[-1] == "excinfoptr"
    assert len(Status._fields) == 8
    assert "is_python_exc" in Status._fields
    assert isinstance(excinfo_ptr_t, ir.PointerType)
    assert RETCODE_EXC.constant < 0  # no number of an exception of a kernel
    assert parameters(CPUCallConv.return_status_propagate) == ["builder", "status"]


def test_bodies_are_called_as_they_were():
    assert parameters(BaseContext.call_internal_no_propagate) == ["builder", "fndesc", "sig", "args"]
    assert parameters(types.Dispatcher.get_call_type) == ["context", "args", "kws"]
    assert "dispatcher" in dir(types.Dispatcher)
    assert parameters(Dispatcher.get_compile_result) == ["sig"]
    assert missing(BaseContext, "add_linking_libs declare_function make_tuple get_dummy_value") == []
    assert missing(cgutils, "add_global_variable alloca_once alloca_once_value get_null_value is_not_null if_unlikely") == []


@pytest.mark.parametrize("function", [for_tiles, for_tiles_by_core])
def test_kernels_are_named_after_what_makes_jobs(function):
    assert sources_of(function) == (jobs.__name__, record.__name__)
