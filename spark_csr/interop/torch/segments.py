"""Reductions of segments, and repetition, with gradients."""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch

from spark_csr._array import to_host_scalar
from spark_csr.interop.torch._extremes import extreme
from spark_csr.interop.torch._ids import lay_out
from spark_csr.interop.torch._segments import Repeat, Segments, Sum
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of
from spark_csr.primitives import offsets_from_counts
from spark_csr.primitives._check import count_of


def _mean(x, segments):
    """Return the means of the segments; an empty segment gives NaN, which has no gradient."""
    if not (x.is_floating_point() or x.is_complex()):
        raise TypeError(f"the mean needs an x of a floating or complex dtype, got {x.dtype}: use x.double()")
    counts = segments.counts.reshape(-1, *[1] * (x.ndim - 1))
    computed = x.float() if x.dtype == torch.float16 else x
    return torch.where(counts > 0, Sum.apply(computed, segments) / counts.clamp(min=1), torch.nan).to(x.dtype)


def segmented_reduce(
    x: torch.Tensor,
    offsets: torch.Tensor | None = None,
    op: Literal["sum", "mean", "min", "max"] = "sum",
    *,
    lengths: torch.Tensor | None = None,
    ids: torch.Tensor | None = None,
) -> torch.Tensor:
    """Combine all elements of every segment.

    Parameters
    ----------
    x : (n,) or (n, k) torch.Tensor
        The elements. Each column of a tensor of two dimensions is reduced separately.
    offsets : (m+1,) integer torch.Tensor, optional
        The offsets of the segments, from 0 to n: segment `i` is `offsets[i]:offsets[i+1]`.
    op : {"sum", "mean", "min", "max"}, default "sum"
        How elements are combined.
    lengths : (m,) integer torch.Tensor, optional
        In place of `offsets`, the number of elements of every segment.
    ids : (n,) integer torch.Tensor, optional
        In place of `offsets`, the segment of every element, in any order, such as `batch` of PyTorch Geometric; there are as
        many segments as the greatest id plus one. `segment_sum` and its family take the number of segments too.

    Returns
    -------
    (m,) or (m, k) torch.Tensor
        The results, in the dtype of `x`; sums of integers have 64 bits. An empty segment gives 0 for "sum", NaN for "mean", and
        for "min" and "max" the largest or smallest value of the dtype, infinite for floats.

    Raises
    ------
    ValueError
        If offsets decrease or do not go from 0 to n, if lengths do not add up to n, if an id is negative, if not one of the
        three is given, or if `op` is unknown.
    TypeError
        If an operand is not a tensor, has a dtype that arrays do not have, or is on another device; for the mean of integers;
        for "min" and "max" of complex numbers.

    Notes
    -----
    The gradient of a sum is `repeat`, and the gradient of `repeat` is a sum. For "min" and "max" the first of equal elements
    gets the whole gradient.

    *Cost*: that of `spark_csr.primitives.segmented_reduce`; if "min" or "max" need a gradient also the positions. *Order*: the
    same bits every run. *Empty input*: without segments there are no results.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segmented_reduce
    >>> x = torch.tensor([1.0, 2, 3, 4, 5], requires_grad=True)
    >>> y = segmented_reduce(x, torch.tensor([0, 2, 2, 5]), "max")
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([2., -inf, 5.]), tensor([0., 1., 0., 0., 1.]))
    """
    if op not in ("sum", "mean", "min", "max"):
        advice = ": for a product use exp of the sum of logarithms" if str(op) == "prod" else ""
        raise ValueError(f"op must be 'sum', 'mean', 'min' or 'max', got {op!r}{advice}")
    x, segments, _ = lay_out(x, offsets, lengths, ids)
    if op == "sum":
        return Sum.apply(x, segments)
    return _mean(x, segments) if op == "mean" else extreme(x, segments, op)


def repeat(x: torch.Tensor, counts: torch.Tensor | int) -> torch.Tensor:
    """Repeat every element, or row, as often as its count says.

    Parameters
    ----------
    x : (n,) or (n, ...) torch.Tensor
        The elements or rows.
    counts : (n,) integer torch.Tensor, or int
        The number of copies of each element, or one number for all; none is negative.

    Returns
    -------
    (total,) or (total, ...) torch.Tensor
        The copies, in the dtype of `x`.

    Raises
    ------
    ValueError
        If a count is negative, or if `counts` does not have the length of `x`.
    TypeError
        If counts are not integers, if the tensors are on different devices, or if `x` has a dtype that arrays do not have.

    Notes
    -----
    *Cost*: that of `spark_csr.primitives.repeat`; for rows also the row of every copy. The gradient is a segmented sum.
    *Order*: kept; the gradient has the same bits every run. *Empty input*: an empty tensor.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import repeat
    >>> x = torch.tensor([1.0, 3, 6], requires_grad=True)
    >>> y = repeat(x, torch.tensor([3, 2, 3]))
    >>> y.sum().backward()
    >>> y.detach(), x.grad
    (tensor([1., 1., 1., 3., 3., 6., 6., 6.]), tensor([3., 2., 3.]))
    """
    if not check_tensor("x", x).ndim:
        raise ValueError("x must have a dimension, got a single number: use x.reshape(1)")
    if not isinstance(counts, torch.Tensor):
        counts = count_of("counts", counts)
        if counts * max(x.shape[0], 1) > np.iinfo(np.int64).max:
            raise ValueError(f"counts must give fewer than 2**63 elements, got {counts} for each of {x.shape[0]}")
        counts = torch.full(x.shape[:1], counts, device=x.device)
    check_same_device(x=x, counts=check_tensor("counts", counts))
    if counts.shape != x.shape[:1]:
        raise ValueError(
            f"counts must have one element for each of the {x.shape[0]} elements of x, got shape {tuple(counts.shape)}"
        )
    with stream_of(x):
        offsets = offsets_from_counts(array_of(counts))
        return Repeat.apply(x, Segments(offsets, to_host_scalar(offsets[-1])))
