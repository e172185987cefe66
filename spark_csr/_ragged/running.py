"""Running sums and products of a ragged array.

Design: along the innermost axis a scan restarts at every list. Along another axis the values are brought together as for a
reduction (`aligned`), by way of their positions, and the results go back to these positions.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import inclusive_scan, segmented_scan
from spark_csr.primitives.sort import gather


class Running(RaggedBase):
    """Running sums and products."""

    def cumsum(self, axis: int | None = None) -> Self | Any:
        """Add up each value and all values before it along an axis, or in the whole array.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) adds within each innermost list. Another axis adds the values whose other coordinates are equal,
            as in `sum`. Default: all values are one list, as for NumPy's arrays.

        Returns
        -------
        Ragged or array
            An array with the same lists, or for `axis=None` an array of one axis. int64 or uint64 for integers and bools, else
            the dtype of the values.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost*: along the innermost axis that of `primitives.segmented_scan`. Along another axis also that of `sum`, and two
        passes that move the values. *Order*: the same bits every run; floats are added in another order than in a loop, and
        float16 is computed in float32. *Empty input*: empty lists stay empty.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.cumsum(axis=-1), R.cumsum(axis=0)
        (Ragged([[6, 11, 16], [], [9, 10]], dtype=int64), Ragged([[6, 5, 5], [], [15, 6]], dtype=int64))
        """
        return _scan(self, axis, "sum")

    def cumprod(self, axis: int | None = None) -> Self | Any:
        """Multiply each value by all values before it along an axis, or in the whole array.

        Parameters, result and exceptions are those of `cumsum`.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 5], [], [9, 1]]).cumprod(axis=-1)
        Ragged([[6, 30, 150], [], [9, 9]], dtype=int64)
        """
        return _scan(self, axis, "prod")


def _scan(ragged, axis, op):
    axis, packed = None if axis is None else ragged._axis(axis), ragged.packed()
    if axis is None or ragged.ndim == 1:
        return inclusive_scan(packed.values, op)
    if axis == ragged.ndim - 1:
        return ragged._with(segmented_scan(packed.values, packed.offsets[-1], op=op))
    xp = namespace_of(packed.values)
    groups = group_along(packed._with(xp.arange(packed.size, dtype=index_dtype(packed.size))), axis)
    scanned = segmented_scan(gather(as_operand(packed.values), groups.values), groups.offsets, op=op)
    out = xp.empty_like(scanned)
    out[groups.values.astype(np.int64, copy=False)] = scanned
    return ragged._with(out)
