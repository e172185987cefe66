"""Matrices as torch's sparse tensors and back, and what a product takes as a matrix."""

import torch

from spark_csr._array import as_operand
from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.csc import csc_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import convert
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr.interop.torch._share import array_of, check_tensor, stream_of, tensor_of

BY_ROW, BY_COLUMN = torch.sparse_csr, torch.sparse_csc


def to_torch(A):
    """A matrix as a sparse tensor of torch's that shares its arrays.

    Parameters
    ----------
    A : csr_array, csc_array or coo_array

    Returns
    -------
    torch.Tensor
        Of layout `sparse_csr`; `sparse_csc` for a `csc_array`. On the device of `A`; it requires no gradient.

    Raises
    ------
    ValueError
        For a vector: torch has matrices only.

    Notes
    -----
    *Cost*: nothing is copied but index arrays of two widths, of which torch wants one, and matrices whose rows are unsorted or
    hold duplicates, which torch does not allow. Index arrays are shared too: do not write into them.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import to_torch
    >>> to_torch(csr_array([[1.0, 0, 2], [0, 3, 0]])).values()
    tensor([1., 2., 3.], dtype=torch.float64)
    """
    if not isinstance(A, SparseArray):
        raise TypeError(f"to_torch takes a csr_array, csc_array or coo_array, got {type(A).__name__}")
    if A.ndim == 1:
        raise ValueError("torch's sparse tensors have rows and columns: use A.reshape((1, -1))")
    csr = sum_duplicates(A._csr)
    indptr, indices = (as_operand(x) for x in (csr.indptr, csr.indices))
    if indptr.dtype != indices.dtype:
        indptr, indices = indptr.astype("int64"), indices.astype("int64")
    make = torch.sparse_csc_tensor if A._transposed else torch.sparse_csr_tensor
    return make(tensor_of(indptr), tensor_of(indices), tensor_of(csr.data), A.shape, check_invariants=False)


def from_torch(tensor):
    """A sparse tensor of torch's as a matrix that shares its values.

    Parameters
    ----------
    tensor : torch.Tensor of layout sparse_csr or sparse_csc, shape (m, n)

    Returns
    -------
    csr_array or csc_array
        On the tensor's device. It knows no gradient: for that, give the tensor itself to `spmv` or `spmm`.

    Raises
    ------
    TypeError
        For other layouts, dense tensors among them, and dtypes that arrays do not have.
    ValueError
        For batches, and indices that are out of range.

    Notes
    -----
    *Cost*: one pass that checks the indices; int64 ones are copied to int32 where they fit, int32 ones are shared.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import from_torch, to_torch
    >>> from_torch(to_torch(csr_array([[1.0, 0, 2], [0, 3, 0]])))
    <csr_array of dtype 'float64' on cpu, shape (2, 3), with 3 stored elements>
    """
    csr, _, flipped = record_of("tensor", tensor)
    return (csc_array if flipped else csr_array)._of(csr)


def read_operand(A, data):
    """Return what a product takes as its matrix: a record, the tensor of its values, and whether it holds the transpose."""
    if not isinstance(A, SparseArray):
        if data is not None:
            raise ValueError("data is for matrices of ours: a sparse tensor has values already, to which the gradient flows")
        return record_of("A", A)
    if A.ndim == 1:
        raise ValueError("A is a vector: use A.reshape((1, -1))")
    if data is None:
        data = tensor_of(A._csr.data)
    elif tuple(check_tensor("data", data).shape) != A.data.shape:
        raise ValueError(f"data must have one value for each of the {A.nnz} entries, got shape {tuple(data.shape)}")
    return A._csr, data, A._transposed


def record_of(name, tensor):
    """The same of a sparse tensor. Its indices are checked and narrowed at every call."""
    if not isinstance(tensor, torch.Tensor) or tensor.layout not in (BY_ROW, BY_COLUMN):
        is_tensor = isinstance(tensor, torch.Tensor)
        got = f"layout {tensor.layout}" if is_tensor else f"{type(tensor).__module__}.{type(tensor).__name__}"
        advice = f"{name}.to_sparse_csr()" if is_tensor else f"spark_csr.csr_array({name})"
        raise TypeError(f"{name} must be a matrix of ours or a tensor in sparse CSR form, got {got}: use {advice}")
    values, flipped = tensor.values(), tensor.layout is BY_COLUMN
    if tensor.ndim != 2 or values.ndim != 1:
        raise ValueError(f"{name} must have two dimensions and single numbers as entries, got shape {tuple(tensor.shape)}")
    pair = (tensor.ccol_indices(), tensor.row_indices()) if flipped else (tensor.crow_indices(), tensor.col_indices())
    with stream_of(check_tensor(name, values)):
        data = array_of(values.contiguous())
        csr = convert.from_arrays(*map(array_of, pair), data, tuple(tensor.shape[::-1] if flipped else tensor.shape))
    return csr, values, flipped
