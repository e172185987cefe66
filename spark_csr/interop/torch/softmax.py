"""The softmax of every segment, with its gradient."""

from __future__ import annotations

from typing import Any

import torch

from spark_csr.interop.torch._extremes import extreme
from spark_csr.interop.torch._ids import lay_out
from spark_csr.interop.torch._segments import Repeat, Sum
from spark_csr.interop.torch._share import cast_like


class SoftmaxFunction(torch.autograd.Function):
    """`exp(x - greatest) / sum`, where the greatest and the sum are those of the segment."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, segments: Any) -> torch.Tensor:
        computed = x.float() if x.dtype == torch.float16 else x
        out = Repeat.apply(extreme(computed, segments, "max"), segments)
        torch.sub(computed, out, out=out).exp_()
        out = cast_like(out.div_(Repeat.apply(Sum.apply(out, segments), segments)), x)
        ctx.segments = segments
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        (y,) = ctx.saved_tensors
        weighted = y * gradient
        return weighted - y * Repeat.apply(Sum.apply(weighted, ctx.segments), ctx.segments), None


def segmented_softmax(
    x: torch.Tensor,
    offsets: torch.Tensor | None = None,
    *,
    lengths: torch.Tensor | None = None,
    ids: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the softmax of every segment: positive numbers that add up to 1, in the proportions of `exp(x)`.

    Parameters
    ----------
    x : (n,) or (n, k) floating torch.Tensor
        The elements. Each column of a tensor of two dimensions is treated separately, as the heads of an attention are.
    offsets : (m+1,) integer torch.Tensor, optional
        The offsets of the segments, from 0 to n: segment `i` is `offsets[i]:offsets[i+1]`.
    lengths : (m,) integer torch.Tensor, optional
        In place of `offsets`, the number of elements of every segment.
    ids : (n,) integer torch.Tensor, optional
        In place of `offsets`, the segment of every element, in any order: for attention over edges, their targets.

    Returns
    -------
    (n,) or (n, k) torch.Tensor
        The softmax, in the shape and dtype of `x`.

    Raises
    ------
    ValueError
        If offsets decrease or do not go from 0 to n, if lengths do not add up to n, if an id is negative, or if not one of the
        three is given.
    TypeError
        If `x` is not floating or has a dtype that arrays do not have, or if the tensors are on different devices.

    Notes
    -----
    The greatest element of a segment is subtracted first, so nothing overflows. As in `torch.softmax`, a segment with NaN or
    infinity becomes NaN, and so does a segment in which all elements are -infinity; elsewhere -infinity becomes 0.

    *Cost*: a segmented maximum and sum, two repetitions, and three passes of elementwise arithmetic; for the gradient a
    segmented sum and a repetition; for ids that do not ascend also a radix sort and two copies. float16 is computed in float32.
    *Order*: the same bits every run. *Empty input*: an empty tensor; empty segments have no elements in the result.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segmented_softmax
    >>> segmented_softmax(torch.tensor([0.0, 0, 5, 1000, 1000]), torch.tensor([0, 2, 2, 3, 5]))
    tensor([0.5000, 0.5000, 1.0000, 0.5000, 0.5000])
    >>> segmented_softmax(torch.tensor([0.0, 1000, 0, 1000, 5]), ids=torch.tensor([0, 3, 0, 3, 2]))
    tensor([0.5000, 0.5000, 0.5000, 0.5000, 1.0000])
    """
    x, segments, restore = lay_out(x, offsets, lengths, ids)
    if not x.is_floating_point():
        raise TypeError(f"the softmax needs an x of a floating dtype, got {x.dtype}: use x.double()")
    return restore(SoftmaxFunction.apply(x, segments))
