"""What intrinsics are written in: the parts of Numba's context and of `cgutils` that they use, and LLVM's names."""

import ctypes
import importlib
import pkgutil

import numba
import numpy as np
import pytest
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import default_manager
from numba.core.registry import cpu_target
from scipy.linalg import cython_blas

from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine import compile_kernel
from spark_csr._engine.meaning import describe
from spark_csr._engine.numba import intrinsics, objects
from spark_csr._engine.numba.intrinsics import record, threads
from spark_csr._engine.numba.intrinsics.foreign import call_by_reference
from spark_csr._engine.numba.intrinsics.lanes import Vector
from spark_csr._engine.team.record import TEAM
from spark_csr.linalg.blas import addresses_of

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_what_is_used_of_numbas_context_is_there():
    names = "make_array populate_array make_tuple get_data_type get_value_type get_abi_sizeof get_dummy_value codegen"
    names += " get_value_as_data"
    assert missing(cpu_target.target_context, names) == []
    helpers = "alloca_once alloca_once_value for_range get_item_pointer get_null_value get_or_insert_function unpack_tuple"
    assert missing(cgutils, helpers) == []
    assert parameters(cgutils.get_item_pointer)[:5] == ["context", "builder", "aryty", "ary", "inds"]


def test_what_is_used_of_llvmlite_is_there():
    names = "atomic_rmw cmpxchg load_atomic store_atomic fence ctpop cttz shuffle_vector insert_element extract_element select"
    names += " inttoptr bitcast call"
    assert missing(ir.IRBuilder, names) == []
    assert missing(ir.Module, "declare_intrinsic add_metadata get_unique_name") == []


def test_arrays_have_the_parts_that_they_had():
    kind = types.Array(types.float64, 1, "C")
    fields = default_manager.lookup(kind)._fields
    assert fields == ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")


def test_vectors_are_values_of_numbas():
    model = default_manager.lookup(Vector(numba.float64, 4))
    assert str(model.get_value_type()) == "<4 x double>"


def _modules():
    names = [part.name for part in pkgutil.iter_modules(intrinsics.__path__, f"{intrinsics.__name__}.")]
    return [importlib.import_module(name) for name in names]


def test_kernels_that_mention_them_can_be_kept():
    """An intrinsic that mentions what cannot be described would make all its kernels be compiled by every process."""
    found = {value for module in _modules() for value in vars(module).values() if objects.is_intrinsic(value)}
    assert len(found) > 30
    assert [intrinsic for intrinsic in found if not describe(intrinsic)[0].lasting] == []


def test_compiled_code_finds_what_it_knows_by_name():
    assert binding.address_of_symbol(record.SYMBOL) == TEAM.ctypes.data
    assert all(map(binding.address_of_symbol, threads.SYMBOLS))


@compile_kernel
def _scale(address, n, factor, x, step):
    call_by_reference(address, (n, factor, x[1:], step))


def test_functions_are_called_by_their_address():
    """BLAS's `dscal`: all operands by reference, arrays from any item on."""
    capsule, api = cython_blas.__pyx_capi__["dscal"], ctypes.pythonapi
    addresses_of(np.dtype(float))  # sets the types of these functions
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    x = np.arange(6.0)
    _scale(address, np.int32(2), 10.0, x, np.int32(2))
    assert x.tolist() == [0, 10, 2, 30, 4, 5]
