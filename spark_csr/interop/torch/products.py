"""Products of a sparse matrix with a vector or a dense matrix, with gradients for both factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import device_of
from spark_csr.interop.torch._products import Product, Transposed
from spark_csr.interop.torch._share import check_tensor
from spark_csr.interop.torch.matrices import read_operand

if TYPE_CHECKING:
    import torch

    from spark_csr._matrix.types import Matrix


def spmv(A: Matrix | torch.Tensor, x: torch.Tensor, data: torch.Tensor | None = None) -> torch.Tensor:
    """Return `A @ x`, with gradients for the entries of A and for x.

    Parameters
    ----------
    A : (m, n) csr_array, csc_array, coo_array or torch.Tensor
        The matrix, or a tensor of layout `sparse_csr` or `sparse_csc`. The gradient for the values of a tensor is a sparse
        tensor of the same pattern. A matrix of this package is constant: do not change its values before the backward pass,
        which reads them.
    x : (n,) torch.Tensor
        The vector, on the device of A.
    data : (nnz,) torch.Tensor, optional
        Values to use instead of those of a matrix of this package, in the order of `A.data`. They get a gradient.

    Returns
    -------
    (m,) torch.Tensor
        The product, in the dtype that NumPy's rules give.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If an operand is not a tensor, has a dtype that arrays do not have, or is on another device.

    Notes
    -----
    *Cost*: that of `A @ x`. The gradient for x is a product with the transpose; the gradient for the entries takes one pass
    over the pattern. For a matrix of this package, what depends on the pattern alone is computed once and kept. For a sparse
    tensor it is computed, and indices are checked, at every call: if you use one often, convert it once with `from_torch(A)`.
    *Order*: the same bits every run. *Empty input*: rows without entries give 0.

    Examples
    --------
    >>> import torch
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import spmv
    >>> x = torch.tensor([1.0, 10, 100], requires_grad=True)
    >>> y = spmv(csr_array([[1.0, 0, 2], [0, 3, 0]]).astype("float32"), x)
    >>> y.sum().backward()
    >>> y.detach(), x.grad
    (tensor([201.,  30.]), tensor([1., 3., 2.]))
    """
    return _product(A, x, data, 1)


def spmm(A: Matrix | torch.Tensor, X: torch.Tensor, data: torch.Tensor | None = None) -> torch.Tensor:
    """Return `A @ X`, with gradients for the entries of A and for X.

    Parameters
    ----------
    A : (m, n) csr_array, csc_array, coo_array or torch.Tensor
        The matrix, or a tensor of layout `sparse_csr` or `sparse_csc`, as in `spmv`.
    X : (n, k) or (..., n, k) torch.Tensor
        The dense matrix, on the device of A. A tensor in C order is read as it is. If it has three dimensions or more, it is a
        batch of matrices, which are multiplied side by side as one.
    data : (nnz,) torch.Tensor, optional
        Values to use instead of those of a matrix of this package, in the order of `A.data`. They get a gradient.

    Returns
    -------
    (m, k) or (..., m, k) torch.Tensor
        The product, in the dtype that NumPy's rules give.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If an operand is not a tensor, has a dtype that arrays do not have, or is on another device.

    Notes
    -----
    *Cost*, *Order* and *Empty input*: as in `spmv`. The gradient for the entries reads, for each entry, one row of X and one
    row of the gradient of the result.

    Examples
    --------
    >>> import torch
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import spmm
    >>> weights = torch.tensor([1.0, 2, 3], requires_grad=True)
    >>> Y = spmm(csr_array([[1, 0, 1], [0, 1, 0]]), torch.eye(3), data=weights)
    >>> Y.sum().backward()
    >>> Y.detach(), weights.grad
    (tensor([[1., 0., 2.],
            [0., 3., 0.]]), tensor([1., 1., 1.]))
    """
    return _product(A, X, data, 2)


def multiply(A: Matrix, x: torch.Tensor, data: torch.Tensor | None = None) -> torch.Tensor:
    """Return `A @ x` for the operator of a matrix or vector of this package, by `spmv` or `spmm`."""
    check_tensor("x", x, of_matrix=True)
    if not x.ndim:
        raise ValueError("the tensor in @ must have a dimension, got a single number: use A * x.item()")
    if A.ndim == 1:
        product = multiply(A.reshape((1, -1)), x)
        return product.squeeze(-2) if x.ndim > 1 else product[0]
    return _product(A, x, data, min(x.ndim, 2))


def _product(A, x, data, dimensions):
    check_tensor("x", x, of_matrix=True)
    csr, values, flipped = read_operand(A, data)
    if (x.ndim > 1) != (dimensions == 2):
        wanted, other = ("one dimension", "spmm") if dimensions == 1 else ("two dimensions or more", "spmv")
        raise ValueError(f"x must have {wanted}, got shape {tuple(x.shape)}: use {other}")
    if x.shape[-dimensions] != csr.shape[0 if flipped else 1]:
        shape = csr.shape[::-1] if flipped else csr.shape
        raise ValueError(
            f"dimension mismatch: x must have {shape[1]} rows for a matrix of shape {shape}, got shape {tuple(x.shape)}"
        )
    for name, tensor in (("data", values), ("x", x)):
        if str(tensor.device) != device_of(csr.data):
            place = device_of(csr.data)
            raise TypeError(f"A is on {place} and {name} on {tensor.device}: move one, as in {name}.to({place!r})")
    multiply_by = (Transposed if flipped else Product).apply
    if x.ndim < 3:
        return multiply_by(csr, values, x)
    side_by_side = x.movedim(-2, 0)
    product = multiply_by(csr, values, side_by_side.flatten(1))
    return product.reshape(len(product), *side_by_side.shape[1:]).movedim(0, -2)
