"""Read patterns of pruned weights from the files of the Deep Learning Matrix Collection."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import check
from spark_csr._operations.form.record import Csr
from spark_csr.io._errors import name_errors
from spark_csr.io._integers import as_count, read_lines
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    from spark_csr._types import Progress


def read_smtx(file: str | os.PathLike[str] | IO[bytes], *, progress: Progress = None) -> csr_array:
    """Read a matrix of ones from a `.smtx` file, which holds the pattern of a sparse matrix.

    Parameters, result and exceptions that are not listed are those of `mmread`.

    Parameters
    ----------
    file : str, path or file object of bytes
        The file: a line with the numbers of rows, columns and entries, separated by commas; a line with the offsets of the
        rows; and a line with the columns of the entries, both separated by blanks. It may be compressed, as `.gz` or `.bz2`.

    Returns
    -------
    csr_array
        The matrix, with float64 ones as values: the file has none.

    Notes
    -----
    Format: that of the Deep Learning Matrix Collection; Gale, Zaharia, Young & Elsen, *Sparse GPU Kernels for Deep Learning*,
    SC 2020. *Cost*: that of parsing, and a pass over the columns. *Order*: entries stay as the file has them.

    Examples
    --------
    >>> import io
    >>> from spark_csr.io import read_smtx
    >>> read_smtx(io.BytesIO(b"2, 3, 3\\n0 2 3\\n0 2 1\\n")).toarray()
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    with name_errors(file, "a .smtx file"), open_watched(file, progress, "read_smtx") as opened:
        return csr_array._of(_read(opened))


def _read(file):
    head = file.readline().replace(b",", b" ").split()
    if len(head) != 3:
        raise ValueError(f"line 1 has {len(head)} numbers and should have 3: rows, columns and entries")
    rows, columns, entries = (as_count(x, what, 1) for x, what in zip(head, ("rows", "columns", "entries"), strict=True))
    lines = read_lines(file, 1, b"")
    counts = [*lines.counts.tolist(), 0, 0]
    if counts[0] != rows + 1:
        raise ValueError(f"line 2 has {counts[0]} offsets and should have {rows + 1}, one more than there are rows")
    if counts[1] != entries:
        raise ValueError(f"line 3 has {counts[1]} columns and should have {entries}, as line 1 says")
    if any(counts[2:]):
        raise ValueError("there are numbers after line 3")
    indptr, indices = lines.values[: rows + 1], lines.values[rows + 1 :]
    data = np.ones(entries)
    check.pattern(indptr, indices, data, (rows, columns))
    if indptr[-1] != entries:
        raise ValueError(f"line 2 ends with {indptr[-1]} and should end with {entries}, the number of entries")
    dtype = index_dtype(max(rows, columns, entries))
    return Csr(indptr.astype(dtype), indices.astype(dtype), data, (rows, columns))
