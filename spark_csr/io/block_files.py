"""`BlockFiles`: a matrix in files, a folder for each block of its rows, of which what is asked for is read.

Design: the sums (CRC-32) of a block's arrays are compared when a process first reads it, and not again: after that its index
arrays need no check either, which would read all of them before each product. Cost: the first time, one pass over the block.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import zlib
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spark_csr._config import config
from spark_csr._construct.stack import vstack
from spark_csr._matrix.csr import csr_array
from spark_csr.io._block_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr._types import Array

VERSION = 1
"""Of the attributes in these files."""

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
    folder : str
        The folder.
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
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.io import open_blocks, save_blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_blocks(os.path.join(folder, "grid"), poisson((8,)), 2)
    ...     files = open_blocks(os.path.join(folder, "grid"))
    ...     print(len(files), files.shape, files.nnz, files.offsets)
    ...     files[1]
    2 (8, 8) 22 [0 4 8]
    <csr_array of dtype 'float64' on cpu, shape (4, 8), with 11 stored elements>
    """

    __array_ufunc__ = None  # NumPy would read all blocks to make an array

    __slots__ = ("_attributes", "_format", "dtype", "entries", "folder", "offsets", "shape")

    def __init__(self, folder: str, format: str, attributes: dict[str, Any]) -> None:
        self.folder, self._format, self._attributes = folder, format, attributes
        self.shape: tuple[int, int] = (int(attributes["shape"][0]), int(attributes["shape"][1]))
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
        """Read one block after the other.

        Examples
        --------
        >>> import tempfile
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.io import open_blocks, save_blocks
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_blocks(folder, poisson((8,)), 2)
        ...     [block.nnz for block in open_blocks(folder)]
        [11, 11]
        """
        return (self[i] for i in range(len(self)))

    def __getitem__(self, block: int) -> csr_array:
        """Read a block: its rows, with the columns of the whole matrix.

        In the format "npy" the arrays are read-only and mapped into memory: parts of them are read when they are used, and the
        operating system takes the memory back when it is short. *Cost*: the first time in a process, one pass over the block,
        to compare its checksums.

        Examples
        --------
        >>> import tempfile
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.io import open_blocks, save_blocks
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_blocks(folder, poisson((8,)), 2)
        ...     print(open_blocks(folder)[-1].shape)
        (4, 8)
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
        with self._naming(number):
            arrays = self._open(number)
            arrays = {name: np.asarray(x[:]) for name, x in arrays.items()}
            self._compare(number, arrays)
            return self._matrix(arrays)

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
        *Cost*: only the entries of these rows are read. If only some rows of a block are read, its checksums are not compared;
        its index arrays are checked instead.

        Examples
        --------
        >>> import tempfile
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.io import open_blocks, save_blocks
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_blocks(folder, poisson((8,)), 2)
        ...     open_blocks(folder).rows(3, 5).toarray()
        array([[ 0.,  0., -1.,  2., -1.,  0.,  0.,  0.],
               [ 0.,  0.,  0., -1.,  2., -1.,  0.,  0.]])
        """
        if not 0 <= start <= stop <= self.shape[0]:
            raise ValueError(f"rows must lie within 0:{self.shape[0]}, got {start}:{stop}")
        parts = []
        for number, (first, last) in enumerate(itertools.pairwise(self.offsets.tolist())):
            a, b = max(start, first), min(stop, last)
            if a < b:
                parts.append(self[number] if (a, b) == (first, last) else self._some(number, a - first, b - first))
        if not parts:
            return csr_array((0, self.shape[1]), dtype=self.dtype)
        return parts[0] if len(parts) == 1 else vstack(parts, format="csr")

    def _some(self, number, start, stop):
        """Read rows of a block, by their numbers within it."""
        with self._naming(number):
            arrays = self._open(number)
            indptr = np.asarray(arrays["indptr"][start : stop + 1])
            a, b = int(indptr[0]), int(indptr[-1])
            if not 0 <= a <= b <= self.entries[number]:
                raise ValueError(f"its rows end at {b} of {self.entries[number]} entries")
            found = {name: np.asarray(arrays[name][a:b]) for name in ("indices", "data")}
            return csr_array((found["data"], found["indices"], indptr - a), shape=(stop - start, self.shape[1]))

    def _open(self, number):
        """Return the arrays of a block, unread, after their lengths and dtypes are known to be right."""
        arrays = FORMATS[self._format].arrays(self.path(number))
        rows = int(self.offsets[number + 1] - self.offsets[number])
        wanted = {"indptr": rows + 1, "indices": self.entries[number], "data": self.entries[number]}
        for name, length in wanted.items():
            if arrays[name].shape != (length,):
                raise ValueError(f"{name} has shape {arrays[name].shape} and should have {length} elements")
        if arrays["data"].dtype != self.dtype:
            raise ValueError(f"data has dtype {arrays['data'].dtype} and should have {self.dtype}")
        return arrays

    def _compare(self, number, arrays):
        """Compare the sums of the arrays with those that were saved, once for each process."""
        path = self.path(number)
        key = path, os.stat(path).st_mtime_ns
        if not config.validate or key in _checked:
            return
        saved = FORMATS[self._format].attributes(path)
        shape = arrays["indptr"].size - 1, self.shape[1]
        if tuple(saved["shape"]) != shape:
            raise ValueError(f"its shape is {tuple(saved['shape'])} and should be {shape}")
        for name, x in arrays.items():
            if zlib.crc32(x.view(np.uint8)) != saved["crc32"][name]:
                raise ValueError(f"the checksum of {name} differs from that which was saved")
        _checked.add(key)

    def _matrix(self, arrays):
        """Return the matrix of arrays whose sums were right."""
        with config(validate=False):
            shape = arrays["indptr"].size - 1, self.shape[1]
            return csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)

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

        Examples
        --------
        >>> import os, tempfile
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.io import open_blocks, save_blocks
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_blocks(folder, poisson((8,)), 2)
        ...     os.path.basename(open_blocks(folder).path(1))
        'block-000001'
        """
        return block_path(self.folder, block)

    @contextlib.contextmanager
    def _naming(self, number):
        """Let errors name the block and its rows, and say what to do."""
        start, stop = self.offsets[number : number + 2].tolist()
        block = f"{self.folder}: block {number}, of rows {start}:{stop},"
        advice = f"save it again with save_block({self.folder!r}, {number}, rows)"
        try:
            yield
        except (FileNotFoundError, KeyError) as error:
            if os.path.isdir(self.path(number)):
                raise FileNotFoundError(f"{block} lacks a file: {advice} ({error})") from error
            raise FileNotFoundError(f"{block} is missing: {advice}") from error
        except (ImportError, MemoryError, PermissionError):
            raise
        except Exception as error:  # readers raise many kinds: see `name_errors`
            raise ValueError(f"{block} is damaged: {error}; {advice}") from error

    def __repr__(self) -> str:
        kind = f"shape {self.shape}, dtype {self.dtype}, {self.nnz} entries"
        return f"<BlockFiles of {len(self)} blocks: {kind}, in {self.folder!r}>"


def block_path(folder: str, number: int) -> str:
    """Return the folder of a block."""
    return os.path.join(folder, f"block-{number:06}")
