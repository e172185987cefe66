"""Assemble a matrix of edges in parquet files: `from_parquet`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._ops import MONOIDS
from spark_csr.interop.dask.assemble import Target, assemble
from spark_csr.interop.dask.names import keep_names, number
from spark_csr.interop.dask.tables import common_dtype, describe, list_pieces, read_columns
from spark_csr.io._errors import name_values
from spark_csr.primitives.scan import accumulator_dtype

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from spark_csr._types import ArrayLike, DTypeLike
    from spark_csr.interop.dask.blocks import csr_blocks


def from_parquet(
    files: str | os.PathLike[str] | Sequence[str],
    *,
    row: str,
    column: str,
    data: str | None = None,
    shape: tuple[int, int] | None = None,
    names: ArrayLike | None = None,
    blocks: int | Sequence[int],
    scratch: str | os.PathLike[str],
    duplicates: str = "sum",
    by: str = "rows",
    columns: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
) -> csr_blocks:
    """Assemble a matrix in blocks of rows from edges, or other coordinates, in parquet files.

    Parameters
    ----------
    files : path, or sequence of paths
        The files, which all workers can read: a pattern such as ``edges/*.parquet``, whose files are sorted by name, a folder
        of such files, or a list. A path may have a protocol that fsspec knows, such as "s3://".
    row, column : str
        The columns of the files that hold the row and the column of every entry. For a graph whose edges are to lead from rows
        to columns, these are the sources and the targets.
    data : str, optional
        The column of the values. By default all are 1.
    shape : tuple of two ints, optional
        The shape of the matrix, if rows and columns are numbers from 0 on.
    names : array_like of str or int, optional
        The names of the vertices, if the files have names in place of numbers. Row and column `i` belong to ``names[i]``, and
        the shape is the number of names. `vertex_names` finds the names in the files.
    blocks, scratch, duplicates, by, columns : as for `from_coo`
        How to cut the matrix into blocks, where entries are kept on their way into blocks, and what becomes of several entries
        at one position. The "first" entry is that of the first file, and in a file the first row.
    dtype : dtype, optional
        The dtype of the values, and of their sums at one position. By default, the dtype that holds the values of all files;
        integers and bools that are summed have 64 bits. Without `data`, float64.

    Returns
    -------
    csr_blocks
        The matrix. Only the footers of the files have been read, unless `by` is "nnz": then the files have been read once.

    Raises
    ------
    ValueError
        If a file has no such column, if neither or both of `shape` and `names` are given, or if a name is in `names` twice.
        When blocks are made: if a value is missing, an index is out of range, or a name is not in `names` or of another kind
        than these, such as text beside integers. The message names the file.
    TypeError
        If values are not numbers, and no `dtype` is given. When blocks are made: if rows or columns are neither integers nor
        names, or if values cannot be converted. The message names the file.

    Notes
    -----
    A task reads one file, or some row groups of a large file. The next steps, and what they cost, are those of `from_coo`.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from spark_csr.interop.dask import from_parquet, vertex_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     edges = pd.DataFrame({"from": ["b.org", "a.org", "b.org"], "to": ["a.org", "c.org", "a.org"]})
    ...     edges.to_parquet(os.path.join(folder, "edges.parquet"))
    ...     names = vertex_names(folder, ["from", "to"])
    ...     A = from_parquet(folder, row="from", column="to", names=names, blocks=2, scratch=folder)
    ...     print(names.tolist(), A.compute().toarray().tolist())
    ['a.org', 'b.org', 'c.org'] [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    wanted = [row, column, *([] if data is None else [data])]
    sources, types = list_pieces(files, wanted)
    if (shape is None) == (names is None):
        raise ValueError("give shape=, if vertices are numbers, or names=, if they have names: see vertex_names")
    table = None
    if names is not None:
        shape, table = keep_names(names, scratch)
    if dtype is None:
        dtype = np.dtype(np.float64) if data is None else common_dtype(data, types[2])
        dtype = accumulator_dtype(MONOIDS["sum"], dtype) if duplicates == "sum" else dtype
    target = Target(shape, blocks, scratch, duplicates, by, columns, np.dtype(dtype))
    reader = partial(_read_edges, wanted=wanted, names=table)
    names_of_files = [describe(source) for source in sources]
    return assemble(names_of_files, reader, [(source,) for source in sources], (), pattern=data is None, target=target)


def _read_edges(source, wanted, names):
    """Return rows, columns and, if there are some, values."""
    found = read_columns(source, wanted)
    with name_values(describe(source)):
        if names is not None:
            found[:2] = number(names, wanted[:2], found[:2])
        arrays = [x.to_numpy(zero_copy_only=False) for x in found]
        for column, x in zip(wanted[:2], arrays, strict=False):
            if x.dtype.kind not in "iu":
                raise TypeError(f"numbers of rows and columns must be integers, got dtype {x.dtype} in column {column!r}")
    return arrays
