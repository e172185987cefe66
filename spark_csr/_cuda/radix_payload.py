"""What goes along with the keys of a radix sort: through shared memory, in the order that the keys of the tile have found."""

import functools

import numpy as np

from spark_csr._cuda.outputs import output_of
from spark_csr._engine import inline
from spark_csr._engine.gpu import WARP, cuda
from spark_csr._engine.holes import ITEMS, THREADS, TILE, Hole

output_of_element = Hole(
    "output_of_element(x, position) -> value",
    "Return what goes along with a key: an element of `x`, or the position of the key.",
)


def _move_along(source, here, strip, length, carried, ranks, targets, out):
    """Move an array as the keys went. All threads call."""
    thread = np.uint32(cuda.threadIdx.x)
    cuda.syncthreads()
    if length == TILE:
        for k in range(ITEMS):
            carried[ranks[k]] = output_of_element(source, here + k * WARP)
    else:
        for k in range(ITEMS):
            if strip + np.uint32(k * WARP) < length:
                carried[ranks[k]] = output_of_element(source, here + k * WARP)
    cuda.syncthreads()
    if length == TILE:
        for k in range(ITEMS):
            out[targets[k]] = carried[thread + np.uint32(k * THREADS)]
    else:
        for k in range(ITEMS):
            i = thread + np.uint32(k * THREADS)
            if i < length:
                out[targets[k]] = carried[i]


@functools.cache
def mover(counts_up, shape):
    """Return `move_payload` for tiles of a shape; if `counts_up`, what goes along is the position of each key."""
    meanings = {"TILE": shape.tile, "ITEMS": shape.items, "THREADS": shape.threads}
    return inline(_move_along, output_of_element=output_of(counts_up), **meanings)
