"""What Numba infers of types: of calls, and of NumPy's."""

import numba
import numpy as np
import pytest
from numba import types

from hooks import parameters
from interrupts import interrupt_step
from spark_csr._array import DTYPES, SIMULATED
from spark_csr._engine.numba import inference

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_the_dispatchers_type_tells_of_calls():
    assert parameters(types.Dispatcher.get_call_type) == ["context", "args", "kws"]
    assert isinstance(numba.typeof(numba.njit(lambda x: x)), types.Dispatcher)


def test_dtypes_come_back():
    for dtype in DTYPES:
        if dtype != np.float16:
            assert inference.as_dtype(numba.from_dtype(dtype)) == dtype


def test_what_a_call_returns():
    half = numba.njit(lambda x: x / 2)
    assert inference.returned_type(half, (numba.int64,)) == numba.float64
    with pytest.raises(numba.NumbaError):
        inference.returned_type(half, (numba.none,))


def test_ctrl_c_is_answered_when_a_call_is_typed(monkeypatch):
    function = numba.njit(lambda x: x)
    interrupt_step(monkeypatch, function._compiler, "compile", lambda: inference.returned_type(function, (numba.int64,)))
