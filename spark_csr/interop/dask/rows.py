"""Rows of blocks: selections, and other blocks of the same rows."""

from __future__ import annotations

import itertools
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import tokenize

from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import compute, make_graph, make_layer
from spark_csr.partition.balance import equal_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr.interop.dask.blocks import csr_blocks

SAMPLES = 4096
"""At how many rows of a block its work is known when it is cut anew. Not tuned."""


class Rows:
    """Rows of `csr_blocks`."""

    def __getitem__(self, key: Any) -> csr_blocks:
        """Select rows by a slice, by numbers or by a mask.

        Rows that ascend stay in their blocks. Others go to new blocks of equally many rows.
        """
        return select(self, key)

    def repartition(self, blocks: int | Sequence[int], by: str = "nnz") -> csr_blocks:
        """Cut the matrix into other blocks.

        Parameters
        ----------
        blocks : int or sequence of ints
            The number of blocks, or the number of rows of each block. If the chunks of vectors have the lengths of the blocks,
            they get the lengths of the new blocks.
        by : {"nnz", "rows"}, default "nnz"
            With "nnz", entries plus rows are about equally many in all blocks. With "rows", they have about equally many
            rows.

        Returns
        -------
        csr_blocks
            The same matrix.

        Notes
        -----
        *Cost*: to cut by entries, the old blocks are made once. In each of them, entries are counted up to 4096 of its rows, so
        new blocks are cut at these rows.
        """
        return repartition(self, blocks, by)


def select(matrix, key):
    """Return the rows that a slice, numbers or a mask selects: in blocks where they were, if they ascend."""
    if isinstance(key, tuple):
        if len(key) != 2 or not (isinstance(key[1], slice) and key[1] == slice(None)):
            raise IndexError("csr_blocks selects rows only, as A[rows] or A[rows, :]: use A.to_dask_array() for columns")
        key = key[0]
    offsets = matrix.offsets[0]
    if isinstance(key, slice):
        start, stop, step = key.indices(matrix.shape[0])
        numbers = None if step > 0 else np.arange(start, stop, step)
    else:
        numbers = _as_numbers(key, matrix.shape[0])
    if numbers is not None and np.any(numbers[1:] < numbers[:-1]):
        return _reorder(matrix, numbers)
    selections, lengths = [], []
    for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        if numbers is None:
            first = max(start, a) if start >= a else start + -(-(a - start) // step) * step
            taken = range(first, min(stop, b), step)
            selections.append(slice(taken.start - a, max(taken.stop, taken.start) - a, step))
            lengths.append(len(taken))
        else:
            inside = numbers[np.searchsorted(numbers, a) : np.searchsorted(numbers, b)]
            selections.append(inside - a)
            lengths.append(inside.size)
    layer = "select-" + tokenize(matrix.name, key)
    starts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    made = {
        (layer, i): (partial(_select, selection=selections[i], offsets=matrix.offsets[1], first_row=starts[i]), block)
        for i, block in enumerate(matrix._blocks.keys)
    }
    return matrix._like(layer, made, chunks=(lengths, matrix.chunks[1]))


def _as_numbers(key, rows):
    """Return the numbers of the rows that an array selects; raise IndexError if there is no such row."""
    key = np.asarray(key)
    if key.shape == (0,) and key.dtype != bool:  # NumPy makes floats of an empty list
        return np.zeros(0, np.int64)
    if key.ndim == 1 and key.dtype == bool:
        if key.size != rows:
            raise IndexError(f"a mask of rows must have length {rows}, got {key.size}")
        return np.flatnonzero(key)
    if key.ndim != 1 or key.dtype.kind not in "iu":
        raise IndexError(f"rows are selected by a slice, numbers or a mask, got {key!r}: for one row use A[i:i + 1]")
    numbers = np.where(key < 0, key + rows, key)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= rows))
    if wrong.size:
        raise IndexError(f"row {key[wrong[0]]} is out of range for {rows} rows")
    return numbers


def _reorder(matrix, numbers):
    """Return rows in any order, in as many blocks as there were, of equally many rows."""
    lengths = equal_lengths(numbers.size, matrix.numblocks[0])
    offsets = matrix.offsets[0]
    layer = "reorder-" + tokenize(matrix.name, numbers)
    piece, made = "piece-" + layer, {}
    for i, (start, stop) in enumerate(itertools.pairwise(np.concatenate([[0], np.cumsum(lengths)]).tolist())):
        wanted = numbers[start:stop]
        source = np.searchsorted(offsets, wanted, "right") - 1
        order = np.argsort(source, kind="stable")
        parts = []
        for k in np.unique(source).tolist() or [0]:
            made[piece, i, k] = (partial(tasks.select_rows, selection=wanted[source == k] - offsets[k]), matrix._blocks.keys[k])
            parts.append((piece, i, k))
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        made[layer, i] = (partial(_arrange, order=back, offsets=matrix.offsets[1], first_row=start), *parts)
    graph = make_graph(layer, made, [matrix], matrix._homes, {piece: 2})
    blocks = type(matrix._blocks)(graph, layer, [(layer, i) for i in range(len(lengths))])
    return type(matrix)(blocks, (lengths, matrix.chunks[1]), matrix.dtype)


@tasks.with_threads_of_worker
def _arrange(*parts, order, offsets, first_row):
    """Return the block of the rows of several parts in another order."""
    rows = tasks.stack(*parts)[order]
    return tasks.make_block(rows, offsets, first_row, None, rows.shape)


def _select(block, selection, offsets, first_row):
    rows = tasks.select_rows(block, selection)
    return tasks.make_block(rows, offsets, first_row, None, rows.shape)


def repartition(matrix, blocks, by):
    """Return the same matrix in other blocks."""
    if by not in ("nnz", "rows"):
        raise ValueError(f"by must be 'nnz' or 'rows', got {by!r}")
    lengths = choose_rows(matrix, blocks, by)
    square = matrix._is_square()
    columns = lengths if square else matrix.chunks[1]
    old, new = matrix.offsets[0].tolist(), np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).tolist()
    offsets = np.concatenate([[0], np.cumsum(columns, dtype=np.int64)])
    layer = "repartition-" + tokenize(matrix.name, lengths)
    piece, made = "piece-" + layer, {}
    for i, (start, stop) in enumerate(itertools.pairwise(new)):
        first = int(np.searchsorted(old, start, "right")) - 1
        parts = []
        for k in range(min(first, len(old) - 2), len(old) - 1):
            a, b = max(start, old[k]), min(stop, old[k + 1])
            if a < b or not parts:
                cut = slice(max(a - old[k], 0), max(b - old[k], 0))
                made[piece, i, k] = (partial(tasks.select_rows, selection=cut), matrix._blocks.keys[k])
                parts.append((piece, i, k))
            if old[k + 1] >= stop:
                break
        shape = (stop - start, matrix.shape[1])
        own = i if square else None
        call = partial(_stack, offsets=offsets, first_row=start, own=own, shape=shape)
        made[layer, i] = (call, *parts)
    graph = make_graph(layer, made, [matrix], matrix._homes, {piece: 2})
    made_blocks = type(matrix._blocks)(graph, layer, [(layer, i) for i in range(len(lengths))])
    return type(matrix)(made_blocks, (lengths, columns), matrix.dtype)


def _stack(*parts, **options):
    return tasks.make_block(tasks.stack(*parts), **options)


def choose_rows(matrix, blocks, by):
    """Return the numbers of rows of new blocks."""
    rows = matrix.shape[0]
    if np.ndim(blocks):
        lengths = tuple(map(operator.index, blocks))
        if sum(lengths) != rows or min(lengths, default=0) < 0:
            raise ValueError(f"blocks must sum to the {rows} rows of the matrix, got {lengths}, which sum to {sum(lengths)}")
        return lengths
    count = operator.index(blocks)
    if count < 1:
        raise ValueError(f"blocks must be 1 or more, got {blocks}")
    if by == "rows":
        return equal_lengths(rows, count)
    layer = "weigh-" + tokenize(matrix.name)
    made = {(layer, i): (partial(tasks.weigh, count=SAMPLES), key) for i, key in enumerate(matrix._blocks.keys)}
    (samples,) = compute(make_layer(layer, made, [matrix], matrix._homes))
    before = np.concatenate([[0], np.cumsum([work[-1] for _, work in samples])])
    where = np.concatenate([at for at, _ in samples])
    work = np.concatenate([work + start for (_, work), start in zip(samples, before[:-1], strict=True)])
    cuts = where[np.searchsorted(work, before[-1] * np.arange(1, count) / count)] if rows else np.zeros(count - 1, int)
    return tuple(np.diff(np.concatenate([[0], cuts, [rows]])).tolist())
