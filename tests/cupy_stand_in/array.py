"""`cupy.ndarray`: an array in a device's memory, whose values the host sees through `get` only.

Line numbers are those of CuPy v14.2.0 unless another version is named.
"""

import collections
import operator

import numpy as np

from . import device, memory, streams
from .errors import unknown
from .registry import NAMES, words

host_reads = collections.Counter()
"""How often the host waited for values, by what made it: `get` and `item` of users, and functions that read by themselves."""

SUPPORTED = "?bBhHiIlLqQefdFD"
"""cupy/_core/_dtype.pyx: all_type_chars."""

_scalars = frozenset({int, float, bool, complex, *(np.dtype(char).type for char in SUPPORTED)})


def checked_dtype(dtype):
    """The NumPy dtype; ValueError where CuPy has no such: cupy/_core/_dtype.pyx, check_supported_dtype."""
    dtype = np.dtype(dtype)
    if dtype.char not in SUPPORTED:
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


class MemoryFlags:
    """As `cupy._core.flags.Flags`: three attributes, and no `writeable`."""

    __slots__ = ("c_contiguous", "f_contiguous", "owndata")

    def __init__(self, x, owndata):
        flags = x.flags
        self.c_contiguous, self.f_contiguous, self.owndata = flags.c_contiguous, flags.f_contiguous, owndata

    def __getitem__(self, name):
        places = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata"}
        names = {"C_CONTIGUOUS": "C", "F_CONTIGUOUS": "F", "OWNDATA": "O"}
        return getattr(self, places[names.get(name, name)])

    @property
    def fnc(self):
        """Fortran order and not C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        """Fortran order or C order."""
        return self.f_contiguous or self.c_contiguous


def wrap(x, mem, base=None):
    """The array that shows the NumPy array `x`, which lies in `mem`."""
    array = object.__new__(ndarray)
    array._x, array._mem, array.base, array._at, array._pointer = x, mem, base, None, None
    return array


def address(array):
    """Where the first element is, 0 of an empty array; found out once, as NumPy takes a microsecond."""
    at = array._at
    if at is None:
        at = array._at = 0 if array._mem.block is None else array._x.__array_interface__["data"][0]
    return at


def new(shape, dtype, order="C"):
    """An array of rubbish on the current device."""
    shape = (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(map(operator.index, shape))
    if any(length < 0 for length in shape):
        raise ValueError("Negative dimensions are not allowed")
    size = dtype.itemsize
    for length in shape:
        size *= length
    mem = memory.alloc(size)
    return wrap(_shown(mem, shape, dtype, order), mem)


def _shown(mem, shape, dtype, order="C", offset=0, strides=None):
    if mem.block is None:
        return np.empty(shape, dtype, order)
    return np.ndarray(shape, dtype, mem.block.host, offset, strides, order)


def check_device(*arrays):
    """ValueError where an array is not on the current device: cupy/_core/_kernel.pyx:128, _check_peer_access.

    With peer access CuPy warns and goes on, in v13.4 and in v14.
    """
    here = streams.current.device
    for x in arrays:
        if x._mem.device_id != here and not device.PEERS:
            raise ValueError(
                f"The device where the array resides ({x._mem.device_id}) is different from the current device ({here}). Peer "
                "access is unavailable between these devices."
            )


def blocks_of(arrays):
    """The memory of arrays."""
    return [x._mem.block for x in arrays]


def quiet(compute):
    """What `compute` returns, with no warnings of overflow and division: a GPU gives none."""
    with np.errstate(all="ignore"):
        return np.asarray(compute())


def produce(what, compute, reads, out=None, order="C"):
    """The array of what `compute` returns, a new one or `out`; computed again at each launch of a graph that records it.

    `compute` holds NumPy arrays, not arrays of the stand-in: a graph keeps no memory alive.
    """
    value = quiet(compute)
    if out is None:
        out = new(value.shape, checked_dtype(value.dtype), order)
    store(what, value, compute, reads, out)
    return out


def store(what, value, compute, reads, out):
    """Write `value` into `out`, or record that what `compute` returns is written."""
    target = out._x

    def write():
        with np.errstate(all="ignore"):
            np.copyto(target, value, casting="unsafe")

    def compute_and_write():
        with np.errstate(all="ignore"):
            np.copyto(target, compute(), casting="unsafe")

    timeline = streams.current_timeline()
    action = write if timeline.capture is None else compute_and_write
    streams.use(what, blocks_of(reads), [out._mem.block], action, timeline)


def read_here(x, why):
    """The values of `x` for a function that waits for them by itself."""
    host_reads[why] += 1
    return _read(x, streams.get_current_stream())


def _read(x, stream):
    before, streams.current.device = streams.current.device, x._mem.device_id
    try:
        timeline = streams.timeline_of(stream)
        if timeline.capture is not None:
            raise streams.CUDARuntimeError(streams.CAPTURING)
        streams.use("a copy to the host", [x._mem.block], [], None, timeline)
        streams.wait_on_host(timeline.clock)
    finally:
        streams.current.device = before
    return x._x


def should_use_rop(x, y):
    """Whether `y`'s reflected operator goes first: cupy/_core/core.pyx:109, _should_use_rop."""
    nothing = object()
    override = getattr(y, "__array_ufunc__", nothing)
    if override is not nothing:
        return override is None
    return getattr(x, "__array_priority__", 0) < getattr(y, "__array_priority__", 0)


class ndarray:
    """As `cupy.ndarray`."""

    __slots__ = ("__weakref__", "_at", "_mem", "_pointer", "_x", "base")
    __array_priority__ = 100  # core.pyx:594
    __hash__ = None  # an extension type with __richcmp__ and no __hash__

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = checked_dtype(dtype)
        if order not in ("C", "F", "c", "f", None):
            raise ValueError(f"order not understood. order={order}")
        order = (order or "C").upper()
        if memptr is None:
            if strides is not None:  # core.pyx:227 of v13.4: "memptr is required if strides is given."
                raise ValueError("memptr is required if strides is given.")
            return new(shape, dtype, order)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        offset = memptr.ptr - memptr.mem.ptr
        return wrap(_shown(memptr.mem, shape, dtype, order, offset, strides), memptr.mem)

    # Layout

    @property
    def shape(self):
        """Lengths of axes."""
        return self._x.shape

    @shape.setter
    def shape(self, shape):
        view = self._x.reshape(shape)
        if self._x.size and not np.may_share_memory(view, self._x):
            raise AttributeError("incompatible shape")  # _routines_manipulation.pyx, _ndarray_shape_setter
        self._x = view

    # CuPy's are members of a C structure: `attrgetter` is the fastest that Python has.
    dtype = property(operator.attrgetter("_x.dtype"))
    ndim = property(operator.attrgetter("_x.ndim"))
    size = property(operator.attrgetter("_x.size"))
    itemsize = property(operator.attrgetter("_x.itemsize"))
    nbytes = property(operator.attrgetter("_x.nbytes"))
    strides = property(operator.attrgetter("_x.strides"))
    flags = property(lambda self: MemoryFlags(self._x, self.base is None))

    @property
    def data(self):
        """Where the first element is."""
        pointer = self._pointer
        if pointer is None:
            pointer = self._pointer = memory.MemoryPointer(self._mem, address(self) - self._mem.ptr)
        return pointer

    @property
    def device(self):
        """Where the memory is."""
        return device.Device(self._mem.device_id)

    def _view(self, x):
        return wrap(x, self._mem, self if self.base is None else self.base)

    @property
    def T(self):
        """The transposed view; the array itself where there is nothing to swap: core.pyx:567."""
        return self if self.ndim < 2 else self._view(self._x.T)

    @property
    def real(self):
        """A view of the real parts; the array itself where it is real."""
        return self._view(self._x.real) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """A view of the imaginary parts; new zeros where there are none: _routines_math.pyx, _ndarray_imag_getter."""
        if self.dtype.kind == "c":
            return self._view(self._x.imag)
        return NAMES["zeros"](self.shape, self.dtype)

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("cupy.ndarray does not have imaginary part to set")
        self.imag[...] = value

    @property
    def __cuda_array_interface__(self):
        strides = None if self._x.flags.c_contiguous else self.strides
        pointer = (self.data.ptr if self.size else 0, False)
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": strides, "data": pointer, "version": 3, "stream": 1}

    # To the host

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A copy on the host: core.pyx:2095."""
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError("Only numpy.ndarray can be obtained from cupy.ndarray")
        if out is not None and (out.dtype != self.dtype or out.shape != self.shape):
            raise (TypeError if out.dtype != self.dtype else ValueError)("dtype or shape of out is not that of the array")
        host_reads["get"] += 1
        if self.size == 0 and out is None:
            return np.ndarray(self.shape, self.dtype)
        values = _read(self, streams.get_current_stream() if stream is None else stream)
        if out is not None:
            out[...] = values
            return out
        return values.copy(order="F" if order in ("F", "A") and self._x.flags.f_contiguous else "C")

    def item(self):
        """The one element as a Python number: core.pyx:680."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def tolist(self):
        """The elements as Python numbers."""
        return self.get().tolist()

    def tobytes(self, order="C"):
        """The bytes of the elements."""
        return self.get().tobytes(order)

    def __array__(self, dtype=None, copy=None):
        # core.pyx, __array__ (v13.4 and v14)
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
        )

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __bool__(self):
        # core.pyx:1529; of an empty array CuPy warns (DeprecationWarning) and says False
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self.get())

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, format_spec):
        return format(self.get(), format_spec)

    def __reduce__(self):
        return NAMES["array"], (self.get(),)

    def set(self, arr, stream=None):
        """Copy from the host: core.pyx:2190."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if self.dtype != arr.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if self.shape != arr.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        if not self.flags.forc:
            raise RuntimeError("Cannot set to non-contiguous array")
        upload(self, arr, stream)

    # Protocols

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        # core.pyx:1969
        given = inputs
        if "out" in kwargs:
            out = kwargs["out"]
            if len(out) != 1:
                raise ValueError("The 'out' parameter must have exactly one array value")
            given += out
            kwargs["out"] = out[0]
        if method not in ("__call__", "outer", "at", "reduce", "accumulate", "reduceat"):
            return NotImplemented
        function = NAMES.get(ufunc.__name__)
        if function is None:
            raise unknown(f"cupy.{ufunc.__name__}, which numpy.{ufunc.__name__} of a CuPy array calls")
        function = function if method == "__call__" else getattr(function, method)
        for x in given:
            known = type(x) in _scalars or isinstance(x, (ndarray, np.ndarray)) or hasattr(x, "__cuda_array_interface__")
            if not known:
                return NotImplemented
        if ufunc.__name__ in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
            inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
        return function(*inputs, **kwargs)

    def __array_function__(self, func, types, args, kwargs):
        # core.pyx:2011
        found = NAMES.get(".".join([*func.__module__.split(".")[1:], func.__name__]))
        if found is None:
            raise unknown(f"cupy.{func.__name__}, which {func.__module__}.{func.__name__} of a CuPy array calls")
        if not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
            return NotImplemented
        return found(*args, **kwargs)

    def __dlpack_device__(self):
        return 2, self._mem.device_id  # kDLCUDA

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device not in (None, self.__dlpack_device__()):
            raise unknown("DLPack to another device")
        return Capsule(self)

    # Shape

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(self.shape[0]))

    def __getitem__(self, key):
        return NAMES["_getitem"](self, key)

    def __setitem__(self, key, value):
        NAMES["_setitem"](self, key, value)

    def reshape(self, *shape, order="C", copy=None):
        """A view where one is possible, else a copy."""
        shape = shape[0] if len(shape) == 1 else shape
        view = self._x.reshape(shape, order=order)
        if not self.size or np.may_share_memory(view, self._x):
            return self._view(view)
        return copied(self, view)

    def ravel(self, order="C"):
        """One dimension, contiguous: a view of what is contiguous, else a copy: core.pyx, ravel."""
        flat = self.reshape(-1) if order == "C" or self.ndim < 2 else self.T.reshape(-1)
        return flat if flat._x.flags.c_contiguous else flat.copy()

    def flatten(self, order="C"):
        """A copy in one dimension."""
        return copied(self, self._x.reshape(-1, order=order))

    def transpose(self, *axes):
        """A view with its axes permuted."""
        return self._view(self._x.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        """A view with two axes swapped."""
        return self._view(self._x.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        """A view without axes of length one."""
        return self._view(self._x.squeeze(axis))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of a diagonal."""
        view = self._x.diagonal(offset, axis1, axis2)
        if view.size:
            view.flags.writeable = True
            return self._view(view)
        return new(view.shape, self.dtype)  # _routines_indexing.pyx, _diagonal: diag_size == 0

    def view(self, dtype=None, type=None):
        """The same memory as another dtype: core.pyx:931."""
        if type is not None:
            raise unknown("cupy.ndarray.view(type=...)")
        if dtype is None:
            return self._view(self._x.view())
        dtype = checked_dtype(dtype)
        if dtype.itemsize != self.itemsize and self.ndim == 0:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        return self._view(self._x.view(dtype))

    # Copies

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        """The elements as another dtype, in a new array, or the array itself: core.pyx:735."""
        if casting is not None:
            raise TypeError("casting is not supported yet")
        if subok is not None:
            raise TypeError("subok is not supported yet")
        dtype, order = checked_dtype(dtype), order or "K"
        flags = self._x.flags
        fits = {"K": True, "A": flags.forc, "C": flags.c_contiguous, "F": flags.f_contiguous}[order]
        if not copy and dtype == self.dtype and fits:
            return self
        return copied(self, self._x, dtype, order)

    def copy(self, order="C"):
        """A copy on the current device, also of an array on another one: core.pyx:869."""
        here = streams.current.device
        if self.size == 0 or self._mem.device_id == here:
            return self.astype(self.dtype, order=order)
        with self.device:
            x = self.astype(self.dtype, order=order, copy=False)
        if not x.flags.forc:
            raise NotImplementedError("CuPy cannot copy non-contiguous array between devices.")
        out = new(x.shape, x.dtype, "F" if x.flags.fnc else "C")
        copy_memory(x, out)
        return out

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        with self.device:
            return self.copy()

    def fill(self, value):
        """Set all elements to one number: core.pyx:1000."""
        if isinstance(value, ndarray):
            if value.shape != ():
                raise ValueError("non-scalar cupy.ndarray cannot be used for fill")
            check_device(self, value)
            source, reads = value._x, [value]
        else:
            source, reads = np.asarray(value, dtype=self.dtype), []
            if source.shape != ():
                raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
            check_device(self)
            source = source.copy()
        if self.size:
            store("fill", source, lambda: source, reads, self)

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'ndarray' object has no attribute {name!r}")
        if name in NOT_IN_CUPY:
            raise AttributeError(f"'ndarray' object has no attribute {name!r}: NumPy's arrays have it, CuPy's do not")
        raise unknown(f"cupy.ndarray.{name}")


ndarray.__module__ = "cupy"

NOT_IN_CUPY = frozenset(words("ctypes resize newbyteorder itemset tostring getfield setfield setflags byteswap"))
"""Attributes of NumPy's arrays that CuPy's of v13.4 lack: core.pyx, "TODO(okuta): Implement" beside each."""


class Capsule:
    """What `__dlpack__` gives: an array, for `cupy.from_dlpack` only."""

    def __init__(self, array):
        self.array = array


def copied(source, x, dtype=None, order="C"):
    """A new array of `x`, which shows elements of `source`, by an elementwise kernel."""
    if x.size:
        check_device(source)
    dtype = x.dtype if dtype is None else dtype
    if order == "A":
        order = "F" if x.flags.fnc else "C"
    if order == "K":
        like = np.empty_like(x, dtype, order="K", subok=False)
        mem = memory.alloc(like.nbytes)
        out = wrap(_shown(mem, x.shape, dtype, strides=like.strides), mem)
    else:
        out = new(x.shape, dtype, order)
    if x.size:
        store("a copy", quiet(lambda: x.astype(dtype)), lambda: x.astype(dtype), [source], out)
    elif source.dtype.kind == "c":
        np.empty(0, source.dtype).astype(dtype)  # warns as CuPy does
    return out


def copy_memory(source, target):
    """Copy contiguous memory: the devices may differ, and on the null stream both are waited for.

    cupy/cuda/memory.pyx, MemoryPointer.copy_from_device_async (v14.2).
    """
    x = source._x
    devices = source._mem.device_id, target._mem.device_id
    if devices[0] == devices[1]:
        store("a copy", x, lambda: x, [source], target)
        return
    timeline = streams.current_timeline()
    around = streams.order_across(*devices) if timeline.null else []
    store("a copy between devices", x, lambda: x, [source], target)
    for other in around:
        other.join(timeline.clock)


def upload(target, x, stream=None):
    """Copy a NumPy array into memory of a device; the host may reuse its own at once."""
    if not target.size:
        return
    before, streams.current.device = streams.current.device, target._mem.device_id
    try:
        timeline = streams.current_timeline() if stream is None else streams.timeline_of(stream)
        x, shown = x.copy(), target._x
        streams.use("a copy from the host", [], [target._mem.block], lambda: np.copyto(shown, x), timeline)
    finally:
        streams.current.device = before
