"""Right and left flood of a tensor, with a gradient for its elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from spark_csr import primitives
from spark_csr.interop.torch._gather import BringBack, Places
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of, tensor_of, wants_gradient

if TYPE_CHECKING:
    from spark_csr._types import Number


class Flood(torch.autograd.Function):
    """The flooded tensor, and the position that each element came from."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, flood: Any, options: Any) -> tuple[torch.Tensor, torch.Tensor]:
        with stream_of(x):
            out, index = map(tensor_of, flood(array_of(x), **options, return_index=True))
        ctx.places = Places(index, x.shape[0], of_flood=True)
        ctx.mark_non_differentiable(index)
        return out, index

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> tuple[torch.Tensor, None, None]:
        return BringBack.apply(gradient, ctx.places), None, None


def right_flood(
    x: torch.Tensor,
    valid: torch.Tensor | None = None,
    *,
    offsets: torch.Tensor | None = None,
    initial: Number = 0,
    limit: int | None = None,
) -> torch.Tensor:
    """Fill forward: replace each element by the last valid one to its left (or by itself, if it is valid).

    Parameters
    ----------
    x : (n,) torch.Tensor
        The elements.
    valid : (n,) bool torch.Tensor, optional
        Which elements are valid. Default: those that differ from zero.
    offsets : (m+1,) integer torch.Tensor, optional
        The offsets of segments, which the flood does not cross.
    initial : scalar, default 0
        The value of elements that have no valid one to their left.
    limit : int, optional
        The greatest distance that a value is carried; elements beyond it get `initial`. Default: any distance.

    Returns
    -------
    (n,) torch.Tensor
        The flooded elements, in the dtype of `x`. Each element of `x` gets the gradients of all its copies; `initial` gets
        none.

    Raises
    ------
    ValueError
        If the shapes do not fit, as in `spark_csr.primitives.right_flood`.
    TypeError
        If dtypes do not fit, as in `spark_csr.primitives.right_flood`, or if the tensors are on different devices.

    Notes
    -----
    *Cost*: that of `spark_csr.primitives.right_flood`; if a gradient is wanted also the map of copies, one index for each
    element. The gradient is a segmented sum over that map, the gradient of the gradient a gather. *Order*: exact; the gradient
    has the same bits every run. *Empty input*: an empty tensor.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import right_flood
    >>> x = torch.tensor([1.0, 0, 0, 3, 0, 6, 0, 0], requires_grad=True)
    >>> y = right_flood(x)
    >>> y.sum().backward()
    >>> y.detach(), x.grad
    (tensor([1., 1., 1., 3., 3., 6., 6., 6.]), tensor([3., 0., 0., 2., 0., 3., 0., 0.]))
    """
    return _flood(primitives.right_flood, x, valid, offsets, initial, limit)


def left_flood(
    x: torch.Tensor,
    valid: torch.Tensor | None = None,
    *,
    offsets: torch.Tensor | None = None,
    initial: Number = 0,
    limit: int | None = None,
) -> torch.Tensor:
    """Fill backward: replace each element by the first valid one to its right (or by itself, if it is valid).

    Parameters, result and exceptions are those of `right_flood`, with what is to the right in place of what is to the left.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import left_flood
    >>> left_flood(torch.tensor([0, 0, 3, 0, 3, 0]))
    tensor([3, 3, 3, 3, 3, 0])
    """
    return _flood(primitives.left_flood, x, valid, offsets, initial, limit)


def _flood(flood, x, valid, offsets, initial, limit):
    check_tensor("x", x)
    given = {name: check_tensor(name, t) for name, t in (("valid", valid), ("offsets", offsets)) if t is not None}
    check_same_device(x=x, **given)
    with stream_of(x):
        options = {name: array_of(t) for name, t in given.items()} | {"initial": initial, "limit": limit}
        if wants_gradient(x):
            return Flood.apply(x, flood, options)[0]
        return tensor_of(flood(array_of(x), **options))
