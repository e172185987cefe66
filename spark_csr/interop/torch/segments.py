"""Reductions of segments and repetition, with gradients."""

import operator

import torch

from spark_csr._array import to_host_scalar
from spark_csr.interop.torch._extremes import extreme
from spark_csr.interop.torch._segments import Repeat, Segments, Sum, segments_of
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of
from spark_csr.primitives import offsets_from_counts


def _mean(x, segments):
    """NaN, without a gradient, for what is empty."""
    if not (x.is_floating_point() or x.is_complex()):
        raise TypeError(f"the mean needs floating or complex x, got {x.dtype}: use x.double()")
    counts = segments.counts if x.ndim == 1 else segments.counts[:, None]
    computed = x.float() if x.dtype == torch.float16 else x
    return torch.where(counts > 0, Sum.apply(computed, segments) / counts.clamp(min=1), torch.nan).to(x.dtype)


def segmented_reduce(x, offsets, op="sum"):
    """Combine all elements of every segment.

    Parameters
    ----------
    x : (n,) or (n, k) torch.Tensor
        Of two dimensions each column is reduced on its own.
    offsets : (m+1,) integer torch.Tensor
        Segment `i` is `offsets[i]:offsets[i+1]`; from 0 to n.
    op : {"sum", "mean", "min", "max"}

    Returns
    -------
    (m,) or (m, k) torch.Tensor
        Of the dtype of `x`; sums of integers in 64 bits. For an empty segment 0, NaN, and what every element is below or above.

    Raises
    ------
    ValueError
        If offsets decrease or do not go from 0 to n; for another operator.
    TypeError
        For what is no tensor, mixed devices, dtypes that arrays do not have, the mean of integers, the least of
        complex numbers.

    Notes
    -----
    The gradient of a sum is `repeat`, and the other way round; of "min" and "max" the first of equal elements gets it all.

    *Cost*: as `spark_csr.primitives.segmented_reduce`; where "min" or "max" want a gradient also the positions, three passes.
    Several columns are reduced by the product with a pattern of ones, over the semiring of the operator.
    *Order*: same bits every run. *Empty input*: no segments, no results.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import segmented_reduce
    >>> x = torch.tensor([1.0, 2, 3, 4, 5], requires_grad=True)
    >>> y = segmented_reduce(x, torch.tensor([0, 2, 2, 5]), "max")
    >>> y[[0, 2]].sum().backward()
    >>> y.detach(), x.grad
    (tensor([2., -inf, 5.]), tensor([0., 1., 0., 0., 1.]))
    """
    if op not in ("sum", "mean", "min", "max"):
        advice = "; of a product use exp of the sum of logarithms" if op == "prod" else ""
        raise ValueError(f"op must be 'sum', 'mean', 'min' or 'max', got {op!r}{advice}")
    segments = segments_of(x, offsets)
    if op == "sum":
        return Sum.apply(x, segments)
    return _mean(x, segments) if op == "mean" else extreme(x, segments, op)


def repeat(x, counts):
    """Every element, or row, as often as its count says.

    Parameters
    ----------
    x : (n,) or (n, k) torch.Tensor
    counts : (n,) integer torch.Tensor, or int
        None negative; an int counts for every element.

    Returns
    -------
    (total,) or (total, k) torch.Tensor of the dtype of `x`

    Raises
    ------
    ValueError
        If a count is negative, or `counts` has another length than `x`.
    TypeError
        If counts are not integers, devices are mixed, or `x` has a dtype that arrays do not have.

    Notes
    -----
    *Cost*: as `spark_csr.primitives.repeat`; of rows also the row of every copy. The gradient is a segmented sum. *Order*:
    kept; the gradient has the same bits every run. *Empty input*: empty.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import repeat
    >>> x = torch.tensor([1.0, 3, 6], requires_grad=True)
    >>> y = repeat(x, torch.tensor([3, 2, 3]))
    >>> y.sum().backward()
    >>> y.detach(), x.grad
    (tensor([1., 1., 1., 3., 3., 6., 6., 6.]), tensor([3., 2., 3.]))
    """
    if check_tensor("x", x).ndim not in (1, 2):
        raise ValueError(f"x must have one or two dimensions, got shape {tuple(x.shape)}: use x.flatten(1)")
    if not isinstance(counts, torch.Tensor):
        counts = torch.full(x.shape[:1], operator.index(counts), device=x.device)
    check_same_device(x=x, counts=check_tensor("counts", counts))
    if counts.shape != x.shape[:1]:
        raise ValueError(f"counts must have the {x.shape[0]} elements of x, got shape {tuple(counts.shape)}")
    with stream_of(x):
        offsets = offsets_from_counts(array_of(counts))
        return Repeat.apply(x, Segments(offsets, to_host_scalar(offsets[-1])))
