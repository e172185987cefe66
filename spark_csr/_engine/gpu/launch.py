"""Launching kernels on CuPy's current stream.

Design: Numba's own dispatcher converts every array at every launch, which costs more than the product of a small matrix.
Here a kernel takes plain pointers and numbers (one parameter each), is compiled once per combination of argument types,
and is called through CuPy. Cost: shapes do not travel with pointers, so kernels are given sizes as numbers.

CuPy takes memory from the current device and frees it in the order of the current stream. So arrays must be on the current
device (`_current_device` sees to that for public calls); a launch on another raises.

Under Numba's simulator the same kernels run as Python, a thread per lane.
"""

import sys

import numpy as np

from spark_csr._array import SIMULATED
from spark_csr._engine.gpu.compile import ENTRY, cubin_of, type_of
from spark_csr._engine.gpu.compiler import chosen
from spark_csr._engine.numba.parameters import look_over

launches = 0
"""How many kernels were launched so far: tests count them."""


class Kernel:
    """A kernel function for blocks of `threads` threads; compiled when first called with arguments of new types.

    Arguments are arrays, numbers, and tuples of these. With `views` arrays arrive as Numba arrays that know their size
    (seven parameters each), not as pointers.
    """

    def __init__(self, function, threads, *, views=False):
        self.function, self.threads, self.views = function, threads, views
        self._loaded = {}
        self._parts = None if SIMULATED else chosen().parts_of_array

    def __call__(self, blocks, *args):
        """Launch on the current stream of the device that holds the arrays. No blocks: nothing happens."""
        if not blocks:
            return
        if SIMULATED:
            _simulate(self.function, self.threads, blocks, args)
            return
        parameters, kinds = [], []
        look_over(args, self.views, parameters, kinds, self._parts)
        known = _current_device(parameters), *kinds
        function = self._loaded.get(known)
        if function is None:
            function = self._loaded[known] = self._load(known[0], args)
        _launch(function, blocks, self.threads, parameters)

    def launcher(self):
        """Return a function `launch(blocks, *args)` for one caller who always passes the same types: it looks nothing up again.

        Arguments are arrays without views, real numbers, and tuples of these.
        """
        if SIMULATED:
            return self
        function, threads = None, self.threads

        def launch(blocks, *args):
            nonlocal function
            if not blocks:
                return
            parameters = []
            for x in args:
                if type(x) is tuple:
                    parameters += x
                else:
                    parameters.append(x)
            device = _current_device(parameters)
            if function is None:
                function = self._load(device, args)
            _launch(function, blocks, threads, parameters)

        return launch

    def _load(self, device, args):
        """Return the kernel for arguments of these types, compiled and loaded on the current device."""
        cupy = sys.modules["cupy"]
        types = tuple(type_of(x, self.views) for x in args)
        capability = tuple(divmod(int(cupy.cuda.Device(device).compute_capability), 10))
        module = cupy.cuda.function.Module()
        try:
            module.load(cubin_of(self.function, types, self.threads, capability))
        except cupy.cuda.driver.CUDADriverError:  # the file was made by a newer toolkit than this driver knows, or is damaged
            module.load(cubin_of(self.function, types, self.threads, capability, anew=True))
        return module.get_function(ENTRY)


def _launch(function, blocks, threads, parameters):
    global launches
    launches += 1
    function((blocks,), (threads,), parameters)


def _current_device(parameters):
    """Return the number of the device that holds the arrays; RuntimeError where it is not the current one."""
    cupy = sys.modules["cupy"]
    current, array = cupy.cuda.runtime.getDevice(), cupy.ndarray
    for x in parameters:
        if isinstance(x, array):
            number = x.data.device_id
            if number != current:
                raise RuntimeError(
                    f"the arrays are on cuda:{number}, the current device is cuda:{current}: call inside of "
                    f"`with cupy.cuda.Device({number}):`"
                )
            break
    return current


def _simulate(function, threads, blocks, args):
    global launches
    launches += 1
    from numba import cuda

    def run(args):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            function(*args)

    cuda.jit(run)[blocks, threads](args)
