"""The softmax of every innermost list.

Design: on the cores one pass over tiles of whole lists, each of which is read from memory once. On a GPU, where a thread for
each list would wait for the longest, and for lists too long for one core, the steps of the definition: the greatest value of
every list, exponentials, their sums, quotients.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from spark_csr._array import as_operand, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase, of_numbers
from spark_csr.primitives.search import merge_path_tiles


class Softmax(RaggedBase):
    """Softmax."""

    @of_numbers
    def softmax(self, axis: int = -1) -> Self | Any:
        """Return the exponentials of the values of every innermost list, divided by their sum.

        Parameters
        ----------
        axis : int, default -1
            -1 or `ndim - 1`: the softmax is computed along the innermost axis only.

        Returns
        -------
        Ragged
            An array with the same lists: float64 for integers and bools, else the dtype of the values. For an array of one
            axis, a NumPy or CuPy array.

        Raises
        ------
        ValueError
            If `axis` is another axis.
        TypeError
            If the values are complex numbers.

        Notes
        -----
        The greatest value of a list is subtracted first, so nothing overflows. As in SciPy, a list with NaN or infinity becomes
        NaN, and so does a list in which all values are -infinity; elsewhere -infinity becomes 0. *Cost*: on the cores one read
        and one write of the values; for lists of more than 65536 values three reads and two writes more. On a GPU these passes
        too, and seven launches. Two host reads. *Order*: the same bits every run; float16 is computed in float32. *Empty
        input*: empty lists stay empty.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[0, 0], [], [1.0, 1.0, 1.0, 1.0]]).softmax()
        Ragged([[0.5, 0.5], [], [0.25, 0.25, 0.25, 0.25]], dtype=float64)
        """
        if self._axis(axis) != self.ndim - 1:
            raise ValueError(
                f"axis must be -1 (or {self.ndim - 1}), got {axis}: softmax is computed along the innermost axis only"
            )
        if self.dtype.kind == "c":
            raise TypeError(f"softmax needs an order, and {self.dtype} has none: use R.values.real, R.values.imag or abs")
        lists = group_along(self, self.ndim - 1)
        return self._with(segmented_softmax(lists.values, lists.offsets))._plain()


def segmented_softmax(x, offsets):
    """Return the softmax of every segment of real numbers.

    The offsets are not checked; they start at zero and end where `x` does.
    """
    dtype = np.dtype(np.float64) if x.dtype.kind in "biu" else x.dtype
    x = as_operand(x.astype(np.float32 if dtype == np.float16 else dtype, copy=False))
    out = namespace_of(x).empty_like(x)
    if x.size:
        backend_of(x).softmax(merge_path_tiles(offsets, x.size), offsets, x, out)
    return out.astype(dtype, copy=False)
