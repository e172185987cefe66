"""What kind of array is this? The only file that asks.

Everything else works on "arrays": NumPy's on the processor, CuPy's on a GPU. CuPy is looked up, never imported, until
somebody asks for a GPU: an array of a library that was never imported cannot arrive here.

Under Numba's CUDA simulator NumPy arrays stand for device arrays, so that one test body reaches the CUDA kernels.
"""

import importlib
import sys
import weakref

import numba
import numpy as np

SIMULATED = bool(numba.config.ENABLE_CUDASIM)
"""Kernels for GPUs run as Python, under Numba's simulator."""

HOST_STANDS_FOR_DEVICE = SIMULATED
"""NumPy arrays stand for arrays on a GPU: they go to its kernels."""

INT32_MAX = np.iinfo(np.int32).max

DTYPES = tuple(np.dtype(code) for code in "?bBhHiIqQefdFD")
"""The element types of a matrix: bool, (u)int8..64, float16 (stored only), float32/64, complex64/128."""

NO_CUDA = (
    "a CUDA device was asked for; this needs a CUDA device and its driver, and the packages of: "
    'pip install cupy-cuda13x "numba-cuda[cu13]" (or cupy-cuda12x "numba-cuda[cu12]")'
)


def is_device_array(x):
    """Return whether `x` is a CuPy array."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(x, cupy.ndarray)


def refuse_masked(name, x):
    """Raise TypeError for a masked array: `numpy.asarray` forgets its mask."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: use x.filled(value) or x.compressed()")


def goes_to_gpu(x):
    """Return whether kernels for GPUs take `x`: a CuPy array, or one that stands for it."""
    return HOST_STANDS_FOR_DEVICE or is_device_array(x)


def is_array(x):
    """Return whether `x` is a NumPy or CuPy array."""
    return isinstance(x, np.ndarray) or is_device_array(x)


def namespace_of(*arrays):
    """Return `numpy` or `cupy`, the library that all of `arrays` belong to; raise TypeError if they differ."""
    for x in arrays:  # every operation asks several times: a loop takes a third of the time of `all`
        if not isinstance(x, np.ndarray):
            break
    else:
        return np
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        array = cupy.ndarray
        for x in arrays:
            if not isinstance(x, array):
                break
        else:
            return cupy
    kinds = [f"{type(x).__module__.partition('.')[0]}.{type(x).__name__}" for x in arrays]
    if any(map(is_tensor, arrays)):
        advice = "use the functions of spark_csr.interop.torch for tensors, or make arrays with tensor.numpy()"
    elif all(map(is_array, arrays)):
        advice = "move one with A.to_device(...), cupy.asarray(x) or x.get()"
    else:
        advice = "make an array with numpy.asarray(x)"
    raise TypeError(
        "arrays must all be NumPy arrays or all CuPy arrays, got " + " and ".join(dict.fromkeys(kinds)) + f"; {advice}"
    )


def is_tensor(x):
    """Return whether `x` is a tensor of PyTorch, which was imported then."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(x, kind)


def device_of(x):
    """Return `"cpu"`, or `"cuda:0"` with the number of the GPU that holds `x`."""
    return f"cuda:{x.device.id}" if is_device_array(x) else "cpu"


def same_device(*arrays):
    """Return the device that holds all of `arrays`; raise a TypeError that names both if they differ."""
    if namespace_of(*arrays) is np:
        return "cpu"
    first = arrays[0].data.device_id
    for x in arrays:
        if x.data.device_id != first:
            break
    else:
        return f"cuda:{first}"
    devices = list(dict.fromkeys(map(device_of, arrays)))
    if len(devices) > 1:
        raise TypeError(f"arrays on different devices: {' and '.join(devices)}; move one with to_device(...)")
    return devices[0]


def parse_device(device):
    """Return None for `"cpu"`, the GPU's number for `"cuda"` or `"cuda:1"`; raise RuntimeError if there is no such GPU."""
    name, colon, number = str(device).partition(":")
    if name == "cpu" and not colon:
        return None
    if name != "cuda" or bool(colon) != number.isdigit():
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:<number>', got {device!r}")
    try:
        cupy = importlib.import_module("cupy")
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise RuntimeError(f"{NO_CUDA} ({error})") from error
    chosen = int(number) if number else cupy.cuda.Device().id
    if chosen >= count:
        raise RuntimeError(f"{device!r} was asked for; this machine has {count} CUDA device(s): use a smaller number")
    return chosen


def to_device(x, device):
    """Return `x` itself if it is on `device` already, else a copy on `device`."""
    number = parse_device(device)
    if number is None:
        return x.get() if is_device_array(x) else x
    cupy = importlib.import_module("cupy")
    with cupy.cuda.Device(number):
        return cupy.asarray(x)


def namespace_for(device):
    """Return `numpy` or `cupy`, by the name of a device."""
    return np if parse_device(device) is None else importlib.import_module("cupy")


DLPACK_CUDA = 2
"""The number of CUDA devices in the DLPack standard."""


def is_on_gpu(x):
    """Return whether another library's tensor, or an array of CuPy's, says by DLPack that it lies on a CUDA device."""
    return hasattr(x, "__dlpack_device__") and not isinstance(x, np.ndarray) and x.__dlpack_device__()[0] == DLPACK_CUDA


def from_gpu(x):
    """Return the CuPy array of a tensor on a GPU, in the same memory; raise RuntimeError if there is no CuPy."""
    if is_device_array(x):
        return x
    parse_device("cuda")
    return importlib.import_module("cupy").from_dlpack(x)


def free_on_gpu(x):
    """Bytes that CuPy could allocate on the GPU of `x`: those that are free there, and those that its pool keeps."""
    xp = namespace_of(x)
    with x.device:
        return xp.cuda.Device().mem_info[0] + xp.get_default_memory_pool().free_bytes()


def to_host_scalar(x):
    """Return one element as a Python number. On a GPU this waits for the device: the only host read but for `to_host_list`."""
    return x.item()


def count_nonzero(x):
    """Return how many elements are not zero, where `x` is. NumPy counts bools many at a time, floats one by one."""
    return namespace_of(x).count_nonzero(x != 0 if x.size > 1024 and x.dtype.kind in "fc" else x)


def to_host_list(x):
    """Return a few elements as Python numbers, in one host read."""
    return x.tolist()


def finish_writing(x):
    """Wait, where `x` is on a GPU, until all is written that the current stream writes: other streams may read it then."""
    if is_device_array(x):
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


def is_capturing(x):
    """Return whether `x` is on a GPU and what is launched on the current stream is recorded for a graph."""
    return is_device_array(x) and sys.modules["cupy"].cuda.get_current_stream().is_capturing()


def is_writing_in_order(x):
    """Return whether `x[places] = values` leaves the last of the values that go to one place: GPUs write in any order."""
    return not goes_to_gpu(x)


def one_thread_is_fast(x):
    """Return whether one thread goes through `x` about as fast as a few do together: not on a GPU."""
    return not goes_to_gpu(x)


def read_only(x):
    """Return a view of `x` that cannot be written through; `x` itself if it is CuPy's, which has no such views."""
    if is_device_array(x):
        return x
    view = x.view()
    view.flags.writeable = False
    return view


def overlaps(x, *others):
    """Return whether the memory of `x` may overlap that of one of the others: their bounds are compared and nothing else."""
    overlap = np.may_share_memory if type(x) is np.ndarray else namespace_of(x).may_share_memory
    for other in others:  # noqa: SIM110 a loop takes half the time of `any`
        if overlap(x, other):
            return True
    return False


def is_same_memory(x, y):
    """Return whether two contiguous arrays are the same elements in the same memory."""
    if x is y:
        return True
    if x.dtype != y.dtype or x.size != y.size or is_device_array(x) != is_device_array(y):
        return False
    if is_device_array(x):
        return x.data.ptr == y.data.ptr
    return x.__array_interface__["data"][0] == y.__array_interface__["data"][0]


def copy_if_shared(x, *written):
    """Return `x`, or a copy of it if its memory may overlap that of arrays which are written while it is read.

    That takes less than a microsecond, and may copy in vain.
    """
    return x.copy() if overlaps(x, *written) else x


def may_be_spent(x):
    """Return whether an array's memory is all its own, and can be given back in part: not CuPy's, whose pool takes it back
    whole.

    What NumPy's `resize` refuses is refused: views, and arrays that are weakly referenced.
    """
    return isinstance(x, np.ndarray) and x.flags.owndata and x.flags.writeable and not weakref.getweakrefcount(x)


def trim(x, length):
    """Return the first `length` elements of an array that nobody else sees; give back the memory behind them where that can be
    done.
    """
    if length == x.size:
        return x
    if not may_be_spent(x):
        return x[:length]
    x.resize(length, refcheck=False)
    return x


def contiguous(x, dtype=None):
    """Return `x` in C order, in `dtype` if given, and on a GPU at an address that its element size divides.

    A copy is made where it is not so already: a GPU reads no element from an address that its size does not divide.
    """
    if type(x) is np.ndarray:
        return np.ascontiguousarray(x, dtype=dtype)
    x = namespace_of(x).ascontiguousarray(x, dtype=dtype)
    return x.copy() if is_misplaced(x) else x


def is_misplaced(x):
    """Return whether `x` is on a GPU and begins at an address that its element size does not divide."""
    return is_device_array(x) and x.data.ptr % x.itemsize != 0


class _Exposed:
    """The memory of an array, by NumPy's interface protocol."""

    def __init__(self, x):
        self.owner = x
        self.__array_interface__ = {**x.__array_interface__, "data": (x.__array_interface__["data"][0], False)}


def as_operand(x):
    """Return `x` contiguous, for kernels that only read it. A read-only one seems writeable then: to Numba it is another type,
    and every kernel would be compiled once more for it.
    """
    x = contiguous(x)
    if x.flags.writeable if isinstance(x, np.ndarray) else is_device_array(x):
        return x
    return x.base.reshape(x.shape) if _is_whole(x, x.base) else np.asarray(_Exposed(x))


class HandedOut(_Exposed):
    """The memory of an index array of a matrix, which lives as long as an array that is made of it, or a view of one."""

    _array = staticmethod(lambda: None)

    def as_array(self):
        """Return an array in this memory: the same one as long as it lives, since SciPy asks whether arrays are the same."""
        array = self._array()
        if array is None:
            array = np.asarray(self)
            self._array = weakref.ref(array)
        return array


def copy_if_handed_out(x):
    """Return `x`, or a copy if it lies in memory that is `HandedOut`, so that the matrix need not watch it."""
    base = getattr(x, "base", None)
    return x.copy() if isinstance(base, HandedOut) or isinstance(getattr(base, "base", None), HandedOut) else x


def _is_whole(view, base):
    """Return whether a contiguous view is all of an array that can be written into, as `read_only` makes views."""
    same = type(base) is np.ndarray and base.dtype == view.dtype and base.size == view.size
    return same and base.flags.c_contiguous and base.flags.writeable


def complex_of(real, imaginary):
    """Return complex numbers of these parts. In `real + 1j * imaginary` the real part is NaN where the other is infinite."""
    out = namespace_of(real).empty(real.shape, np.result_type(real.dtype, imaginary.dtype, np.complex64))
    out.real, out.imag = real, imaginary
    return out


def index_dtype(largest):
    """int32 where every index up to and including `largest` fits, else int64."""
    return np.dtype(np.int32 if largest <= INT32_MAX else np.int64)


def as_positions(index):
    """Return an index array for `x[index]`, in the dtype that NumPy uses itself.

    NumPy 2.4 and 2.5 convert other dtypes, and end the process if there is no memory for that; `astype` raises MemoryError.
    """
    return index.astype(np.intp, copy=False)


_WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}


def by_width(x):
    """Return `x` seen as unsigned integers of its width: kernels that only move elements are compiled once per width."""
    return x.view(_WIDTHS[x.dtype.itemsize])
