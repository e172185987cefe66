"""Copy segments from where they lie to where they are wanted: a visit to every item of the tiles."""

import numpy as np

from spark_csr._cuda.search import visiting_kernel
from spark_csr._cuda.target import device_function


@device_function
def _copy_item(operands, offsets, segment, item):
    x, starts, out = operands
    out[item] = x[np.int64(starts[segment]) + item - np.int64(offsets[segment])]


def gather_segments(tiles, x, starts, offsets, out):
    visiting_kernel(_copy_item)(tiles.rows.size - 1, offsets, tiles.rows, tiles.entries, (x, starts, out))
