"""Right and left flood of a tensor, with the gradient for its elements."""

import torch

from spark_csr import primitives
from spark_csr.interop.torch._gather import BringBack, Places
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of, tensor_of


class Flood(torch.autograd.Function):
    """A flood, and where each element came from."""

    @staticmethod
    def forward(ctx, x, flood, options):
        with stream_of(x):
            out, index = map(tensor_of, flood(array_of(x), **options, return_index=True))
        ctx.places = Places(index, x.shape[0], of_flood=True)
        ctx.mark_non_differentiable(index)
        return out, index

    @staticmethod
    def backward(ctx, gradient, _):
        return BringBack.apply(gradient, ctx.places), None, None


def right_flood(x, valid=None, *, offsets=None, initial=0, limit=None):
    """Forward fill: each element takes the last valid one to its left (itself included).

    Parameters
    ----------
    x : (n,) torch.Tensor
    valid : (n,) bool torch.Tensor, optional
        Which elements hold a value; default: those that differ from zero.
    offsets : (m+1,) integer torch.Tensor, optional
        Segments that the flood does not cross.
    initial : scalar
        What elements take that have no valid one to their left.
    limit : int, optional
        How far a value reaches at most; beyond it `initial` stands.

    Returns
    -------
    (n,) torch.Tensor of the dtype of `x`
        Each element of `x` gets the gradients of all its copies; `initial` gets none.

    Raises
    ------
    ValueError, TypeError
        As `spark_csr.primitives.right_flood`; also for mixed devices.

    Notes
    -----
    *Cost*: as the primitive; where a gradient is wanted also the map of copies, one index for each element. The gradient is a
    segmented sum over that map, the gradient's gradient a gather. *Order*: exact, the gradient the same bits every run.
    *Empty input*: empty.

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


def left_flood(x, valid=None, *, offsets=None, initial=0, limit=None):
    """Backward fill: each element takes the first valid one to its right (itself included). The mirror of `right_flood`.

    Parameters
    ----------
    x, valid, offsets, limit
        As in `right_flood`.
    initial : scalar
        What elements take that have no valid one to their right.

    Returns
    -------
    (n,) torch.Tensor of the dtype of `x`
        As of `right_flood`.

    Raises
    ------
    ValueError, TypeError
        As `right_flood`.

    Notes
    -----
    *Cost*, *Order* and *Empty input* as `right_flood`.

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
        if torch.is_grad_enabled() and x.requires_grad:
            return Flood.apply(x, flood, options)[0]
        return tensor_of(flood(array_of(x), **options))
