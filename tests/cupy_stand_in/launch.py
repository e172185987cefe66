"""Modules, functions and launches: arguments become bytes as in CuPy, and go to a driver.

cupy/cuda/function.pyx and cupy/_core/_scalar.pyx (v14.2; v13.4 packs the same bytes).
"""

import itertools
import struct
import zlib
from typing import NamedTuple

import numpy as np

from . import driver, streams
from .array import SUPPORTED, address, ndarray
from .errors import CUDADriverError, StandInError

_int64, _uint64 = np.dtype(np.int64), np.dtype(np.uint64)
_labels = itertools.count(1)
_packers = {bool: struct.Struct("?").pack, float: struct.Struct("d").pack, complex: lambda x: struct.pack("dd", x.real, x.imag)}
_numbers = frozenset(np.dtype(char).type for char in SUPPORTED)
_pointer = struct.Struct("Q").pack


class Buffer(NamedTuple):
    """The memory of one array that a kernel was given; the item of a complex array is one of its parts."""

    address: int
    nbytes: int
    itemsize: int
    allocation: int
    label: str


def pack(x):
    """The bytes of one number, as `_pointer` of function.pyx:48 gives them to the driver.

    Python's int has eight bytes, with a sign where it fits; a NumPy scalar has those of its own dtype.
    """
    kind = type(x)
    packer = _packers.get(kind)
    if packer is not None:
        return packer(x)
    if kind is int:
        return struct.pack("q" if x < 1 << 63 else "Q", x)
    if kind in _numbers:
        return x.tobytes()
    if isinstance(x, np.ndarray):
        if x.size != 1:
            raise TypeError(
                f"You are trying to pass a numpy.ndarray of shape {x.shape} as a kernel parameter. Only numpy.ndarrays of size "
                "one can be passed by value. If you meant to pass a pointer to __global__ memory, you need to pass a "
                "cupy.ndarray instead."
            )
        return x.tobytes()
    raise TypeError(f"Unsupported type {kind}")


def buffer_of(x, place):
    """The memory that an array spans, from its lowest to its highest byte."""
    low, high = np.lib.array_utils.byte_bounds(x._x)
    itemsize = x._x.itemsize >> (x._x.dtype.kind == "c")
    return Buffer(low, high - low, itemsize, x._mem.block.ptr, f"argument {place}: {x._x.dtype}[{x._x.size}]")


class Module:
    """As `cupy.cuda.function.Module`: code that belongs to the device that was current when it was loaded."""

    def __init__(self):
        self._code, self._device = None, None

    def load(self, cubin):
        """Load code."""
        if not isinstance(cubin, bytes):
            raise TypeError(f"Argument 'cubin' has incorrect type (expected bytes, got {type(cubin).__name__})")
        self._code, self._device = driver.load(cubin), streams.current.device

    def get_function(self, name):
        """A kernel of the code."""
        if self._code is None:
            raise CUDADriverError("CUDA_ERROR_INVALID_HANDLE: nothing was loaded into the module")
        return Function(self, name.decode() if isinstance(name, bytes) else name)


class Function:
    """As `cupy.cuda.function.Function`."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False):
        if type(grid) is not tuple or type(block) is not tuple:
            raise TypeError("Argument 'grid' has incorrect type (expected tuple)")
        blocks, threads = _extents(grid, 2**31 - 1), _extents(block, 1024)
        timeline = streams.current_timeline() if stream is None else streams.timeline_of(stream)
        if self.module._device != streams.current.device:
            raise CUDADriverError(
                f"CUDA_ERROR_INVALID_HANDLE: a module of device {self.module._device} while device {streams.current.device} is "
                "current"
            )
        arguments, arrays = self._packed(args)
        if shared_mem:
            raise NotImplementedError("the stand-in for CuPy does not know dynamic shared memory")
        _run(self, blocks, threads, arguments, arrays, timeline)

    def _packed(self, args):
        arguments, arrays = [], []
        for place, x in enumerate(args):
            if type(x) is ndarray:
                arguments.append(_pointer(address(x)))
                if x._mem.device_id != self.module._device:
                    raise CUDADriverError(
                        f"CUDA_ERROR_ILLEGAL_ADDRESS: argument {place} is on device {x._mem.device_id}, the kernel on device "
                        f"{self.module._device}, and neither reaches the other's memory"
                    )
                if not x._x.flags.c_contiguous:
                    raise StandInError(
                        f"argument {place} has shape {x.shape} and strides {x.strides}: a kernel sees a pointer, and takes its "
                        "elements for neighbours"
                    )
                if x._x.size:
                    arrays.append((x, place))
            else:
                arguments.append(pack(x))
        return arguments, arrays


class RawKernel:
    """As `cupy.RawKernel`, for kernels that only take time: there is no compiler of CUDA C++ here, and nothing is run."""

    def __init__(self, code, name):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("Argument 'code' and 'name' have incorrect types (expected str)")
        if "*" in code.partition("(")[2].partition(")")[0]:
            raise NotImplementedError("the stand-in for CuPy does not know kernels in CUDA C++ that take pointers")

    def __call__(self, grid, block, args):
        _extents(grid, 2**31 - 1), _extents(block, 1024)
        for x in args:
            pack(x)


def _extents(given, most):
    """The first of three extents; kernels of one dimension only."""
    first = given[0]
    if any(other != 1 for other in given[1:]):
        raise NotImplementedError("the stand-in for CuPy does not know grids and blocks of more than one dimension")
    first = max(1, int(first.__index__()))
    if first > most:
        raise CUDADriverError(f"CUDA_ERROR_INVALID_VALUE: invalid argument: {first} blocks or threads")
    return first


def _run(function, blocks, threads, arguments, arrays, timeline):
    code = function.module._code
    what = f"kernel {getattr(code, 'name', function.name)}"
    memories = list({x._mem.block.number: x._mem.block for x, _ in arrays}.values())
    if driver.counts_only():
        streams.use(what, memories, [], lambda: driver.launch(code, blocks, threads, arguments, []), timeline)
        return
    buffers = [buffer_of(x, place) for x, place in arrays]
    if timeline.capture is not None:  # which it writes is not known before it runs
        timeline.capture.record(what, memories, memories, lambda: driver.launch(code, blocks, threads, arguments, buffers))
        return
    streams.use(what, memories, [], None, timeline)
    before = [zlib.crc32(block.host) for block in memories]
    driver.launch(code, blocks, threads, arguments, buffers)
    for block, digest in zip(memories, before, strict=True):
        if zlib.crc32(block.host) != digest:
            streams.note_write(block, timeline, what)
