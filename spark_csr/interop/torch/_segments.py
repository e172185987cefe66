"""Segments of a tensor's first dimension: their sums, and the repetition that is the gradient of the sums.

Design: elements of several columns are summed by the product with a pattern of ones: each segment is a row that holds its
items. So the kernels of `A @ X`, which balance long and short rows and fill vector registers, do the work. Cost: a position and
a one are read beside the columns of each item.
"""

import functools

import torch

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of
from spark_csr._operations.form.record import Csr
from spark_csr._operations.product.spmm import spmm
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of, tensor_of
from spark_csr.primitives import _check, segment_ids, segmented_reduce
from spark_csr.primitives.repeat import repeat_by_offsets
from spark_csr.primitives.scan import accumulator_dtype


class Segments:
    """Segments of items: segment `i` is `offsets[i]:offsets[i+1]`; the first begins at 0, the last ends at `total`."""

    def __init__(self, offsets, total):
        self.offsets, self.total, self.count = offsets, total, offsets.size - 1

    @functools.cached_property
    def pattern(self):
        """A matrix without values that has a row for each segment and a column for each item."""
        columns = namespace_of(self.offsets).arange(self.total, dtype=index_dtype(self.total))
        return Csr(self.offsets, columns, None, (self.count, self.total))

    @functools.cached_property
    def present(self):
        """The same matrix with true values, which do not change the dtype of a product."""
        return self.pattern.with_data(namespace_of(self.offsets).ones(self.total, bool))

    @functools.cached_property
    def of_items(self):
        """The segment of every item, as a tensor."""
        return tensor_of(segment_ids(self.offsets))

    @functools.cached_property
    def counts(self):
        """The length of every segment, as a tensor."""
        return tensor_of(self.offsets[1:] - self.offsets[:-1])


def segments_of(x, offsets):
    """Return the segments of `x` for some offsets, which must cover all of it, so that every element gets a gradient."""
    check_tensor("x", x), check_tensor("offsets", offsets)
    check_same_device(x=x, offsets=offsets)
    if x.ndim not in (1, 2):
        raise ValueError(f"x must have one or two dimensions, got shape {tuple(x.shape)}: use x.flatten(1)")
    with stream_of(x):
        offsets, start, stop = _check.offsets("offsets", array_of(offsets), x.shape[0])
        if start != 0 or stop != x.shape[0]:
            raise ValueError(
                f"offsets must go from 0 to {x.shape[0]}, the length of x, got {start} to {stop}: use x[{start}:{stop}] and "
                f"offsets - {start}; if these are the segments of the items, primitives.offsets_from_segment_ids makes offsets"
            )
        offsets = offsets.astype(index_dtype(stop))  # a copy: the caller may write into it before the gradient is wanted
        return Segments(offsets, stop)


class Sum(torch.autograd.Function):
    """The sum of every segment, for each column separately."""

    @staticmethod
    def forward(ctx, x, segments):
        ctx.segments = segments
        with stream_of(x):
            array = array_of(x)
            if x.ndim == 1:
                return tensor_of(segmented_reduce(array, segments.offsets))
            dtype = accumulator_dtype(ops.MONOIDS["sum"], array.dtype)
            ones = namespace_of(array).ones(segments.total, dtype)
            return tensor_of(spmm(segments.pattern.with_data(ones), array.astype(dtype, copy=False)))

    @staticmethod
    def backward(ctx, gradient):
        return Repeat.apply(gradient, ctx.segments), None


class Repeat(torch.autograd.Function):
    """The element or row of every segment, once for each of its items."""

    @staticmethod
    def forward(ctx, x, segments):
        ctx.segments = segments
        with stream_of(x):
            if x.ndim == 1:
                return tensor_of(repeat_by_offsets(array_of(x), segments.offsets, segments.total))
            return x.index_select(0, segments.of_items)

    @staticmethod
    def backward(ctx, gradient):
        return Sum.apply(gradient, ctx.segments), None
