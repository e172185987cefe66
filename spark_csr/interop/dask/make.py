"""Make matrices in blocks of rows: of a matrix here, of tasks, of arrays of Dask."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr import partition
from spark_csr._matrix.csr import csr_array
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.blocks import csr_blocks
from spark_csr.interop.dask.graphs import Tasks, check_chunks, current_client, make_layer
from spark_csr.partition.balance import equal_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dask.delayed import Delayed

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, DTypeLike

LARGEST = 64 * 2**20
"""The most bytes of a matrix that is sent to a cluster inside of a graph, which its scheduler keeps. Not tuned."""


def from_csr(matrix: MatrixLike, blocks: int | Sequence[int], columns: Sequence[int] | None = None) -> csr_blocks:
    """Cut a matrix of this process into blocks of rows.

    Parameters
    ----------
    matrix : (m, n) sparse matrix
        A matrix of this package or of SciPy.
    blocks : int or sequence of ints
        The number of blocks, or the number of rows of each block. Given their number, blocks have about equally many entries
        plus rows. A single row is one block.
    columns : sequence of ints, optional
        The lengths of the chunks of a vector that the matrix multiplies. By default, the chunks of a square matrix have the
        lengths of its blocks. For other matrices there are as many chunks as blocks, of equal lengths.

    Returns
    -------
    csr_blocks
        The matrix.

    Raises
    ------
    ValueError
        If the lengths do not sum to the shape, or if the matrix is large and a cluster would have to be sent all of it.

    Notes
    -----
    The rows are sent to the cluster in the task graph, so any block can be made again. This works for matrices of up to 64 MiB.
    For larger matrices, give `from_delayed` tasks that read or make the rows.

    Examples
    --------
    >>> import dask.array as da
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_csr, from_dask
    >>> from_csr(poisson((20, 20)), blocks=4).chunks[0]
    (102, 98, 99, 101)
    >>> from_dask(da.eye(4, chunks=2)).chunks
    ((2, 2), (2, 2))
    """
    matrix = csr_array(matrix)
    if matrix.nbytes > LARGEST and current_client() is not None:
        raise ValueError(
            f"a matrix of {matrix.nbytes} bytes would be kept by the scheduler of the cluster, which takes up to {LARGEST}: "
            "write it to files that the workers can read, and use from_delayed with a task that reads the rows of a block"
        )
    rows = lengths_of(blocks, matrix.shape[0], "blocks", matrix.indptr)
    offsets = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)]).tolist()
    layer = "csr-" + tokenize(matrix, rows)
    made = {(layer, i): matrix[start:stop] for i, (start, stop) in enumerate(itertools.pairwise(offsets))}
    return blocks_of_rows(make_layer(layer, made), rows, chunks_of(columns, rows, matrix.shape[1]), matrix.dtype)


def lengths_of(given, total, name, indptr=None):
    """Return lengths that sum to a total, given their number or themselves."""
    if np.ndim(given) == 0:
        if given < 1:
            raise ValueError(f"{name} must be 1 or more, got {given}")
        given = 1 if total == 1 else given  # Dask broadcasts every chunk of an axis of length 1, empty ones too
        if indptr is None:
            return equal_lengths(total, int(given))
        return tuple(np.diff(partition.balanced_offsets(indptr, int(given))).tolist())
    lengths = tuple(int(length) for length in given)
    if sum(lengths) != total or min(lengths, default=0) < 0:
        raise ValueError(f"{name} must sum to {total}, got {lengths}, which sum to {sum(lengths)}")
    return lengths


def chunks_of(columns, lengths, width):
    """Return the lengths of the chunks of a vector: those given; else those of the blocks, or as many equal ones."""
    if columns is None:
        columns = lengths if sum(lengths) == width else len(lengths)
    return lengths_of(columns, width, "columns")


def from_delayed(
    rows: Sequence[Delayed], lengths: Sequence[int] | Array, columns: int | Sequence[int] | Array, dtype: DTypeLike = np.float64
) -> csr_blocks:
    """Make a matrix in blocks of rows from tasks that read or make the rows.

    Parameters, result and exceptions that are not listed are those of `from_csr`.

    Parameters
    ----------
    rows : sequence of dask.delayed.Delayed
        A task for each block, whose result is a sparse matrix: its rows, with the columns of the whole matrix.
    lengths : sequence or array of ints
        The number of rows of each block.
    columns : int or sequence of ints
        As for `from_csr`, or the number of columns.
    dtype : dtype, default float64
        The dtype of the values.

    Raises
    ------
    ValueError
        If the numbers of tasks and of lengths differ. When blocks are made: if the rows that a task returns have another shape
        than `lengths` and `columns` say.

    Notes
    -----
    A task can run several times, on any worker: again when a worker is lost and, unless the matrix is kept by `persist`, for
    every result. So it must return the same rows each time, and read only files that all workers can read.

    Examples
    --------
    >>> import dask
    >>> from spark_csr import eye_array
    >>> from spark_csr.interop.dask import from_delayed
    >>> part = dask.delayed(eye_array)(2, 4)
    >>> from_delayed([part, part], [2, 2], 4).compute().toarray()
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 1., 0., 0.]])
    """
    lengths = tuple(map(int, lengths))
    if len(rows) != len(lengths) or not lengths:
        raise ValueError(f"every block needs a task and a length, got {len(rows)} tasks and {len(lengths)} lengths")
    number = isinstance(columns, (int, np.integer))
    chunks = chunks_of(None, lengths, columns) if number else tuple(map(int, columns))
    layer = "delayed-" + tokenize([part.key for part in rows])
    made = {(layer, i): (tasks.as_rows, part.key) for i, part in enumerate(rows)}
    return blocks_of_rows(make_layer(layer, made, rows), lengths, chunks, dtype)


def from_dask(array: da.Array, columns: Sequence[int] | None = None) -> csr_blocks:
    """Make a matrix in blocks of rows from an array of Dask, whose chunks can be sparse or dense.

    Parameters, result and exceptions that are not listed are those of `from_csr`. See the example of `from_csr`.

    Parameters
    ----------
    array : (m, n) dask.array.Array
        The elements, in chunks of known lengths. If the array is cut along its columns, the chunks of the same rows are joined.
        Then every chunk becomes a block.
    """
    if array.ndim != 2:
        raise ValueError(f"from_dask takes an array of two axes, got shape {array.shape}")
    check_chunks(array.chunks)
    array = array.rechunk({1: -1})
    lengths = array.chunks[0]
    layer = "rows-of-" + array.name
    made = {(layer, i): (tasks.as_rows, (array.name, i, 0)) for i in range(len(lengths))}
    return blocks_of_rows(make_layer(layer, made, [array]), lengths, chunks_of(columns, lengths, array.shape[1]), array.dtype)


def blocks_of_rows(rows: Tasks, lengths: Any, columns: Any, dtype: Any) -> csr_blocks:
    """Return the matrix of tasks whose results are rows."""
    layer = "blocks-" + tokenize(rows.layer, lengths, columns)
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).tolist()
    offsets = np.concatenate([[0], np.cumsum(columns, dtype=np.int64)])
    own = tuple(lengths) == tuple(columns)
    made = {}
    for i, key in enumerate(rows.keys):
        shape = (int(lengths[i]), int(offsets[-1]))
        call = partial(tasks.make_block, offsets=offsets, first_row=starts[i], own=i if own else None, shape=shape)
        made[layer, i] = (call, key)
    return csr_blocks(make_layer(layer, made, [rows]), (lengths, columns), dtype)
