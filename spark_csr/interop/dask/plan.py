"""`Plan`: which elements of a vector each block of `csr_blocks` needs."""

from __future__ import annotations

from functools import partial

from dask.base import tokenize

from spark_csr import partition
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import compute, make_layer, name_lost_blocks, persist


class Plan:
    """The outlines of the blocks, here; the lists of what they need of chunks, on the workers.

    `wanted` has the key of the list of block `i` and chunk `j` for every chunk that is not sent whole; `lists` are these tasks.
    """

    def __init__(self, outlines, lists):
        self.outlines, self.lists = outlines, lists
        self.wanted = {key[1:]: key for key in lists.keys}
        self.halo = partition.halo_plan(outlines)


def make_plan(matrix):
    """Make all blocks once, keep the lists on the workers, and return the plan.

    The lists are kept though they could be made again with the blocks: a product of blocks that are read from files would
    otherwise wait for all blocks before it multiplies the first.
    """
    homes, name = matrix._homes, tokenize(matrix.name)
    layer = "outlines-" + name
    made = {(layer, i): (tasks.outline_of, block) for i, block in enumerate(matrix._read_once())}
    both = make_layer(layer, made, [matrix], homes)
    first = "outline-" + name
    (both,) = persist(both)
    with name_lost_blocks(matrix.chunks[0]):
        (outlines,) = compute(make_layer(first, {(first, *k[1:]): (tasks.pick, k, 0) for k in both.keys}, [both], homes))
    layer = "wanted-" + name
    made = {
        (layer, i, j): (partial(tasks.pick_wanted, source=j), both.keys[i])
        for i, outline in enumerate(outlines)
        for j, whole in zip(outline.sources, outline.whole, strict=True)
        if not whole
    }
    lists = make_layer(layer, made, [both], homes, {layer: 2 if matrix._is_square() else 1})
    if made:
        (lists,) = persist(lists)
    return Plan(tuple(outlines), lists)
