"""Every form of argument that SciPy's `csr_array` takes, to a record."""

import contextlib
import operator

import numpy as np

from spark_csr._array import (
    copy_if_handed_out,
    device_of,
    from_gpu,
    is_array,
    is_on_gpu,
    namespace_for,
    namespace_of,
    refuse_masked,
    to_device,
)
from spark_csr._operations.form import binsparse, check, convert, dtypes
from spark_csr._operations.form.canonical import sum_before_cast
from spark_csr._operations.form.coordinates import keep
from spark_csr._operations.form.record import Csr
from spark_csr._operations.form.transpose import transpose
from spark_csr.primitives._check import find_first_true


def from_anything(arg, shape=None, dtype=None, copy=False, device=None):
    """Return the record of `arg` and its number of dimensions: a vector is a record of one row.

    `device` (default: where the data is), `dtype` and `shape` are as asked for, where they are given.
    """
    dtype = None if dtype is None else dtypes.check_dtype(dtype)
    shape = None if shape is None else check.shape_of(shape)
    return from_record(*_read(arg, shape, dtype, device), shape, dtype, copy, device)


def from_record(csr, ndim, shape, dtype, copy, device):
    """Do the same for a record that is already valid."""
    if shape is not None and csr.shape[-ndim:] != check.shape_of(shape):
        raise ValueError(
            f"inconsistent shapes: shape {tuple(shape)} was asked for, but the matrix has shape {csr.shape[-ndim:]}"
        )
    csr, dtype = move_to(csr, device), None if dtype is None else dtypes.check_dtype(dtype)
    if dtype is not None and csr.data.dtype != dtype:
        csr = sum_before_cast(csr, dtype)
        csr = csr.as_dtype(dtype)
    return (csr.copy() if copy else csr), ndim


def move_to(csr, device):
    """Return the record on another device, or itself."""
    if device is None:
        return csr
    arrays = [to_device(x, device) for x in csr.arrays]
    kept = [new is old for new, old in zip(arrays, csr.arrays, strict=True)]
    make = Csr.new if isinstance(csr, Csr) and not any(kept) else type(csr)
    return csr if all(kept) else make(*arrays, csr.shape)


def _read(arg, shape, dtype, device):
    """Return the record of an argument and its number of dimensions."""
    if isinstance(arg, tuple):
        return _from_tuple(arg, shape, dtype, device)
    if hasattr(arg, "to_scipy_sparse"):  # PyData's sparse arrays
        arg = arg.to_scipy_sparse()
    if hasattr(arg, "tocsr"):
        return _from_foreign(arg)
    if hasattr(arg, "__binsparse__"):
        form, arrays, shape = binsparse.read_arrays(arg.__binsparse_descriptor__(), arg.__binsparse__())
        csr, ndim = _read(arrays, shape[::-1] if form == "csc" else shape, None, device)
        return transpose(csr) if form == "csc" else csr, ndim
    dense = as_dense(arg, device)
    return convert.from_dense(dense if dense.ndim == 2 else dense[None]), dense.ndim


def _advise(dimensions):
    """Return the end of a sentence about an array with too many dimensions."""
    return ": coo_array has more" if dimensions > 2 else ""


def as_dense(arg, device=None):
    """Return the argument as an array of one or two dimensions; raise ValueError for others."""
    dense = as_array(arg, "the matrix", device)
    if dense.ndim not in (1, 2):
        raise ValueError(f"csr_array needs an array of one or two dimensions, got shape {dense.shape}{_advise(dense.ndim)}")
    return dense


def _from_foreign(matrix):
    """Read a matrix of SciPy or CuPy. Indices that their conversions would follow unchecked are checked first."""
    form, shape = getattr(matrix, "format", None), check.shape_of(matrix.shape)
    if form == "coo":
        return _read(check.coordinates_of(matrix), shape, None, None)
    if form == "csc":
        return transpose(_read((matrix.data, matrix.indices, matrix.indptr), shape[::-1], None, None)[0]), 2
    if form in ("bsr", "lil"):
        check.foreign(matrix)
    rows = matrix.tocsr()
    csr, _ = _read((rows.data, rows.indices, rows.indptr), shape, None, None)
    owned = rows is not matrix or rows.has_canonical_format
    return csr if owned else csr.copy(), len(shape)  # SciPy sorts and merges others in place, even where it only reads


def _from_tuple(arg, shape, dtype, device):
    if len(arg) in (1, 2) and is_shape(arg):
        empty = convert.empty(
            two_dimensional(check.shape_of(arg)), dtype or np.dtype(np.float64), namespace_for(device or "cpu")
        )
        return empty, len(arg)
    if _gives_coordinates(arg):
        *entries, dimensions = _read_coordinates(*arg, shape, dtype, device)
        return convert.from_coo(*entries), dimensions
    if len(arg) == 3 and not is_shape(arg):
        data = as_data(arg[0], dtype, device)
        names = ("indices", "indptr")
        indices, indptr = (copy_if_handed_out(as_indices(x, name, device)) for x, name in zip(arg[1:], names, strict=True))
        csr = convert.from_arrays(indptr, indices, data, shape and two_dimensional(shape))
        return csr, 2 if shape is None else len(shape)
    if arg and is_shape(arg):
        raise ValueError(f"shape must have one or two dimensions, got {arg}{_advise(len(arg))}")
    raise ValueError(
        "csr_array takes a matrix, (M, N), (data, (row, col)) or (data, indices, indptr); "
        f"got a tuple of {len(arg)}: {', '.join(type(x).__name__ for x in arg)}"
    )


def in_order(arg, shape=None, dtype=None, device=None):
    """Return the entries of `(data, (row, col))`, or of a matrix of SciPy or CuPy by coordinates, in their order, duplicates
    included, and the number of dimensions; None for any other argument."""
    if getattr(arg, "format", None) == "coo" and hasattr(arg, "tocsr") and not hasattr(arg, "to_scipy_sparse"):
        arg, shape, dtype = check.coordinates_of(arg), check.shape_of(arg.shape), None
    elif not (isinstance(arg, tuple) and _gives_coordinates(arg)):
        return None
    dtype = None if dtype is None else dtypes.check_dtype(dtype)
    shape = None if shape is None else check.shape_of(shape)
    *entries, dimensions = _read_coordinates(*arg, shape, dtype, device)
    return keep(*entries), dimensions


def _gives_coordinates(arg):
    """Return whether a tuple is `(data, (row, col))` or `(data, (index,))`."""
    return len(arg) == 2 and not is_shape(arg) and count_axes(arg) in (1, 2)


def count_axes(arg):
    """Return how many axes the argument of a constructor gives, as far as that shows at a glance; 0 where it does not."""
    if not isinstance(arg, tuple):
        axes = 0
        while isinstance(arg, (list, tuple)):
            arg, axes = arg[0] if arg else None, axes + 1
        return axes + getattr(arg, "ndim", 0)
    if is_shape(arg):
        return len(arg)
    gives_coords = len(arg) == 2 and (isinstance(arg[1], (tuple, list)) or getattr(arg[1], "ndim", 0) == 2)
    return len(arg[1]) if gives_coords else 0


def is_shape(arg):
    """Return whether a tuple holds nothing but integers."""
    return all(_is_integer(n) for n in arg)


def _read_coordinates(data, coords, shape, dtype, device):
    """Return rows, columns, data, the shape or None, and the number of dimensions, of `(data, (row, col))`, or of a vector's
    `(data, (index,))`, which is one row."""
    data = as_data(data, dtype, device)
    coords = [as_indices(x, name, device) for x, name in zip(coords, ("row", "col")[-len(coords) :], strict=True)]
    if shape is None:
        if not all(x.size for x in coords):
            raise ValueError("cannot infer the shape of a matrix without entries: give shape=(M, N)")
    elif len(shape) != len(coords):
        raise ValueError(f"{len(coords)} index arrays were given for shape {shape}: give one for each dimension")
    dimensions = len(coords)
    if len(coords) == 1:
        coords = [namespace_of(coords[0]).zeros_like(coords[0]), *coords]
    return *coords, data, shape and two_dimensional(shape), dimensions


def as_data(data, dtype, device):
    """Return the values of entries as an array, of `dtype` if that is given; integers of a list are not rounded on the way."""
    if dtype is not None and isinstance(data, (list, tuple)):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            if np.asarray(data).dtype.kind in "biufc":
                data = np.asarray(data, dtype)
    data = as_array(data, "data", device)
    return data if dtype is None else data.astype(dtype, copy=False)


def two_dimensional(shape):
    """Return the shape of the record: a vector has one row."""
    return shape if len(shape) == 2 else (1, *shape)


def _is_integer(n):
    try:
        operator.index(n)
    except TypeError:
        return False
    return not is_array(n) or n.ndim == 0


def _describe_objects(x):
    """Return what an array of objects holds that is no number, and what to do about it."""
    numbers = (bool, int, float, complex, np.generic)
    at = next((i for i, value in enumerate(x.flat) if not isinstance(value, numbers)), None)
    if at is None:
        return "give numbers of at most 64 bits, such as x.astype(float)"
    value = x.flat[at]
    hint = ": give x.tolist()" if isinstance(value, (list, tuple, np.ndarray)) else ""
    return f"value {at} is of type {type(value).__name__}, not a number{hint}"


def as_indices(x, name, device):
    """Return an index array. Floats and objects that hold whole numbers become int64, as in SciPy; other values raise
    ValueError."""
    x = as_array(x, name, device, read_whole)
    return read_whole(x, name) if x.dtype.kind == "f" else x


def read_whole(x, name):
    """Return an array of floats or objects that are whole numbers as int64; raise ValueError with the first that is not one."""
    if x.dtype.kind == "O":
        at = next((i for i, value in enumerate(x.flat) if not _is_whole(value)), None)
        if at is None:
            x = np.array([int(value) for value in x.flat], np.int64).reshape(x.shape)
    else:
        with np.errstate(invalid="ignore"):
            at = find_first_true((x.ravel() % 1 != 0) | (abs(x.ravel()) >= 2.0**63))
    if at is not None:
        value = x.ravel()[at]
        raise ValueError(f"{name} must hold whole numbers of 64 bits, got {name}[{at}] = {value!s}: use x.astype(int) to round")
    return x.astype(np.int64, copy=False)


def _is_whole(value):
    try:
        return not isinstance(value, (bool, np.bool_, str, bytes)) and int(value) == value and abs(value) < 2**63
    except (TypeError, ValueError, OverflowError):
        return False


def as_array(x, name, device, read_objects=None):
    """Return an array of a supported dtype. Lists become NumPy arrays, and `read_objects` reads arrays of objects.

    Ragged lists and foreign objects raise an exception that names them. Tensors of other libraries are shared, not copied: on a
    GPU by DLPack.
    """
    if type(x) is np.ndarray and device is None and dtypes.is_native(x.dtype):  # what most calls give
        return x
    refuse_masked(name, x)
    if "sparse" in str(getattr(x, "layout", "")):
        raise TypeError(f"{name} is a sparse tensor of torch: use spark_csr.interop.torch.from_torch(tensor)")
    if type(x).__module__.startswith("jax.experimental.sparse"):
        raise TypeError(f"{name} is a {type(x).__name__} of JAX: use spark_csr.interop.jax.from_jax(x)")
    if is_on_gpu(x):
        x = from_gpu(x)
    elif not is_array(x) or isinstance(x, np.ndarray):
        try:
            x = np.asarray(x)
        except ValueError as error:
            raise ValueError(f"{name} must be rectangular: {error}") from None
    if x.dtype.kind == "O" and x.ndim == 0:
        hint = ": use its attribute matrix" * hasattr(x.item(), "matrix")
        raise TypeError(f"{name} must be an array of numbers, got {type(x.item()).__name__}{hint}")
    if x.dtype.kind == "O" and read_objects is not None:
        x = read_objects(x, name)
    if x.dtype.kind == "O":
        raise TypeError(f"{name} has dtype object: {_describe_objects(x)}")
    x = x.astype(dtypes.dtype_of(x, name), copy=False)
    return x if device is None or device_of(x) == device else to_device(x, device)
