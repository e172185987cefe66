"""Matrices in blocks of rows from files and to files."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from dask.base import tokenize

from spark_csr import io
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import compute, make_layer, name_lost_blocks
from spark_csr.interop.dask.make import blocks_of_rows, chunks_of
from spark_csr.io._block_formats import format_named
from spark_csr.io.block_files import block_path
from spark_csr.io.blocks import remove_late_block, replace_matrix, write_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr.interop.dask.blocks import csr_blocks


def open_blocks(folder: str | os.PathLike[str], columns: Sequence[int] | None = None) -> csr_blocks:
    """Open a matrix that was saved in a folder of blocks. Workers read each block when they need it.

    Parameters, result and exceptions that are not listed are those of `from_csr`. Only the description of the blocks is read. A
    block that is missing or damaged raises an exception when it is read. See the example of `save_blocks`.

    Parameters
    ----------
    folder : path
        A folder that `save_blocks` or `spark_csr.io.save_blocks` wrote, and that all workers can read.

    Notes
    -----
    `csr_blocks.persist` keeps the blocks in the memory of the workers. Without it, every product and every iteration of a
    solver reads the blocks again, and the memory of the workers has to hold a few blocks only. The folder must not change while
    it is used.
    """
    files = io.open_blocks(folder)
    lengths = tuple(np.diff(files.offsets).tolist())
    layer = "read-" + tokenize(os.path.abspath(folder), lengths, files.entries, _time_of(files))
    made = {(layer, i): (partial(_read, files), i) for i in range(len(lengths))}
    return blocks_of_rows(make_layer(layer, made), lengths, chunks_of(columns, lengths, files.shape[1]), files.dtype)


def _read(files, number):
    return files[number]


def _time_of(files):
    """Return when the blocks were written, so that other files under an old name have a name of their own."""
    return [os.stat(files.path(i)).st_mtime_ns for i in range(len(files))]


def save_blocks(
    folder: str | os.PathLike[str],
    A: csr_blocks,
    *,
    format: str | None = None,
    compressed: bool = True,
    overwrite: bool = False,
) -> None:
    """Save a matrix in a folder of blocks. Every worker writes the blocks that it has.

    Parameters, result and exceptions that are not listed are those of `spark_csr.io.save_blocks`. If a block cannot be written,
    OSError names it.

    Parameters
    ----------
    folder : path
        A folder that all workers can write to.
    A : csr_blocks
        The matrix.

    Notes
    -----
    Blocks are written under temporary names and renamed, and the description is written last. So if a worker or the client is
    lost, the folder cannot be opened as a matrix. With `overwrite`, the old matrix can be read until the new one is whole, and
    is removed then.

    Examples
    --------
    >>> import tempfile
    >>> from spark_csr import eye_array
    >>> from spark_csr.interop.dask import from_csr, open_blocks, save_blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_blocks(folder, 2 * from_csr(eye_array(4), blocks=2))
    ...     open_blocks(folder).compute().diagonal()
    array([2., 2., 2., 2.])
    """
    path = os.path.abspath(folder)
    kind = format_named(format, path)
    with replace_matrix(path, kind, overwrite) as (suffix, written):
        layer = "save-" + tokenize(A.name, path, kind.name, compressed, suffix)
        save = partial(_save, path, kind.name, compressed, suffix)
        made = {(layer, i): (save, i, key) for i, key in enumerate(A._blocks.keys)}
        written += [block_path(path, i, suffix) for i in range(len(made))]
        with name_lost_blocks(A.chunks[0]):
            (found,) = compute(make_layer(layer, made, [A], A._homes))
        for error in filter(None, found):
            raise error


def _save(folder, format, compressed, suffix, number, block):
    """Write a block; return an exception in place of raising it, so that no task is left that writes when the client cleans up.

    An exception of another task does not wait for this one, which then removes what it wrote.
    """
    try:
        write_block(folder, number, tasks.rows_of_block(block), format_named(format, folder), compressed, suffix)
    except Exception as error:
        return error
    remove_late_block(folder, number, suffix)
    return None
