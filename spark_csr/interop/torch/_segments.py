"""Segments of a tensor's first dimension: their sums, and the repetition that is the gradient of the sums."""

import functools

import torch

from spark_csr._array import index_dtype
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of, tensor_of
from spark_csr.primitives import _check, segmented_reduce
from spark_csr.primitives.repeat import repeat_by_offsets


class Segments:
    """Segments of items: segment `i` is `offsets[i]:offsets[i+1]`; the first begins at 0, the last ends at `total`."""

    def __init__(self, offsets, total):
        self.offsets, self.total, self.count = offsets, total, offsets.size - 1

    @functools.cached_property
    def counts(self):
        """The length of every segment, as a tensor."""
        return tensor_of(self.offsets[1:] - self.offsets[:-1])


def segments_of(x, offsets):
    """Return the segments of `x` for some offsets, which must cover all of it, so that every element gets a gradient."""
    check_tensor("x", x), check_tensor("offsets", offsets)
    check_same_device(x=x, offsets=offsets)
    with stream_of(x):
        length = len(_check.rows("x", array_of(x)))
        offsets, start, stop = _check.offsets("offsets", array_of(offsets), length, of_lengths="give them as lengths=")
        if start != 0 or stop != length:
            raise ValueError(
                f"offsets must go from 0 to {length}, the length of x, got {start} to {stop}: use x[{start}:{stop}] and "
                f"offsets - {start}; give the segment of every item as ids=, and lengths of segments as lengths="
            )
        offsets = offsets.astype(index_dtype(stop))  # a copy: the caller may write into it before the gradient is wanted
        return Segments(offsets, stop)


class Sum(torch.autograd.Function):
    """The sum of every segment, for each column separately."""

    @staticmethod
    def forward(ctx, x, segments):
        ctx.segments = segments
        with stream_of(x):
            return tensor_of(segmented_reduce(array_of(x), segments.offsets))

    @staticmethod
    def backward(ctx, gradient):
        return Repeat.apply(gradient, ctx.segments), None


class Repeat(torch.autograd.Function):
    """The element or row of every segment, once for each of its items."""

    @staticmethod
    def forward(ctx, x, segments):
        ctx.segments = segments
        with stream_of(x):
            return tensor_of(repeat_by_offsets(array_of(x), segments.offsets, segments.total))

    @staticmethod
    def backward(ctx, gradient):
        return Sum.apply(gradient, ctx.segments), None
