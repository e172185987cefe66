"""Sparse matrices in MATLAB's files of version 5 to 7.

Design: SciPy's reader follows sizes that it has not checked, and a damaged file can end the process. This one reads nothing but
sparse matrices, and structs of one element that hold some; all else is skipped by its size. Source: MathWorks, *MAT-File
Format*, R2024a.
"""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import complex_of
from spark_csr._matrix.csc import csc_array

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8", 16: "u1"}
"""The dtypes of numbers by their codes; 16 is text in UTF-8."""

MATRIX, COMPRESSED = 14, 15
STRUCT, SPARSE = 2, 5
COMPLEX, LOGICAL = 0x0800, 0x0200

HEAD = 1 << 12
"""Bytes of a variable, unpacked, in which its class and name are."""


class Elements:
    """Elements of a file in a range of its bytes, one after the other."""

    def __init__(self, content: bytes, order: str) -> None:
        self.content, self.order, self.at = memoryview(content), order, 0

    def next(self) -> tuple[int, Any]:
        """Return the type of the next element, and its bytes."""
        kind, size, start, stop = _tag(self.content[self.at : self.at + 8], self.order)
        found = self.content[self.at + start : self.at + start + size]
        if len(found) < size:
            raise ValueError(f"an element of {size} bytes ends after {len(found)}")
        self.at += stop
        return kind, found

    def numbers(self, kinds: str) -> Any:
        """Return the next element as numbers of these kinds, in the byte order of this machine."""
        kind, found = self.next()
        dtype = np.dtype(f"{self.order}{TYPES.get(kind, 'V1')}")
        if dtype.kind not in kinds or len(found) % dtype.itemsize:
            raise ValueError(f"an element of type {kind} and {len(found)} bytes stands where numbers should")
        return np.frombuffer(found, dtype).astype(dtype.newbyteorder("="), copy=False)


def _tag(tag, order):
    """Return the type of an element, the size of its data, and where these and the next element begin."""
    if len(tag) < 8:
        raise ValueError("the file ends within an element")
    first, second = np.frombuffer(tag, f"{order}u4").tolist()
    if first >> 16:  # a small element, which has its data in the tag
        if first >> 16 > 4:
            raise ValueError(f"a small element has {first >> 16} bytes and should have 4 at most")
        return first & 0xFFFF, first >> 16, 4, 8
    return first, second, 8, 8 + second + (-second % 8 if first != COMPRESSED else 0)


def read_variables(stream: Any, wanted: str | None) -> Iterator[tuple[str, csc_array]]:
    """Yield the names and sparse matrices of a file; only those of a variable if its name is given."""
    stream.seek(0)
    order = {b"IM": "<", b"MI": ">"}.get(stream.read(128)[126:])
    if order is None:
        raise ValueError("its header does not tell the order of bytes")
    while tag := stream.read(8):
        kind, size, start, stop = _tag(tag, order)
        if start == 4:
            continue
        content = stream.read(stop - 8)
        if len(content) < size:
            raise ValueError(f"a variable of {size} bytes ends after {len(content)}")
        if kind == COMPRESSED:
            head = zlib.decompressobj().decompress(content, HEAD)
            if not _may_hold(Elements(head[8:], order), wanted):
                continue
            kind, content = Elements(zlib.decompress(content), order).next()
        if kind == MATRIX and _may_hold(Elements(content, order), wanted):
            yield from _read_matrix(Elements(content, order))


def _read_head(elements):
    """Return the flags, the class, the shape and the name of an array."""
    flags = elements.numbers("u")
    shape, name = elements.numbers("iu").tolist(), bytes(elements.numbers("iu")).decode()
    if not flags.size:
        raise ValueError("a variable has no class")
    return int(flags[0]) & ~0xFF, int(flags[0]) & 0xFF, shape, name


def _may_hold(elements, wanted):
    """Return whether a variable has this name, if one is given, and can hold a sparse matrix."""
    _, kind, _, name = _read_head(elements)
    return kind in (SPARSE, STRUCT) and wanted in (None, name)


def _read_matrix(elements, before="", depth=5):
    """Yield the names and sparse matrices of an array."""
    flags, kind, shape, name = _read_head(elements)
    name = before or name
    if kind == SPARSE:
        yield name, _read_sparse(elements, flags, shape)
    elif kind == STRUCT and depth and math.prod(shape) == 1:
        width = int((elements.numbers("i").tolist() or [0])[0])
        text = bytes(elements.numbers("iu"))
        if width < 1 or len(text) % width:
            raise ValueError(f"the names of the fields of {name} have {len(text)} bytes and a width of {width}")
        for k in range(0, len(text), width):
            field = text[k : k + width].partition(b"\0")[0].decode()
            code, content = elements.next()
            if code == MATRIX and len(content):
                yield from _read_matrix(Elements(content, elements.order), f"{name}.{field}", depth - 1)


def _read_sparse(elements, flags, shape):
    """Return a sparse matrix, which `csc_array` checks: the caller has seen to it."""
    if len(shape) != 2:
        raise ValueError(f"a sparse matrix must have two dimensions, got shape {tuple(shape)}")
    rows, offsets, data = elements.numbers("iu"), elements.numbers("iu"), elements.numbers("iuf")
    if flags & COMPLEX:
        imaginary = elements.numbers("iuf")
        if imaginary.size != data.size:
            raise ValueError(f"there are {data.size} real and {imaginary.size} imaginary parts")
        data = complex_of(data, imaginary)
    entries = int(offsets[-1]) if offsets.size else 0  # behind these is room that MATLAB has reserved
    if entries > min(rows.size, data.size):
        raise ValueError(f"there are {min(rows.size, data.size)} entries and should be {entries}")
    entries = max(entries, 0)
    data = data[:entries].astype(bool) if flags & LOGICAL else data[:entries]
    return csc_array((data, rows[:entries], offsets), shape=tuple(shape))
