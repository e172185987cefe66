"""Reductions of the elements that have the same id, in any order, with gradients. See `_ids`."""

from __future__ import annotations

import torch

from spark_csr.interop.torch._ids import sort_by_ids
from spark_csr.interop.torch.segments import segmented_reduce


def segment_sum(src: torch.Tensor, index: torch.Tensor, dim_size: int | None = None) -> torch.Tensor:
    """Return the sum of the elements that have the same id.

    Parameters
    ----------
    src : (n,) or (n, k) torch.Tensor
        The elements. Each column of a tensor of two dimensions is reduced separately.
    index : (n,) integer torch.Tensor
        The id of every element or row, each in `[0, dim_size)`, in any order. For messages from the source of an edge to its
        target, pass the second row of an `edge_index` of PyTorch Geometric.
    dim_size : int, optional
        The number of results. The default is the greatest id plus one.

    Returns
    -------
    (dim_size,) or (dim_size, k) torch.Tensor
        The result for every id, in the dtype of `segmented_reduce`. An id without elements gives 0.

    Raises
    ------
    ValueError
        If an id is out of range, or if `index` does not have the length of `src`.
    TypeError
        If an operand is not a tensor, has a dtype that arrays do not have, or is on another device; if ids are not integers.

    Notes
    -----
    *Cost*: a radix sort of the ids, a copy of the elements in their order, and that of `segmented_reduce`; for sorted ids only
    the latter and a pass that checks them. *Order*: the same bits every run and for every number of threads, for the gradient
    too. *Empty input*: `dim_size` results without elements.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segment_sum
    >>> x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
    >>> y = segment_sum(x, torch.tensor([2, 0, 2, 0]))
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([6., 0., 4.]), tensor([1., 1., 1., 1.]))
    """
    return _reduce(src, index, dim_size, "sum")


def segment_mean(src: torch.Tensor, index: torch.Tensor, dim_size: int | None = None) -> torch.Tensor:
    """Return the mean of the elements that have the same id.

    Parameters, result and exceptions are those of `segment_sum`. An id without elements gives NaN. A TypeError is raised if
    `src` is not floating.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segment_mean
    >>> x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
    >>> y = segment_mean(x, torch.tensor([2, 0, 2, 0]))
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([3., nan, 2.]), tensor([0.5000, 0.5000, 0.5000, 0.5000]))
    """
    return _reduce(src, index, dim_size, "mean")


def segment_min(src: torch.Tensor, index: torch.Tensor, dim_size: int | None = None) -> torch.Tensor:
    """Return the least of the elements that have the same id.

    Parameters, result and exceptions are those of `segment_sum`. An id without elements gives the greatest value of the dtype,
    infinite for floats. The first of equal elements gets the whole gradient.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segment_min
    >>> x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
    >>> y = segment_min(x, torch.tensor([2, 0, 2, 0]))
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([2., inf, 1.]), tensor([1., 1., 0., 0.]))
    """
    return _reduce(src, index, dim_size, "min")


def segment_max(src: torch.Tensor, index: torch.Tensor, dim_size: int | None = None) -> torch.Tensor:
    """Return the greatest of the elements that have the same id.

    Parameters, result and exceptions are those of `segment_sum`. An id without elements gives the least value of the dtype,
    infinite for floats. The first of equal elements gets the whole gradient.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segment_max
    >>> x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
    >>> y = segment_max(x, torch.tensor([2, 0, 2, 0]))
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([4., -inf, 3.]), tensor([0., 0., 1., 1.]))
    """
    return _reduce(src, index, dim_size, "max")


def _reduce(src, index, dim_size, op):
    x, offsets, _ = sort_by_ids(src, index, dim_size)
    return segmented_reduce(x, offsets, op)
