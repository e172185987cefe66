"""Multiply or divide the values of each row or column by a number. The pattern stays, and missing elements stay zero."""

import numpy as np

from spark_csr._array import as_operand, namespace_of
from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each


@njit
def _multiply(i, data, numbers, ids, out):
    out[i] = data[i] * numbers[ids[i]]


@njit(error_model="numpy")
def _divide(i, data, numbers, ids, out):
    out[i] = data[i] / numbers[ids[i]]


def scale_entries(data, numbers, ids, out=None, divide=False):
    """Return `data[i] * numbers[ids[i]]`, or the quotient, or write it into `out`, which may be `data`.

    *Cost*: one read of the data, the ids and, at random, the numbers, and one write; of other dtypes than these of one kernel,
    the numbers of all entries are also written and read.
    """
    if data.dtype == numbers.dtype and data.dtype.kind == "f" and data.dtype.itemsize >= 4:
        out = namespace_of(data).empty_like(data) if out is None else out
        arrays = as_operand(data), as_operand(numbers), as_operand(ids), out
        for_each(data.size, _divide if divide else _multiply, *arrays)
        return out
    with np.errstate(all="ignore"):
        if data.dtype.kind == "c" and numbers.dtype.kind != "c":  # by parts: infinities and tiny divisors would make NaN
            parts = as_operand(data).view(data.real.dtype).reshape(-1, 2)
            chosen = numbers[ids][:, None]
            values = as_operand(parts / chosen if divide else parts * chosen)
            values = values.view(np.result_type(values, np.complex64)).ravel()
        else:
            values = data / numbers[ids] if divide else data * numbers[ids]
    if out is None:
        return values
    out[...] = values.astype(out.dtype, copy=False)
    return out
