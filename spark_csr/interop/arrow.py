"""Ragged arrays to and from Arrow's arrays of lists, and Parquet files. The values are shared.

An Arrow array of lists holds what a `Ragged` holds: values, and offsets of 32 or 64 bits for every level of lists. An array of
structs, or a table, becomes a dict with an array for each field or column.
"""

from __future__ import annotations

import contextlib
import math
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from spark_csr._files import open_to_write
from spark_csr._ragged import Ragged
from spark_csr.interop._records import check_records, shared_offsets, split_records
from spark_csr.io._errors import name_errors

try:
    import pyarrow
except ImportError as error:
    raise ImportError("spark_csr.interop.arrow needs pyarrow: install it with: pip install pyarrow") from error

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from spark_csr._ragged.types import Records

BOOL8 = pyarrow.bool8() if hasattr(pyarrow, "bool8") else None
"""Bools that are stored as bytes, of which all but 0 are true."""

__all__ = ["from_arrow", "read_parquet", "to_arrow", "write_parquet"]


def __dir__() -> list[str]:
    return __all__


def to_arrow(ragged: Ragged | Records) -> pyarrow.Array:
    """Return an Arrow array that shares the memory of a `Ragged`, or of a dict of ragged arrays.

    See the example of `from_arrow`.

    Parameters
    ----------
    ragged : Ragged or dict
        An array; one on a GPU is copied to the host first. Or records: a dict from names to ragged arrays, to arrays of one
        axis, or to further dicts.

    Returns
    -------
    pyarrow.Array
        Lists of numbers, of type `list` for offsets of 32 bits and `large_list` for offsets of 64 bits; elements that are
        vectors are lists of fixed size. For a dict, an array of
        structs, inside of the lists that all fields have in common.

    Raises
    ------
    TypeError, ValueError
        If values are complex numbers, which Arrow does not have, or if something else is given; if a dict is empty, or if
        fields have different numbers of items.

    Notes
    -----
    *Cost*: none that depends on the size, except for bools, which Arrow stores as bits. pandas and polars take the result.
    """
    return _to_array(ragged if isinstance(ragged, Ragged) else check_records(ragged))


def _to_array(x):
    """Return the Arrow array of an array or of records."""
    if not isinstance(x, dict):
        x = x.to_device("cpu")
        if x.dtype.kind == "c":
            raise TypeError(f"Arrow has no complex numbers, got dtype {x.dtype}: pass real and imaginary parts as fields")
        return _wrap_lists(_nest(pyarrow.array(x.values.reshape(-1)), x.values.shape), x.offsets)
    offsets, fields = split_records(x)
    arrays = [_to_array(field) for field in fields.values()]
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"fields must have the same number of items, got {dict(zip(fields, lengths, strict=True))}")
    return _wrap_lists(pyarrow.StructArray.from_arrays(arrays, names=list(fields)), offsets)


def _wrap_lists(array, levels):
    for offsets in reversed(levels):
        kind = pyarrow.ListArray if offsets.dtype == np.int32 else pyarrow.LargeListArray
        array = kind.from_arrays(pyarrow.array(offsets), array)
    return array


def from_arrow(array: Any) -> Any:
    """Return a `Ragged` with the lists and numbers of an Arrow array, or a dict of arrays for structs and tables.

    Parameters
    ----------
    array : pyarrow.Array, ChunkedArray, Table, RecordBatch, or object with Arrow's PyCapsule interface
        Lists of numbers, nested to any depth, also views of lists. Innermost lists of fixed size inside of other lists are
        vectors, which become elements; others count as lists. There can be structs at any depth. Tensors of fixed shape are
        lists of that shape, `bool8` is bool, and another extension type is what it is stored as.

    Returns
    -------
    Ragged or dict
        A `Ragged` that shares the values. Offsets and bools are copied; offsets become int32 if they fit. Several chunks are
        first copied into one. For structs and tables, a dict from names to such ragged arrays, which share the offsets of the
        lists that hold the structs. A field or column without lists is a plain array. The shared memory is read-only.

    Raises
    ------
    TypeError
        If the array has missing values, other values than numbers, two fields or columns of one name, or tensors whose axes
        are permuted. The message says which, and what to do.
    ValueError
        If offsets or sizes do not fit the items, which Arrow checks when it is asked to only.

    Notes
    -----
    *Cost*: two passes that check the offsets, and a copy of them. *Empty input*: an empty array of type null becomes an empty
    array of float64.

    Examples
    --------
    >>> import pyarrow
    >>> from spark_csr.interop.arrow import from_arrow, to_arrow
    >>> ragged = from_arrow(pyarrow.array([[1.5, 2], [], [3]]))
    >>> ragged, to_arrow(ragged).type
    (Ragged([[1.5, 2.0], [], [3.0]], dtype=float64), ListType(list<item: double>))
    >>> from_arrow(pyarrow.table({"met": [9, 4], "pt": [[51.0, 27.5], []]}))
    {'met': array([9, 4]), 'pt': Ragged([[51.0, 27.5], []], dtype=float64)}
    """
    if isinstance(array, (pyarrow.Table, pyarrow.RecordBatch)):
        _refuse_equal(array.column_names, "columns")
        columns = map(_one_chunk, array.columns)
        return {name: _from_array(column, (), True) for name, column in zip(array.column_names, columns, strict=True)}
    return _from_array(_one_chunk(array), ())


def _one_chunk(array):
    """Return an array of Arrow, or of a library that shares such arrays, as one array of Arrow."""
    if not isinstance(array, (pyarrow.Array, pyarrow.ChunkedArray)):
        if hasattr(array, "__arrow_c_array__"):
            array = pyarrow.array(array)
        elif hasattr(array, "__arrow_c_stream__"):
            array = pyarrow.chunked_array(array)
        else:
            raise TypeError(f"from_arrow takes arrays and tables of Arrow, got {type(array).__name__}: use Ragged.from_lists")
    try:
        array.validate(full=True)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"the Arrow array is not valid: {error}") from error
    if isinstance(array, pyarrow.ChunkedArray):
        return array.chunk(0) if array.num_chunks == 1 else pyarrow.concat_arrays([*array.chunks, _empty(array.type)])
    return array


def _empty(kind):
    return pyarrow.array([], kind)


def _refuse_equal(names, what):
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TypeError(f"the Arrow array has several {what} of the name {twice!r}: rename them, or leave all but one out")


def _from_array(array, offsets, field=False):
    """Return the array, or the dict of arrays, of an Arrow array that is inside of lists with the given offsets."""
    array = _without_extension(array)
    while (vectors := _open_vectors(array) if offsets else None) is None and (opened := _open_lists(array)) is not None:
        bounds, array = opened
        offsets = (*offsets, shared_offsets(bounds, len(array)))
        array = _without_extension(array)
    if vectors is not None:
        return Ragged._sharing(vectors, *offsets)
    if pyarrow.types.is_struct(array.type):
        _refuse_equal([part.name for part in array.type], "fields")
        return {part.name: _from_array(array.field(k), offsets, True) for k, part in enumerate(array.type)}
    values = _to_numbers(array)
    return Ragged._sharing(values, *offsets) if offsets or not field else values


def _without_extension(array):
    """Return the array that an extension type stands for; raise TypeError if values are missing."""
    kind = array.type
    while isinstance(array, pyarrow.ExtensionArray):
        kind, array = array.type, array.storage
    if array.null_count:
        raise TypeError(
            f"the Arrow array has {array.null_count} missing values: use array.drop_null() or array.fill_null(...), "
            "inside of lists for example pyarrow.ListArray.from_arrays(array.offsets, array.values.fill_null(0))"
        )
    if kind == BOOL8:
        return array.cast(pyarrow.bool_())
    return _open_tensors(array, kind) if isinstance(kind, pyarrow.FixedShapeTensorType) else array


def _open_tensors(array, kind):
    """Return tensors as lists of fixed size, nested as their shape says."""
    if kind.permutation not in (None, list(range(len(kind.shape)))):
        raise TypeError(
            f"the tensors have axes in the order {kind.permutation}: use pyarrow.FixedShapeTensorArray.from_numpy_ndarray("
            "array.to_numpy_ndarray().copy())"
        )
    return _nest(array.flatten(), (len(array), *kind.shape))


def _nest(array, shape):
    """Return values as lists of fixed size, nested as all but the first extent of a shape say."""
    for axis in range(len(shape) - 1, 0, -1):
        kind = pyarrow.list_(array.type, shape[axis])
        array = pyarrow.Array.from_buffers(kind, math.prod(shape[:axis]), [None], children=[array])
    return array


def _open_vectors(array):
    """Return numbers in lists of fixed size as an array of more than one axis; None for anything else."""
    shape = [len(array)]
    while pyarrow.types.is_fixed_size_list(array.type):
        shape.append(array.type.list_size)
        array = _without_extension(array.flatten())
    is_nested = pyarrow.types.is_nested(array.type)
    return _to_numbers(array).reshape(shape) if len(shape) > 1 and not is_nested else None


def _open_lists(array):
    """Return the offsets of lists, which start at 0, and what the lists hold; None for an array of something else."""
    kind, types = array.type, pyarrow.types
    if types.is_fixed_size_list(kind):
        stop = len(array) * kind.list_size
        return np.arange(0, stop + 1, kind.list_size) if kind.list_size else np.zeros(len(array) + 1, int), array.flatten()
    if hasattr(types, "is_list_view") and (types.is_list_view(kind) or types.is_large_list_view(kind)):
        return np.concatenate([[0], np.cumsum(array.sizes.to_numpy(), dtype=np.int64)]), array.flatten()
    if not (types.is_list(kind) or types.is_large_list(kind)):
        return None
    if not len(array):  # Arrow may leave the offsets of no lists out
        return np.zeros(1, np.int32), array.values[:0]
    bounds = array.offsets.to_numpy()
    first, last = int(bounds[0]), int(bounds[-1])
    return bounds - first if first else bounds, array.values.slice(first, last - first)


def _to_numbers(array):
    """Return a NumPy array that shares the values; bools are copied."""
    kind, types = array.type, pyarrow.types
    if types.is_null(kind):
        return np.zeros(0)
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise TypeError(f"the Arrow array holds values of type {kind}, but Ragged holds numbers: use array.cast(...)")
    return array.to_numpy(zero_copy_only=not types.is_boolean(kind))


def write_parquet(file: str | os.PathLike[str] | IO[bytes], records: Records, **options: Any) -> None:
    """Write a dict of ragged arrays as the columns of a Parquet file.

    Parameters, result and exceptions that are not listed are those of `to_arrow`. awkward's `from_parquet`, pandas and polars
    read the file. See the example of `read_parquet`.

    Parameters
    ----------
    file : str, path or file object
        The file to write. A local file that is there is replaced when the new one is whole.
    records : dict
        The columns: names and ragged arrays, arrays of one axis, or dicts of these, which become structs. All have the same
        number of items.
    **options
        The options of `pyarrow.parquet.write_table`, such as `compression`.
    """
    from pyarrow import parquet

    if not isinstance(records, dict):
        raise TypeError(f"write_parquet takes a dict of columns, got {type(records).__name__}: use {{'values': array}}")
    columns = {name: _to_array(x) for name, x in check_records(records, "records").items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must have the same number of items, got {lengths}")
    table = pyarrow.table(columns)
    is_local = "filesystem" not in options and not (isinstance(file, str) and "://" in file)
    with open_to_write(file) if is_local else contextlib.nullcontext(file) as target:
        parquet.write_table(table, target, **options)


def read_parquet(
    file: str | os.PathLike[str] | IO[bytes], columns: Sequence[str] | None = None, **options: Any
) -> dict[str, Any]:
    """Read the columns of a Parquet file as a dict of ragged arrays.

    Parameters, result and exceptions that are not listed are those of `from_arrow`.

    Parameters
    ----------
    file : str, path or file object
        The file to read.
    columns : sequence of str, optional
        The columns to read. Default: all.
    **options
        The options of `pyarrow.parquet.read_table`, such as `filters`.

    Returns
    -------
    dict
        Names and arrays, as `from_arrow` returns them for a table.

    Raises
    ------
    ValueError
        If the file is damaged, or no Parquet file. The message names it.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from spark_csr.interop.arrow import read_parquet, write_parquet
    >>> file = io.BytesIO()
    >>> write_parquet(file, {"met": np.array([9, 4]), "run": np.array([1, 1])})
    >>> _ = file.seek(0)
    >>> read_parquet(file, columns=["met"])
    {'met': array([9, 4])}
    """
    from pyarrow import parquet

    if columns is not None and not isinstance(columns, str):
        columns = list(dict.fromkeys(columns))
    with name_errors(file, "a Parquet file"):
        found: dict[str, Any] = from_arrow(parquet.read_table(file, columns=columns, **options))
    return found
