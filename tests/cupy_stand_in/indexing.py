"""`x[key]` and `x[key] = value` as CuPy understands them: cupy/_core/_routines_indexing.pyx (v14.2)."""

import numpy as np

from . import streams
from .array import blocks_of, check_device, checked_dtype, copy_memory, ndarray, produce, read_here, store
from .errors import unknown
from .registry import NAMES

_order = np.random.default_rng(0)


def _prepared(key):
    """The parts of a key: numbers, slices, None, Ellipsis and arrays; lists and NumPy arrays are copied to the device."""
    parts = list(key) if isinstance(key, tuple) else [key]
    for place, part in enumerate(parts):
        if part is None or part is Ellipsis or isinstance(part, (slice, ndarray)):
            continue
        if np.isscalar(part) and not isinstance(part, (bool, np.bool_)):
            continue
        array = NAMES["array"](part)
        if isinstance(part, (list, tuple)) and array.size == 0:
            array = array.astype(np.int32)
        parts[place] = array
    return parts


def _checked(arrays):
    for part in arrays:
        if part.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer or boolean type. (actual: {part.dtype.type})")
    masks = [part for part in arrays if part.dtype.kind == "b"]
    if len(masks) > 1:
        raise unknown("a key of more than one mask")
    for mask in masks:
        if mask.size:
            read_here(mask, "a mask")  # _prepare_mask_indexing_single: n_true = int(mask_scanned[-1])


def _shown(parts):
    return [part._x if isinstance(part, ndarray) else part for part in parts]


def _axes(part):
    """How many axes of the array a part of the key is about."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def _inside(x, parts):
    """The key with places that are inside: CuPy takes places modulo the length, _take_kernel_core."""
    axis, key = 0, []
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind != "b" and axis < x.ndim:
            key.append(_modulo(part, x.shape[axis]))
        else:
            key.append(part)
        axis += x.ndim - sum(map(_axes, parts)) if part is Ellipsis else _axes(part)
    return tuple(key)


def _modulo(places, length):
    if length == 0:
        if places.size:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return places.astype(np.int64)
    return (places % np.uint64(length) if places.dtype == np.uint64 else places.astype(np.int64) % length).astype(np.int64)


def _getitem(self, key):
    """`self[key]`: a view for numbers and slices, a new array where the key holds an array."""
    parts = _prepared(key)
    arrays = [part for part in parts if isinstance(part, ndarray)]
    if not arrays:
        return self._view(self._x[_basic(parts)])
    _checked(arrays)
    check_device(self, *arrays)
    source, shown = self._x, _shown(parts)
    return produce("a look-up", lambda: source[_inside(source, shown)], [self, *arrays])


def _basic(parts):
    """A key with no arrays, such that NumPy gives a view also of one element."""
    if any(isinstance(part, (float, np.floating, complex)) for part in parts):
        raise IndexError("only integers, slices, ellipsis, None and integer or boolean arrays are valid indices")
    return (*parts,) if any(part is Ellipsis for part in parts) else (*parts, Ellipsis)


def _setitem(self, key, value):
    """`self[key] = value`: _scatter_op with op == "update"."""
    parts = _prepared(key)
    arrays = [part for part in parts if isinstance(part, ndarray)]
    if not arrays:
        _assign(self._view(self._x[_basic(parts)]), value)
        return
    _checked(arrays)
    if not isinstance(value, ndarray):
        value = NAMES["array"](value, dtype=self.dtype)
    check_device(self, value, *arrays)
    target, source, shown = self._x, value._x, _shown(parts)

    def scatter():
        _scatter(target, _inside(target, shown), source.astype(target.dtype))

    streams.use("an assignment", blocks_of([value, *arrays]), [self._mem.block], scatter)


def _scatter(target, key, values):
    """Write in an order of its own: which of several values for one place stays is not defined on a GPU."""
    places = np.arange(target.size).reshape(target.shape)[key]
    values = np.broadcast_to(_without_leading_ones(values, places.ndim), places.shape)
    order = _order.permutation(places.size)
    at = np.unravel_index(places.reshape(-1)[order], target.shape)
    target[at] = values.reshape(-1)[order]


def _without_leading_ones(values, ndim):
    while values.ndim > ndim and values.shape[0] == 1:
        values = values[0]
    return values


def _assign(target, value):
    """`target[...] = value`: of the host only numbers are taken, "Refuse assignment from CPU arrays, see gh-2079"."""
    if hasattr(value, "__cuda_array_interface__") and not isinstance(value, ndarray):
        value = NAMES["asarray"](value)
    if not isinstance(value, ndarray):
        target.fill(value)
        return
    shown = _without_leading_ones(value._x, target.ndim)
    if shown.shape == target.shape and shown.strides == target.strides and target._x.flags.c_contiguous:
        if target.size and target.data.ptr == value.data.ptr and shown.dtype == target.dtype:
            return
        if shown.dtype == target.dtype:
            if target.size:
                copy_memory(value._view(shown), target)
            return
    if np.broadcast_shapes(shown.shape, target.shape) != target.shape:
        raise ValueError(f"operands could not be broadcast together with shapes {shown.shape} {target.shape}")
    if target.size:
        check_device(target, value)
        dtype = checked_dtype(target.dtype)
        source = shown.astype(dtype) if streams.current_timeline().capture is None else shown
        with np.errstate(all="ignore"):
            store("an assignment", source, lambda: shown.astype(dtype), [value], target)


NAMES["_getitem"], NAMES["_setitem"] = _getitem, _setitem
