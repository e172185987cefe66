"""Two operations that are each other's gradient: take elements from the places of an index, and bring them back there.

Design: torch's own `x[index]` adds up with atomics on a GPU. Here an index is one of two kinds whose sums need none: the map of
a flood, whose copies lie side by side, and distinct places, where nothing is added.
"""

from typing import NamedTuple

import torch

from spark_csr.config import config
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of
from spark_csr.primitives import right_flood_vjp


class Places(NamedTuple):
    """Which of `size` elements are taken, -1 for none; several times the same one, side by side, or each at most once."""

    index: torch.Tensor
    size: int
    repeated: bool


class Take(torch.autograd.Function):
    """`x[index]`, 0 where the index is -1."""

    @staticmethod
    def forward(ctx, x, places):
        ctx.places = places
        if not places.size:
            return x.new_zeros(places.index.shape)
        return torch.where(places.index >= 0, x[places.index], x.new_zeros(()))

    @staticmethod
    def backward(ctx, gradient):
        return BringBack.apply(gradient, ctx.places), None


class BringBack(torch.autograd.Function):
    """Every element of `x` gets the sum of what was taken from it."""

    @staticmethod
    def forward(ctx, g, places):
        ctx.places = places
        if places.repeated:
            with stream_of(g), config(validate=False):
                return tensor_of(right_flood_vjp(array_of(g), array_of(places.index)))
        out = g.new_zeros(places.size + 1)
        out[places.index.long()] = g
        return out[:-1]

    @staticmethod
    def backward(ctx, gradient):
        return Take.apply(gradient, ctx.places), None
