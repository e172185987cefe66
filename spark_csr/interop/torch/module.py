"""A sparse matrix as a module of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from spark_csr._matrix.csr import csr_array
from spark_csr.interop.torch._share import array_of, stream_of, tensor_of
from spark_csr.interop.torch.matrices import from_torch
from spark_csr.interop.torch.products import multiply

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike


class SparseMatrix(torch.nn.Module):
    """A sparse matrix that is part of a model: it moves with `.to()` and `.cuda()`, and `state_dict()` holds it.

    Parameters
    ----------
    A : matrix, array_like or sparse torch.Tensor
        A matrix of this package or of SciPy, or a tensor of a layout that `from_torch` takes. Its arrays are copied.
    trainable : bool, default: False
        If True, the values of the entries are a parameter, `data`, which an optimiser can change; the positions of the entries
        stay. If False, the values are a buffer.

    Attributes
    ----------
    shape : tuple of int
        The numbers of rows and columns.
    indptr, indices : torch.Tensor
        The pattern by rows, as buffers.
    data : torch.Tensor
        The values of the entries.

    Raises
    ------
    TypeError
        If `A` has a dtype that arrays do not have.
    ValueError
        If `A` does not have two dimensions.

    Notes
    -----
    `.to(dtype)` and `.half()` change the dtype of `data`, and leave those of `indptr` and `indices`. `load_state_dict` accepts
    a matrix of the same shape with as many entries; its indices are checked at the next product. *Cost* of a product: that of
    `spmm`. What depends on the pattern alone, and a copy of the pattern, are kept until the module moves to another device or
    its indices change; torch does not count changes made through ``indices.data`` or ``indices.numpy()``, so these are not
    noticed. A backward pass belongs to the pattern of its forward pass. `torch.compile` calls the product between two graphs.

    Examples
    --------
    >>> import torch
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.torch import SparseMatrix
    >>> layer = SparseMatrix(csr_array([[1, 0, 2], [0, 3, 0]]), trainable=True).float()
    >>> layer
    SparseMatrix(shape=(2, 3), entries=3, trainable=True)
    >>> layer(torch.ones(3)).sum().backward()
    >>> layer.data.grad
    tensor([1., 1., 1.])
    >>> sorted(layer.state_dict())
    ['data', 'indices', 'indptr']
    """

    shape: tuple[int, int]
    indptr: torch.Tensor
    indices: torch.Tensor
    data: torch.Tensor

    def __init__(self, A: MatrixLike | torch.Tensor | ArrayLike, trainable: bool = False) -> None:
        super().__init__()
        is_sparse = isinstance(A, torch.Tensor) and "sparse" in str(A.layout)
        matrix: Any = (from_torch(A) if is_sparse else csr_array(A)).tocsr()
        if matrix.ndim != 2:
            raise ValueError(f"A must have two dimensions, got shape {matrix.shape}: use A.reshape((1, -1))")
        self.shape = matrix.shape
        indptr, indices, data = (tensor_of(x).clone() for x in (matrix.indptr, matrix.indices, matrix.data))
        if trainable and not (data.is_floating_point() or data.is_complex()):
            data = data.to(torch.get_default_dtype())
        self.register_buffer("indptr", indptr)
        self.register_buffer("indices", indices)
        if trainable:
            self.data = torch.nn.Parameter(data)
        else:
            self.register_buffer("data", data)
        self._kept: Any = None

    @property
    def matrix(self) -> csr_array:
        """The matrix. It shares the values of the module until the module moves to another device.

        Examples
        --------
        >>> from spark_csr.interop.torch import SparseMatrix
        >>> SparseMatrix([[1, 0, 2], [0, 3, 0]]).matrix
        <csr_array of dtype 'int64' on cpu, shape (2, 3), with 3 stored elements>
        """
        pattern = self.indptr, self.indices
        state = tuple((x.data_ptr(), x.device, x.dtype) for x in (*pattern, self.data))
        # torch does not count the changes of tensors that were made in inference mode: their matrix is made anew
        key = state, [object() if x.is_inference() else x._version for x in pattern]
        if self._kept is None or self._kept[0] != key:
            with stream_of(self.data):
                indptr, indices = (array_of(x.clone()) for x in pattern)
                matrix = csr_array((array_of(self.data), indices, indptr), shape=self.shape)
            # no other tensor gets the addresses of the pattern while its memory is held
            self._kept = key, matrix, [x.detach() for x in pattern]
        return self._kept[1]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product with a vector or matrix, with gradients for it and for trainable values.

        Parameters
        ----------
        x : (n,) or (n, k) torch.Tensor
            The right operand, on the device of the module.

        Returns
        -------
        (m,) or (m, k) torch.Tensor
            The product, in the dtype that NumPy's rules give.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        TypeError
            If `x` is not a tensor, has a dtype that arrays do not have, or is on another device.

        Examples
        --------
        >>> import torch
        >>> from spark_csr.interop.torch import SparseMatrix
        >>> SparseMatrix([[1.0, 0, 2], [0, 3, 0]])(torch.ones(3, dtype=torch.float64))
        tensor([3., 3.], dtype=torch.float64)
        """
        if torch.compiler.is_compiling():
            return torch._dynamo.disable(SparseMatrix._multiply)(self, x)
        return self._multiply(x)

    def _multiply(self, x):
        return multiply(self.matrix, x, self.data)

    def __matmul__(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product with a vector or matrix, see `forward`."""
        return self(x)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kept": None}

    def extra_repr(self) -> str:
        """Return what `repr` says of the matrix.

        Returns
        -------
        str
            The shape, how many entries there are, and whether they are trained.

        Examples
        --------
        >>> from spark_csr.interop.torch import SparseMatrix
        >>> SparseMatrix([[1, 0, 2], [0, 3, 0]]).extra_repr()
        'shape=(2, 3), entries=3, trainable=False'
        """
        trainable = isinstance(self.data, torch.nn.Parameter)
        return f"shape={self.shape}, entries={self.data.numel()}, trainable={trainable}"
