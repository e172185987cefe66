"""A matrix in blocks of rows: what each block needs of a vector, and which process sends what to which other process.

This module sends nothing and starts no process. `spark_csr.interop.mpi`, `spark_csr.interop.dask` or a program of your own does
so. `split` and `make_block` make a `Block` of rows, which `balanced_offsets` chooses; `halo_plan` makes the plan of the
messages of a product from blocks or their outlines. Steps of a product are `pack`, `gather`, `multiply`, `multiply_transposed`
and `add_parts`; `matmul` and `rmatmul` take all of them in this process.

Notes
-----
The vector that a matrix multiplies is cut into chunks. The chunks of a square matrix are usually as long as its blocks have
rows. Chunk `i` lies beside block `i`, that is, in the same process. A block takes from each chunk the elements that it needs,
or the whole chunk if it needs more than half of the chunk.

Examples
--------
>>> import numpy as np
>>> from spark_csr import gallery, partition
>>> A, x = gallery.poisson((40, 40)), np.arange(1600.0)
>>> offsets = partition.balanced_offsets(A.indptr, 4)
>>> blocks = partition.split(A, offsets)
>>> partition.halo_plan(blocks)
<HaloPlan of 4 blocks: 6 messages, 240 elements>
>>> y = partition.matmul(blocks, np.split(x, offsets[1:-1]))
>>> np.array_equal(np.concatenate(y), A @ x)
True
>>> block, chunks = blocks[1], np.split(x, offsets[1:-1])
>>> parts = partition.gather(block, chunks)
>>> np.array_equal(partition.multiply(block, parts), y[1])
True
>>> np.array_equal(partition.pack(chunks[0], block.wanted(0)), parts[0])
True
>>> shares = partition.multiply_transposed(block, y[1])
>>> partition.add_parts(3, [np.ones(3), shares[0][:1]], [None, np.array([2])], x).size
3
>>> np.allclose(np.concatenate(partition.rmatmul(blocks, y)), A.T @ (A @ x))
True
>>> partition.make_block(A[:40], offsets, own=0).sources
(0,)
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
