"""Products of a sparse matrix with a vector or a dense matrix, with gradients for both factors."""

from spark_csr._array import device_of
from spark_csr.interop.torch._products import Product, Transposed
from spark_csr.interop.torch._share import check_tensor
from spark_csr.interop.torch.matrices import read_operand


def spmv(A, x, data=None):
    """`A @ x`, with gradients for the entries of A and for x.

    Parameters
    ----------
    A : csr_array, csc_array, coo_array or torch.Tensor in sparse CSR (or CSC) form, shape (m, n)
        The gradient for a tensor's values is a sparse tensor of the same pattern. A matrix of ours is constant.
    x : (n,) torch.Tensor
        On the device of A.
    data : (nnz,) torch.Tensor, optional
        Values to take instead of those of a matrix of ours, in the order of `A.data`; they get a gradient.

    Returns
    -------
    (m,) torch.Tensor
        Of the dtype that NumPy's rules give.

    Raises
    ------
    ValueError
        If shapes do not fit.
    TypeError
        For what is no tensor, mixed devices, and dtypes that arrays do not have.

    Notes
    -----
    *Cost*: as `A @ x`; the gradient for x is a product with the transpose, that for the entries one pass over the pattern. What
    is learnt about a pattern is kept with a matrix of ours; of a sparse tensor it is learnt, and its indices are checked and
    narrowed, at every call: `from_torch(A)` once is faster. *Order*: same bits every run. *Empty input*: rows without entries
    give 0.

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


def spmm(A, X, data=None):
    """`A @ X`, with gradients for the entries of A and for X.

    Parameters
    ----------
    A, data
        As in `spmv`.
    X : (n, k) torch.Tensor
        On the device of A. Columns side by side (C order) are read as they are.

    Returns
    -------
    (m, k) torch.Tensor
        Of the dtype that NumPy's rules give.

    Raises
    ------
    ValueError, TypeError
        As `spmv`.

    Notes
    -----
    *Cost*, *Order* and *Empty input* as `spmv`; the gradient for the entries reads a row of X and one of the result's gradient
    for each entry.

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


def _product(A, x, data, dimensions):
    check_tensor("x", x)
    csr, values, flipped = read_operand(A, data)
    if x.ndim != dimensions:
        other = "spmm" if dimensions == 1 else "spmv"
        raise ValueError(f"x must have {dimensions} dimension(s), got shape {tuple(x.shape)}: use {other} for another number")
    if x.shape[0] != csr.shape[0 if flipped else 1]:
        shape = csr.shape[::-1] if flipped else csr.shape
        raise ValueError(f"dimension mismatch: matrix {shape}, x {tuple(x.shape)}; x needs {shape[1]} rows")
    for name, tensor in (("data", values), ("x", x)):
        if str(tensor.device) != device_of(csr.data):
            place = device_of(csr.data)
            raise TypeError(f"A is on {place} and {name} on {tensor.device}: move one, as in {name}.to({place!r})")
    return (Transposed if flipped else Product).apply(csr, values, x)
