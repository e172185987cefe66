"""`for_tiles`: the loop over tiles, as the code of a job that any core can take part in."""

import numpy as np

from spark_csr._engine.numba.jobs import implement_tiles
from spark_csr._engine.team.record import LEAD


def for_tiles(cores, tiles, body, args):
    """Call `body(tile, *args)` for every tile, on at most `cores` cores, in any order; on one core in order.

    `tile` is a uint64. Once a tile raises, no further tile begins, and the kernel raises the same exception.
    """
    for tile in range(tiles):
        body(np.uint64(tile), *args)


def for_tiles_by_core(cores, tiles, body, args):
    """Do as `for_tiles` with `body(core, tile, *args)`: `core` is a uint64 below `cores`, and runs one tile at a time."""
    for tile in range(tiles):
        body(np.uint64(0), np.uint64(tile), *args)


implement_tiles(for_tiles, 1, LEAD)
implement_tiles(for_tiles_by_core, 2, LEAD)
