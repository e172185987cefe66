"""A matrix in blocks of rows: what each block needs of a vector, and which process sends what to which other process.

This module sends nothing and starts no process. `spark_csr.interop.mpi`, `spark_csr.interop.dask` or a program of your own does
so.

Blocks:

- `Block`: rows of a matrix, with columns that are numbered anew
- `Outline`: the sizes of a block, and how many elements it takes from which chunks
- `make_block`: make a block of some rows
- `split`: split a matrix into blocks
- `balanced_offsets`: choose the rows of the blocks

The plan:

- `HaloPlan`: the messages of one product
- `Message`: what one block takes from the chunk beside another block
- `halo_plan`: make the plan

Steps of a product:

- `pack`: pick what a block takes from one chunk
- `gather`: pick what a block takes from all chunks
- `multiply`: multiply a block
- `multiply_transposed`: multiply the transpose of a block
- `add_parts`: add what blocks contribute to a chunk
- `matmul`: all steps of `A @ x`, `A @ X`, `A @ B`, in this process
- `rmatmul`: all steps of `A.T @ x`, in this process

Notes
-----
The vector that a matrix multiplies is cut into chunks. The chunks of a square matrix are usually as long as its blocks have
rows. Chunk `i` lies beside block `i`, that is, in the same process. A block takes from each chunk the elements that it needs,
or the whole chunk if it needs more than half of the chunk.

Examples
--------
>>> import numpy as np
>>> from spark_csr.gallery import poisson
>>> from spark_csr.partition import balanced_offsets, halo_plan, matmul, split
>>> A, x = poisson((40, 40)), np.arange(1600.0)
>>> offsets = balanced_offsets(A.indptr, 4)
>>> blocks = split(A, offsets)
>>> halo_plan(blocks)
<HaloPlan of 4 blocks: 6 messages, 240 elements>
>>> y = matmul(blocks, np.split(x, offsets[1:-1]))
>>> np.array_equal(np.concatenate(y), A @ x)
True
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr.partition.balance import balanced_offsets
from spark_csr.partition.block import Block, Outline, make_block, split
from spark_csr.partition.plan import HaloPlan, Message, halo_plan
from spark_csr.partition.products import add_parts, gather, matmul, multiply, multiply_transposed, pack, rmatmul

__all__ = [
    "Block",
    "HaloPlan",
    "Message",
    "Outline",
    "add_parts",
    "balanced_offsets",
    "gather",
    "halo_plan",
    "make_block",
    "matmul",
    "multiply",
    "multiply_transposed",
    "pack",
    "rmatmul",
    "split",
]

functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
