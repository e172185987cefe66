"""Checks of what comes from outside, before any kernel reads through it. Messages name the first offending value."""

import itertools
import operator

import numpy as np

from spark_csr._array import as_operand, index_dtype, same_device, to_host_scalar
from spark_csr._config import config
from spark_csr.primitives._check import find_first_true, inspect_offsets

INT64_MAX = np.iinfo(np.int64).max

MOST_AXES = 64
"""As many axes as an array of NumPy may have."""


def shape_of(shape, most=2):
    """Return a shape as one or two non-negative Python ints, or up to `most`; raise ValueError for anything else."""
    try:
        sizes = tuple(map(operator.index, shape))
    except (TypeError, ValueError):
        sizes = ()
    if not 0 < len(sizes) <= most:
        wanted = "two integers (rows, columns), or one for a vector" if most == 2 else f"1 to {most} integers"
        raise ValueError(f"shape must be {wanted}, got {shape!r}")
    if min(sizes) < 0:
        raise ValueError(f"shape must not be negative, got {shape!r}")
    if max(sizes) > INT64_MAX:
        raise ValueError(f"shape must be below 2**63, got {shape!r}")
    return sizes


def type_and_library_of(x):
    """Return how messages name the type of an object where several libraries have a type of that name."""
    return f"{type(x).__module__.partition('.')[0]}'s {type(x).__name__}"


def index_array(name, x):
    """One-dimensional integers; TypeError or ValueError otherwise."""
    if x.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {x.shape}")
    if x.dtype.kind not in "iu" and x.size:
        raise TypeError(f"{name} must hold integers, got dtype {x.dtype}")
    return x


def infer_extent(name, indices):
    """Return the least bound that all indices lie below; raise ValueError with the first negative one. One pass."""
    index_array(name, indices)
    if not indices.size:
        return 0
    least = to_host_scalar(_as_unsigned(indices).max()) + 1
    if least > _first_beyond(indices.dtype):
        at = find_first_true(indices < 0)
        raise ValueError(f"{name} must be 0 or above, got {name}[{at}] = {to_host_scalar(indices[at])}")
    if least > INT64_MAX:
        raise ValueError(f"{name} must be below 2**63 - 1, got {least - 1}")
    return least


def row_count(rows):
    """Raise MemoryError for more rows than any machine can hold offsets for."""
    if rows >= 2**48:
        raise MemoryError(f"offsets of {rows} rows need {(rows + 1) * 8} bytes")


def _as_unsigned(indices):
    """Return a view of signed integers as unsigned ones, of which a negative index is a huge one."""
    if indices.dtype.kind != "i":
        return indices
    return indices.view(np.dtype(f"u{indices.dtype.itemsize}").newbyteorder(indices.dtype.byteorder))


def _first_beyond(dtype):
    """Return the least integer that an integer dtype does not hold: as unsigned numbers, negative indices begin there."""
    return 1 << 8 * dtype.itemsize - (dtype.kind == "i")


def is_outside(indices, bound):
    """Return whether any index lies outside of `[0, bound)`. One pass. Negative indices may lie below the bound, unsigned."""
    return bool(indices.size) and to_host_scalar(_as_unsigned(indices).max()) >= min(bound, _first_beyond(indices.dtype))


def within(name, indices, bound):
    """Raise ValueError with the first entry outside `[0, bound)`. One pass."""
    if is_outside(indices, bound):
        at = find_first_true((indices < 0) | (indices.astype(np.uint64, copy=False) >= bound))
        raise ValueError(f"{name} must lie in [0, {bound}), got {name}[{at}] = {to_host_scalar(indices[at])}")


def pattern(indptr, indices, data, shape=None):
    """Check what kernels rely on: lengths, a non-decreasing indptr from 0 to at most nnz, columns within the shape.

    Return the shape, inferred where it is None. The indices are looked at once.
    """
    inferred = shape is None
    same_device(indptr, indices, data)
    if data.ndim != 1:
        raise ValueError(f"data must be one-dimensional, got shape {data.shape}")
    index_array("indptr", indptr)
    index_array("indices", indices)
    rows, columns = (max(indptr.size - 1, 0), infer_extent("indices", indices)) if inferred else shape
    if indptr.size != rows + 1:
        raise ValueError(f"indptr must have {rows + 1} entries for {rows} rows, got {indptr.size}")
    if indices.size != data.size:
        raise ValueError(f"indices and data must have equal length, got {indices.size} and {data.size}")
    if not config.validate:
        return rows, columns
    start, stored, at = inspect_offsets(as_operand(indptr))
    if start != 0:
        raise ValueError(f"indptr must start at 0, got indptr[0] = {start}")
    if at is not None:
        values = to_host_scalar(indptr[at]), to_host_scalar(indptr[at + 1])
        raise ValueError(f"indptr must not decrease, got indptr[{at}] = {values[0]} > indptr[{at + 1}] = {values[1]}")
    if stored > indices.size:
        raise ValueError(f"indptr ends at {stored}, but there are only {indices.size} indices")
    if not inferred:
        within("indices", indices[:stored], columns)
    return rows, columns


def coordinates_of(matrix):
    """Return `(data, (row, col))` of a matrix of SciPy or CuPy that holds coordinates; CuPy's has no `coords`."""
    return matrix.data, getattr(matrix, "coords", None) or (matrix.row, matrix.col)


def foreign(matrix):
    """Check a sparse matrix of SciPy, of any format: SciPy's own functions follow its indices unchecked. One pass."""
    form, shape = getattr(matrix, "format", None), tuple(matrix.shape)
    with config(validate=True):
        if form in ("csr", "csc"):
            rows_first = (1, *shape)[-2:] if form == "csr" else shape[::-1]
            pattern(matrix.indptr, matrix.indices, matrix.data, rows_first)
        elif form == "bsr":
            dense_blocks(matrix, shape)
        elif form == "coo":
            data, coords = coordinates_of(matrix)
            for axis, (indices, extent) in enumerate(zip(coords, shape, strict=True)):
                within(f"coords[{axis}]", index_array(f"coords[{axis}]", indices), extent)
                if indices.size != data.size:
                    raise ValueError(f"coords[{axis}] and data must have equal length, got {indices.size} and {data.size}")
        elif form == "lil":
            lists(matrix)


def dense_blocks(matrix, shape):
    """Check what SciPy's conversion of dense blocks relies on; its own check looks at no offsets if the last of them is 0."""
    counts = [n // size for n, size in zip(shape, matrix.blocksize, strict=True) if n % size == 0]
    if len(counts) < 2:
        raise ValueError(f"a matrix of blocks of shape {matrix.blocksize} must consist of whole blocks, got shape {shape}")
    with config(validate=True):
        pattern(matrix.indptr, matrix.indices, matrix.data[:, 0, 0], counts)


def lists(matrix):
    """Check what SciPy's conversion of a `lil_array` relies on: a value for each column of a row, columns within the shape."""
    for i, (columns, values) in enumerate(zip(matrix.rows.flat, matrix.data.flat, strict=True)):
        if len(columns) != len(values):
            raise ValueError(f"row {i} of the lil_array has {len(columns)} columns and {len(values)} values")
    columns = np.array(list(itertools.chain.from_iterable(matrix.rows.flat)), np.int64)
    within("columns", columns, matrix.shape[-1])


def as_index(x, largest):
    """Return `x` as contiguous int32 where `largest` fits, else int64; `x` itself where it is that already."""
    return as_operand(x.astype(index_dtype(largest), copy=False))
