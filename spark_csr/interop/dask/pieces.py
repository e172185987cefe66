"""Entries on their way into blocks, in files: a piece has those of one file or chunk, sorted by block.

Design: whoever makes a piece writes it under another name and renames it, and a block reads its part of every piece. So no
entry passes through Dask's memory, a task that runs again changes nothing, and a piece that is there is whole. A piece is one
file: the offsets of its parts, then rows, columns and values. Cost: every entry is written and read once more.
"""

from __future__ import annotations

import os
import uuid
from typing import Any, NamedTuple

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._config import config
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.convert import from_coo, from_coo_unsummed
from spark_csr.graph.edges import combine_parallel

RULES = ("sum", "min", "max", "first")
"""What becomes of entries of one position."""


class Pieces(NamedTuple):
    """Where pieces are, and what they hold: the same for all pieces of a matrix."""

    folder: str
    offsets: Any
    columns: int
    dtype: Any
    pattern: bool
    """Whether there are no values: all entries are 1."""

    def path(self, number):
        """Return the file of a piece."""
        return os.path.join(self.folder, f"piece-{number:06}")

    def dtypes(self):
        """Return the dtypes of rows, which count from the first row of their block, of columns, and of values."""
        rows = index_dtype(int(np.diff(self.offsets).max(initial=0)))
        return [np.dtype(rows), np.dtype(index_dtype(self.columns)), *([] if self.pattern else [np.dtype(self.dtype)])]


def write_piece(pieces, number, what, rows, columns, data=None):
    """Write the entries of one file or chunk, in the place of a piece that is there. `what` names it in messages."""
    path = pieces.path(number)
    rows = _check(what, "row", rows, int(pieces.offsets[-1]))
    columns = _check(what, "column", columns, pieces.columns)
    arrays = [rows, columns, *([] if pieces.pattern else [np.asarray(data)])]
    if len({x.size for x in arrays}) > 1:
        raise ValueError(f"{what} has {' and '.join(str(x.size) for x in arrays)} rows, columns and values")
    block = (np.searchsorted(pieces.offsets, rows, "right") - 1).astype(np.min_scalar_type(pieces.offsets.size))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(block, minlength=pieces.offsets.size - 1))]).astype(np.int64)
    order = None if np.all(block[1:] >= block[:-1]) else np.argsort(block, kind="stable")
    arrays[0] = rows - pieces.offsets[block]
    _write(pieces, path, what, offsets, arrays, order)


def _check(what, axis, numbers, length):
    """Return numbers of rows or columns as an array; raise ValueError if one is out of range."""
    numbers = np.asarray(numbers)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError(f"{what}: numbers of {axis}s must be integers, got shape {numbers.shape} of dtype {numbers.dtype}")
    wrong = np.flatnonzero((numbers < 0) | (numbers >= length))
    if wrong.size:
        raise ValueError(f"{what}: {axis} {numbers[wrong[0]]} of entry {wrong[0]} is out of range for {length} {axis}s")
    return numbers


def _write(pieces, path, what, offsets, arrays, order):
    """Write a piece under another name, and rename it."""
    temporary = f"{path}.{uuid.uuid4().hex}"
    try:
        os.makedirs(pieces.folder, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(offsets)
            for x, dtype in zip(arrays, pieces.dtypes(), strict=True):
                file.write(np.ascontiguousarray(x if order is None else x[order], dtype))
        os.replace(temporary, path)
    except OSError as error:
        message = f"{what}: {offsets[-1]} entries were not written to {pieces.folder}: {error.strerror or error}"
        raise OSError(error.errno, message) from error
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{what}: values cannot be converted to {np.dtype(pieces.dtype)}: {error}") from error
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def read_block(pieces, count, number, rule):
    """Return the rows of a block of all pieces, with the columns of the whole matrix."""
    dtypes = pieces.dtypes()
    spans = [_span(pieces, k, number, dtypes) for k in range(count)]
    total = sum(stop - start for start, stop, _ in spans)
    arrays = [np.empty(total, dtype) for dtype in dtypes]
    done = 0
    for k, (start, stop, size) in enumerate(spans):
        if start == stop:
            continue
        with open(pieces.path(k), "rb") as file:
            at = 8 * pieces.offsets.size
            for x in arrays:
                file.seek(at + start * x.itemsize)
                file.readinto(x[done : done + stop - start])
                at += size * x.itemsize
        done += stop - start
    if pieces.pattern:
        arrays.append(np.ones(total, pieces.dtype))
    shape = int(pieces.offsets[number + 1] - pieces.offsets[number]), pieces.columns
    rows, columns, data = (arrays.pop(0) for _ in range(3))
    with config(validate=True):
        if rule == "sum":
            return csr_array._of(from_coo(rows, columns, data, shape))
        return csr_array._of(combine_parallel(from_coo_unsummed(rows, columns, data, shape), rule))


def _span(pieces, piece, number, dtypes):
    """Return where the entries of a block begin and end in a piece, and how many the piece has."""
    path, count = pieces.path(piece), pieces.offsets.size
    try:
        with open(path, "rb") as file:
            offsets = np.frombuffer(file.read(8 * count), np.int64)
            size = file.seek(0, os.SEEK_END)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path}, a piece of the entries of rows {pieces.offsets[number]}:{pieces.offsets[number + 1]}, is missing: "
            "scratch must be a folder that all workers see, and must stay as it is until the matrix is saved or kept"
        ) from None
    wanted = 8 * count + int(offsets[-1]) * sum(dtype.itemsize for dtype in dtypes) if offsets.size == count else 8 * count
    if size != wanted:
        raise ValueError(f"{path} has {size} bytes and should have {wanted}: remove the folder, and make the matrix again")
    if offsets[0] != 0 or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"the offsets of {path} do not ascend from 0: remove the folder, and make the matrix again")
    return int(offsets[number]), int(offsets[number + 1]), int(offsets[-1])
