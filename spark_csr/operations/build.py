"""Every form of argument that SciPy's `csr_array` takes, to a record."""

import operator

import numpy as np

from spark_csr._array import device_of, is_array, namespace_for, to_device
from spark_csr.operations import check, convert
from spark_csr.operations.record import Csr
from spark_csr.operations.transpose import transposed


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
        return _from_foreign(arg)
    return convert.from_dense(as_array(arg, "the matrix", device))


def _from_foreign(matrix):
    """A matrix of SciPy or CuPy. Indices that these would follow unchecked while they convert are checked first."""
    if len(matrix.shape) != 2:
        raise ValueError(f"csr_array needs a two-dimensional matrix, got shape {matrix.shape}: use x.reshape(1, -1)")
    form, shape = getattr(matrix, "format", None), check.shape_of(matrix.shape)
    if form == "coo":
        return _read((matrix.data, (matrix.row, matrix.col)), shape, None, None)
    if form == "csc":
        return transposed(_read((matrix.data, matrix.indices, matrix.indptr), shape[::-1], None, None))
    if form == "bsr":
        matrix.check_format(full_check=True)
    rows = matrix.tocsr()
    csr = _read((rows.data, rows.indices, rows.indptr), shape, None, None)
    owned = rows is not matrix or rows.has_canonical_format
    return csr if owned else csr.copy()  # SciPy sorts and merges others in place, even where it only reads


def _from_tuple(arg, shape, dtype, device):
    if len(arg) == 2 and all(_is_integer(n) for n in arg):
        return convert.empty(check.shape_of(arg), dtype or np.dtype(np.float64), namespace_for(device or "cpu"))
    if len(arg) == 2 and (isinstance(arg[1], (tuple, list)) or getattr(arg[1], "ndim", 0) == 2) and len(arg[1]) == 2:
        data, (rows, columns) = arg
        data, rows, columns = (as_array(x, name, device) for x, name in ((data, "data"), (rows, "row"), (columns, "col")))
        data = data if dtype is None else data.astype(dtype, copy=False)
        return convert.from_coo(rows, columns, data, shape or _extent(rows, columns))
    if len(arg) == 3:
        data, indices, indptr = (as_array(x, name, device) for x, name in zip(arg, ("data", "indices", "indptr"), strict=True))
        if shape is None:
            shape = max(indptr.size - 1, 0), check.extent("indices", indices)
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
    return check.extent("row", rows), check.extent("col", columns)


def as_array(x, name, device):
    """An array of a supported dtype; lists become NumPy arrays, ragged or foreign ones an exception that names them."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: use x.filled(value) or x.compressed()")
    if not is_array(x) or isinstance(x, np.ndarray):
        try:
            x = np.asarray(x)
        except ValueError as error:
            raise ValueError(f"{name} must be rectangular: {error}") from None
    if x.dtype.kind == "O":
        raise TypeError(f"{name} has dtype object: csr_array holds numbers (rows of different length?)")
    x = x.astype(check.dtype_of(x, name), copy=False)
    return x if device is None or device_of(x) == device else to_device(x, device)
