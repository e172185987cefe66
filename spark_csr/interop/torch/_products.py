"""The family of products over one pattern: with a vector or matrix, with the transpose, and sampled.

With the entries `data` at the positions (i, j) of a pattern, these are `A x`, `A^T g`, and `left[i] . right[j]` for every
entry. The gradient of each is computed by the other two. By torch's convention a gradient is the conjugate of the derivative's
transpose.
"""

import torch

from spark_csr._operations.product.sampled import multiply_sampled
from spark_csr._operations.product.spmm import spmm
from spark_csr._operations.product.spmv import spmv
from spark_csr._operations.product.spmv_transposed import multiply_transposed
from spark_csr.interop.torch._share import array_of, cast_like, stream_of, tensor_of


class Product(torch.autograd.Function):
    """`A x`, with the pattern of a record and `data` as its entries, for x of one or two dimensions."""

    @staticmethod
    def forward(ctx, csr, data, x):
        ctx.csr = csr
        ctx.save_for_backward(data, x)
        with stream_of(x):
            multiply = spmv if x.ndim == 1 else spmm
            return tensor_of(multiply(csr.with_data(contiguous(data)), array_of(x)))

    @staticmethod
    def backward(ctx, gradient):
        data, x = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        of_data = cast_like(Sampled.apply(ctx.csr, gradient, x.conj()), data) if wanted[1] else None
        return None, of_data, cast_like(Transposed.apply(ctx.csr, data.conj(), gradient), x) if wanted[2] else None


class Transposed(torch.autograd.Function):
    """`A^T g`."""

    @staticmethod
    def forward(ctx, csr, data, g):
        ctx.csr = csr
        ctx.save_for_backward(data, g)
        with stream_of(g):
            return tensor_of(multiply_transposed(csr.with_data(contiguous(data)), array_of(g)))

    @staticmethod
    def backward(ctx, gradient):
        data, g = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        of_data = cast_like(Sampled.apply(ctx.csr, g.conj(), gradient), data) if wanted[1] else None
        return None, of_data, cast_like(Product.apply(ctx.csr, data.conj(), gradient), g) if wanted[2] else None


class Sampled(torch.autograd.Function):
    """`left[i] . right[j]` for every entry (i, j)."""

    @staticmethod
    def forward(ctx, csr, left, right):
        ctx.csr = csr
        ctx.save_for_backward(left, right)
        with stream_of(left):
            return tensor_of(multiply_sampled(csr, array_of(left), array_of(right)))

    @staticmethod
    def backward(ctx, gradient):
        left, right = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        of_left = cast_like(Product.apply(ctx.csr, gradient, right.conj()), left) if wanted[1] else None
        return None, of_left, cast_like(Transposed.apply(ctx.csr, gradient, left.conj()), right) if wanted[2] else None


def contiguous(x):
    """Return a tensor as an array in C order."""
    return array_of(x.contiguous())
