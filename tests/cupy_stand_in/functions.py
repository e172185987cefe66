"""Functions of arrays: made, joined, sorted, searched, summed. The values are NumPy's; what is taken and refused is CuPy's.

Line numbers are those of CuPy v14.2.0 unless another version is named.
"""

import functools

import numpy as np

from . import streams
from .array import (
    Capsule,
    check_device,
    checked_dtype,
    copied,
    ndarray,
    new,
    produce,
    quiet,
    read_here,
    store,
    upload,
    wrap,
)
from .errors import unknown
from .registry import NAMES, known
from .ufuncs import operand, shown

NAMES["ndarray"] = ndarray


def need_array(x, name="a"):
    """TypeError for anything but an array: arguments that are declared `_ndarray_base`, and methods called on them."""
    if not isinstance(x, ndarray):
        raise TypeError(
            f"Argument '{name}' has incorrect type (expected cupy.ndarray, got {type(x).__module__}.{type(x).__name__})"
        )
    return x


# From the host: core.pyx:2840, array


def _like_cupy(x):
    """An array of this or another library on the device, or None: core.pyx, _convert_from_cupy_like."""
    if isinstance(x, ndarray):
        return x
    if hasattr(x, "__cuda_array_interface__"):
        raise unknown("arrays of other libraries by __cuda_array_interface__")
    return None


def _nested(x):
    if isinstance(x, ndarray):
        return True
    return isinstance(x, (list, tuple)) and any(map(_nested, x))


@known
def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, blocking=False):
    """A new array on the current device."""
    if subok:
        raise NotImplementedError
    found = _like_cupy(obj)
    if found is not None:
        dtype = found.dtype if dtype is None else checked_dtype(dtype)
        if found._mem.device_id == streams.current.device:
            result = found.astype(dtype, order=order or "K", copy=bool(copy))
        else:
            result = found.copy().astype(dtype, copy=False)
        return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    if isinstance(obj, (list, tuple)) and _nested(obj):
        return _of_arrays(obj, dtype)
    host = np.array(obj, dtype=dtype, copy=None, ndmin=ndmin)
    checked_dtype(host.dtype)
    order = "F" if order == "F" or (order in ("K", "A", None) and host.flags.fnc) else "C"
    result = new(host.shape, host.dtype, order)
    upload(result, host)
    return result


def _of_arrays(obj, dtype):
    # core.pyx, _array_info_from_nested_sequence: what mixes CuPy arrays with others goes to NumPy, which asks for `__array__`
    if not all(isinstance(x, ndarray) and x.shape == obj[0].shape for x in obj):
        return array(np.array(obj, dtype))
    joined = NAMES["concatenate"]([x.reshape(1, *x.shape) for x in obj])
    return joined if dtype is None else joined.astype(dtype, copy=False)


@known
def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """The array itself where it is one of this dtype on the current device, else a new one."""
    if copy not in (None, False, True):
        raise ValueError("copy must be None or a bool")
    return array(a, dtype, copy, order or "K", False, 0, blocking)


@known
def asanyarray(a, dtype=None, order=None):
    """As `asarray`."""
    return asarray(a, dtype, order)


@known
def ascontiguousarray(a, dtype=None):
    """The array itself where it is contiguous; of a number, one element: core.pyx, ascontiguousarray."""
    return _in_order(a, dtype, "C")


@known
def asfortranarray(a, dtype=None):
    """The array itself where it is in Fortran order."""
    return _in_order(a, dtype, "F")


def _in_order(a, dtype, order):
    need_array(a)
    dtype = a.dtype if dtype is None else checked_dtype(dtype)
    if dtype == a.dtype and a._x.flags[f"{order}_CONTIGUOUS"]:
        return a if a.ndim else a.reshape(1)
    return copied(a, a._x.reshape(a.shape or (1,)), dtype, order)


@known
def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A copy on the host: cupy/__init__.py, asnumpy."""
    return a.get(stream, order, out) if isinstance(a, ndarray) else np.asarray(a, order=order)


@known
def copy(a, order="K"):
    """A copy on the current device."""
    return need_array(a).copy(order=order)


@known
def from_dlpack(array, *, device=None, copy=None):
    """An array in the memory of another: cupy/_core/dlpack.pyx, from_dlpack."""
    if device is not None:
        raise NotImplementedError("from_dlpack() does not support device yet.")
    if array.__dlpack_device__()[0] != 2:
        raise unknown("from_dlpack of memory on the host")
    capsule = array.__dlpack__(stream=1)
    if not isinstance(capsule, Capsule):
        raise unknown("DLPack capsules of other libraries")
    return wrap(capsule.array._x, capsule.array._mem)


# Made of nothing: cupy/_creation/basic.py


def _filled(shape, value, dtype, order="C"):
    made = new(shape, checked_dtype(dtype), order)
    made.fill(value)
    return made


@known
def empty(shape, dtype=float, order="C"):
    """Rubbish."""
    return ndarray(shape, dtype, order=order)


@known
def zeros(shape, dtype=float, order="C"):
    """Zeros."""
    return _filled(shape, 0, dtype, order)


@known
def ones(shape, dtype=float, order="C"):
    """Ones."""
    return _filled(shape, 1, dtype, order)


@known
def full(shape, fill_value, dtype=None, order="C"):
    """One number: its dtype is that of `np.array(fill_value)`."""
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, ndarray) else np.array(fill_value).dtype
    return _filled(shape, fill_value, dtype, order)


def _like(name, value=None):
    def make(a, *args, dtype=None, order="K", subok=None, shape=None):
        if value is Ellipsis:
            fill_value, *args = args
        else:
            fill_value = value
        if args:
            dtype, *args = args
        if args:
            raise unknown(f"cupy.{name} with more than a dtype by place")
        if subok is not None:
            raise TypeError("subok is not supported yet")
        need_array(a)
        if shape is not None or order not in ("K", "C"):
            raise unknown(f"cupy.{name} with shape or order")
        like = np.empty_like(a._x, dtype=a.dtype if dtype is None else checked_dtype(dtype), order=order)
        made = new(like.shape, like.dtype, "F" if like.flags.fnc else "C")
        if fill_value is not None:
            made.fill(fill_value)
        return made

    make.__name__ = name
    return known(make)


_like("empty_like")
_like("zeros_like", 0)
_like("ones_like", 1)
_like("full_like", Ellipsis)


@known
def arange(start, stop=None, step=1, dtype=None):
    """Numbers side by side; float64 where one of the three is a float, else int64: cupy/_creation/ranges.py."""
    for number in (start, stop, step):
        if isinstance(number, ndarray):
            raise TypeError("arange takes numbers, not arrays: it asks numpy.dtype(type(x)) of each")
    if dtype is None:
        floats = any(number is not None and np.dtype(type(number)).kind == "f" for number in (start, stop, step))
        dtype = np.dtype(float if floats else int)
    start, stop = (0, start) if stop is None else (start, stop)
    dtype, step = checked_dtype(dtype), 1 if step is None else step
    size = int(np.ceil((stop - start) / step))
    if size <= 0:
        return empty((0,), dtype)
    values = quiet(lambda: (dtype.type(start) + np.arange(size) * dtype.type(step)).astype(dtype))
    made = new((size,), dtype)
    store("arange", values, lambda: values, [], made)
    return made


@known
def eye(N, M=None, k=0, dtype=float, order="C"):
    """Ones on a diagonal."""
    made = zeros((N, N if M is None else M), dtype, order)
    upload(made, np.eye(N, M, k, dtype))
    return made


@known
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Numbers at equal distances, of numbers only."""
    if retstep or axis or isinstance(start, ndarray) or isinstance(stop, ndarray):
        raise unknown("cupy.linspace of arrays")
    return array(np.linspace(start, stop, num, endpoint, dtype=dtype))


# Joined and repeated


@known
def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other: _routines_manipulation.pyx:652, concatenate_method."""
    if axis is None:
        tup, axis = [x.ravel() for x in tup], 0
    arrays = [operand(x) for x in tup]
    if not arrays:
        raise ValueError("Cannot concatenate from empty tuple")
    if not all(isinstance(x, ndarray) for x in arrays):
        raise TypeError("Only cupy arrays can be concatenated")
    if any(x.ndim == 0 for x in arrays):
        raise TypeError("zero-dimensional arrays cannot be concatenated")
    if len({x.ndim for x in arrays}) > 1:
        raise ValueError("All arrays to concatenate must have the same ndim")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if out is not None:
        dtype = need_array(out, "out").dtype
    dtype = functools.reduce(np.promote_types, [x.dtype for x in arrays]) if dtype is None else checked_dtype(dtype)
    for x in arrays:
        if not np.can_cast(x.dtype, dtype, casting):
            raise TypeError(f"Cannot cast array data from {x.dtype!r} to {dtype!r} according to the rule '{casting}'")
    hosts = [x._x for x in arrays]
    compute = functools.partial(np.concatenate, hosts, axis, dtype=dtype, casting="unsafe")
    if out is not None:
        shape = quiet(compute).shape
        if out.shape != shape:
            raise ValueError("Output array is the wrong shape")
        check_device(out)
    return produce("concatenate", compute, arrays, out)


@known
def stack(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays along a new axis: cupy/_manipulation/join.py, stack."""
    tup = [need_array(x, "tup") for x in tup]
    if out is not None:
        raise unknown("cupy.stack(out=...)")
    axis = axis % (tup[0].ndim + 1)
    return concatenate([x.reshape(*x.shape[:axis], 1, *x.shape[axis:]) for x in tup], axis, dtype=dtype, casting=casting)


@known
def append(arr, values, axis=None):
    """What is appended may be a list: cupy/_manipulation/add_remove.py, append."""
    arr, values = asarray(arr), asarray(values)
    return concatenate((arr.ravel(), values.ravel())) if axis is None else concatenate((arr, values), axis)


@known
def repeat(a, repeats, axis=None):
    """Elements several times: as many for all, or as a list says.

    CuPy 14.2 takes arrays of its own too; of 13.4 one is a ValueError: _routines_manipulation.pyx, _repeat (v13.4).
    """
    need_array(a)
    if isinstance(repeats, ndarray):
        raise ValueError("cupy.ndarray cannot be specified as `repeats` argument.")
    if isinstance(repeats, np.ndarray):
        raise TypeError("'repeats' does not accept numpy.ndarray; convert with cupy.array() first")
    shown_array = a._x
    check_device(a)
    return produce("repeat", lambda: np.repeat(shown_array, repeats, axis), [a])


ndarray.repeat = lambda self, repeats, axis=None: repeat(self, repeats, axis)


@known
def tile(A, reps):
    """The array several times: cupy/_manipulation/tiling.py, tile."""
    need_array(A, "A")
    check_device(A)
    host = A._x
    return produce("tile", lambda: np.tile(host, reps), [A])


@known
def broadcast_to(array, shape):
    """A view whose elements are repeated: _routines_manipulation.pyx, broadcast_to."""
    array = array if isinstance(array, ndarray) else globals()["array"](array)
    view = np.lib.stride_tricks.as_strided(array._x, *_broadcast(array._x, shape))
    return array._view(view)


def _broadcast(x, shape):
    view = np.broadcast_to(x, shape)
    return view.shape, view.strides


@known
def broadcast_arrays(*args):
    """Views of one shape: a list."""
    arrays = [need_array(x, "args") for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    return [x if x.shape == shape else broadcast_to(x, shape) for x in arrays]


@known
def atleast_1d(*arys):
    """An array of one axis at least."""
    found = [need_array(x).reshape(1) if x.ndim == 0 else x for x in arys]
    return found[0] if len(found) == 1 else found


@known
def atleast_2d(*arys):
    """An array of two axes at least."""
    found = [need_array(x).reshape(1, -1) if x.ndim < 2 else x for x in arys]
    return found[0] if len(found) == 1 else found


# Sorted and searched


@known
def sort(a, axis=-1, kind=None):
    """A sorted copy: cupy/_sorting/sort.py."""
    _check_kind(kind)
    made = need_array(a).copy(order="K") if axis is not None else a.flatten()
    made.sort(-1 if axis is None else axis)
    return made


def _check_kind(kind):
    if kind not in (None, "stable"):  # core.pyx:1144
        raise ValueError("kind can only be None or 'stable'")


def _sort(self, axis=-1, kind=None):
    """Sort in place what is contiguous; CuPy 13 takes no `kind` here: core.pyx:907 (v13.4)."""
    if kind is not None:
        raise TypeError("sort() got an unexpected keyword argument 'kind' (CuPy 13)")
    if self.ndim == 0:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
    if not self._x.flags.c_contiguous:
        raise NotImplementedError("Sorting non-contiguous array is not supported.")
    check_device(self)
    host = self._x
    produce("sort", lambda: np.sort(host, axis), [self], self)


def _argsort(self, axis=-1, kind=None):
    """The stable order, int64; CuPy 13 takes no `kind` here: core.pyx:933 (v13.4)."""
    if kind is not None:
        raise TypeError("argsort() got an unexpected keyword argument 'kind' (CuPy 13)")
    check_device(self)
    host = self._x if self.ndim else self._x.reshape(1)
    return produce("argsort", lambda: np.argsort(host, axis, kind="stable"), [self])


ndarray.sort, ndarray.argsort = _sort, _argsort


@known
def argsort(a, axis=-1, kind=None):
    """The stable order: cupy/_sorting/sort.py."""
    _check_kind(kind)
    return need_array(a).argsort(axis)


@known
def lexsort(keys):
    """The order by several keys, the last one first: an array of two axes."""
    need_array(keys, "keys")
    check_device(keys)
    host = keys._x
    return produce("lexsort", lambda: np.lexsort(host), [keys])


@known
def searchsorted(a, v, side="left", sorter=None):
    """Places among ascending elements: cupy/_sorting/search.py:417. Only CuPy 14 takes Python's numbers as `v`, 13.4 arrays."""
    if not isinstance(a, ndarray):
        raise NotImplementedError("Only int or ndarray are supported for a")
    if not isinstance(v, ndarray):
        raise NotImplementedError("Only int or ndarray are supported for v")
    if a.ndim != 1:
        raise ValueError("object too deep for desired array" if a.ndim > 1 else "object of too small depth for desired array")
    if sorter is not None:
        raise unknown("cupy.searchsorted(sorter=...)")
    check_device(a, v)
    host, wanted = a._x, v._x
    return produce("searchsorted", lambda: np.asarray(np.searchsorted(host, wanted, side)).astype(np.int64), [a, v])


ndarray.searchsorted = lambda self, v, side="left", sorter=None: searchsorted(self, v, side, sorter)


@known
def nonzero(a):
    """Places of what is not zero, int64; the host waits for their number: _routines_indexing.pyx, _ndarray_argwhere."""
    need_array(a)
    if a.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use cp.atleast_1d(scalar).nonzero() instead.")
    check_device(a)
    host = read_here(a, "nonzero") if a.size else a._x
    both = produce("nonzero", lambda: np.argwhere(host).astype(np.int64), [a])
    return tuple(both[:, k] for k in range(a.ndim))


ndarray.nonzero = lambda self: nonzero(self)


@known
def flatnonzero(a):
    """Places among the elements in one row."""
    return nonzero(need_array(a).ravel())[0]


@known
def where(condition, x=None, y=None):
    """One or the other: cupy/_sorting/search.py:176."""
    if (x is None) != (y is None):
        raise ValueError("Must provide both 'x' and 'y' or neither.")
    if x is None:
        return nonzero(condition)
    condition = condition.astype("?")  # AttributeError for a bool, as CuPy
    parts = [operand(part) for part in (condition, x, y)]
    hosts = list(map(shown, parts))
    return produce("where", lambda: np.where(*hosts), [part for part in parts if isinstance(part, ndarray)])


@known
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    """Ascending, each once; the host waits for their number: cupy/_manipulation/add_remove.py, unique."""
    if axis is not None:
        raise unknown("cupy.unique(axis=...)")
    need_array(ar, "ar")
    check_device(ar)
    if ar.size:
        read_here(ar, "unique")
    found = np.unique(ar._x, return_index, return_inverse, return_counts, equal_nan=equal_nan)
    made = [produce("unique", lambda part=part: part, [ar]) for part in (found if isinstance(found, tuple) else (found,))]
    return tuple(made) if isinstance(found, tuple) else made[0]


@known
def bincount(x, weights=None, minlength=None):
    """How often each number is there; the host waits twice: cupy/_statistics/histogram.py:539."""
    need_array(x, "x")
    if x.ndim > 1:
        raise ValueError("object too deep for desired array")
    if x.ndim < 1:
        raise ValueError("object of too small depth for desired array")
    if x.dtype.kind == "f":
        raise TypeError("x must be int array")
    if minlength is not None and int(minlength) < 0:
        raise ValueError("minlength must be non-negative")
    check_device(x)
    if (x._x < 0).any():
        read_here(x, "bincount")
        raise ValueError("The first argument of bincount must be non-negative")
    if x.size == 0:
        return zeros((int(minlength or 0),), np.intp)
    host = read_here(x, "bincount").astype(np.int64)
    if weights is None:
        return produce("bincount", lambda: np.bincount(host, minlength=int(minlength or 0)), [x])
    given = need_array(weights, "weights")._x
    return produce("bincount", lambda: np.bincount(host, given, int(minlength or 0)), [x, weights])


@known
def take(a, indices, axis=None, out=None):
    """Elements by place; places are taken modulo the length: _routines_indexing.pyx, _take."""
    need_array(a)
    indices = indices if isinstance(indices, ndarray) or np.isscalar(indices) else array(indices, dtype=int)
    if out is not None:
        raise unknown("cupy.take(out=...)")
    check_device(a, *([indices] if isinstance(indices, ndarray) else []))
    host, places = a._x, shown(indices)
    length = a.size if axis is None else a.shape[axis]
    if not length and np.size(places):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    reads = [a, indices] if isinstance(indices, ndarray) else [a]
    return produce("take", lambda: np.take(host, places, axis, mode="wrap"), reads)


ndarray.take = lambda self, indices, axis=None, out=None: take(self, indices, axis, out)


@known
def clip(a, a_min, a_max, out=None):
    """Between two bounds; no complex numbers: _routines_math.pyx:1146."""
    need_array(a)
    if a.dtype.kind in "bc":
        raise TypeError(f"Wrong type ({a.dtype}) of arguments for cupy_clip")
    parts = [part if part is None else operand(part) for part in (a, a_min, a_max)]
    hosts = list(map(shown, parts))
    return produce("clip", lambda: np.clip(*hosts), [part for part in parts if isinstance(part, ndarray)], out)


ndarray.clip = lambda self, min=None, max=None, out=None: clip(self, min, max, out)


@known
def around(a, decimals=0, out=None):
    """Rounded to a number of decimals."""
    need_array(a)
    check_device(a)
    host = a._x
    return produce("around", lambda: np.around(host, decimals).astype(host.dtype if host.dtype.kind != "b" else "e"), [a], out)


NAMES["round"] = around
ndarray.round = lambda self, decimals=0, out=None: around(self, decimals, out)


@known
def result_type(*arrays_and_dtypes):
    """NumPy's, of the dtypes of arrays: cupy/_manipulation/basic... cupy/__init__.py, result_type."""
    return np.result_type(*(x.dtype if isinstance(x, ndarray) else x for x in arrays_and_dtypes))


@known
def may_share_memory(a, b, max_work=None):
    """Whether the bounds of two arrays overlap: cupy/_core/_memory_range.pyx."""
    if type(a) is type(b) is ndarray and a._mem is not b._mem:
        return False
    need_array(a, "a"), need_array(b, "b")
    return bool(a.size and b.size and np.may_share_memory(a._x, b._x))


NAMES["shares_memory"] = may_share_memory


@known
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays are the same: an array of one bool."""
    need_array(a1, "a1"), need_array(a2, "a2")
    check_device(a1, a2)
    one, other = a1._x, a2._x
    return produce("array_equal", lambda: np.array_equal(one, other, equal_nan), [a1, a2])


@known
def copyto(dst, src, casting="same_kind", where=None):
    """Elements of one array into another: cupy/_manipulation/basic.py, copyto."""
    if where is not None:
        raise unknown("cupy.copyto(where=...)")
    need_array(dst, "dst")
    source = src.dtype if isinstance(src, (ndarray, np.generic)) else np.min_scalar_type(src)
    if not np.can_cast(source, dst.dtype, casting):
        raise TypeError(f"Cannot cast {source!r} to {dst.dtype!r} in {casting} casting mode")
    dst[...] = src


@known
def ndim(a):
    """How many axes: cupy/__init__.py:787."""
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


@known
def shape(a):
    """Lengths of axes: cupy/_manipulation/shape.py."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


@known
def size(a, axis=None):
    """How many elements: cupy/_core/_routines_manipulation.pyx, size, of arrays only."""
    need_array(a)
    return a.size if axis is None else a.shape[axis]


@known
def isscalar(element):
    """Whether something is a number."""
    return np.isscalar(element)


@known
def diff(a, n=1, axis=-1):
    """Differences of neighbours."""
    need_array(a)
    check_device(a)
    host = a._x
    return produce("diff", lambda: np.diff(host, n, axis), [a])


@known
def diag(v, k=0):
    """A diagonal, or a matrix with one."""
    need_array(v, "v")
    if v.ndim == 2:
        return v.diagonal(k)
    host = v._x
    check_device(v)
    return produce("diag", lambda: np.diag(host, k), [v])


# Reductions: arrays of one element, never numbers

_REDUCTIONS = {
    # By name: what CuPy takes beside the axis. cupy/_core/core.pyx:1194 and after, _routines_math.pyx, _routines_statistics.pyx
    "sum": ("dtype", "out", "keepdims"), "prod": ("dtype", "out", "keepdims"), "max": ("out", "keepdims"),
    "min": ("out", "keepdims"), "all": ("out", "keepdims"), "any": ("out", "keepdims"), "argmax": ("out", "dtype", "keepdims"),
    "argmin": ("out", "dtype", "keepdims"), "mean": ("dtype", "out", "keepdims"), "var": ("dtype", "out", "ddof", "keepdims"),
    "std": ("dtype", "out", "ddof", "keepdims"), "cumsum": ("dtype", "out"), "cumprod": ("dtype", "out"),
    "count_nonzero": ("keepdims",), "ptp": ("out", "keepdims"), "nansum": ("dtype", "out", "keepdims"),
}  # fmt: skip


def _reduction(name, places):
    function = getattr(np, name)

    def reduce(a, axis=None, *args, **options):
        need_array(a)
        options = dict(zip(places, args, strict=False)) | options
        wrong = options.keys() - set(places)
        if wrong or len(args) > len(places):
            raise TypeError(f"{name}() got an unexpected argument {sorted(wrong)}")
        out = options.pop("out", None)
        if out is not None:
            check_device(need_array(out, "out"))
        options = {key: value for key, value in options.items() if value is not None}
        check_device(a)
        host = a._x
        compute = functools.partial(function, host, axis=axis, **options)
        if name in ("cumsum", "cumprod") and out is not None:
            options.pop("dtype", None)  # _routines_math.pyx:702, scan_core: elements are cast to out's dtype, then summed
            compute = functools.partial(function, host.astype(out.dtype), axis=axis, dtype=out.dtype)
        return produce(name, compute, [a], out)

    reduce.__name__ = name
    return known(reduce)


for _name, _places in _REDUCTIONS.items():
    _made = _reduction(_name, _places)
    if _name not in ("count_nonzero", "nansum"):
        setattr(ndarray, _name, lambda self, *args, _made=_made, **options: _made(self, *args, **options))
NAMES |= {"amax": NAMES["max"], "amin": NAMES["min"]}


def _trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return NAMES["sum"](self.diagonal(offset, axis1, axis2), -1, dtype, out)


ndarray.trace = _trace


# Products


@known
def dot(a, b, out=None):
    """The product of arrays: a method declared for two arrays (core.pyx:2080)."""
    need_array(a, "a"), need_array(b, "b")
    return _product("dot", np.dot, a, b, out)


ndarray.dot = lambda self, b, out=None: dot(self, b, out)


def _product(name, function, a, b, out=None):
    check_device(a, b, *([] if out is None else [out]))
    one, other = a._x, b._x
    return produce(name, lambda: function(one, other), [a, b], out)


@known
def matmul(a, b, out=None, **options):
    """The matrix product: _routines_linalg.pyx:821; NumPy's gufunc rules for arguments (`_GUFunc`) come before."""
    if options:
        raise unknown(f"cupy.matmul with {sorted(options)}")
    for x in (a, b):
        if not isinstance(x, ndarray):
            raise TypeError(f"Unsupported type {type(x)}")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("Scalar operands are not allowed, use '*' instead")
    return _product("matmul", np.matmul, a, b, out)


@known
def vdot(a, b):
    """The product of the conjugate with another: cupy/linalg/_product.py, vdot."""
    need_array(a, "a"), need_array(b, "b")
    if a.size != b.size:
        raise ValueError("Axis dimension mismatch")
    return _product("vdot", np.vdot, a, b)


@known
def tensordot(a, b, axes=2):
    """The sum of products over several axes; two arrays are needed: cupy/linalg/_product.py, tensordot."""
    need_array(a, "a"), need_array(b, "b")
    if 0 in (a.ndim, b.ndim) and axes not in (0, ((), ())):
        raise ValueError("An input is zero-dim while axes has dimensions")
    return _product("tensordot", lambda one, other: np.tensordot(one, other, axes), a, b)


def _norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a vector or of all elements: cupy/linalg/_norms.py."""
    need_array(x, "x")
    check_device(x)
    host = x._x
    return produce("norm", lambda: np.linalg.norm(host, ord, axis, keepdims), [x])


NAMES["linalg.norm"] = _norm


def _eigvalsh(a, UPLO="L"):
    """The eigenvalues of a symmetric matrix, ascending: cupy/linalg/_eigenvalue.py; halves: _util.linalg_common_type."""
    need_array(a, "a")
    check_device(a)
    if a.dtype == np.float16:
        raise TypeError("Array type float16 is unsupported in linalg")
    host = a._x
    return produce("eigvalsh", lambda: np.linalg.eigvalsh(host, UPLO), [a])


NAMES["linalg.eigvalsh"] = _eigvalsh
