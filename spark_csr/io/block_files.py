"""`BlockFiles`: a matrix in files, a folder for each block of its rows, of which what is asked for is read.

Design: the sums (CRC-32) of a block's arrays tell of damage, and are compared when a process first reads it. They say nothing
of who wrote it: so the description, the lengths, the dtypes and the index arrays are checked at every reading, whatever
`config.validate` is. Cost: one pass over the index arrays each time, which a product reads next; the first time, one more over
the block.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import itertools
import operator
import os
import re
import zlib
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spark_csr._array import DTYPES
from spark_csr._config import config
from spark_csr._construct.stack import vstack
from spark_csr._matrix.csr import csr_array
from spark_csr.io._block_formats import FORMATS, UNFINISHED
from spark_csr.io._errors import explain_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr._types import Array

VERSION = 1
"""Of the attributes in these files."""

TRIES = 100
"""How often a block is read that other processes replace meanwhile."""

_checked: set[Any] = set()
"""Blocks whose sums this process has compared, with the times at which they were written."""


class BlockFiles:
    """A matrix in a folder of blocks, as `open_blocks` returns it. Entries are read when you ask for them.

    `files[i]` reads block `i`, and `files.rows(start, stop)` reads any range of rows. The object can be pickled and sent to
    another process, which must be able to read the folder.

    Parameters
    ----------
    folder : str
        The folder.
    format : str
        "npy" or "zarr".
    attributes : dict
        The contents of the file that describes all blocks.

    Attributes
    ----------
    shape : tuple of two ints
        The shape of the matrix.
    dtype : dtype
        The dtype of its values.
    offsets : (blocks + 1,) NumPy array of int64
        Block `i` has the rows `offsets[i]:offsets[i + 1]`.
    entries : tuple of ints
        The number of entries of each block.

    Examples
    --------
    >>> import os, tempfile
    >>> from spark_csr import gallery, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.save_blocks(os.path.join(folder, "grid"), gallery.poisson((8,)), 2)
    ...     files = io.open_blocks(os.path.join(folder, "grid"))
    ...     print(len(files), files.shape, files.nnz, files.offsets)
    ...     print(files.rows(3, 5).shape, os.path.basename(files.path(1)))
    ...     files[1]
    2 (8, 8) 22 [0 4 8]
    (2, 8) block-000001
    <csr_array of dtype 'float64' on cpu, shape (4, 8), with 11 stored elements>
    """

    __array_ufunc__ = None  # NumPy would read all blocks to make an array

    __slots__ = ("_attributes", "_format", "dtype", "entries", "folder", "offsets", "shape")

    def __init__(self, folder: str, format: str, attributes: dict[str, Any]) -> None:
        self.folder, self._format, self._attributes = folder, format, attributes
        _check_description(attributes)
        self.shape: tuple[int, int] = (attributes["shape"][0], attributes["shape"][1])
        self.dtype: np.dtype[Any] = np.dtype(attributes["dtype"])
        self.offsets: Array = np.asarray(attributes["row_offsets"], np.int64)
        self.entries: tuple[int, ...] = tuple(attributes["nnz"])

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockFiles, (self.folder, self._format, self._attributes)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return sum(self.entries)

    def __iter__(self) -> Iterator[csr_array]:
        """Read one block after the other."""
        return (self[i] for i in range(len(self)))

    def __getitem__(self, block: int) -> csr_array:
        """Read a block: its rows, with the columns of the whole matrix.

        In the format "npy" the arrays are read-only and mapped into memory: parts of them are read when they are used, and the
        operating system takes the memory back when it is short. *Cost*: one pass over the index arrays, which are checked; the
        first time in a process, one more over the block, to compare its checksums.
        """
        try:
            block = operator.index(block)
        except TypeError:
            raise TypeError(
                f"the number of a block must be an integer, got {block!r}: rows(start, stop) reads a range"
            ) from None
        if not -len(self) <= block < len(self):
            raise IndexError(f"there are {len(self)} blocks, got {block}")
        number = block % len(self) if len(self) else 0
        return self._read(number, self._whole)

    def __matmul__(self, other: Any) -> NoReturn:
        """Raise TypeError: the blocks are multiplied one by one, as the message says."""
        raise TypeError("files are not a matrix: use np.concatenate([block @ x for block in files])")

    def rows(self, start: int, stop: int) -> csr_array:
        """Read a range of rows, of one block or of several blocks.

        Parameters
        ----------
        start, stop : int
            The first row, and the row after the last.

        Returns
        -------
        csr_array
            The rows, with the columns of the whole matrix.

        Raises
        ------
        ValueError
            If there are no such rows, or if a block is damaged. The message names the block and its rows.
        FileNotFoundError
            If a block is missing.

        Notes
        -----
        *Cost*: only the entries of these rows are read, and their indices are checked. If only some rows of a block are read,
        its checksums are not compared.
        """
        if not 0 <= start <= stop <= self.shape[0]:
            raise ValueError(f"rows must lie within 0:{self.shape[0]}, got {start}:{stop}")
        parts = []
        for number, (first, last) in enumerate(itertools.pairwise(self.offsets.tolist())):
            a, b = max(start, first), min(stop, last)
            if a < b:
                read = functools.partial(self._some, start=a - first, stop=b - first)
                parts.append(self[number] if (a, b) == (first, last) else self._read(number, read))
        if not parts:
            return csr_array((0, self.shape[1]), dtype=self.dtype)
        return parts[0] if len(parts) == 1 else vstack(parts, format="csr")

    def _read(self, number, read):
        """Return `read(number)`: read again if another process has replaced the block, whose files are opened one by one."""
        for _ in range(TRIES):
            before = self._identify(number)
            try:
                with self._naming(number):
                    matrix = read(number)
            except (ValueError, FileNotFoundError):
                if self._identify(number) == before:
                    raise
            else:
                if self._identify(number) == before:
                    return matrix
        raise OSError(errno.EBUSY, f"block {number} of {self.folder} is replaced by other processes again and again")

    def _identify(self, number):
        """Return what is another thing for every folder that has had the name of a block; None if there is none."""
        with contextlib.suppress(OSError):
            path = self.path(number)
            found = os.stat(path)
            return path, found.st_dev, found.st_ino, found.st_mtime_ns
        return None

    def _whole(self, number):
        """Read all rows of a block."""
        arrays = {name: np.asarray(x[:]) for name, x in self._open(number).items()}
        self._compare(number, arrays)
        return self._matrix(arrays["indptr"], arrays["indices"], arrays["data"])

    def _some(self, number, start, stop):
        """Read rows of a block, by their numbers within it."""
        arrays = self._open(number)
        indptr = np.asarray(arrays["indptr"][start : stop + 1])
        a, b = int(indptr[0]), int(indptr[-1])
        if not 0 <= a <= b <= self.entries[number]:
            raise ValueError(f"its rows end at {b} of {self.entries[number]} entries")
        return self._matrix(indptr - a, *(np.asarray(arrays[name][a:b]) for name in ("indices", "data")))

    def _open(self, number):
        """Return the arrays of a block, unread, after their lengths and dtypes are known to be right."""
        arrays = FORMATS[self._format].arrays(self.path(number))
        rows = int(self.offsets[number + 1] - self.offsets[number])
        wanted = {"indptr": rows + 1, "indices": self.entries[number], "data": self.entries[number]}
        for name, length in wanted.items():
            if arrays[name].shape != (length,):
                raise ValueError(f"{name} has shape {arrays[name].shape} and should have {length} elements")
        for name in ("indptr", "indices"):
            if arrays[name].dtype.kind not in "iu":
                raise ValueError(f"{name} has dtype {arrays[name].dtype} and should hold integers")
        if arrays["data"].dtype != self.dtype:
            raise ValueError(f"data has dtype {arrays['data'].dtype} and should have {self.dtype}")
        return arrays

    def _compare(self, number, arrays):
        """Compare the sums of the arrays with those that were saved, once for each process."""
        path = self.path(number)
        key = path, os.stat(path).st_mtime_ns
        if not config.validate or key in _checked:
            return
        saved = read_attributes(FORMATS[self._format], path)
        shape, found = (arrays["indptr"].size - 1, self.shape[1]), tuple(saved["shape"])
        if found != shape:
            raise ValueError(f"its shape is {found} and should be {shape}")
        for name, x in arrays.items():
            if zlib.crc32(x.view(np.uint8)) != saved["crc32"].get(name):
                raise ValueError(f"the checksum of {name} differs from that which was saved")
        _checked.add(key)

    def _matrix(self, indptr, indices, data):
        """Return the matrix of arrays of a file, which are checked: who wrote them may have written the sums too."""
        with config(validate=True):
            return csr_array((data, indices, indptr), shape=(indptr.size - 1, self.shape[1]))

    def path(self, block: int) -> str:
        """Return the folder of a block.

        Parameters
        ----------
        block : int
            The number of the block.

        Returns
        -------
        str
            The folder.
        """
        return find_block(self.folder, block, self._attributes.get("suffix", ""))

    @contextlib.contextmanager
    def _naming(self, number):
        """Let errors name the block and its rows, and say what to do."""
        start, stop = self.offsets[number : number + 2].tolist()
        block = f"{self.folder}: block {number}, of rows {start}:{stop},"
        again = f"save it again with save_block({self.folder!r}, {number}, rows)"
        advice = f"{again}, or open the folder anew if another process has replaced the matrix"
        try:
            yield
        except FileNotFoundError as error:
            if os.path.isdir(self.path(number)):
                raise FileNotFoundError(f"{block} lacks a file: {advice} ({error})") from error
            raise FileNotFoundError(f"{block} is missing: {advice}") from error
        except (ImportError, PermissionError):
            raise
        except MemoryError as error:
            raise MemoryError(
                f"{block} does not fit into memory: {error}; read fewer rows, or, if it is damaged, {advice}"
            ) from error
        except Exception as error:  # readers raise many kinds: see `name_errors`
            if (fault := explain_fault(error, block)) is not None:
                raise fault from error
            raise ValueError(f"{block} is damaged: {error}; {advice}") from error

    def __repr__(self) -> str:
        kind = f"shape {self.shape}, dtype {self.dtype}, {self.nnz} entries"
        return f"<BlockFiles of {len(self)} blocks: {kind}, in {self.folder!r}>"


def block_path(folder: str, number: int, suffix: str = "") -> str:
    """Return the folder of a block. A matrix that replaced another has blocks with a suffix."""
    return os.path.join(folder, f"block-{number:06}{suffix}")


def find_block(folder: str, number: int, suffix: str = "") -> str:
    """Return the folder of a block; if whoever replaces it was stopped on the way, that to which it was moved."""
    path = block_path(folder, number, suffix)
    if not os.path.isdir(path):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name.startswith(f".{os.path.basename(path)}.") and name.endswith(".old") and UNFINISHED.fullmatch(name):
                    return os.path.join(folder, name)
    return path


def _check_description(attributes: dict[str, Any]) -> None:
    """Raise ValueError unless a file describes blocks; the message names what is wrong."""
    shape, offsets, entries = (_sizes_of(attributes, name) for name in ("shape", "row_offsets", "nnz"))
    _check_shape_and_dtype(attributes)
    if len(offsets) != len(entries) + 1 or offsets != sorted(offsets) or (offsets[0], offsets[-1]) != (0, shape[0]):
        raise ValueError(f"the offsets of its {len(entries)} blocks must ascend from 0 to {shape[0]}, got {str(offsets)[:80]}")
    suffix = attributes.get("suffix", "")
    if type(suffix) is not str or not re.fullmatch("(-[0-9a-f]{32})?", suffix):
        raise ValueError(f"the suffix of its blocks is {suffix!r}, which names no folder of this package")


def read_attributes(kind: Any, path: str) -> dict[str, Any]:
    """Return the attributes of a block; raise ValueError that names their file and what is wrong if they describe none."""
    try:
        attributes = kind.attributes(path)
        _check_shape_and_dtype(attributes)
        _sizes_of({"nnz": [attributes.get("nnz")]}, "nnz")
        if type(sums := attributes.get("crc32")) is not dict:
            raise ValueError(f"its checksums are {str(sums)[:80]} and should be a dict")
    except (ValueError, KeyError) as error:
        raise ValueError(f"{kind.description} describes no block: {error}") from None
    return attributes


def _check_shape_and_dtype(attributes: dict[str, Any]) -> None:
    """Raise ValueError unless a block or a matrix has a shape and a dtype."""
    if len(shape := _sizes_of(attributes, "shape")) != 2:
        raise ValueError(f"its shape must be two integers, got {shape}")
    if (dtype := attributes.get("dtype")) not in [known.name for known in DTYPES]:
        raise ValueError(f"its dtype {str(dtype)[:80]!r} is not supported")


def _sizes_of(attributes: dict[str, Any], name: str) -> list[int]:
    """Return a list of sizes of a description."""
    sizes = attributes.get(name)
    if type(sizes) is not list or not all(type(n) is int and 0 <= n < 2**63 for n in sizes):
        raise ValueError(f"its {name} must be integers from 0 on, got {str(sizes)[:80]}")
    return sizes
