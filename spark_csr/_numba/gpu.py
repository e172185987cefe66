"""What is used of the inside of numba-cuda, and of Numba's own `cuda` and simulator.

All of it is looked up when it is used: a machine without a GPU need not have numba-cuda.
"""

import contextlib
import importlib
import types


@contextlib.contextmanager
def pretend_device(capability):
    """Compile for a GPU of this capability, whether there is one or not. One thread may do so at a time: the setting is global.

    While device functions compile, numba-cuda asks `numba.cuda.dispatcher.get_current_device` for the GPU, although it was
    given the capability to compile for. Goes when `cuda.compile` passes on the capability that it is given.
    """
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


def overload_for_gpus(function):
    """Return the decorator that tells Numba's GPUs what a function is.

    `overload` is `numba.extending`'s for Numba's own `cuda`, and for numba-cuda while it shared these with Numba; newer ones
    have an `overload` of their own, and do not look at the other. Goes when all that are supported have their own.
    """
    try:
        overload = importlib.import_module("numba.cuda.extending").overload
    except (ImportError, AttributeError):
        overload = importlib.import_module("numba.extending").overload
    return overload(function, target="cuda")


class RunningKernel:
    """A stand-in for `numba.cuda` under the simulator, which finds each name in the kernel that runs.

    The simulator swaps the name `cuda` in the globals of one function only, and device functions live in files of their own.
    Goes when the simulator does the same for all functions that a kernel calls.
    """

    def __init__(self):
        self._simulator = importlib.import_module("numba.cuda.simulator.kernel")

    def __getattr__(self, name):
        return getattr(self._simulator._get_kernel_context(), name)
