"""Matrices, segments and floods for PyTorch: autograd functions on tensors that share their memory with arrays.

Design: the operations and what their gradients need are a closed family: the gradient of each member is computed by other
members. So gradients have gradients, of any order, and every part of a gradient is tested as an operation. Every function gives
the same bits every run, forward and backward: none uses atomics. Functions have the form that `torch.func` refuses: the other
form costs 25 us more for each call (EPYC 9005, torch 2.15, 2026-11). Cost: fused functions of torch are not used.

Tensors may be on the cores or on a GPU, where kernels run on torch's current stream. The dtypes are those of arrays of this
package: torch's bfloat16 is refused; float16 is stored, and summed in float32. A contiguous tensor is read without a copy.
Tensors that are given, and their flags, are never written. Under `torch.no_grad()` nothing is kept for a gradient.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("spark_csr.interop.torch needs PyTorch: install it with: pip install torch") from error

from spark_csr.interop.torch.edges import from_edge_index, to_edge_index
from spark_csr.interop.torch.floods import left_flood, right_flood
from spark_csr.interop.torch.matrices import from_torch, to_torch
from spark_csr.interop.torch.module import SparseMatrix
from spark_csr.interop.torch.nested import from_nested, to_nested
from spark_csr.interop.torch.products import spmm, spmv
from spark_csr.interop.torch.scatter import segment_max, segment_mean, segment_min, segment_sum
from spark_csr.interop.torch.segments import repeat, segmented_reduce
from spark_csr.interop.torch.softmax import segmented_softmax

__all__ = [
    "SparseMatrix",
    "from_edge_index",
    "from_nested",
    "from_torch",
    "left_flood",
    "repeat",
    "right_flood",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "segmented_reduce",
    "segmented_softmax",
    "spmm",
    "spmv",
    "to_edge_index",
    "to_nested",
    "to_torch",
]


def __dir__() -> list[str]:
    return __all__
