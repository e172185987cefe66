"""`HaloPlan`: who sends how much to whom, in a product of a matrix in blocks.

Design: the plan has counts and no lists. Which elements a message holds is known to the block that takes them
(`Block.wanted`), so a plan of thousands of blocks is small, and can be made of outlines where the blocks are elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_csr.partition.block import Block, Outline

if TYPE_CHECKING:
    from collections.abc import Sequence


class Message(NamedTuple):
    """What one block takes from the chunk beside another block.

    See the example of `HaloPlan`.

    Parameters
    ----------
    source : int
        The number of the chunk, and of the block that this chunk lies beside.
    target : int
        The number of the block that takes elements of the chunk.
    count : int
        The number of elements (of rows, if a matrix is multiplied) in the message.
    whole : bool
        Whether the message is the whole chunk, so that nothing has to be picked out.
    """

    source: int
    target: int
    count: int
    whole: bool


class HaloPlan:
    """The messages of one product of a matrix in blocks; `halo_plan` makes it.

    The plan holds for several products. In `A @ x`, the source of a message sends elements of `x` to its target. In `A @ X` and
    `A @ B`, it sends rows. In `A.T @ x`, the target sends as many sums to the source.

    Parameters
    ----------
    outlines : sequence of Outline
        The outlines of all blocks, in the order of the rows.

    Attributes
    ----------
    messages : list of Message
        The messages between different blocks, by target, then by source. Chunk `i` lies beside block `i`.

    Examples
    --------
    >>> from spark_csr import gallery, partition
    >>> blocks = partition.split(gallery.poisson((4, 4)), [0, 8, 16])
    >>> plan = partition.halo_plan(blocks)
    >>> plan, plan.messages[0]
    (<HaloPlan of 2 blocks: 2 messages, 8 elements>, Message(source=1, target=0, count=4, whole=False))
    >>> plan.nbytes(8), plan.received(), plan.sent()
    (64, [4, 4], [4, 4])
    """

    __slots__ = ("messages", "outlines")

    outlines: tuple[Outline, ...]
    messages: list[Message]

    def __init__(self, outlines: Sequence[Outline]) -> None:
        self.outlines = tuple(outlines)
        self.messages = [
            Message(source, target, count, whole)
            for target, outline in enumerate(self.outlines)
            for source, count, whole in zip(outline.sources, outline.counts, outline.whole, strict=True)
            if source != target
        ]

    def nbytes(self, itemsize: int = 8, workers: Sequence[object] | None = None) -> int:
        """Compute the bytes that one product sends.

        Parameters
        ----------
        itemsize : int, default 8
            The bytes of one element of the vector, or of one row of a matrix.
        workers : sequence, optional
            The worker of each block. Messages between blocks of one worker are not counted. By default every block is on a
            worker of its own.

        Returns
        -------
        int
            The bytes that `A @ x` sends. `A.T @ x` sends as many.
        """
        place = range(len(self.outlines)) if workers is None else workers
        home = dict(enumerate(place))
        return itemsize * sum(m.count for m in self.messages if home.get(m.source, -1 - m.source) != home[m.target])

    def received(self) -> list[int]:
        """Count the elements that each block takes from chunks beside other blocks.

        Returns
        -------
        list of int
            A number for each block: the size of its halo.
        """
        counts = [0] * len(self.outlines)
        for message in self.messages:
            counts[message.target] += message.count
        return counts

    def sent(self) -> list[int]:
        """Count the elements of each chunk that are sent to other blocks than the one beside it.

        Returns
        -------
        list of int
            A number for each chunk.
        """
        counts = [0] * max([len(self.outlines), *(message.source + 1 for message in self.messages)])
        for message in self.messages:
            counts[message.source] += message.count
        return counts

    def __repr__(self) -> str:
        elements = sum(message.count for message in self.messages)
        return f"<HaloPlan of {len(self.outlines)} blocks: {len(self.messages)} messages, {elements} elements>"


def halo_plan(blocks: Sequence[Block | Outline]) -> HaloPlan:
    """Make the plan of a product: how many elements each block takes from which chunks.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    blocks : sequence of Block or Outline
        All blocks of a matrix in the order of its rows, or their outlines.

    Returns
    -------
    HaloPlan
        The messages. `blocks[target].wanted(source)` returns the positions of the elements of a message.

    Raises
    ------
    ValueError
        If the rows of a block do not follow those of the block before.

    Notes
    -----
    *Cost*: proportional to the number of messages; no array is read.
    """
    outlines = [block.outline() if isinstance(block, Block) else block for block in blocks]
    end = 0
    for i, outline in enumerate(outlines):
        if outline.rows[0] != end:
            raise ValueError(f"block {i} begins at row {outline.rows[0]}, and the blocks before it end at row {end}")
        end = outline.rows[1]
    return HaloPlan(outlines)
