"""Sums of absolute values and of squares, in float64, of all entries, of every row, or of every column."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand
from spark_csr._engine import inline
from spark_csr._engine.holes import multiply
from spark_csr._operations.product.spmv_transposed import multiply_transposed
from spark_csr._operations.reduce.sums import SUM, segments_of


@ops.operator_for("biuf")
def size(a, x):
    """Return the absolute value of the first argument."""
    return abs(np.float64(a))


@ops.operator_for("biuf")
def square(a, x):
    """Return the square of the first argument."""
    return np.float64(a) * np.float64(a)


def _read_power(operands, position):
    return multiply(operands[0][position], 0)


RINGS = {p: ops.Semiring(SUM, power).freeze() for p, power in ((1, size), (2, square))}
"""Semirings that sum a power of entries, by its exponent."""

READERS = {1: inline(_read_power, multiply=size), 2: inline(_read_power, multiply=square)}
"""How the entries themselves are read, by that exponent."""


def sum_powers(csr, axis, p):
    """Sum `abs(a) ** p` for `p` 1 or 2 over real entries `a`, in float64. Entries of one position are not summed first."""
    if axis == 0:
        return multiply_transposed(csr, csr.xp.empty(csr.shape[0]), RINGS[p])
    return sum_items(csr, axis, READERS[p], as_readable(csr.data))


def sum_items(csr, axis, read_item, *operands):
    """Sum `read_item(operands, k)` in float64 over the entries `k` of every row (`axis` 1) or of all (None)."""
    offsets, cuts = segments_of(csr, axis)
    out = csr.xp.empty(offsets.size - 1)
    if out.size:
        csr.backend.reduce_items(cuts, SUM, read_item, operands, offsets, out)
    return out if axis == 1 else out[0]


def as_readable(data):
    """Return entries as an array that kernels read: float16 in float32, bools as integers."""
    if data.dtype == np.float16:
        return data.astype(np.float32)
    return as_operand(data.view(np.uint8) if data.dtype == bool else data)
