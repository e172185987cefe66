"""Two operations that are each other's gradient: take elements from the positions of an index, and bring them back there.

Design: torch's own `x[index]` adds up with atomics on a GPU. Here an index is one of two kinds whose sums need none: the map of
a flood, whose copies lie side by side, and distinct positions, where nothing is added.
"""

from typing import NamedTuple

import torch

from spark_csr._config import config
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of
from spark_csr.primitives import right_flood_vjp


class Places(NamedTuple):
    """From which of `size` rows each element was taken. Of a flood: -1 for none, and copies of one side by side. Else: `size`
    for none, and none twice."""

    index: torch.Tensor
    size: int
    of_flood: bool


class Take(torch.autograd.Function):
    """What lies at the positions, 0 where there is none."""

    @staticmethod
    def forward(ctx, x, places):
        ctx.places = places
        index, size, _ = places
        if not size:
            return x.new_zeros(index.shape)
        taken = x.gather(0, index.long().clamp(0, size - 1))
        return taken.masked_fill_((index < 0) | (index >= size), 0)

    @staticmethod
    def backward(ctx, gradient):
        return BringBack.apply(gradient, ctx.places), None


class BringBack(torch.autograd.Function):
    """Every element gets the sum of what was taken from it."""

    @staticmethod
    def forward(ctx, g, places):
        ctx.places = places
        index, size, of_flood = places
        if of_flood:
            with stream_of(g), config(validate=False):
                return tensor_of(right_flood_vjp(array_of(g), array_of(index)))
        return g.new_zeros((size + 1, *g.shape[1:])).scatter_(0, index, g)[:-1]

    @staticmethod
    def backward(ctx, gradient):
        return Take.apply(gradient, ctx.places), None
