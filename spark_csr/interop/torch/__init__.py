"""Matrices, segments and floods inside of PyTorch: autograd functions on tensors that share their memory with our arrays.

Design: an operation and what its gradient needs are a closed family: the gradient of each member is written with the members.
So gradients have gradients, of any order, and nothing is differentiated that was not tested as an operation. Every function
gives the same bits every run, forward and backward: no atomics. Functions are of the form that `torch.func` refuses: the other
costs 25 us more a call (EPYC 9005, torch 2.15, 2026-11). Cost: torch's own fused forms are not used.

Tensors on the cores and on GPUs; on a GPU kernels run on torch's current stream. dtypes are those of our arrays: torch's
bfloat16 is refused, float16 is stored, and summed in float32. A tensor is read without a copy where it is contiguous. Nothing
is written into a tensor given, nor into its flags. Under `torch.no_grad()` nothing is kept for a gradient.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("spark_csr.interop.torch needs PyTorch: install it with: pip install torch") from error

from spark_csr.interop.torch.floods import left_flood, right_flood
from spark_csr.interop.torch.matrices import from_torch, to_torch
from spark_csr.interop.torch.nested import from_nested, to_nested
from spark_csr.interop.torch.products import spmm, spmv
from spark_csr.interop.torch.segments import repeat, segmented_reduce
from spark_csr.interop.torch.softmax import segmented_softmax

__all__ = [
    "from_nested",
    "from_torch",
    "left_flood",
    "repeat",
    "right_flood",
    "segmented_reduce",
    "segmented_softmax",
    "spmm",
    "spmv",
    "to_nested",
    "to_torch",
]
