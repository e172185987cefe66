"""Assemble a matrix in blocks of rows from coordinates in arrays of Dask: `from_coo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from spark_csr.interop.dask.assemble import Target, assemble
from spark_csr.interop.dask.graphs import Tasks, recipes

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from spark_csr._types import DTypeLike
    from spark_csr.interop.dask.blocks import csr_blocks


def from_coo(
    row: Any,
    column: Any,
    data: Any = None,
    *,
    shape: tuple[int, int],
    blocks: int | Sequence[int],
    scratch: str | os.PathLike[str],
    duplicates: str = "sum",
    by: str = "rows",
    columns: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
) -> csr_blocks:
    """Assemble a matrix in blocks of rows from coordinates in arrays of Dask, in any order.

    Parameters, result and exceptions that are not listed are those of `from_csr`. Nothing has been computed, unless `by` is
    "nnz": then `row` has been computed once, to count the entries.

    Parameters
    ----------
    row, column : 1-D dask.array.Array of int, or array_like
        The row and the column of every entry. The lengths of their chunks need not be known.
    data : 1-D dask.array.Array or array_like, optional
        The value of every entry. By default all are 1.
    shape : tuple of two ints
        The shape of the matrix.
    blocks : int or sequence of ints
        The number of blocks, or the number of rows of each block.
    scratch : path
        A folder that all workers can write to and read. Entries are kept there on their way into blocks, and take about as many
        bytes as in `row`, `column` and `data`. They are removed when this process ends.
    duplicates : {"sum", "min", "max", "first"}, default "sum"
        What becomes of several entries at one position.
    by : {"rows", "nnz"}, default "rows"
        How to cut, if `blocks` is the number of blocks. With "rows", all blocks have about equally many rows. With "nnz", they
        have about equally many entries plus rows.
    dtype : dtype, optional
        The dtype of the values; by default that of `data`, or float64 without data.

    Raises
    ------
    ValueError
        If `duplicates` or `by` is unknown, if the three arrays differ in the number of chunks or elements, or if the lengths do
        not sum to the shape. When blocks are made: if an index is out of range, and the message names the entry; TypeError if
        rows or columns are not integers.

    Notes
    -----
    A task for each chunk sorts the entries of the chunk by block and writes them to a file. Then a task for each block reads
    the entries of its block from all files. *Cost*: for each thread, the memory of a worker has to hold one chunk, or about
    three times one block. The files are read again when a block is made again; you can remove them once the matrix is saved or
    no longer used. *Order*: duplicates are added, or the first one is chosen, in the order of the arrays, on any number of
    workers. *Empty input*: blocks without entries.

    Examples
    --------
    >>> import tempfile
    >>> import dask.array as da
    >>> from spark_csr.interop.dask import from_coo
    >>> row, column = da.from_array([3, 0, 3, 1], chunks=2), da.from_array([1, 2, 1, 0], chunks=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     from_coo(row, column, shape=(4, 3), blocks=2, scratch=folder).compute().toarray()
    array([[0., 0., 1.],
           [1., 0., 0.],
           [0., 0., 0.],
           [0., 2., 0.]])
    """
    row, column, data = _of_equal_chunks(row, column, data)
    dtype = np.dtype(dtype if dtype is not None else np.float64 if data is None else data.dtype)
    count = row.numblocks[0]
    names = [f"chunk {i}" for i in range(count)]
    arrays = [x for x in (row, column, data) if x is not None]
    # chunks that tasks make of nothing are made where they are written, and never kept beside each other
    sources = list(zip(*(recipes(Tasks(x.dask, x.name, [(x.name, i) for i in range(count)])) for x in arrays), strict=True))
    target = Target(shape, blocks, scratch, duplicates, by, columns, dtype)
    return assemble(names, None, sources, arrays, pattern=data is None, target=target)


def _of_equal_chunks(*arrays):
    """Return arrays of Dask of one axis with the same chunks; None stays."""
    made = [x if x is None or isinstance(x, da.Array) else da.from_array(np.asarray(x)) for x in arrays]
    for x in made:
        if x is not None and (x.ndim != 1 or x.numblocks != made[0].numblocks or _differ(x.shape[0], made[0].shape[0])):
            shapes = " and ".join(f"{a.shape} in {a.numblocks[0]} chunks" for a in made if a is not None)
            raise ValueError(f"rows, columns and values must have one axis, and be equally many in equal chunks, got {shapes}")
    known = not np.isnan(made[0].shape[0])
    return [x if x is None or not known or x.chunks == made[0].chunks else x.rechunk(made[0].chunks) for x in made]


def _differ(a, b):
    return a != b and not np.isnan(a + b)
