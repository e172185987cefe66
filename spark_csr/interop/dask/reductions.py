"""Sums and extremes of blocks, combined in the order of the blocks."""

from __future__ import annotations

from functools import partial
from functools import reduce as fold

import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr._array import is_array, namespace_of
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import make_graph
from spark_csr.interop.dask.halo import add_contributions


class Reductions:
    """Sums and extremes of `csr_blocks`."""

    def sum(self, axis: int | None = None) -> da.Array:
        """Sum all elements, every column, or every row.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.sum`. The result is an array of
        Dask, in the chunks of the columns or of the rows. *Cost*: one task for each block. For columns also one for each chunk,
        and one for each chunk that a block contributes to. *Order*: in the order of the blocks.
        """
        return reduce(self, "sum", axis)

    def max(self, axis: int | None = None) -> da.Array:
        """Return the largest element of all, of every column, or of every row.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.max`. The result is an array of
        Dask, as of `sum`.
        """
        return reduce(self, "max", axis)

    def min(self, axis: int | None = None) -> da.Array:
        """Return the least element of all, of every column, or of every row.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.max`. The result is an array of
        Dask, as of `sum`.
        """
        return reduce(self, "min", axis)

    def diagonal(self) -> da.Array:
        """Return the main diagonal in the chunks of the rows; it ends where the rows or the columns end.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.diagonal`.
        """
        name, ends = "diagonal-" + tokenize(self.name), np.cumsum([0, *self.chunks[0]]).clip(max=self.shape[1])
        made = {(name, i): (_diagonal, key) for i, key in enumerate(self._blocks.keys)}
        lengths = tuple(np.diff(ends).tolist())
        return da.Array(make_graph(name, made, [self], self._homes), name, (lengths,), dtype=self.dtype)


COMBINE = {"sum": np.add, "max": np.maximum, "min": np.minimum}


def reduce(matrix, kind, axis):
    """Return the sum or an extreme of all, of every column, or of every row."""
    if axis not in (None, 0, 1, -1, -2):
        raise ValueError(f"axis must be None, 0 or 1, got {axis!r}")
    if kind != "sum" and 0 in (matrix.shape if axis is None else (matrix.shape[axis],)):
        raise ValueError(f"{kind} has no value for no elements: the shape is {matrix.shape}")
    dtype = np.zeros(0, matrix.dtype).sum().dtype if kind == "sum" else matrix.dtype
    name = f"{kind}-" + tokenize(matrix.name, axis)
    if axis in (1, -1):
        return _of_rows(matrix, kind, dtype, name)
    return _of_all(matrix, kind, dtype, name) if axis is None else _of_columns(matrix, kind, dtype, name)


def _of_rows(matrix, kind, dtype, name):
    call = partial(_reduce_rows, kind=kind)
    made = {(name, i): (call, key) for i, key in enumerate(matrix._blocks.keys)}
    return da.Array(make_graph(name, made, [matrix], matrix._homes), name, matrix.chunks[:1], dtype=dtype)


def _of_all(matrix, kind, dtype, name):
    local = "local-" + name
    keys = [k for k, rows in zip(matrix._blocks.keys, matrix.chunks[0], strict=True) if rows or kind == "sum"]
    made = {(local, *k[1:]): (partial(_reduce_all, kind=kind), k) for k in keys}
    made[(name,)] = (partial(_fold, kind=kind), list(made))
    graph = make_graph(name, made, [matrix], matrix._homes, {local: 1})
    return da.Array(graph, name, (), dtype=dtype)


def _of_columns(matrix, kind, dtype, name):
    plan, made = matrix.plan, {}
    for i, key in enumerate(matrix._blocks.keys):
        made["local-" + name, i] = (partial(_reduce_columns, kind=kind), key)
    add_contributions(plan, name, made, matrix.chunks[1], np.zeros(0, dtype))
    if kind != "sum":
        filled = sum(rows > 0 for rows in matrix.chunks[0])
        for j, length in enumerate(matrix.chunks[1]):
            _, *given = made[name, j]
            made[name, j] = (partial(_combine_extremes, size=length, kind=kind, blocks=filled, dtype=dtype), *given)
    positions = {name: 1 if matrix._is_square() else None, "local-" + name: 1, "part-" + name: 1}
    graph = make_graph(name, made, [matrix, plan.lists], matrix._homes, positions)
    return da.Array(graph, name, matrix.chunks[1:], dtype=dtype)


def _dense(x):
    return x.toarray() if hasattr(x, "toarray") else x


@tasks.with_threads_of_worker
def _diagonal(block):
    rows = tasks.rows_of_block(block)
    return rows.diagonal(min(block.rows[0], rows.shape[1]))


@tasks.with_threads_of_worker
def _reduce_rows(block, kind):
    """Return the sum or extreme of every row; columns that the block does not have are missing elements of all its rows."""
    found = _dense(getattr(block.matrix, kind)(axis=1)) if block.columns.size else None
    if kind == "sum" and found is not None:
        return found
    if found is None:
        dtype = np.zeros(0, block.matrix.dtype).sum().dtype if kind == "sum" else block.matrix.dtype
        return namespace_of(block.columns).zeros(block.matrix.shape[0], dtype)
    return COMBINE[kind](found, found.dtype.type(0)) if block.columns.size < block.offsets[-1] else found


@tasks.with_threads_of_worker
def _reduce_all(block, kind):
    if kind == "sum":
        return block.matrix.sum()
    return fold(COMBINE[kind], [getattr(_reduce_rows(block, kind), kind)()])


def _fold(values, kind):
    """Return the values combined in their order, without axes."""
    found = fold(COMBINE[kind], values)
    return found if is_array(found) else np.asarray(found)


@tasks.with_threads_of_worker
def _reduce_columns(block, kind):
    """Return the sums or extremes of the columns of a block, for each chunk that it takes something of."""
    if not block.matrix.shape[0] and kind != "sum":
        return [None for _ in block.sources]
    found = _dense(getattr(block.matrix, kind)(axis=0)) if block.columns.size else None
    return [found[block.cuts[k] : block.cuts[k + 1]] for k in range(len(block.sources))]


def _combine_extremes(parts, wanted, beside, size, kind, blocks, dtype):
    """Return the extremes of a chunk of columns; a column that a block of some rows lacks has missing elements there."""
    combine, total, whole = COMBINE[kind], None, 0
    for part, numbers in zip(parts, wanted, strict=True):
        if part is None:
            continue
        whole += 1
        if numbers is not None:
            every = namespace_of(part).zeros(size, dtype)
            every[numbers] = part
            part = every
        total = part if total is None else combine(total, part)
    if total is None:
        return tasks.namespace_beside(parts, beside).zeros(size, dtype)
    return combine(total, dtype.type(0)) if whole < blocks else total
