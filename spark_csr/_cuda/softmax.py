"""The softmax of every row, step by step: the greatest of each, exponentials, their sums, quotients."""

import math

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import segmented_reduce
from spark_csr._engine.gpu import device_function


@device_function
def _write_exponential(operands, item, row, rank):
    x, greatest, out = operands
    out[item] = math.exp(x[item] - greatest[row])


@device_function
def _write_quotient(operands, item, row, rank):
    x, totals, out = operands
    out[item] = x[item] / totals[row]


def softmax(tiles, offsets, x, out):
    results = namespace_of(x).empty(offsets.size - 1, x.dtype)
    for op, source, visit in (("max", x, _write_exponential), ("sum", out, _write_quotient)):
        segmented_reduce(tiles, ops.MONOIDS[op], offsets, source, results)
        visit_items(visit, tiles, offsets, (source, results, out))
