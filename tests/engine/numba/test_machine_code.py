"""Machine code that is made and loaded without Numba's tables: what the linker must know."""

import ctypes
import re
import subprocess
import sys

import numba
import pytest
from llvmlite import binding
from numba.core.runtime import _nrt_python
from numba.core.runtime.nrt import rtsys

from spark_csr._array import SIMULATED
from spark_csr._engine.meaning import source_digest
from spark_csr._engine.numba import machine_code

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_numba_lists_the_functions_that_manage_memory():
    """By names without `NRT_`, but for those that begin with an underscore, and with their addresses."""
    helpers = _nrt_python.c_helpers
    assert {"Allocate", "Free", "MemInfo_alloc_safe_aligned", "MemInfo_call_dtor"} <= set(helpers)
    assert all(isinstance(address, int) and address for address in helpers.values())
    assert not [name for name in helpers if name.startswith("NRT_")]


def test_all_that_compiled_code_calls_of_them_is_known():
    rtsys.initialize(numba.njit(lambda x: x).targetctx)
    declared = re.findall(r"^declare .*@(NRT_\w+)\(", str(rtsys.library._final_module), re.MULTILINE)
    known = {name if name.startswith("_") else f"NRT_{name}" for name in _nrt_python.c_helpers}
    assert set(declared) <= known


def test_python_makes_functions_of_machine_code():
    assert machine_code.METH_FASTCALL == 0x80
    assert ctypes.sizeof(machine_code._Method) == 4 * ctypes.sizeof(ctypes.c_void_p)


END = """
import ctypes, gc
import numpy as np
from spark_csr import primitives as p
from spark_csr._engine.numba import machine_code
p.inclusive_scan(np.ones(3))
p.compact(np.ones(3), np.ones(3, bool))
assert machine_code._loaded
machine_code._loaded.clear()  # as when the interpreter ends
gc.collect()
rubbish = [ctypes.create_string_buffer(b"\\xff" * 32, 32) for _ in range(10_000)]
gc.collect()  # reads the method of every function
p.inclusive_scan(np.ones(3))
"""


def test_methods_outlive_their_modules():
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", END], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_used_of_llvmlite_is_there():
    for name in ("add_symbol", "create_mcjit_compiler", "parse_assembly", "ObjectFileRef", "Target"):
        assert hasattr(binding, name)
    assert hasattr(binding.ObjectFileRef, "from_data")
    assert {"add_object_file", "finalize_object", "get_function_address"} <= set(dir(binding.ExecutionEngine))


def test_the_modules_that_make_it_have_sources():
    """Kernels on disk are named after them."""
    digests = list(map(source_digest, machine_code.SOURCES))
    assert len(set(digests)) == len(digests)


def test_exceptions_are_pickled_as_they_were():
    """`report` is given their place: an address, a size, and three parts behind it."""
    from spark_csr._engine.kernel import Kernel

    def fail(x):
        if x > 0:
            raise IndexError("no such element", 7)
        return x

    with pytest.raises(IndexError) as caught:
        Kernel(fail)(1)
    assert caught.value.args == ("no such element", 7)
