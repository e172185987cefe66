"""`Halo`: the buffers of a product, and what goes between them and other ranks.

Design: a block's columns ascend and it takes its own chunk whole, so this rank's chunk lies in the middle of the vector that
the block multiplies, and what another rank sends is received where it is needed: nothing is copied afterwards. A solver keeps
its search vector in that place (`Halo.chunk`), so its products copy nothing at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_same_memory
from spark_csr.partition import Block, add_parts

if TYPE_CHECKING:
    from spark_csr._types import Array, DTypeLike, Shape
    from spark_csr.interop.mpi.communicator import Communicator


class Halo:
    """The vector that a block multiplies; `chunk` is the part of this rank.

    `asked` has, for each other rank that takes elements of this rank's chunk, which they are; None for all of them.
    """

    def __init__(self, comm: Communicator, block: Block, asked: dict[int, Any], dtype: DTypeLike, width: Shape) -> None:
        xp = block.matrix._csr.xp
        self.local: Array = xp.empty((block.columns.size, *width), dtype)
        places = _places(block)
        start, stop = places.pop(comm.rank, (0, 0))
        self.chunk: Array = self.local[start:stop]
        self.picked = [(numbers, xp.empty((numbers.size, *width), dtype)) for numbers in asked.values() if numbers is not None]
        picked = iter(self.picked)
        sends = {rank: self.chunk if numbers is None else next(picked)[1] for rank, numbers in asked.items()}
        self.exchange = comm.prepare(sends, {rank: self.local[a:b] for rank, (a, b) in places.items()})

    def fetch(self, x: Array) -> Array:
        """Return the vector that the block multiplies: `x`, the chunk of this rank, and what others send."""
        if not is_same_memory(x, self.chunk):
            self.chunk[...] = x
        for numbers, buffer in self.picked:
            if isinstance(buffer, np.ndarray):
                np.take(self.chunk, numbers, axis=0, out=buffer, mode="clip")  # numbers are in range: "raise" would copy
            else:
                buffer[...] = self.chunk[numbers]
        self.exchange.start()
        self.exchange.wait()
        return self.local


class ReverseHalo:
    """The sums of a transposed product, those for others included, and what others send to this rank."""

    def __init__(self, comm: Communicator, block: Block, asked: dict[int, Any], dtype: DTypeLike, width: Shape) -> None:
        xp = block.matrix._csr.xp
        self.sums: Array = xp.empty((block.columns.size, *width), dtype)
        places = _places(block)
        start, stop = places.pop(comm.rank, (0, 0))
        self.size = stop - start
        sizes = {rank: self.size if numbers is None else numbers.size for rank, numbers in asked.items()}
        received = {rank: xp.empty((size, *width), dtype) for rank, size in sizes.items()}
        parts = {**{rank: (received[rank], asked[rank]) for rank in asked}, comm.rank: (self.sums[start:stop], None)}
        self.parts = [parts[rank] for rank in sorted(parts)]
        self.exchange = comm.prepare({rank: self.sums[a:b] for rank, (a, b) in places.items()}, received)

    def deliver(self) -> Array:
        """Return the chunk of this rank: what all ranks contribute to it, added in the order of the ranks."""
        self.exchange.start()
        self.exchange.wait()
        return add_parts(self.size, [part for part, _ in self.parts], [numbers for _, numbers in self.parts], self.sums)


def _places(block):
    """Return where what a block takes of each chunk lies in its vector, by the numbers of the chunks."""
    return {j: (block.cuts[k], block.cuts[k + 1]) for k, j in enumerate(block.sources)}
