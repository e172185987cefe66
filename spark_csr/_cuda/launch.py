"""Launching kernels on CuPy's current stream.

Design: Numba's own dispatcher converts every array at every launch, which costs more than the product of a small matrix.
Here a kernel takes plain pointers and numbers (one parameter each), is compiled once per combination of argument types,
and is called through CuPy. Cost: shapes do not travel with pointers, so kernels are given sizes as numbers.

Under Numba's simulator the same kernels run as Python, a thread per lane.
"""

import functools

import numpy as np

from spark_csr._array import SIMULATED, is_array, is_device_array
from spark_csr._cuda.compile import ENTRY, cubin_of, type_of

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

    def __call__(self, blocks, *args):
        """Launch on the current stream of the device that holds the arrays. No blocks: nothing happens."""
        if blocks:
            self.prepare(*args)(blocks, *args)

    def repeated(self):
        """A function `launch(blocks, *args)` for one caller who always passes the same types: looks nothing up again."""
        prepared = None

        def launch(blocks, *args):
            nonlocal prepared
            if prepared is None:
                prepared = self.prepare(*args)
            if blocks:
                prepared(blocks, *args)

        return launch

    def prepare(self, *args):
        """`launch(blocks, *args)` for arguments of these types, compiled and loaded."""
        if SIMULATED:
            return functools.partial(_simulate, self.function, self.threads)
        device = next(x for x in _flat(args) if is_device_array(x)).device
        known = device.id, *_dtypes(args)
        launch = self._loaded.get(known)
        if launch is None:
            function = self._load(device, tuple(type_of(x, self.views) for x in args))
            launch = self._loaded[known] = functools.partial(_launch, function, device, self.threads, self.views)
        return launch

    def _load(self, device, types):
        import cupy

        capability = tuple(divmod(int(device.compute_capability), 10))
        with device:
            module = cupy.cuda.function.Module()
            module.load(cubin_of(self.function, types, self.threads, capability))
            return module.get_function(ENTRY)


def _launch(function, device, threads, views, blocks, *args):
    global launches
    launches += 1
    import cupy

    flat = tuple(_as_views(args) if views else _flat(args))
    if cupy.cuda.runtime.getDevice() == device.id:
        function((blocks,), (threads,), flat)
    else:
        with device:
            function((blocks,), (threads,), flat)


def _simulate(function, threads, blocks, *args):
    global launches
    launches += 1
    from numba import cuda

    def run(args):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            function(*args)

    cuda.jit(run)[blocks, threads](args)


def _dtypes(args):
    """Return what decides the types of a kernel's parameters: it takes a hundredth of the time of Numba's types."""
    found = []
    for x in args:
        kind = type(x)
        if kind is tuple:
            found += (len(x), *_dtypes(x))
        elif kind is int:
            found.append("q" if -(1 << 63) <= x < 1 << 63 else "Q")
        elif kind is float or kind is bool or kind is complex:
            found.append(kind)
        else:
            found.append((is_array(x), x.dtype.char))
    return found


def _flat(args):
    """Yield what each parameter is passed: Python numbers as NumPy scalars of 64 bits, complex numbers as their two parts."""
    for x in args:
        if isinstance(x, tuple):
            yield from _flat(x)
        elif isinstance(x, (complex, np.complexfloating)):
            yield from (np.asarray(part)[()] for part in (x.real, x.imag))
        else:
            yield np.asarray(x)[()] if type(x) in (int, float, bool) else x


def _as_views(args):
    """What Numba's ABI for an array asks for: two empty handles, size, element size, pointer, shape, stride."""
    for x in _flat(args):
        if is_array(x):
            yield from (np.uint64(0), np.uint64(0), np.int64(x.size), np.int64(x.itemsize), x)
            yield from (np.int64(x.size), np.int64(x.itemsize))
        else:
            yield x
