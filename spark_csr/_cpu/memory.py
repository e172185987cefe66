"""What kernels ask of memory: a row before it is needed, and blocks that are written past the cache."""

import numpy as np

from spark_csr._engine import LEAN, njit
from spark_csr._engine.numba.intrinsics.copies import LINE, address_of, copy_items, stream_lines
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at, prefetch_beyond


@njit(forceinline=True, **LEAN)
def prefetch_ahead(array, index, ahead):
    """Prefetch what a loop over `array` (contiguous, 1-D) will reach `ahead` bytes after `array[index]`."""
    prefetch_beyond(array, index, np.uint64(ahead))


@njit(forceinline=True)
def prefetch_row_ahead(rows, k, stop, ahead, indptr, indices, data):
    """Prefetch the beginning of row `rows[k + ahead]`, two cache lines of columns and of values; for its offset as far again
    ahead. Nothing is prefetched near `stop`, where `rows` ends."""
    if k + np.uint64(2 * ahead) < stop:
        prefetch_at(indptr, np.uint64(rows[k + np.uint64(2 * ahead)]))
        start = np.uint64(indptr[rows[k + np.uint64(ahead)]])
        prefetch_at(indices, start)
        prefetch_at(indices, start + 15)
        prefetch_at(data, start)
        prefetch_at(data, start + 7)


@njit
def stream_items(source, start, count, target, place):
    """Do as `copy_items`, past the cache: without reading the lines that are written."""
    each = np.uint64(LINE // target.itemsize)
    first = address_of(target) // np.uint64(target.itemsize) + place
    head = min(count, (0 - first) % each)
    lines = (count - head) // each
    tail = count - head - lines * each
    copy_items(source, start, head, target, place)
    stream_lines(source, start + head, lines, target, place + head)
    copy_items(source, start + count - tail, tail, target, place + count - tail)
