"""The rows of this rank: given, or read from a folder of blocks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.csr import csr_array
from spark_csr.interop.mpi.agreement import agree
from spark_csr.io import BlockFiles, open_blocks
from spark_csr.partition.balance import as_offsets

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.interop.mpi.communicator import Communicator


def read_rows(rows: Any, column_offsets: Any, comm: Communicator) -> tuple[csr_array, Array | None]:
    """Return the rows of this rank and the given offsets of the columns; if one rank has none, raise its exception on all."""

    def read():
        matrix, kind = _read(rows, comm)
        given = None if column_offsets is None else as_offsets("column_offsets", column_offsets)
        return {"rows": kind}, (matrix, given)

    return agree(comm, read)


def _read(rows, comm):
    """Return the rows of this rank, and where they come from."""
    if isinstance(rows, (str, os.PathLike)):
        files = open_blocks(rows)
        offsets = share(files, comm.size)
        kind = f"a folder of {len(files)} blocks with {files.nnz} entries and shape {files.shape}"
        return files.rows(int(offsets[comm.rank]), int(offsets[comm.rank + 1])), kind
    if not isinstance(rows, SparseArray) and not hasattr(rows, "tocsr"):
        raise TypeError(f"rows must be a sparse matrix, or a folder of blocks, got {type(rows).__name__}: use csr_array(...)")
    matrix = csr_array(rows)
    if matrix.ndim != 2:
        raise ValueError(
            f"rows must be a matrix of two axes, got shape {matrix.shape}: a vector is one row of x.reshape((1, -1))"
        )
    return matrix, "a matrix"


def share(files: BlockFiles, ranks: int) -> Array:
    """Return the offsets of the rows of each rank: whole blocks if there are as many as ranks, else equal parts of blocks."""
    work = np.cumsum([0, *files.entries]) + files.offsets
    targets = work[-1] * np.arange(ranks + 1) / ranks
    if len(files) < ranks:
        offsets = np.interp(targets, work, files.offsets).astype(np.int64)
    else:
        after = np.searchsorted(work, targets).clip(1, len(files))
        nearest = np.where(targets - work[after - 1] < work[after] - targets, after - 1, after)
        offsets = files.offsets[nearest]
    offsets[0], offsets[-1] = 0, files.shape[0]
    return offsets
