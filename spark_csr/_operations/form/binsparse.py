"""binsparse 0.1: a descriptor, which JSON can hold, and arrays of one axis by name, in a file or in memory.

Source: Brock et al., *Binary Sparse Format Specification Version 0.1* (https://graphblas.org/binsparse-specification), and the
methods `__binsparse_descriptor__` and `__binsparse__` of the draft of the Python array API standard (data-apis/array-api#912).
"""

import re
from typing import Any, NamedTuple

import numpy as np

from spark_csr._operations.form.check import shape_of

VERSION = "0.1"

FORMATS = {
    "CSR": ("csr", "pointers_to_1", "indices_1"),
    "CSC": ("csc", "pointers_to_1", "indices_1"),
    "COO": ("coo", "indices_0", "indices_1"),
    "COOR": ("coo", "indices_0", "indices_1"),
    "COOC": ("coo", "indices_1", "indices_0"),
    "CVEC": ("coo", "indices_0"),
}
"""For a format of binsparse, the format here and the names of the index arrays, offsets or rows first."""

WRITTEN = {"csr": "CSR", "csc": "CSC", "coo": "COOR"}
"""The format of binsparse for a format of a matrix."""

KIND = re.compile(r"(?:(iso|complex)\[)?(bint8|u?int(?:8|16|32|64)|float(?:32|64)|complex\[float(?:32|64)\])\]?")


class Description(NamedTuple):
    """What a descriptor says: the format here, the names of index arrays, and how values are stored."""

    format: str
    names: tuple[str, ...]
    shape: tuple[int, ...]
    entries: int | None
    is_iso: bool
    is_complex: bool
    is_bool: bool

    def length(self, entries):
        """Return how many numbers are stored for the values of so many entries."""
        return (1 if self.is_iso else entries) * (2 if self.is_complex else 1)

    def values(self, x, start, stop):
        """Return the values of a range of entries; `x[a:b]` reads stored numbers."""
        a, b = (0, min(stop - start, 1)) if self.is_iso else (start, stop)
        x = x[2 * a : 2 * b] if self.is_complex else x[a:b]
        if self.is_complex:
            x = x.astype(x.dtype.newbyteorder("="), order="C", copy=False).view(np.result_type(x.dtype, np.complex64))
        x = x.astype(bool) if self.is_bool else x
        return x.repeat(stop - start) if self.is_iso else x

    def check_values(self, x, entries):
        """Raise ValueError unless `x`, which has a shape and a dtype, holds the values of so many entries."""
        if tuple(x.shape) != (self.length(entries),):
            raise ValueError(f"values must be {self.length(entries)} numbers for {entries} entries, got shape {x.shape}")
        if self.is_complex and (x.dtype.kind, x.dtype.itemsize) not in (("f", 4), ("f", 8)):
            raise ValueError(f"complex values must be stored as float32 or float64, got dtype {x.dtype}")


def read_descriptor(descriptor: Any) -> Description:
    """Return what a descriptor says, with or without the key "binsparse"; raise ValueError for what cannot be read."""
    inner = descriptor.get("binsparse", descriptor) if isinstance(descriptor, dict) else None
    if not isinstance(inner, dict):
        raise ValueError(f"the descriptor of binsparse must be a dict, got {str(descriptor)[:80]!r}")
    version, name = inner.get("version", VERSION), inner.get("format")
    if version != VERSION:
        raise ValueError(f"the version of binsparse is {str(version)[:80]!r}, and only {VERSION} is read")
    if not isinstance(name, str) or name not in FORMATS:
        raise ValueError(f"the format of binsparse is {str(name)[:80]!r}, and only {', '.join(FORMATS)} are read")
    form, *names = FORMATS[name]
    if inner.get("structure", "general") != "general":
        raise ValueError(f"the structure is {str(inner['structure'])[:80]!r}, and only 'general' is read: write all entries")
    if inner.get("fill"):
        raise ValueError("the matrix has a fill value, and only zeros can be left out: subtract it before writing")
    shape, entries = inner.get("shape"), inner.get("number_of_stored_values")
    axes = 1 if name == "CVEC" else 2
    if not isinstance(shape, (list, tuple)) or len(shape) != axes or any(type(n) is not int for n in shape):
        raise ValueError(f"the shape of {name} must be {axes} integers, got {str(shape)[:80]}")
    if entries is not None and (type(entries) is not int or entries < 0):
        raise ValueError(f"number_of_stored_values must be an integer from 0 on, got {str(entries)[:80]}")
    types = inner.get("data_types")
    kind = types.get("values") if isinstance(types, dict) else None
    if not isinstance(kind, str) or kind.count("[") != kind.count("]") or not (found := KIND.fullmatch(kind)):
        raise ValueError(f"the data type of the values is {str(kind)[:80]!r}, which binsparse {VERSION} does not have")
    if found[1] == "complex" and not found[2].startswith("float"):
        raise ValueError(f"complex values are made of floats, got {kind!r}")
    is_complex = "complex" in kind
    return Description(form, tuple(names), shape_of(shape), entries, found[1] == "iso", is_complex, found[2] == "bint8")


def read_arrays(descriptor: Any, arrays: Any) -> tuple[str, tuple[Any, ...], tuple[int, ...]]:
    """Return the format, the argument for the class of that format, and the shape, of a descriptor and arrays in memory."""
    found = read_descriptor(descriptor)
    missing = [name for name in (*found.names, "values") if name not in arrays]
    if missing:
        raise ValueError(f"binsparse has no array {missing[0]!r} for the format {descriptor!s:.200}")
    *index, values = (arrays[name] for name in (*found.names, "values"))
    entries = index[-1].size if found.entries is None else found.entries
    found.check_values(values, entries)
    data = found.values(values, 0, entries)
    return found.format, (data, tuple(index)) if found.format == "coo" else (data, index[1], index[0]), found.shape


def describe(form: str, shape: tuple[int, ...], index: Any, data: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the descriptor and the arrays by name of a canonical matrix with index arrays `index`, offsets or rows first."""
    name = WRITTEN[form] if len(shape) == 2 else "CVEC"
    kind = data.dtype.name
    if data.dtype == np.float16:
        raise TypeError("binsparse has no float16: use A.astype('float32')")
    if data.dtype.kind == "c":
        data = data.view(data.real.dtype)
        kind = f"complex[{data.dtype.name}]"
    elif data.dtype == bool:
        data, kind = data.view(np.uint8), "bint8"
    arrays = {**dict(zip(FORMATS[name][1:], index, strict=True)), "values": data}
    inner = {
        "version": VERSION,
        "format": name,
        "shape": [int(n) for n in shape],
        "number_of_stored_values": int(index[-1].size),
        "data_types": {key: x.dtype.name for key, x in arrays.items()} | {"values": kind},
    }
    return {"binsparse": inner}, arrays
