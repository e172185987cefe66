"""What `A[key] = value` sets: values cast to the dtype of the matrix and repeated to the positions of the key."""

import math

import numpy as np

from spark_csr._array import (
    copy_if_shared,
    device_of,
    is_device_array,
    namespace_of,
    refuse_masked,
    same_device,
    to_device,
    to_host_scalar,
)
from spark_csr._operations.form.record import rows_of_entries


def as_values(value, data):
    """Return `value` as an array of the dtype and on the device of `data`, in memory of its own."""
    refuse_masked("the value", value)
    if is_device_array(value):
        same_device(data, value)
        return copy_if_shared(value.astype(data.dtype, copy=False), data)
    return copy_if_shared(to_device(np.asarray(value, dtype=data.dtype), device_of(data)), data)


def broadcast_positions(rows, columns):
    """Return the shape of a grid of positions, and both arrays in that shape: views where they must be repeated."""
    if rows.shape == columns.shape:
        return rows.shape, (rows, columns)
    rows, columns = namespace_of(rows).broadcast_arrays(rows, columns)
    return rows.shape, (rows, columns)


def has_repeats(rows, columns):
    """Return whether a position comes twice in a grid of positions. A few host reads, and a sort where they do not ascend."""
    if rows.shape[1] == columns.shape[0] == 1:
        return any(_has_repeats(k.ravel()) for k in (rows, columns))
    rows, columns = (k.ravel() for k in broadcast_positions(rows, columns)[1])
    order = namespace_of(rows).lexsort(namespace_of(rows).stack((columns, rows)))
    rows, columns = rows[order], columns[order]
    return bool(to_host_scalar(((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])).any()))


def _has_repeats(x):
    if to_host_scalar((x[1:] > x[:-1]).all()):
        return False
    x = namespace_of(x).sort(x)
    return bool(to_host_scalar((x[1:] == x[:-1]).any()))


def broadcast(value, shape):
    """Broadcast as NumPy does, except that axes of length 1 may stand anywhere, or be missing."""
    if value.size == 1:
        return value.reshape(1).repeat(math.prod(shape)).reshape(shape)
    if [n for n in value.shape if n != 1] == [n for n in shape if n != 1]:
        return value.reshape(shape)
    try:
        return namespace_of(value).broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"could not broadcast a value of shape {value.shape} to the {shape} positions of the key") from None


def spread(csr, shape):
    """Return the rows, columns and values of a sparse matrix's entries, repeated along axes of length 1."""
    rows, columns, values = csr.plan(rows_of_entries), csr.indices, csr.data
    xp = namespace_of(values)
    for axis in (0, 1):
        times = shape[axis] if csr.shape[axis] == 1 else 1
        if times != 1:
            size = values.size
            rows, columns, values = (xp.tile(x, times) for x in (rows, columns, values))
            along = xp.repeat(xp.arange(times, dtype=np.int64), size)
            rows, columns = (along, columns) if axis == 0 else (rows, along)
    return (rows, columns), values
