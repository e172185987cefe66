"""The sampled product: of a dense product only the elements where a sparse matrix stores an entry.

Design: entries in tiles of equal number, whatever the rows, each of which looks up once in which row it begins. In the kernel
for the cores the sum over the columns may be reassociated, so that it fills vector registers. Cost: processors with vectors of
another width round otherwise; on one machine every run gives the same bits. Also called SDDMM: Nisa, Siegel, Rajam, Vishwanath
& Sadayappan, *Effective Machine Learning Based Parallelization of Sampled Dense-Dense Matrix Multiplication*, 2018.
"""

import numpy as np

from spark_csr._array import as_operand, same_device
from spark_csr._engine import njit
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._shared.bisection import segment_of
from spark_csr.primitives.foreach import for_each

TILE = 256
"""Entries that a core takes at a time; not tuned. On a GPU a thread takes one."""


@njit(fastmath={"reassoc"})
def _dot_rows(t, tile, indptr, rows, indices, entries, columns, zero, left, right, out):
    """Compute the entries of tile `t`: row `i` of `left` times row `j` of `right`, both stored row by row."""
    entry, width = np.uint64(t) * np.uint64(tile), np.uint64(columns)
    stop = min(entry + np.uint64(tile), np.uint64(entries))
    row = np.uint64(segment_of(indptr, rows, np.int64(entry)))
    while entry < stop:
        end = min(np.uint64(indptr[row + 1]), stop)
        i = row * width
        while entry < end:
            j = np.uint64(indices[entry]) * width
            total = zero
            for c in range(width):
                total += left[i + c] * right[j + c]
            out[entry] = total
            entry += 1
        row += 1


def multiply_sampled(csr, left, right):
    """Return `left[i] . right[j]` for every entry (i, j) of the pattern: the data of `pattern * (left @ right.T)`.

    `left` has one element, or one row of k columns, for each row of the matrix, `right` one for each of its columns; of complex
    ones nothing is conjugated. float16 is computed in float32; bool is true where a product is. Entries of one position each
    get the whole product. Cost: reads the pattern once, two rows for each entry, and writes one value; one launch. Same bits
    every run.
    """
    xp, entries = csr.xp, csr.indices.size
    same_device(csr.data, left, right)
    if left.shape[1:] != right.shape[1:] or (left.shape[0], right.shape[0]) != csr.shape or left.ndim > 2:
        raise ValueError(f"a pattern of shape {csr.shape} needs factors with as many rows, got {left.shape} and {right.shape}")
    result = np.result_type(left.dtype, right.dtype)
    dtype = np.dtype(np.int64) if result == bool else computed_dtype(result)
    columns = left.shape[1] if left.ndim == 2 else 1
    if not columns or not entries:
        return xp.zeros(entries, result)
    out = xp.empty(entries, dtype)
    left, right = (as_operand(x.astype(dtype, copy=False)).reshape(-1) for x in (left, right))
    tile = TILE if xp is np else 1
    pattern = csr.indptr, csr.shape[0], csr.indices, entries
    for_each(-(-entries // tile), _dot_rows, tile, *pattern, columns, dtype.type(0), left, right, out)
    return out.astype(result, copy=False)
