"""Graphs of products: parts of the operand go where they are needed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import Tasks, check_chunks, fuse, make_graph, make_layer, persist

if TYPE_CHECKING:
    from spark_csr._ops import SemiringLike
    from spark_csr.interop.dask.blocks import csr_blocks


class Products:
    """Products of `csr_blocks`."""

    def __matmul__(self, other: Any) -> Any:
        """Multiply with an array of Dask or NumPy of one or two axes, or with other blocks."""
        return self.matmul(other)

    def __rmatmul__(self, other: Any) -> Any:
        """Multiply the transpose with an array of one or two axes."""
        return (self.T @ other.T).T

    def matmul(self, other: Any, semiring: SemiringLike = "plus_times", mask: csr_blocks | None = None) -> Any:
        """Multiply with a vector, a dense matrix, or other blocks.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.matmul`. The product is an array
        of Dask, or `csr_blocks`, in the blocks of rows of this matrix. Workers must be able to import the functions of a
        semiring.

        Parameters
        ----------
        other : (n,) or (n, k) dask.array.Array or array_like, or csr_blocks of n rows
            The right operand. An array is cut into the chunks `chunks[1]` of this matrix, and the lengths of its own must be
            known.
        mask : csr_blocks, optional
            For a product of two `csr_blocks`: only positions where the mask has entries are computed. The blocks of the mask
            must have the rows of the blocks of this matrix.

        Notes
        -----
        *Cost*: one task for each block, and one for each part of a chunk that a block takes. A block that takes a whole chunk
        needs no task for it; in a product of two `csr_blocks`, there is one for each block of `other` that is sent whole.
        `describe` counts the tasks of a product with a vector. *Order*: see the class.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import csr_array
        >>> from spark_csr.interop.dask import from_csr
        >>> A = from_csr(csr_array([[0, 3, 0], [0, 0, 1], [2, 0, 0]]), blocks=2)
        >>> A.matmul(np.array([5, 0, 9]), semiring="max_plus").compute()
        array([ 3, 10,  7])
        >>> (A @ A).compute().toarray()
        array([[0, 0, 3],
               [2, 0, 0],
               [0, 6, 0]])
        """
        if hasattr(other, "to_blocks"):  # a transpose
            other = other.to_blocks()
        if isinstance(other, Products):
            return multiply_blocks(self, other, semiring, mask)
        if mask is not None:
            raise TypeError("a mask is for products of two csr_blocks: leave mask=None")
        return multiply(self, other, semiring)

    def place(self, x: Any) -> da.Array:
        """Compute a vector, put every chunk beside its block, and cut out what other blocks take from it.

        Parameters
        ----------
        x : (n,) or (n, k) dask.array.Array or NumPy array
            A vector that the matrix multiplies.

        Returns
        -------
        dask.array.Array
            The elements of `x`, in the chunks `chunks[1]` of this matrix. They are on workers, or will be soon.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Notes
        -----
        Dask puts the chunks of an array on any workers, and a product would first move them to the blocks. The result ``y`` of
        a product needs no `place` if you keep it with ``y.persist(optimize_graph=False)``: without this option, Dask's
        optimization forgets where tasks should run. If `persist` has been called on the matrix, the elements that other blocks
        take are cut out now and not in every product; they stay in memory as long as the returned array.
        """
        return place(self, x)


def as_operand(x, lengths, what="columns"):
    """Return a dense operand as an array of Dask with these chunks along its first axis."""
    x = x if isinstance(x, da.Array) else np.asarray(x)
    if x.ndim not in (1, 2):
        raise ValueError(f"the operand must have one or two axes, got shape {x.shape}")
    if isinstance(x, da.Array):
        check_chunks(x.chunks)
    if x.shape[0] != sum(lengths):
        raise ValueError(f"the matrix has {sum(lengths)} {what}, got an operand of shape {x.shape}")
    if not isinstance(x, da.Array):
        return da.from_array(x, chunks=(lengths, *x.shape[1:]))
    return x if x.chunks[0] == lengths else x.rechunk((lengths, *x.chunks[1:]))


def place(matrix, x):
    """Return the operand with its chunks where the blocks are that they lie beside, and the messages of a known plan."""
    x = as_operand(x, matrix.chunks[1])
    square, plan = matrix._is_square(), matrix._plan
    homes = matrix._homes if square else None
    keys = [key for rest in columns_of(x) for key in ((x.name, j, *rest) for j in range(x.numblocks[0]))]
    chunks = fuse(Tasks(x.dask, x.name, keys), homes)
    if plan is None or not plan.wanted:
        (placed,) = persist(chunks)
        return da.Array(placed.graph, x.name, x.chunks, meta=x._meta)
    layer, made = cuts_of(plan, x.name), {}
    for rest in columns_of(x):
        for i in range(len(plan.outlines)):
            parts_of(plan, i, layer, made, lambda j, rest=rest: (x.name, j, *rest), tasks.pack)
    cuts = make_layer(layer, made, [chunks, plan.lists], homes, {layer: 2})
    placed, cuts = persist(chunks, cuts)
    return da.Array(HighLevelGraph.merge(placed.graph, cuts.graph), x.name, x.chunks, meta=x._meta)


def cuts_of(plan, name):
    """Return the layer of the messages that `place` cuts out of a vector of this name."""
    return "cut-" + tokenize(plan.lists.layer, name)


def columns_of(x):
    """Return the rest of the keys of a chunk of rows: nothing for a vector, a number for every chunk of columns."""
    return [()] if x.ndim == 1 else [(c,) for c in range(x.numblocks[1])]


def parts_of(plan, i, name, made, chunk, pack):
    """Return the keys of what block `i` takes; add the tasks that pick it out of chunks, `chunk(j)` being their keys."""
    parts = []
    for j in plan.outlines[i].sources:
        key = chunk(j)
        wanted = plan.wanted.get((i, j))
        if wanted is not None:
            packed = (name, i, j, *key[2:])
            made[packed] = (pack, key, wanted)
            key = packed
        parts.append(key)
    return parts


def multiply(matrix, x, semiring):
    """Return `A @ x` for a vector or a dense matrix."""
    x = as_operand(x, matrix.chunks[1])
    plan = matrix.plan
    name = "matmul-" + tokenize(matrix.name, x.name, semiring)
    pack, cut, made, cuts = "pack-" + name, cuts_of(plan, x.name), {}, {}
    is_cut = cut in x.dask.layers
    call = tasks.multiply if semiring == "plus_times" else partial(tasks.multiply, semiring=semiring)
    blocks = matrix._blocks.keys if len(columns_of(x)) > 1 else matrix._read_once()
    for rest in columns_of(x):
        for i, block in enumerate(blocks):
            where = (cut, cuts) if is_cut else (pack, made)
            parts = parts_of(plan, i, *where, lambda j, rest=rest: (x.name, j, *rest), tasks.pack)
            if not parts:
                made[pack, i, 0, *rest] = (tasks.no_part, (x.name, 0, *rest))
                parts = [(pack, i, 0, *rest)]
            made[name, i, *rest] = (call, block, *parts)
    positions = {name: 1, pack: 2 if matrix._is_square() else 1}
    others = (Tasks(x.dask, cut, cuts),) if is_cut else ()
    graph = make_graph(name, made, (x, matrix, plan.lists, *others), matrix._homes, positions)
    dtype = np.dtype(bool) if semiring == "or_and" else np.result_type(matrix.dtype, x.dtype)
    return da.Array(graph, name, (matrix.chunks[0], *x.chunks[1:]), dtype=dtype)


def multiply_transposed(matrix, x):
    """Return `A.T @ x` for a vector or a dense matrix."""
    x = as_operand(x, matrix.chunks[0], "rows")
    plan = matrix.plan
    dtype = np.result_type(matrix.dtype, x.dtype)
    name = "rmatmul-" + tokenize(matrix.name, x.name)
    made, width = {}, (x.chunks[1] if x.ndim == 2 else [None])
    blocks = matrix._blocks.keys if len(width) > 1 else matrix._read_once()
    for rest, columns in zip(columns_of(x), width, strict=True):
        for i, block in enumerate(blocks):
            made["local-" + name, i, *rest] = (tasks.multiply_transposed, block, (x.name, i, *rest))
        like = np.zeros((0,) if columns is None else (0, columns), dtype)
        add_contributions(plan, name, made, matrix.chunks[1], like, rest)
    square = matrix._is_square()
    positions = {name: 1 if square else None, "local-" + name: 1, "part-" + name: 1}
    graph = make_graph(name, made, (x, matrix, plan.lists), matrix._homes, positions)
    return da.Array(graph, name, (matrix.chunks[1], *x.chunks[1:]), dtype=dtype)


def add_contributions(plan, name, made, lengths, like, rest=()):
    """Add the tasks that send what blocks contribute to chunks, and add it there in the order of the blocks."""
    coming = {j: ([], []) for j in range(len(lengths))}
    for i, outline in enumerate(plan.outlines):
        for k, j in enumerate(outline.sources):
            key = ("part-" + name, i, j, *rest)
            made[key] = (tasks.pick, ("local-" + name, i, *rest), k)
            coming[j][0].append(key)
            coming[j][1].append(plan.wanted.get((i, j)))
    filled = next((i for i, outline in enumerate(plan.outlines) if outline.sources and outline.rows[0] < outline.rows[1]), None)
    for j, (parts, wanted) in coming.items():
        beside = None if parts or filled is None else ("local-" + name, filled, *rest)
        made[name, j, *rest] = (partial(tasks.add_parts, size=lengths[j], like=like), parts, wanted, beside)


def multiply_blocks(matrix, other, semiring, mask):
    """Return `A @ B` for other blocks: the rows of B go where the columns of A are."""
    if other.shape[0] != matrix.shape[1]:
        raise ValueError(f"shapes {matrix.shape} and {other.shape} do not fit: the inner lengths differ")
    if other.chunks[0] != matrix.chunks[1]:
        other = other.repartition(matrix.chunks[1])
    if mask is not None:
        if not isinstance(mask, type(matrix)):
            raise TypeError(f"the mask must be a csr_blocks, got {type(mask).__name__}: use from_csr(mask, blocks=A.chunks[0])")
        if mask.chunks[0] != matrix.chunks[0] or mask.shape[1] != other.shape[1]:
            raise ValueError(
                f"the mask has shape {mask.shape} and blocks of {mask.chunks[0]} rows, and the product shape "
                f"{(matrix.shape[0], other.shape[1])} and blocks of {matrix.chunks[0]}: use mask.repartition(A.chunks[0])"
            )
    plan = matrix.plan
    name = "matmul-" + tokenize(matrix.name, other.name, semiring, mask.name if mask is not None else None)
    pack, whole, made = "pack-" + name, "whole-" + name, {}
    chunks = (matrix.chunks[0], other.chunks[1])
    square, starts = chunks[0] == chunks[1], matrix.offsets[0]
    offsets = other.offsets[1]
    for i, block in enumerate(matrix._blocks.keys):
        parts = []
        for j in plan.outlines[i].sources:
            wanted, rows = plan.wanted.get((i, j)), other._blocks.keys[j]
            if wanted is not None:
                key = (pack, i, j)
                made[key] = (tasks.pack_rows, rows, wanted)
            elif i == j and matrix._is_square():
                key = rows  # it lies beside the block, as it is
            else:
                key = (whole, j)
                made[key] = (tasks.rows_of_block, rows)
            parts.append(key)
        if not parts:
            made[pack, i, 0] = (tasks.pack_rows, other._blocks.keys[0], np.zeros(0, np.int64))
            parts = [(pack, i, 0)]
        call = partial(
            tasks.multiply_rows,
            semiring=semiring,
            offsets=offsets,
            first_row=int(starts[i]),
            own=i if square else None,
            shape=(chunks[0][i], other.shape[1]),
        )
        made[name, i] = (call, block, None if mask is None else mask._blocks.keys[i], *parts)
    positions = {name: 1, pack: 2 if matrix._is_square() else 1, whole: 1 if matrix._is_square() else None}
    dependencies = [m for m in (matrix, other, plan.lists, mask) if m is not None]
    graph = make_graph(name, made, dependencies, matrix._homes, positions)
    dtype = np.dtype(bool) if semiring == "or_and" else np.result_type(matrix.dtype, other.dtype)
    blocks = type(matrix._blocks)(graph, name, [(name, i) for i in range(len(chunks[0]))])
    return type(matrix)(blocks, chunks, dtype, matrix._homes)
