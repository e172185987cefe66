"""The parameters of kernels for GPUs: those of the parts that Numba takes arguments apart into."""

import importlib

import numpy as np
import pytest
from numba import types

from spark_csr._array import SIMULATED
from spark_csr._engine.numba import gpu
from spark_csr._engine.numba.parameters import look_over


def test_what_is_passed():
    x, parameters, kinds = np.zeros(3), [], []
    look_over((x, 2, (1.5, 1j)), False, parameters, kinds)
    assert parameters[0] is x
    assert parameters[1:] == [2, 1.5, 0.0, 1.0]
    assert kinds == ["d", "q", 2, float, complex]


def test_views_have_seven_parts():
    x, parameters = np.zeros(3), []
    look_over((x,), True, parameters, [])
    assert parameters == [0, 0, 3, 8, x, 3, 8]


@pytest.mark.skipif(SIMULATED, reason="the simulator passes what it is given")
def test_arrays_and_complex_numbers_have_these_parts():
    """A parameter for each of them, in this order: the first two are handles, the last two one number for each axis."""
    pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install numba-cuda[cu13]")
    gpu.load_cuda()
    models = importlib.import_module("numba.cuda.descriptor").cuda_target.target_context.data_model_manager
    array = models.lookup(types.Array(types.float64, 1, "C"))
    assert array._fields == ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")
    assert models.lookup(types.complex128)._fields == ("real", "imag")
