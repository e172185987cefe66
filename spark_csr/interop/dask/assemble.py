"""Assemble a matrix in blocks of rows from coordinates that workers have or read."""

from __future__ import annotations

import atexit
import operator
import os
import shutil
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.blocks import csr_blocks
from spark_csr.interop.dask.counts import cut_by_entries
from spark_csr.interop.dask.graphs import make_layer
from spark_csr.interop.dask.make import chunks_of, lengths_of
from spark_csr.interop.dask.pieces import RULES, Pieces, read_block, write_piece

if TYPE_CHECKING:
    from collections.abc import Sequence


class Target(NamedTuple):
    """What is to be made of entries: the parameters that `from_coo` and `from_parquet` have alike."""

    shape: tuple[int, int]
    blocks: int | Sequence[int]
    scratch: str | os.PathLike[str]
    duplicates: str
    by: str
    columns: Sequence[int] | None
    dtype: Any


def assemble(names, reader, sources, dependencies, *, pattern, target):
    """Return the matrix of entries in many sources.

    `sources` has, for each, the arguments, in which keys of `dependencies` stand for results, of `reader`, which returns rows,
    columns and, unless there is only a pattern, values; without a reader they are these. `names` name them in messages.
    """
    rows, width = map(operator.index, target.shape)
    if target.duplicates not in RULES:
        raise ValueError(f"duplicates must be one of {', '.join(map(repr, RULES))}, got {target.duplicates!r}")
    if target.by not in ("rows", "nnz"):
        raise ValueError(f"by must be 'rows' or 'nnz', got {target.by!r}")
    if np.ndim(target.blocks) == 0 and target.by == "nnz":
        lengths = cut_by_entries(reader, sources, dependencies, rows, int(target.blocks))
    else:
        lengths = lengths_of(target.blocks, rows, "blocks")
    columns = chunks_of(target.columns, lengths, width)
    token = uuid.uuid4().hex
    folder = os.path.join(os.path.abspath(target.scratch), f"pieces-{token}")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    pieces = Pieces(folder, offsets, width, target.dtype, pattern)
    made = {
        (f"piece-{token}", k): (partial(_write, pieces, k, name, reader), *source)
        for k, (name, source) in enumerate(zip(names, sources, strict=True))
    }
    made[f"pieces-{token}", 0] = (_wait, list(made))
    chunks = np.concatenate([[0], np.cumsum(columns, dtype=np.int64)])
    own, count = tuple(lengths) == tuple(columns), len(names)
    keys = [(f"assemble-{token}", i) for i in range(len(lengths))]
    for i, key in enumerate(keys):
        call = partial(_read, pieces, count, i, target.duplicates, chunks, i if own else None)
        made[key] = (call, (f"pieces-{token}", 0))
    layer = make_layer(f"assemble-{token}", made, dependencies)
    layer.keys = keys
    return csr_blocks(layer, (lengths, columns), target.dtype)


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
