"""Assemble a matrix in blocks of rows from coordinates that workers have or read: `from_coo`."""

from __future__ import annotations

import atexit
import itertools
import operator
import os
import shutil
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.blocks import csr_blocks
from spark_csr.interop.dask.graphs import Tasks, compute, make_layer, recipes
from spark_csr.interop.dask.make import lengths_of
from spark_csr.interop.dask.pieces import RULES, Pieces, read_block, write_piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import DTypeLike

BINS = 4096
"""Ranges of rows whose entries are counted to cut blocks; 64 for each block if that is more. Not tuned."""


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

    Parameters
    ----------
    row, column : 1-D dask.array.Array of int, or array_like
        The row and the column of every entry. The lengths of their chunks need not be known.
    data : 1-D dask.array.Array or array_like, optional
        The value of every entry. By default all are 1.
    shape : tuple of two ints
        The shape of the matrix.
    blocks : int or sequence of ints
        The number of blocks, or the number of rows of each.
    scratch : path
        A folder that all workers can write to and read, for the entries on their way into blocks: about as many bytes as they
        have. What is written there is removed when this process ends.
    duplicates : {"sum", "min", "max", "first"}, default "sum"
        What becomes of entries of one position.
    by : {"rows", "nnz"}, default "rows"
        What blocks have about equally many of, if `blocks` is their number: rows, or entries and rows together.
    columns : sequence of ints, optional
        The lengths of the chunks of a vector that the matrix multiplies; by default as for `from_csr`.
    dtype : dtype, optional
        The dtype of the values; by default that of `data`, or float64 without data.

    Returns
    -------
    csr_blocks
        The matrix. Nothing has been computed, unless `by` is "nnz": then the rows of all entries have been counted.

    Raises
    ------
    ValueError
        If `duplicates` or `by` is something else, if the arrays have other numbers of chunks or elements, or if the lengths do
        not sum to the shape. When blocks are made: if an index is out of range. The message names the entry.
    TypeError
        When blocks are made: if rows or columns are no integers.
    OSError
        When blocks are made: if entries cannot be written to `scratch`. The message names the chunk and the folder.

    Notes
    -----
    A task for each chunk sorts its entries by block and writes them to a file; a task for each block reads its part of all
    files. *Cost*: the memory of a worker has to hold one chunk, or about three times one block, for each thread. What was
    written is used again when a block is made again; it may be removed once the matrix is saved, or is not used any more.
    *Order*: entries are in the order of the arrays, which the rule "first" and the bits of sums follow; neither depends on
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
    options = {"shape": shape, "blocks": blocks, "scratch": scratch, "duplicates": duplicates, "by": by, "columns": columns}
    return assemble(names, None, sources, arrays, pattern=data is None, dtype=dtype, **options)


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


def assemble(names, reader, sources, dependencies, *, pattern, dtype, shape, blocks, scratch, duplicates, by, columns):
    """Return the matrix of entries in many sources.

    `sources` has, for each, the arguments, in which keys of `dependencies` stand for results, of `reader`, which returns rows,
    columns and, unless there is only a pattern, values; without a reader they are these. `names` name them in messages.
    """
    rows, width = map(operator.index, shape)
    if duplicates not in RULES:
        raise ValueError(f"duplicates must be one of {', '.join(map(repr, RULES))}, got {duplicates!r}")
    if by not in ("rows", "nnz"):
        raise ValueError(f"by must be 'rows' or 'nnz', got {by!r}")
    if np.ndim(blocks) == 0 and by == "nnz":
        lengths = _cut_by_entries(reader, sources, dependencies, rows, int(blocks))
    else:
        lengths = lengths_of(blocks, rows, "blocks")
    if columns is None:
        columns = lengths if rows == width else lengths_of(len(lengths), width, "columns")
    columns = lengths_of(columns, width, "columns")
    token = uuid.uuid4().hex
    folder = os.path.join(os.path.abspath(scratch), f"pieces-{token}")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    pieces = Pieces(folder, offsets, width, dtype, pattern)
    made = {
        (f"piece-{token}", k): (partial(_write, pieces, k, name, reader), *source)
        for k, (name, source) in enumerate(zip(names, sources, strict=True))
    }
    made[f"pieces-{token}", 0] = (_wait, list(made))
    chunks = np.concatenate([[0], np.cumsum(columns, dtype=np.int64)])
    own = tuple(lengths) == tuple(columns)
    keys = [(f"assemble-{token}", i) for i in range(len(lengths))]
    for i, key in enumerate(keys):
        made[key] = (partial(_read, pieces, len(names), i, duplicates, chunks, i if own else None), (f"pieces-{token}", 0))
    layer = make_layer(f"assemble-{token}", made, dependencies)
    layer.keys = keys
    return csr_blocks(layer, (lengths, columns), dtype)


@tasks.with_threads_of_worker
def _write(pieces, number, name, reader, *source):
    """Write the entries of a source, unless they are there."""
    if not os.path.exists(pieces.path(number)):
        write_piece(pieces, number, name, *(map(tasks.made, source) if reader is None else reader(*source)))
    return True


def _wait(written):
    """Return when everything has been written: one task that all blocks wait for, and not one for each pair."""
    return len(written)


@tasks.with_threads_of_worker
def _read(pieces, count, number, rule, offsets, own, _):
    """Return a block."""
    rows = read_block(pieces, count, number, rule)
    shape = rows.shape
    return tasks.make_block(rows, offsets, int(pieces.offsets[number]), own, shape)


def _cut_by_entries(reader, sources, dependencies, rows, blocks):
    """Return the numbers of rows of blocks that have about equally many entries and rows together."""
    if blocks < 1:
        raise ValueError(f"blocks must be 1 or more, got {blocks}")
    bins = min(max(rows, 1), max(BINS, 64 * blocks))
    cuts = np.linspace(0, rows, bins + 1).astype(np.int64)
    counts = add_up(partial(_count, reader, cuts), [source if reader else source[:1] for source in sources], dependencies)
    work = np.concatenate([[0], np.cumsum((0 if counts is None else counts) + np.diff(cuts))])
    ends = cuts[np.searchsorted(work, work[-1] * np.arange(1, blocks) / blocks)]
    return tuple(np.diff(np.concatenate([[0], ends, [rows]])).tolist())


def _count(reader, cuts, *source):
    """Return how many entries have their row in each range."""
    rows = np.asarray(tasks.made(source[0]) if reader is None else reader(*source)[0])
    return np.histogram(rows, cuts)[0] if rows.size else np.zeros(cuts.size - 1, np.int64)


def add_up(function, sources, dependencies=(), add=operator.add):
    """Return the sum of what a function returns for all sources, eight at a time on the workers; None without sources."""
    layer = f"sum-{uuid.uuid4().hex}"
    made = {(layer, 0, k): (function, *source) for k, source in enumerate(sources)}
    last = list(made)
    for level in itertools.count(1):
        if len(last) < 2:
            break
        groups = [last[k : k + 8] for k in range(0, len(last), 8)]
        last = [(layer, level, k) for k in range(len(groups))]
        made.update({key: (partial(_add, add), group) for key, group in zip(last, groups, strict=True)})
    if not last:
        return None
    sums = make_layer(layer, made, dependencies)
    sums.keys = last
    return compute(sums)[0][0]


def _add(add, parts):
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total
