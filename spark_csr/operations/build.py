"""Every form of argument that SciPy's `csr_array` takes, to a record."""

import operator

import numpy as np

from spark_csr._array import device_of, is_array, namespace_for, to_device
from spark_csr.operations import check, convert
from spark_csr.operations.record import Csr


def from_anything(arg, shape, dtype, copy, device):
    """A record of `arg`, on `device` (default: where the data is), with `dtype` and `shape` where they are given."""
    if dtype is not None:
        dtype = check.supported(dtype)
    shape = None if shape is None else check.shape_of(shape)
    csr = _read(arg, shape, dtype, device)
    if shape is not None and csr.shape != shape:
        raise ValueError(f"shape {shape} was asked for, but the matrix given has shape {csr.shape}")
    csr = moved(csr, device)
    if dtype is not None and csr.data.dtype != dtype:
        csr = csr.with_data(csr.data.astype(dtype))
    return csr.copy() if copy else csr


def moved(csr, device):
    """The record on another device, or itself."""
    if device is None:
        return csr
    arrays = [to_device(x, device) for x in csr.arrays]
    return csr if all(new is old for new, old in zip(arrays, csr.arrays, strict=True)) else Csr(*arrays, csr.shape)


def _read(arg, shape, dtype, device):
    if isinstance(arg, Csr):
        return arg
    if isinstance(arg, tuple):
        return _from_tuple(arg, shape, dtype, device)
    if hasattr(arg, "tocsr"):
        matrix = arg.tocsr()
        if len(matrix.shape) != 2:
            raise ValueError(f"csr_array needs a two-dimensional matrix, got shape {matrix.shape}: use x.reshape(1, -1)")
        return convert.from_arrays(matrix.indptr, matrix.indices, matrix.data, check.shape_of(matrix.shape))
    return convert.from_dense(as_array(arg, "the matrix", device))


def _from_tuple(arg, shape, dtype, device):
    if len(arg) == 2 and all(_is_integer(n) for n in arg):
        return convert.empty(check.shape_of(arg), dtype or np.dtype(np.float64), namespace_for(device or "cpu"))
    if len(arg) == 2 and isinstance(arg[1], (tuple, list)) and len(arg[1]) == 2:
        data, (rows, columns) = arg
        data, rows, columns = (as_array(x, name, device) for x, name in ((data, "data"), (rows, "row"), (columns, "col")))
        return convert.from_coo(rows, columns, data, shape or _extent(rows, columns))
    if len(arg) == 3:
        data, indices, indptr = (as_array(x, name, device) for x, name in zip(arg, ("data", "indices", "indptr"), strict=True))
        if shape is None:
            shape = max(indptr.size - 1, 0), int(indices.max()) + 1 if indices.size else 0
        return convert.from_arrays(indptr, indices, data, shape)
    raise ValueError(
        "csr_array takes a matrix, (M, N), (data, (row, col)) or (data, indices, indptr); "
        f"got a tuple of {len(arg)}: {', '.join(type(x).__name__ for x in arg)}"
    )


def _is_integer(n):
    try:
        operator.index(n)
    except TypeError:
        return False
    return not is_array(n) or n.ndim == 0


def _extent(rows, columns):
    """The smallest shape that holds all entries."""
    if not rows.size or not columns.size:
        raise ValueError("cannot infer the shape of a matrix without entries: give shape=(M, N)")
    return int(rows.max()) + 1, int(columns.max()) + 1


def as_array(x, name, device):
    """An array of a supported dtype; lists become NumPy arrays, ragged or foreign ones an exception that names them."""
    if not is_array(x) or isinstance(x, np.ndarray):
        try:
            x = np.asarray(x)
        except ValueError as error:
            raise ValueError(f"{name} must be rectangular: {error}") from None
    if x.dtype.kind == "O":
        raise TypeError(f"{name} has dtype object: csr_array holds numbers (rows of different length?)")
    x = x.astype(check.dtype_of(x, name), copy=False)
    return x if device is None or device_of(x) == device else to_device(x, device)
