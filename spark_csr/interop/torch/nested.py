"""Conversion between ragged arrays and torch's nested tensors in jagged layout."""

import torch

from spark_csr._ragged import Ragged
from spark_csr.interop.torch._share import array_of, check_tensor, stream_of, tensor_of


def to_nested(ragged: Ragged) -> torch.Tensor:
    """Return a ragged array of two axes as a nested tensor in jagged layout that shares its values and offsets.

    Parameters
    ----------
    ragged : Ragged
        An array of two axes.

    Returns
    -------
    torch.Tensor
        A nested tensor of layout `torch.jagged`; item `i` is row `i`. It requires no gradient.

    Raises
    ------
    TypeError
        If `ragged` is not a Ragged.
    ValueError
        If it does not have two axes: torch's jagged layout has one ragged dimension.

    Notes
    -----
    *Cost*: values are copied only if they are read-only. To get a gradient for the values, pass a tensor of your own to
    `torch.nested.nested_tensor_from_jagged`.

    Examples
    --------
    >>> from spark_csr import Ragged
    >>> from spark_csr.interop.torch import to_nested
    >>> to_nested(Ragged.from_lists([[1.0, 2], [], [3]])).values()
    tensor([1., 2., 3.], dtype=torch.float64)
    """
    if not isinstance(ragged, Ragged):
        raise TypeError(f"to_nested takes a Ragged, got {type(ragged).__name__}")
    if ragged.ndim != 2:
        raise ValueError(f"torch's jagged layout has two axes, got {ragged.ndim}: use R.flatten(level)")
    packed = ragged.packed()
    values, offsets = tensor_of(packed.values), tensor_of(packed.offsets[0].copy())
    return torch.nested.nested_tensor_from_jagged(values, offsets=offsets)


def from_nested(nested: torch.Tensor) -> Ragged:
    """Return a nested tensor in jagged layout as a ragged array that shares its values.

    Parameters
    ----------
    nested : torch.Tensor
        A nested tensor of layout `torch.jagged` and shape `(n, *)`, whose rows hold numbers.

    Returns
    -------
    Ragged
        An array on the device of the tensor. It has no gradient.

    Raises
    ------
    TypeError
        If `nested` is not such a tensor, or if it has a dtype that arrays do not have.
    ValueError
        If the rows hold more than numbers, or if there are gaps between the rows.

    Notes
    -----
    *Cost*: a copy of the offsets, into which torch cannot write, and one pass that checks them.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import from_nested
    >>> from_nested(torch.nested.nested_tensor_from_jagged(torch.arange(3), offsets=torch.tensor([0, 2, 2, 3])))
    Ragged([[0, 1], [], [2]], dtype=int64)
    """
    if not (isinstance(nested, torch.Tensor) and nested.layout is torch.jagged):
        got = f"layout {nested.layout}" if isinstance(nested, torch.Tensor) else type(nested).__name__
        raise TypeError(f"from_nested takes a nested tensor of layout torch.jagged, got {got}")
    values = nested.values()
    if nested._ragged_idx != 1:
        raise ValueError("the lists must be along the second axis: use nested.transpose(1, 2)")
    if nested.lengths() is not None:
        raise ValueError("the nested tensor has gaps between its rows: use nested.contiguous()")
    with stream_of(check_tensor("nested", values)):
        return Ragged(array_of(values.contiguous()), array_of(nested.offsets().clone()))
