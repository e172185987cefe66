"""The numbers that the kernels for GPUs are tuned with, by operation; as in `_cpu/tuning.py`.

The shape of a block, `BOX`, is a constant beside each kernel: a kernel lays out its shared memory by it.
"""

import dataclasses

from spark_csr._array import SIMULATED
from spark_csr._engine import Numbers, number


@dataclasses.dataclass(slots=True)
class Tuning(Numbers):
    """Numbers that somebody may tune. Their names begin with the operation."""

    # `A @ x`

    spmv_bound: int = number("limit", 8)
    """Rows of up to this many rounds of their lanes count as short and bounded. Not tuned."""

    spmv_few_tiles: int = number("limit", 32)
    """If the longest row has no more entries than so many tiles hold, one thread adds the carries of each cut row; else blocks
    do, in one or more launches. Not tuned."""

    # Sorting

    segmented_sort_picked: int = number("limit", 16 if SIMULATED else 64)
    """Items of the longest segment that one thread picks a few from. Not tuned."""

    radix_blocks: int = number("count", 1 << 10, small=2)
    """Blocks at most that count digits: each adds what it has counted to the counts of all. Not tuned."""

    # Two matrices entry by entry

    elementwise_items: int = number("tile", 5 if SIMULATED else 16, small=None)
    """Entries of both matrices and row ends a thread takes. Not tuned."""

    # Searches in graphs

    drain_small: int = number("serial", 1 << 13)
    """Edges of a frontier up to which a block is as fast as all, with what it takes to start them. Not tuned."""

    drain_rounds: int = number("limit", 1 << 14)
    """Frontiers that one launch goes through at most: tens of milliseconds, so that the host can stop and a display goes on."""

    step_large: int = number("limit", 1 << 12, small=3)
    """Edges of a vertex above which all blocks visit them together. Not tuned."""

    step_blocks: int = number("count", 1 << 9)
    """Blocks at most that visit the edges of such a vertex: as many as run at a time on large GPUs, or some more. Not tuned."""

    relax_step: float = number("limit", 32)
    """How many mean lengths, over the mean degree, a threshold is above the least distance: as Davidson and others. Not tuned.
    """

    # Betweenness and triangles

    brandes_rows: int = number("count", 512)
    """Blocks at most. Not tuned."""

    brandes_room: int = number("limit", 2**30)
    """Bytes of the scratch memory of all blocks, at most; fewer blocks take part where it were more. Not tuned."""

    brandes_work: int = number("limit", 2**26)
    """Edges and vertices that one launch has a block visit at most, if it can: some tenths of a second. Not tuned."""

    triangles_lanes: int = number("count", 8)
    """Lanes of an edge: as many targets as most vertices have that lead up. Not tuned."""


TUNING = Tuning()
"""What kernels and their callers read."""
