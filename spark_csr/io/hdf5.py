"""`HDF5Matrix`: a matrix in an HDF5 file, of which what is asked for is read."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import numpy as np

from spark_csr.io._errors import name_errors
from spark_csr.io._hdf5 import find, layout_of, open_file, read_lines, read_vector
from spark_csr.io.blocks import BLOCK_BYTES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array

WANTED = "an HDF5 file with a sparse matrix"


class HDF5Matrix:
    """A matrix in an HDF5 file, as `open_hdf5` returns it. Entries are read when you ask for them.

    `A.rows(start, stop)` reads rows of a CSR matrix, and `A.columns(start, stop)` columns of a CSC matrix. The file is opened
    for each of these calls, so the object can be pickled, and nothing has to be closed.

    Parameters
    ----------
    file : str, path or file object
        The file.
    key : str
        The path of the group within the file.

    Attributes
    ----------
    format : str
        "csr" or "csc".
    shape : tuple of two ints
        The shape of the matrix.
    dtype : dtype
        The dtype of its values.
    nnz : int
        The number of entries.

    Examples
    --------
    >>> import io
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.io import open_hdf5, write_binsparse
    >>> file = io.BytesIO()
    >>> write_binsparse(file, poisson((8,)))
    >>> open_hdf5(file), open_hdf5(file).rows(3, 5).nnz
    (<HDF5Matrix of format 'csr', shape (8, 8), dtype float64, 22 entries>, 6)
    >>> by_columns = io.BytesIO()
    >>> write_binsparse(by_columns, poisson((8,)).tocsc())
    >>> open_hdf5(by_columns).columns(3, 5).shape
    (8, 2)
    """

    __slots__ = ("dtype", "file", "format", "key", "nnz", "shape")

    def __init__(self, file: str | os.PathLike[str] | IO[bytes], key: str = "/") -> None:
        self.file, self.key = file, key
        with name_errors(file, WANTED), open_file(file) as opened:
            layout = self._layout(opened)
            self.format, self.nnz = layout.format, layout.entries
            self.shape: tuple[int, int] = (layout.shape[0], layout.shape[1])
            self.dtype: np.dtype[Any] = layout.values(0, 0).dtype

    def _layout(self, opened):
        layout = layout_of(find(opened, self.key))
        if layout.format == "coo":
            raise ValueError(f"{self.key} holds coordinates, of which no rows can be read alone: use read_binsparse")
        return layout

    def rows(self, start: int, stop: int) -> csr_array:
        """Read a range of rows of a matrix that is stored by rows.

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
            If there are no such rows, if the matrix is stored by columns, or if the file is damaged.

        Notes
        -----
        *Cost*: only the offsets and entries of these rows are read, and their indices are checked. Datasets that are compressed
        are unpacked by whole chunks.
        """
        found: csr_array = self._read("csr", "rows", start, stop)
        return found

    def columns(self, start: int, stop: int) -> csc_array:
        """Read a range of columns of a matrix that is stored by columns, as `rows` reads rows.

        Parameters, result and exceptions that are not listed are those of `rows`; the result is a `csc_array`.
        """
        found: csc_array = self._read("csc", "columns", start, stop)
        return found

    def _read(self, form, what, start, stop):
        self._check_format(form, what)
        extent = self.shape[0 if form == "csr" else 1]
        if not 0 <= start <= stop <= extent:
            raise ValueError(f"{what} must lie within 0:{extent}, got {start}:{stop}")
        with name_errors(self.file, WANTED), open_file(self.file) as opened:
            return read_lines(self._layout(opened), start, stop)

    def _check_format(self, form, what):
        if form != self.format:
            other = "columns" if what == "rows" else "rows"
            raise ValueError(f"the matrix is stored by {other}: use A.{other}(start, stop)")

    def __iter__(self) -> Iterator[csr_array]:
        """Read one block of rows after the other, each of about 256 MB; `save_blocks` takes them."""
        self._check_format("csr", "rows")
        with name_errors(self.file, WANTED), open_file(self.file) as opened:
            offsets = read_vector(self._layout(opened).index[0]).astype(np.int64)
        most, start = BLOCK_BYTES // (self.dtype.itemsize + 8), 0
        while start < self.shape[0]:
            stop = int(np.searchsorted(offsets, offsets[start] + most, side="right")) - 1
            stop = min(max(stop, start + 1), start + BLOCK_BYTES // 8, self.shape[0])
            yield self.rows(start, stop)
            start = stop

    def __repr__(self) -> str:
        return f"<HDF5Matrix of format {self.format!r}, shape {self.shape}, dtype {self.dtype}, {self.nnz} entries>"


def open_hdf5(file: str | os.PathLike[str] | IO[bytes], key: str = "/") -> HDF5Matrix:
    """Open a sparse matrix in an HDF5 file, to read it in parts. Only its shape and dtype are read.

    Parameters, result and exceptions that are not listed are those of `read_h5ad`. See the example of `HDF5Matrix`.

    Parameters
    ----------
    file : str, path or file object
        The file, of AnnData (`.h5ad`), 10x Genomics (`.h5`), binsparse or MATLAB (`.mat` of version 7.3).
    key : str, default "/"
        The path of the group that holds the matrix: "X" or "layers/counts" of AnnData, "matrix" of 10x Genomics, the name of a
        variable of MATLAB. The default is the file itself, which is where `write_binsparse` puts a matrix.

    Returns
    -------
    HDF5Matrix
        The matrix in the file. That of 10x Genomics has the cells in its rows, as `read_10x_h5` returns it.

    Notes
    -----
    Links within the file, and what lies in other files, are refused. A program that does not fit a matrix into memory reads
    blocks: `for rows in open_hdf5("cells.h5ad", "X")`.
    """
    return HDF5Matrix(file, key)
