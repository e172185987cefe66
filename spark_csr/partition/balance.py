"""`balanced_offsets`: rows for each block so that all have about the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import is_array, namespace_of, to_host_list
from spark_csr.primitives import _check

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


def balanced_offsets(indptr: Array, blocks: int) -> Array:
    """Choose the rows of each block so that entries plus rows are about equally many in all blocks.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    indptr : (m + 1,) array of int
        The offsets of the rows of a matrix, on any device.
    blocks : int
        The number of blocks, 1 or more.

    Returns
    -------
    (blocks + 1,) NumPy array of int64
        Block `i` has the rows `offsets[i]:offsets[i + 1]`.

    Raises
    ------
    ValueError
        If `blocks` is less than 1, or if `indptr` decreases.
    TypeError
        If `indptr` is no array of integers.

    Notes
    -----
    *Cost*: one pass over `indptr`; on a GPU, the host waits once. A row is never cut, so a block can have up to one row more
    than an equal part of the work, and one row of many entries can fill a block alone. *Empty input*: if there are more blocks
    than rows, some blocks are empty.
    """
    if blocks < 1:
        raise ValueError(f"blocks must be 1 or more, got {blocks}")
    offsets, start, stop = _check.offsets("indptr", indptr)
    xp, rows = namespace_of(offsets), offsets.size - 1
    work = offsets.astype(np.int64) + xp.arange(rows + 1, dtype=np.int64)
    total = stop - start + rows
    targets = [start + total * i // blocks for i in range(1, blocks)]
    found = to_host_list(xp.searchsorted(work, xp.asarray(np.asarray(targets, np.int64))))
    return np.asarray([0, *found, rows], np.int64)


def as_offsets(name: str, offsets: ArrayLike, end: int | None = None) -> Array:
    """Return offsets as int64 on the host; raise ValueError unless they ascend from 0, to `end` if given."""
    host = offsets.get() if is_array(offsets) and not isinstance(offsets, np.ndarray) else np.asarray(offsets)
    if host.ndim != 1 or host.size < 2 or host.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of at least two integers, got shape {host.shape} of dtype {host.dtype}")
    host = host.astype(np.int64)
    if host[0] != 0 or (end is not None and host[-1] != end):
        wanted = "0" if end is None else f"0 and end at {end}"
        raise ValueError(f"{name} must begin at {wanted}, got {host[0]} and {host[-1]}")
    down = np.flatnonzero(host[1:] < host[:-1])
    if down.size:
        raise ValueError(f"{name} must not decrease, got {host[down[0]]} before {host[down[0] + 1]}")
    return host


def equal_lengths(total: int, count: int) -> tuple[int, ...]:
    """Return lengths that sum to a total and differ by at most 1. Floats would skip some integers from 2**53 on."""
    return tuple(total * (i + 1) // count - total * i // count for i in range(count))
