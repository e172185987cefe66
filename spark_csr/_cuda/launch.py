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
from spark_csr._cuda.compile import ENTRY, cubin_of, type_of

launches = 0
"""How many kernels were launched so far: tests count them."""

_COMPLEX = frozenset((complex, np.complex64, np.complex128))
_NUMBERS = frozenset((float, bool, *(np.dtype(code).type for code in "?bBhHiIlLqQefd"))) | _COMPLEX

_NO_HANDLE = np.uint64(0)
"""What Numba's array holds where it has no owner."""


class Kernel:
    """A kernel function for blocks of `threads` threads; compiled when first called with arguments of new types.

    Arguments are arrays, numbers, and tuples of these. With `views` arrays arrive as Numba arrays that know their size
    (seven parameters each), not as pointers.
    """

    def __init__(self, function, threads, *, views=False):
        self.function, self.threads, self.views = function, threads, views
        self._loaded = {}

    def __call__(self, blocks, *args):
        """Launch on the current stream of the device that holds the arrays. No blocks: nothing happens."""
        if not blocks:
            return
        if SIMULATED:
            _simulate(self.function, self.threads, blocks, args)
            return
        parameters, kinds = [], []
        _look_over(args, self.views, parameters, kinds)
        known = _current_device(parameters), *kinds
        function = self._loaded.get(known)
        if function is None:
            function = self._loaded[known] = self._load(known[0], args)
        _launch(function, blocks, self.threads, parameters)

    def repeated(self):
        """Return a function `launch(blocks, *args)` for one caller who always passes the same types: looks nothing up again.

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


def _look_over(args, views, parameters, kinds):
    """Append what each parameter is passed to `parameters`, and what decides its type to `kinds`.

    CuPy passes Python numbers as numbers of 64 bits. Numba's ABI for a complex number asks for its two parts, for an array by
    view for two empty handles, size, element size, pointer, shape and stride. Numba's own types would take a hundred times
    longer to make than `kinds`.
    """
    for x in args:
        kind = type(x)
        if kind is int:
            kinds.append("q" if -(1 << 63) <= x < 1 << 63 else "Q")
            parameters.append(x)
        elif kind is tuple:
            kinds.append(len(x))
            _look_over(x, views, parameters, kinds)
        elif kind in _NUMBERS:
            kinds.append(kind)
            if kind in _COMPLEX:
                parameters += x.real, x.imag
            else:
                parameters.append(x)
        else:
            kinds.append(x.dtype.char)
            if views:
                size, width = x.size, x.itemsize
                parameters += _NO_HANDLE, _NO_HANDLE, size, width, x, size, width
            else:
                parameters.append(x)
