"""Columns of edge tables, from whatever libraries hold them: arrays, lists, and columns of pandas, polars and Arrow.

Design: names are read as one of three forms, each of which has its own way to be numbered (see `factorize`): an array of
integers, an array of strings of Arrow's, or a list of objects. Lists of many strings become Arrow's, where it is installed.
"""

import importlib
import itertools

import numpy as np

from spark_csr._array import is_array, is_device_array, namespace_of, to_host_scalar
from spark_csr._operations.form import check
from spark_csr.primitives._check import find_first_true

MANY = 100_000
"""Strings in a list from which on they become a column of Arrow, whose import takes a quarter of a second. Two million strings
are numbered in 0.26 s by Arrow, and in 0.87 s by a dict (two cores of an EPYC, 2026-11)."""

EXACT = 2**53
"""Below this number every integer is exact as a float64, and no other one is rounded to it."""


def read_names(argument, x):
    """Return a column of names as integers in an array, as strings in an Arrow array, or as objects in a list.

    Raise TypeError or ValueError if a name is missing, or if these can be no names.
    """
    x = _plain(argument, x)
    if is_array(x):
        return _as_integers(argument, x)
    if not isinstance(x, list):
        return x
    kinds = set(map(type, x))
    if all(issubclass(kind, (int, float, np.integer, np.floating, np.bool_)) for kind in kinds):
        array = np.array(x)
        if x and array.dtype.kind == "f" and all(issubclass(kind, (int, np.integer)) for kind in kinds):
            array = np.array(x, np.uint64 if min(x) >= 0 else object)  # some are above 2**63 - 1
        return x if array.dtype == object else _as_integers(argument, array)  # integers beyond 64 bits are objects
    _refuse_missing(argument, x, kinds)
    return _hand_to_arrow(x) if len(x) >= MANY and kinds <= {str, np.str_} else x


def read_numbers(argument, x):
    """Return a column of numbers as an array; raise TypeError or ValueError for anything else, and for missing ones."""
    x = _plain(argument, x)
    if not is_array(x):
        x = x if isinstance(x, list) else x.to_pylist()
        _refuse_missing(argument, x, set(map(type, x)))
        if (at := find_non_number(x)) is not None:
            raise TypeError(f"{argument} must hold numbers, got {x[at]!r} in {argument}[{at}]")
        x = np.array(x) if x else np.empty(0)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{argument} must hold numbers, got dtype {x.dtype}: convert it with .astype(float)")
    if x.dtype.kind in "fc":
        _refuse_nan(argument, x)
    return x


def find_non_number(values):
    """Return the position of the first object in a list that is no number, or None."""
    kinds = {kind for kind in set(map(type, values)) if not issubclass(kind, (int, float, complex, np.number, np.bool_))}
    return next((at for at, value in enumerate(values) if type(value) in kinds), None) if kinds else None


def strings_of(column):
    """Return whether all names of a column are strings; arrays hold none."""
    if is_array(column):
        return False
    return not isinstance(column, list) or all(issubclass(kind, str) for kind in set(map(type, column)))


def as_list(column):
    """Return a column as a list of Python's objects."""
    if is_device_array(column):
        column = column.get()
    return column if isinstance(column, list) else column.tolist() if is_array(column) else column.to_pylist()


def as_host_names(column):
    """Return a column of names as an array on the host."""
    if is_array(column):
        return column.get() if is_device_array(column) else column.copy()
    return as_objects(as_list(column))


def as_objects(names):
    """Return a list of names as an array of int64 if all are such integers, else of objects."""
    if names and all(kind is int for kind in set(map(type, names))):
        array = np.array(names)
        if array.dtype == np.int64:
            return array
    return np.fromiter(names, object, len(names))  # `array` would make two axes of names that are tuples


def _plain(argument, x):
    """Return a column as an array of NumPy's or CuPy's, an Arrow array of strings, or a list of Python's objects."""
    if isinstance(x, (str, bytes)) or hasattr(x, "columns") or hasattr(x, "column_names"):
        what = f"the text {x!r}" if isinstance(x, (str, bytes)) else f"a {type(x).__name__}"
        raise TypeError(f"{argument} must be one column, got {what}: write Graph.from_edges(table['u'], table['v'])")
    if not is_array(x):
        x = _from_library(argument, x)
    if isinstance(x, np.ma.MaskedArray):
        _refuse_flagged(argument, np.ma.getmaskarray(x), "masked")
        x = x.data
    if not is_array(x):
        return x
    if x.ndim != 1:
        raise ValueError(f"{argument} must have one dimension, got shape {x.shape}")
    return x.tolist() if x.dtype.kind in "OUTS" else x


def _from_library(argument, x):
    """Return the column of another library as an array, an Arrow array of strings or a list."""
    if isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "to_numpy"):
        return x.to_numpy()  # pandas, where NumPy has the dtype: no copy
    arrow = _as_arrow(x)
    if arrow is not None and not hasattr(arrow.type, "extension_name"):  # of a Period, Arrow has a number that is none of it
        return _from_arrow(argument, arrow)
    if hasattr(x, "to_numpy"):
        return x.to_numpy()
    if hasattr(x, "__array__"):
        return np.asarray(x)
    try:
        return list(x)
    except TypeError:
        raise TypeError(f"{argument} must be a column, such as an array or a list, got {type(x).__name__}") from None


def _hand_to_arrow(strings):
    """Return a list of strings as a column of Arrow; as it is if pyarrow is missing, or if a string has no form in UTF-8."""
    try:
        arrow = importlib.import_module("pyarrow")
        return arrow.chunked_array([arrow.array(strings, arrow.large_string())])
    except (ImportError, UnicodeEncodeError):
        return strings


def _as_arrow(x):
    """Return a column of Arrow, polars or pandas as an Arrow array; None if it has no such form, or if pyarrow is missing."""
    inner = getattr(x, "array", None)  # that of a Series of pandas
    streams, arrays = hasattr(x, "__arrow_c_stream__"), hasattr(x, "__arrow_c_array__")
    if not (streams or arrays or hasattr(inner, "__arrow_array__")):
        return None
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        return None
    try:
        if hasattr(inner, "__arrow_array__"):
            x = arrow.array(inner)
        elif not isinstance(x, arrow.ChunkedArray):
            x = arrow.array(x) if arrays else arrow.chunked_array(x)
    except arrow.ArrowTypeError:  # a column of pandas, as of sparse numbers, that Arrow has no form for
        return None
    return arrow.chunked_array([x]) if isinstance(x, arrow.Array) else x


def _from_arrow(argument, x):
    """Return a chunked array of Arrow's as an array of numbers, as one of strings, or as a list."""
    arrow = importlib.import_module("pyarrow")
    compute, types = importlib.import_module("pyarrow.compute"), arrow.types
    try:
        x.validate(full=True)
    except arrow.ArrowInvalid as error:
        raise ValueError(f"{argument} is no valid column of Arrow: {error}") from error
    if types.is_dictionary(x.type):
        kind = _wide(types, x.type.value_type)
        x = arrow.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in x.chunks], kind)
    if x.null_count:
        raise _missing(argument, compute.index(compute.is_null(x), True).as_py(), "null")
    kind = _wide(types, x.type)
    if types.is_large_string(kind):
        return x.cast(kind)
    if types.is_integer(x.type) or types.is_floating(x.type) or types.is_boolean(x.type):
        return x.to_numpy()
    try:
        x = x.cast(arrow.time64("us")) if types.is_time64(x.type) else x  # Python's objects have no nanoseconds
        return x.to_pylist()
    except (OverflowError, ValueError) as error:  # of times that Python has no objects for
        raise ValueError(
            f"{argument} has type {x.type}, and Python has no object for a value ({error}): use integers"
        ) from error


def _wide(types, kind):
    """Return Arrow's type of long strings for any type of strings; return another type as it is."""
    is_view = getattr(types, "is_string_view", types.is_large_string)  # older versions have no such type
    if types.is_string(kind) or types.is_large_string(kind) or is_view(kind):
        return importlib.import_module("pyarrow").large_string()
    return kind


def _as_integers(argument, x):
    """Return an array of integers as int32, int64 or uint64; floats too if they are whole."""
    if x.dtype.kind == "f":
        x = x.astype(np.float64)
        _refuse_nan(argument, x)
        at = find_first_true((x != namespace_of(x).floor(x)) | (abs(x) >= EXACT))
        if at is not None:
            raise ValueError(f"names must be integers or strings, got {to_host_scalar(x[at])} in {argument}[{at}]")
        return x.astype(np.int64)
    if x.dtype.kind not in "biu":
        raise TypeError(f"{argument} has dtype {x.dtype}, and names are integers or strings: convert it with .astype(str)")
    if x.dtype == np.uint64 and x.size and to_host_scalar(x.max()) > np.iinfo(np.int64).max:
        return x.astype(np.uint64, copy=False)  # in the order of bytes of this machine
    return x.astype(np.int32 if x.dtype.kind == "i" and x.itemsize == 4 else np.int64, copy=False)


def _refuse_nan(argument, x):
    _refuse_flagged(argument, x != x, "NaN")


def _refuse_flagged(argument, flags, what):
    at = find_first_true(flags)
    if at is not None:
        raise _missing(argument, at, what)


def _refuse_missing(argument, values, kinds):
    """Raise ValueError with the first object that stands for a missing value: None, NaN, and pandas' NA and NaT."""
    suspects = {kind for kind in kinds if kind is type(None) or kind.__name__ in ("NAType", "NaTType")}
    floats = {kind for kind in kinds if issubclass(kind, (float, np.floating))}
    if not suspects and not floats:
        return
    for at, value in enumerate(values):
        if type(value) in suspects or (type(value) in floats and value != value):
            raise _missing(argument, at, value)


def _missing(argument, at, what):
    return ValueError(f"{argument}[{at}] is missing ({what}): drop the rows without {argument} first, or fill them")


def refuse_unhashable(argument, values):
    """Raise TypeError with the first object that cannot be hashed."""
    for at, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"names must be hashable, got {argument}[{at}] of type {type(value).__name__}: use strings, integers or tuples"
            ) from None


def refuse_beyond(n, **columns):
    """Raise ValueError or TypeError if columns hold anything else than numbers from 0 to `n - 1`."""
    for argument, column in columns.items():
        if not is_array(column) and len(column):
            raise TypeError(f"{argument} must hold integers if n_vertices is given: without it, names are numbered")
        if is_array(column):
            check.within(argument, column, n)


def refuse_unequal(**columns):
    """Raise ValueError if columns differ in length; those that are None are left out."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        names, sizes = list(lengths), list(map(str, lengths.values()))
        listed = [", ".join(itertools.islice(x, len(x) - 1)) + f" and {x[-1]}" for x in (names, sizes)]
        raise ValueError(f"{listed[0]} must have equal length, got {listed[1]}")
