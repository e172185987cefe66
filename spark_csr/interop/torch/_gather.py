"""Two operations that are each other's gradient: take elements at the positions of an index, and add elements there.

Design: torch's own `x[index]` adds with atomics on a GPU. Here an index is one of two kinds whose sums need no atomics: the map
of a flood, whose copies are neighbours, and distinct positions, where nothing is added.
"""

from typing import NamedTuple

import torch

from spark_csr._config import config
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of
from spark_csr.primitives import right_flood_vjp


class Places(NamedTuple):
    """The row of `size` rows that each element was taken from.

    For a flood, -1 means none, and copies of one row are neighbours. Else `size` means none, and no row is taken twice.
    """

    index: torch.Tensor
    size: int
    of_flood: bool


class Take(torch.autograd.Function):
    """The elements at the positions; 0 where there is no position."""

    @staticmethod
    def forward(ctx, x, places):
        ctx.places = places
        index, size, _ = places
        index = index.reshape(*index.shape, *[1] * (x.ndim - index.ndim)).expand(*index.shape, *x.shape[index.ndim :])
        if not size:
            return x.new_zeros(index.shape)
        taken = x.gather(0, index.long().clamp(0, size - 1))
        return taken.masked_fill_((index < 0) | (index >= size), 0)

    @staticmethod
    def backward(ctx, gradient):
        return BringBack.apply(gradient, ctx.places), None


class BringBack(torch.autograd.Function):
    """For every element, the sum of the elements that were taken from it."""

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
