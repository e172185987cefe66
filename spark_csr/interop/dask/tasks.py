"""What tasks do, in workers: functions of blocks and of parts of vectors, which never write into their arguments."""

from __future__ import annotations

import contextlib
import functools
import sys

import numpy as np

from spark_csr import partition
from spark_csr._array import as_operand, namespace_of
from spark_csr._config import config
from spark_csr._construct import vstack
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.record import Csr
from spark_csr.partition import joined
from spark_csr.primitives.sort import gather


def _threads():
    """Return a context in which kernels use as many cores as this worker has threads; outside of workers, the settings."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return contextlib.nullcontext()
    try:
        return config(threads=distributed.get_worker().state.nthreads)
    except ValueError:  # this is no worker
        return contextlib.nullcontext()


def with_threads_of_worker(function):
    """Let a task use the cores of its worker, and not all cores of the machine, which other workers use too."""

    @functools.wraps(function)
    def call(*args, **options):
        with _threads():
            return function(*args, **options)

    return call


@with_threads_of_worker
def make_block(rows, offsets, first_row, own, shape):
    """Return the block of some rows; raise ValueError if they have another shape than the whole matrix says."""
    if rows.shape != shape:
        raise ValueError(f"block of rows {first_row}:{first_row + shape[0]} must have shape {shape}, got {rows.shape}")
    return partition.make_block(rows, offsets, first_row, own=own)


@with_threads_of_worker
def rows_of_block(block):
    """Return the rows of a block with the columns of the whole matrix."""
    return _with_all_columns(block, block.matrix._csr)


def _with_all_columns(block, csr):
    """Return rows of a block with the columns of the whole matrix."""
    shape = csr.shape[0], int(block.offsets[-1])
    return csr_array._of(Csr(csr.indptr, gather(block.columns, as_operand(csr.indices)), csr.data, shape))


def made(block):
    """Return a block, given itself, or a function that makes it here: it is then gone when the task has ended."""
    return block() if callable(block) else block


def outline_of(block):
    """Return the outline of a block, and which elements of chunks it takes, except of those that it takes whole."""
    block = made(block)
    return block.outline(), {j: wanted for j in block.sources if (wanted := block.wanted(j)) is not None}


def pick(pair, index):
    """Return an item of a tuple, list or dict."""
    return pair[index]


def pick_wanted(pair, source):
    """Return which elements a block takes of a chunk."""
    return pair[1][source]


pack = partition.pack


def pack_rows(block, wanted):
    """Return rows of a block with the columns of the whole matrix: those that another block takes."""
    return _with_all_columns(block, block.matrix[wanted]._csr)


def no_part(chunk):
    """Return the part of a block that takes nothing of any chunk."""
    return chunk[:0]


@with_threads_of_worker
def multiply(block, *parts, semiring="plus_times"):
    """Return the rows of a product that a block has."""
    return partition.multiply(made(block), parts, semiring=semiring)


@with_threads_of_worker
def multiply_rows(block, mask, *parts, semiring, offsets, first_row, own, shape):
    """Return the block of the product with other blocks, and with rows that are given with the columns of the whole."""
    found = None if mask is not None else joined.multiply_rows(block, parts, offsets, own, semiring)
    if found is not None:
        return found
    rows = [rows_of_block(part) if isinstance(part, partition.Block) else part for part in parts]
    rows = partition.multiply(block, rows, semiring=semiring, mask=None if mask is None else rows_of_block(mask))
    return make_block(rows, offsets, first_row, own, shape)


@with_threads_of_worker
def multiply_transposed(block, x):
    """Return what a block contributes to each chunk of a transposed product."""
    return partition.multiply_transposed(made(block), x)


def add_parts(parts, wanted, beside, size, like):
    """Return the sums of what blocks contribute to one chunk, in the order of the blocks, on the device of these.

    `beside` is what some block contributes to other chunks, if none contributes to this one.
    """
    return partition.add_parts(size, parts, wanted, namespace_beside(parts, beside).zeros(like.shape, like.dtype))


def namespace_beside(parts, beside):
    """Return the library of the first array of parts, or of `beside`; NumPy if there is none."""
    return next((namespace_of(x) for x in (*parts, *(beside or ())) if x is not None), np)


@with_threads_of_worker
def change_values(block, change):
    """Return a block with other values in the same places."""
    return partition.Block(change(block.matrix), block.columns, block.offsets, block.rows)


@with_threads_of_worker
def combine(operator, offsets, own, block, *others):
    """Return the block of what an operator makes of the same rows of several matrices."""
    rows = operator(*map(rows_of_block, (block, *others)))
    return partition.make_block(rows, offsets, block.rows[0], own=own)


@with_threads_of_worker
def select_rows(block, selection):
    """Return selected rows of a block with the columns of the whole matrix."""
    return rows_of_block(block)[selection]


@with_threads_of_worker
def stack(*parts):
    """Return rows of several blocks below each other."""
    return parts[0] if len(parts) == 1 else vstack(parts, format="csr")


@with_threads_of_worker
def columns_of_block(block, start, stop):
    """Return some columns of a block as rows: a part of the transpose."""
    return rows_of_block(block)[:, start:stop].T.tocsr()


def weigh(block, count):
    """Return at most `count` + 1 rows of a block, at equal distances, and how many entries and rows are before each."""
    rows = np.unique(np.linspace(0, block.matrix.shape[0], count + 1).astype(np.int64))
    before = block.matrix.indptr[rows]
    return block.rows[0] + rows, (before if isinstance(before, np.ndarray) else before.get()).astype(np.int64) + rows


@with_threads_of_worker
def as_rows(rows):
    """Return rows of any kind as `csr_array`."""
    return rows if isinstance(rows, csr_array) else csr_array(rows)
