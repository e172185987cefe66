"""Means, variances and standard deviations of a ragged array, along an axis or of all values.

Design: a variance is the mean of squared distances from the mean, in two passes over the values, as NumPy computes it. One pass
over squares would lose digits where the mean is large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase
from spark_csr._ragged.reductions import cast, find_axis, wrap_results
from spark_csr.primitives import _check
from spark_csr.primitives.repeat import repeat_by_offsets
from spark_csr.primitives.segmented import dtype_of_means, reduce_to_means, reduce_trusted


class Moments(RaggedBase):
    """Means, variances and standard deviations."""

    def mean(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Return the mean along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values count.
        keepdims : bool, default False
            Whether the axis stays, with one result in each list, as in `sum`.

        Returns
        -------
        Ragged, array or scalar
            The means, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of no
            dimensions). float64 for integers and bools, else the dtype of the values.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost* and *Order*: as in `sum`; float16 is computed in float32. *Empty input*: NaN for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 4], [], [9, 1]])
        >>> R.mean(axis=1), float(R.mean())
        (array([ 5., nan,  5.]), 5.0)
        """
        axis = find_axis(self, axis)
        groups = group_along(self, axis)
        return wrap_results(self, axis, groups, reduce_to_means(groups.values, groups.offsets)[0], keepdims)

    def var(self, axis: int | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
        """Return the variance along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values count.
        ddof : float, default 0
            The divisor is the number of values minus `ddof`.
        keepdims : bool, default False
            Whether the axis stays, with one result in each list, as in `sum`.

        Returns
        -------
        Ragged, array or scalar
            The variances, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of
            no dimensions). float64 for integers and bools, else the dtype of the values, or of their real parts.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        Variances are computed in 64 bits. *Cost*: that of two sums, and of two arrays of 64 bits as long as the values; three
        if the dtype is another one. *Order*: as in `sum`. *Empty input*: NaN for an empty list. A list of `ddof` values or
        fewer gives NaN or infinity, as in NumPy.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 4, 5], [], [9, 1]]).var(axis=1)
        array([ 0.5,  nan, 16. ])
        """
        return _reduce_to_variances(self, axis, ddof, keepdims, lambda variances: variances)

    def std(self, axis: int | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
        """Return the standard deviation along an axis, or of all values: the square root of the variance.

        Parameters, result and exceptions are those of `var`.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 5, 4, 5, 5, 5, 5], [], [9, 1]]).std(axis=1)
        array([0.5, nan, 4. ])
        """
        return _reduce_to_variances(self, axis, ddof, keepdims, np.sqrt)


def _reduce_to_variances(ragged, axis, ddof, keepdims, function):
    """Return a function of the variances along an axis, which are computed in 64 bits."""
    axis, dtype = find_axis(ragged, axis), dtype_of_means(ragged.dtype)
    groups = group_along(cast(ragged, np.result_type(dtype, np.float64)), axis)
    found = function(_find_variances(groups, ddof)).astype(dtype.type(0).real.dtype, copy=False)
    return wrap_results(ragged, axis, groups, found, keepdims)


def _find_variances(groups, ddof):
    """Return the variance of every group."""
    means, counts = reduce_to_means(groups.values, groups.offsets)
    distances = groups.values - repeat_by_offsets(means, groups.offsets, len(groups.values))
    squares = (distances * distances.conj()).real.copy() if distances.dtype.kind == "c" else distances * distances
    totals, _ = reduce_trusted(squares, groups.offsets, "sum")
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals / np.maximum(counts - _check.cast_scalar("ddof", ddof, counts.dtype), 0)
