"""The least and the greatest element of every segment, and their positions, which are the only ones that get a gradient."""

import torch

from spark_csr import primitives
from spark_csr.interop.torch._gather import BringBack, Places
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of, wants_gradient


class Extreme(torch.autograd.Function):
    """The least or greatest element of every segment, and the position of the first such element."""

    @staticmethod
    def forward(ctx, x, segments, op):
        with stream_of(x):
            out, index = map(tensor_of, primitives.segmented_reduce(array_of(x), segments.offsets, op, return_index=True))
            index = torch.where(index < 0, segments.total, index.long())
        ctx.places = Places(index, segments.total, of_flood=False)
        ctx.mark_non_differentiable(index)
        return out, index

    @staticmethod
    def backward(ctx, gradient, _):
        return BringBack.apply(gradient, ctx.places), None, None


def extreme(x, segments, op):
    """Return the least or greatest element of every segment, for each column separately."""
    if wants_gradient(x):
        return Extreme.apply(x, segments, op)[0]
    with stream_of(x):
        return tensor_of(primitives.segmented_reduce(array_of(x), segments.offsets, op))
