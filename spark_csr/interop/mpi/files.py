"""The rows of this rank: given, or read from a folder of blocks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.csr import csr_array
from spark_csr.io import BlockFiles, open_blocks

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.interop.mpi.communicator import Communicator

KINDS = FileNotFoundError, PermissionError, OSError, ImportError, MemoryError, TypeError, ValueError
"""What may go wrong on one rank, the special kinds first."""


def read_rows(rows: Any, comm: Communicator) -> csr_array:
    """Return the rows of this rank; if those of one rank cannot be had, raise its exception on all ranks."""
    found: Any = None
    wrong = None
    try:
        found = _read(rows, comm)
    except KINDS as error:
        wrong = next(kind for kind in KINDS if isinstance(error, kind)), str(error)
    for rank, other in enumerate(comm.gather(wrong)):
        if other is not None:
            raise other[0](f"{other[1]} (on rank {rank})")
    return found


def _read(rows, comm):
    if isinstance(rows, (str, os.PathLike)):
        files = open_blocks(rows)
        offsets = share(files, comm.size)
        return files.rows(int(offsets[comm.rank]), int(offsets[comm.rank + 1]))
    if isinstance(rows, SparseArray) or hasattr(rows, "tocsr"):
        return csr_array(rows)
    raise TypeError(f"rows must be a sparse matrix, or a folder of blocks, got {type(rows).__name__}: use csr_array(...)")


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
