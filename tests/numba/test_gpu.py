"""What is used of the inside of numba-cuda and of the simulator."""

import importlib

import pytest

from hooks import parameters
from spark_csr._array import SIMULATED
from spark_csr._numba import gpu


@pytest.mark.skipif(SIMULATED, reason="the simulator has no dispatcher that compiles")
def test_the_dispatcher_asks_for_the_device_by_this_name():
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    assert callable(asked)
    with gpu.pretend_device((9, 0)):
        assert dispatcher.get_current_device().compute_capability == (9, 0)
    assert dispatcher.get_current_device is asked


@pytest.mark.skipif(SIMULATED, reason="the simulator has no dispatcher that compiles")
def test_its_methods_look_the_name_up_there():
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    names = {name for part in vars(dispatcher).values() if isinstance(part, type) for name in _names_used(part)}
    assert "get_current_device" in names


def _names_used(kind):
    return {name for part in vars(kind).values() if hasattr(part, "__code__") for name in part.__code__.co_names}


@pytest.mark.skipif(SIMULATED, reason="the simulator calls functions as they are")
def test_there_is_a_way_to_tell_gpus_what_a_function_is():
    assert callable(gpu.overload_for_gpus(lambda x: x))


@pytest.mark.skipif(not SIMULATED, reason="only with NUMBA_ENABLE_CUDASIM=1")
def test_the_simulator_tells_which_kernel_runs():
    simulator = importlib.import_module("numba.cuda.simulator.kernel")
    assert parameters(simulator._get_kernel_context) == []
    with pytest.raises(Exception):  # noqa: B017, PT011 none runs: what is raised is the simulator's
        gpu.RunningKernel().threadIdx  # noqa: B018
