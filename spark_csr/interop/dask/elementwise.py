"""Operators of blocks, element by element."""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import tokenize

from spark_csr._matrix.csr import csr_array
from spark_csr._operations.merge.operands import is_scalar
from spark_csr.interop.dask import tasks

if TYPE_CHECKING:
    from spark_csr._types import DTypeLike
    from spark_csr.interop.dask.blocks import csr_blocks


class Arithmetic:
    """Operators of `csr_blocks`, element by element."""

    def __add__(self, other: Any) -> csr_blocks:
        """Add other blocks of the same rows."""
        return combine(operator.add, self, other)

    def __sub__(self, other: Any) -> csr_blocks:
        """Subtract other blocks of the same rows."""
        return combine(operator.sub, self, other)

    def __mul__(self, other: Any) -> csr_blocks:
        """Multiply every element by a number, or by the element of other blocks of the same rows."""
        if is_scalar(other):
            return change_values(self, partial(times, number=other))
        return combine(operator.mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, number: Any) -> csr_blocks:
        """Divide every element by a number."""
        if not is_scalar(number):
            return NotImplemented
        return change_values(self, partial(over, number=number))

    def __neg__(self) -> csr_blocks:
        """Return the negative of every element."""
        return change_values(self, operator.neg)

    def astype(self, dtype: DTypeLike) -> csr_blocks:
        """Return the matrix with values of another dtype.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.astype`; the blocks stay the
        same.
        """
        return change_values(self, partial(cast, dtype=np.dtype(dtype)))


def combine(op, matrix, other):
    """Return what an operator makes of two matrices with the same blocks of rows."""
    if not isinstance(other, type(matrix)):
        return NotImplemented
    if other.shape != matrix.shape:
        raise ValueError(f"inconsistent shapes: {matrix.shape} and {other.shape}")
    if other.chunks[0] != matrix.chunks[0]:
        raise ValueError(
            f"blocks must have the same rows, got {matrix.chunks[0]} and {other.chunks[0]}: use B.repartition(A.chunks[0])"
        )
    layer = f"{op.__name__}-" + tokenize(matrix.name, other.name)
    offsets = matrix.offsets[1]
    made = {
        (layer, i): (partial(tasks.combine, op, offsets, matrix._own(i)), left, right)
        for i, (left, right) in enumerate(zip(matrix._blocks.keys, other._blocks.keys, strict=True))
    }
    return matrix._like(layer, made, [other], dtype=op(_nothing(matrix), _nothing(other)).dtype)


def _nothing(matrix):
    """Return a matrix without elements, of which an operation tells the dtype of its results."""
    return csr_array((0, 0), dtype=matrix.dtype)


def change_values(matrix, change):
    """Return a matrix with other values in the same places; its plan is that of the old one."""
    dtype = change(_nothing(matrix)).dtype
    layer = "values-" + tokenize(matrix.name, change)
    call = partial(tasks.change_values, change=change)
    made = {(layer, i): (call, key) for i, key in enumerate(matrix._blocks.keys)}
    plan = matrix._plan if dtype == matrix.dtype else None
    return matrix._like(layer, made, dtype=dtype, plan=plan)


def times(matrix, number):
    """Return the matrix times a number."""
    return matrix * number


def over(matrix, number):
    """Return the matrix over a number."""
    return matrix / number


def cast(matrix, dtype):
    """Return the matrix with values of another dtype."""
    return matrix.astype(dtype)


def fill(matrix, value):
    """Return the matrix with one value at all entries."""
    csr = matrix._csr
    return type(matrix)._of(csr.with_data(csr.xp.full(csr.indices.size, value)))
