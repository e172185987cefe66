"""Matrices as torch's sparse tensors and back, and the matrix operand of a product."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csc import csc_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import convert
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.coordinates import Coordinates
from spark_csr.interop.torch._share import array_of, check_tensor, stream_of, tensor_of

if TYPE_CHECKING:
    from spark_csr._matrix.types import Matrix
    from spark_csr._operations.form.record import Csr

BY_ROW, BY_COLUMN = torch.sparse_csr, torch.sparse_csc


def to_torch(A: Matrix) -> torch.Tensor:
    """Return a matrix as a sparse tensor of torch that shares its arrays.

    Parameters
    ----------
    A : csr_array, csc_array or coo_array
        A matrix of two dimensions.

    Returns
    -------
    torch.Tensor
        A tensor of layout `sparse_csr`, or `sparse_csc` for a `csc_array`, on the device of `A`. It requires no gradient.

    Raises
    ------
    TypeError
        If `A` is not a matrix of this package.
    ValueError
        If `A` has one dimension: torch's sparse tensors have rows and columns.

    Notes
    -----
    *Cost*: a copy of the index arrays, into which others may write. The values are copied only if they are
    read-only, or if rows are not sorted or have duplicates, which torch does not allow.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import to_torch
    >>> to_torch(csr_array([[1.0, 0, 2], [0, 3, 0]])).values()
    tensor([1., 2., 3.], dtype=torch.float64)
    """
    if not isinstance(A, SparseArray):
        raise TypeError(f"to_torch takes a csr_array, csc_array or coo_array, got {type(A).__name__}: use csr_array(...)")
    if A.ndim == 1:
        raise ValueError("torch's sparse tensors have rows and columns: use A.reshape((1, -1))")
    csr = A._csr
    summed = sum_duplicates(csr)
    csr = csr.copy_of_pattern() if summed is csr else summed
    indptr, indices = csr.indptr, csr.indices
    if indptr.dtype != indices.dtype:
        indptr, indices = indptr.astype("int64"), indices.astype("int64")
    make = torch.sparse_csc_tensor if A._transposed else torch.sparse_csr_tensor
    return make(tensor_of(indptr), tensor_of(indices), tensor_of(csr.data), A.shape, check_invariants=False)


def from_torch(tensor: torch.Tensor) -> csr_array | csc_array | coo_array:
    """Return a sparse tensor of torch as a matrix that shares its values.

    Parameters
    ----------
    tensor : (m, n) torch.Tensor
        A tensor of layout `sparse_csr`, `sparse_csc` or `sparse_coo`.

    Returns
    -------
    csr_array, csc_array or coo_array
        A matrix on the device of the tensor. It has no gradient: for that, give the tensor itself to `spmv` or `spmm`.

    Raises
    ------
    TypeError
        If the tensor has another layout (dense tensors among them), or a dtype that arrays do not have.
    ValueError
        If the tensor is a batch of matrices, or if indices are out of range.

    Notes
    -----
    *Cost*: one pass that checks the indices, and a copy of them, into which torch cannot write. For the layout `sparse_coo`,
    entries keep their order, and duplicates are kept.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import from_torch, to_torch
    >>> from_torch(to_torch(csr_array([[1.0, 0, 2], [0, 3, 0]])))
    <csr_array of dtype 'float64' on cpu, shape (2, 3), with 3 stored elements>
    """
    if isinstance(tensor, torch.Tensor) and tensor.layout is torch.sparse_coo:
        return _from_coordinates(tensor)
    csr, _, flipped = record_of("tensor", tensor, copies_pattern=True)
    return (csc_array if flipped else csr_array)._of(csr)


def _from_coordinates(tensor):
    """Return a tensor in coordinates, coalesced or not, as a `coo_array`."""
    indices, values = tensor._indices(), tensor._values()
    if tensor.ndim != 2 or values.ndim != 1:
        raise ValueError(f"tensor must have two dimensions and single numbers as entries, got shape {tuple(tensor.shape)}")
    with stream_of(check_tensor("tensor", values)):
        rows, columns = array_of(indices.contiguous())
        return coo_array((array_of(values.contiguous()), (rows, columns)), shape=tuple(tensor.shape))


def read_operand(A: Matrix | torch.Tensor, data: torch.Tensor | None) -> tuple[Csr, torch.Tensor, bool]:
    """Return the matrix of a product as a record, the tensor of its values, and whether the record holds the transpose."""
    if not isinstance(A, SparseArray):
        if data is not None:
            raise ValueError("data is for matrices of this package: a sparse tensor has values already, which get the gradient")
        return record_of("A", A, copies_pattern=torch.is_grad_enabled())
    if A.ndim == 1:
        raise ValueError("A is a vector: use A.reshape((1, -1))")
    csr = A._csr
    if data is None:
        data = tensor_of(csr.data)
    elif tuple(check_tensor("data", data).shape) != A.data.shape:
        raise ValueError(f"data must have one value for each of the {A.nnz} entries, got shape {tuple(data.shape)}")
    elif isinstance(A._held, Coordinates) and (order := A._held.order()) is not None:
        data = data[tensor_of(order).long()]
    return csr, data, A._transposed


def record_of(name: str, tensor: torch.Tensor, copies_pattern: bool = False) -> tuple[Csr, torch.Tensor, bool]:
    """Return the same for a sparse tensor, whose indices are checked and narrowed at every call.

    `copies_pattern`: the record is used later too, when others may have changed the tensor.
    """
    if not isinstance(tensor, torch.Tensor) or tensor.layout not in (BY_ROW, BY_COLUMN):
        is_tensor = isinstance(tensor, torch.Tensor)
        got = f"layout {tensor.layout}" if is_tensor else f"{type(tensor).__module__}.{type(tensor).__name__}"
        advice = f"{name}.to_sparse_csr()" if is_tensor else f"spark_csr.csr_array({name})"
        raise TypeError(f"{name} must be a matrix of this package or a tensor in sparse CSR form, got {got}: use {advice}")
    values, flipped = tensor.values(), tensor.layout is BY_COLUMN
    if tensor.ndim != 2 or values.ndim != 1:
        raise ValueError(f"{name} must have two dimensions and single numbers as entries, got shape {tuple(tensor.shape)}")
    pair = (tensor.ccol_indices(), tensor.row_indices()) if flipped else (tensor.crow_indices(), tensor.col_indices())
    with stream_of(check_tensor(name, values)):
        data = array_of(values.contiguous())
        pair = tuple(x.clone() for x in pair) if copies_pattern else pair
        csr = convert.from_arrays(*map(array_of, pair), data, tuple(tensor.shape[::-1] if flipped else tensor.shape))
    return csr, values, flipped
