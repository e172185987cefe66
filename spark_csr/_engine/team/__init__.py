"""Hand out the tiles of a job to all cores: every parallel kernel is built on `for_tiles`.

Design: a kernel calls `for_tiles(cores, tiles, body, args)`, and whichever core is free takes the next tile from an atomic
counter, so a core that is taken away costs the tile it holds and no more. One core begins. It opens the job to the others once
the work that is left takes longer than handing it over, and wakes sleeping workers once it takes longer than waking them. What
a tile takes is known from the last job of the same place in the code, or measured while the job runs. Workers are Python
threads that stay in compiled code: they look for a job for a moment, then sleep on a lock. Results depend on the tiles, never
on which core took them.

Numba's `prange` is not used, since its threads wait for each other: beside other busy processes on two cores, the median
product of 500,000 entries took 32 ms with OpenMP and 0.7 ms with this module (EPYC, family 25 model 17, 2026-11). A kernel is
also compiled once instead of twice, without the passes of `prange`.

One job runs at a time: a second Python thread, or a job inside of a job, finds the workers taken and works alone.
"""

from spark_csr._engine.team.record import MOST
from spark_csr._engine.team.tiles import for_tiles, for_tiles_by_core
from spark_csr._engine.team.workers import add_lock, add_thread, expect_jobs, forget_workers, publish, serve

__all__ = [
    "MOST",
    "add_lock",
    "add_thread",
    "expect_jobs",
    "for_tiles",
    "for_tiles_by_core",
    "forget_workers",
    "publish",
    "serve",
]
