"""The least and the greatest element of every segment, and their positions, which are the only ones that get a gradient."""

import torch

from spark_csr import primitives
from spark_csr._operations.product.spmm import spmm
from spark_csr._ops import Semiring, operator_for
from spark_csr.interop.torch._gather import BringBack, Places
from spark_csr.interop.torch._segments import Repeat
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of


@operator_for("biufc")
def _element(a, x):
    """Return the element itself, whatever the value of the entry: a product for semirings."""
    return x


RINGS = {op: Semiring(op, _element).freeze() for op in ("min", "max")}


class Extreme(torch.autograd.Function):
    """The least or greatest element of every segment, and the position of the first such element."""

    @staticmethod
    def forward(ctx, x, segments, op):
        out, index = _find_extremes(x, segments, op, return_index=True) if x.ndim == 1 else _find_in_columns(x, segments, op)
        ctx.places = Places(index, segments.total, of_flood=False)
        ctx.mark_non_differentiable(index)
        return out, index

    @staticmethod
    def backward(ctx, gradient, _):
        return BringBack.apply(gradient, ctx.places), None, None


def extreme(x, segments, op):
    """Return the least or greatest element of every segment, for each column separately."""
    if torch.is_grad_enabled() and x.requires_grad:
        return Extreme.apply(x, segments, op)[0]
    return _find_extremes(x, segments, op) if x.ndim == 1 else _reduce_columns(x, segments, op)


def _find_extremes(x, segments, op, **options):
    with stream_of(x):
        found = primitives.segmented_reduce(array_of(x), segments.offsets, op, **options)
        if not options:
            return tensor_of(found)
        out, index = map(tensor_of, found)
        return out, torch.where(index < 0, segments.total, index.long())


def _reduce_columns(x, segments, op):
    """Return, for every column, the product of a pattern with x over the semiring of the operator."""
    with stream_of(x):
        return tensor_of(spmm(segments.present, array_of(x), RINGS[op]))


def _find_in_columns(x, segments, op):
    """Return the result of `_reduce_columns`, and the position of the first item that equals the result of its segment.

    NaN counts as equal to NaN.
    """
    out = _reduce_columns(x, segments, op)
    best = Repeat.apply(out, segments)
    same = x == best
    if x.is_floating_point():
        same |= (x != x) & (best != best)
    items = tensor_of(segments.pattern.indices)[:, None]
    first = _reduce_columns(torch.where(same, items, segments.total), segments, "min")
    return out, first.long().clamp(max=segments.total)
