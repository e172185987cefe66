"""The first of all candidates for every place: an atomic minimum of positions, which is the same in any order."""

import numpy as np

from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import THREADS, Hole

integer = Hole("integer: NumPy scalar type", "The dtype of the index array that the kernel updates by atomics.")

BOX = box(256, 1)  # not tuned


def _claim_places(places, n, first):
    """Let each thread claim the place of one candidate. A place that an earlier one has already needs no atomic operation."""
    k = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if k < n:
        place = np.uint64(places[k])
        if first[place] > k:
            cuda.atomic.min(first, place, integer(k))


KERNELS = {
    np.dtype(width): Kernel(specialise(_claim_places, THREADS=BOX.threads, integer=width), BOX.threads, views=True)
    for width in (np.int32, np.int64)
}
"""By the dtype of positions."""


def claim(places, first):
    """Write for every place the first position in `places` that holds it, or their number if none does."""
    first.fill(places.size)
    KERNELS[first.dtype](blocks_for(places.size, BOX.threads), places, places.size, first)
