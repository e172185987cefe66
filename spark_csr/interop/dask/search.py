"""Searches and components of a graph in blocks of rows on Dask."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr._array import namespace_of, to_host_list, to_host_scalar
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph import Graph
from spark_csr.graph import connected_components as components_of
from spark_csr.graph.algorithms.checks import limit_of
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.elementwise import change_values, fill
from spark_csr.interop.dask.graphs import compute, make_graph, persist
from spark_csr.interop.dask.iterate import Step, check_square, iterate, start, vector_of
from spark_csr.interop.dask.transposed import TransposedBlocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr.interop.dask.blocks import csr_blocks

MERGED = 4
"""How many forests a task merges to one. Not tuned."""


class _Levels(Step):
    """One level of a search; vectors are the levels found so far, and the frontier."""

    def __init__(self, transposed):
        self.transposed = transposed

    def operand(self, vectors):
        return vectors[1]

    def measure(self, vectors, product):
        return np.int64(to_host_scalar((product & (vectors[0] < 0)).sum()))

    def decide(self, before, sums):
        return {"done": not sums, "value": sums}

    def report(self, decision):
        return None if decision["done"] else (decision["iteration"], int(decision["value"]))

    def advance(self, vectors, product, decision):
        found = product & (vectors[0] < 0)
        return namespace_of(found).where(found, decision["iteration"], vectors[0]), found


def _start_levels(numbers, beside, sources):
    levels = np.full(numbers.size, -1, np.int64)
    if numbers.size:
        inside = sources[(sources >= numbers[0]) & (sources <= numbers[-1])] - numbers[0]
        levels[inside] = 0
    levels = namespace_of(beside).asarray(levels)
    return levels, levels == 0


def _beside_blocks(matrix):
    """Return an array without elements, each chunk of which is on the device of a block."""
    layer = "device-" + tokenize(matrix.name)
    made = {(layer, i): (_no_columns, block) for i, block in enumerate(matrix._read_once())}
    graph = make_graph(layer, made, [matrix], matrix._homes)
    return da.Array(graph, layer, ((0,) * matrix.numblocks[0],), dtype=np.int64)


def _no_columns(block):
    return tasks.made(block).columns[:0]


def bfs(
    A: csr_blocks | TransposedBlocks,
    source: Any,
    *,
    depth_limit: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    check_every: int = 4,
) -> da.Array:
    """Search breadth first: compute how many edges away each vertex is.

    Parameters, result and exceptions that are not listed are those of `graph.bfs`; there are no predecessors, and the distances
    are in the memory of the workers, in int64. *Cost*: one product of the whole matrix for each level. So use this function for
    graphs with few levels.

    Parameters
    ----------
    A : csr_blocks of shape (n, n), or its transpose
        The graph: an entry in row `i` and column `j` is an edge from vertex `i` to vertex `j`. If rows are the targets of
        edges, give ``A.T``. If the graph is undirected, you may give either: with ``A.T``, levels are faster to compute.
    source : int or array_like of ints
        The vertices where the search starts, all at distance 0.
    progress : function, optional
        Called as `progress(level, vertices)` for every level, with the number of new vertices in it, once the task graph of the
        level is computed.
    check_every : int, default 4
        The number of levels in one task graph of Dask. The result does not depend on it.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import bfs, from_csr
    >>> bfs(from_csr(poisson((6,)), blocks=2), 1).compute()
    array([1, 0, 1, 2, 3, 4])
    """
    pull = isinstance(A, TransposedBlocks)
    matrix = check_square(A.T if pull else A)
    n = matrix.shape[0]
    sources = np.atleast_1d(np.asarray(source))
    if sources.dtype.kind not in "iu":
        raise TypeError(f"source must be integers, got {source!r}")
    wrong = sources[(sources < 0) | (sources >= n)]
    if wrong.size:
        raise ValueError(f"source must lie in [0, {n}), got {wrong[0]}")
    pattern = change_values(matrix, partial(fill, value=True))
    numbers = da.arange(n, chunks=(matrix.chunks[0],))
    states = start(pattern, partial(_start_levels, sources=sources.astype(np.int64)), numbers, _beside_blocks(matrix))
    count = min(n, limit_of("depth_limit", depth_limit))
    states, _ = iterate(pattern, states, _Levels(not pull), count, check_every, progress)
    return vector_of(pattern, states, 0, np.int64)


def connected_components(A: csr_blocks | TransposedBlocks) -> tuple[int, da.Array]:
    """Find the connected components of a graph; the directions of edges are ignored.

    Parameters
    ----------
    A : csr_blocks of shape (n, n)
        The graph: an entry in row `i` and column `j` connects vertices `i` and `j`. The transpose has the same components.

    Returns
    -------
    count : int
        The number of components.
    labels : (n,) dask.array.Array of int64
        The component of every vertex. Components are numbered from 0 on, in the order of their first vertices.

    Notes
    -----
    A task for each block finds the components of the edges in the block, and keeps one edge from every vertex to the first
    vertex of its component. Further tasks merge these results, four at a time. *Cost*: one pass over the matrix. Each merge
    holds at most two numbers for each vertex of the graph; the last merge runs on a single worker. The number of merges depends
    on the number of blocks only.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.dask import connected_components, from_csr
    >>> A = from_csr(csr_array([[0, 0, 1], [0, 0, 0], [0, 0, 0]]), blocks=2)
    >>> count, labels = connected_components(A)
    >>> count, labels.compute()
    (2, array([0, 1, 0]))
    """
    A = A.T if isinstance(A, TransposedBlocks) else A
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"the matrix must be square, got shape {A.shape}")
    name = tokenize(A.name, "components")
    made = {("forest-" + name, 0, i): (_forest_of_block, key) for i, key in enumerate(A._blocks.keys)}
    level = list(made)
    depth = 0
    while len(level) > 1:
        depth += 1
        groups = [level[k : k + MERGED] for k in range(0, len(level), MERGED)]
        level = [("forest-" + name, depth, k) for k in range(len(groups))]
        made.update({key: (_merge, group) for key, group in zip(level, groups, strict=True)})
    made["roots-" + name, 0] = (_number, level[0])
    layer = "components-" + name
    bounds = A.offsets[0].tolist()
    for i, (begin, end) in enumerate(itertools.pairwise(bounds)):
        made["part-" + name, i] = (partial(_slice, begin=begin, end=end), ("roots-" + name, 0))
        made[layer, i] = (partial(_label, begin=begin, end=end), ("part-" + name, i))
    made["size-" + name, 0] = (_size, ("roots-" + name, 0))
    graph = make_graph(layer, made, [A], A._homes, {layer: 1})
    kind = type(A._blocks)
    labels, size = persist(
        kind(graph, layer, [(layer, i) for i in range(A.numblocks[0])]), kind(graph, layer, [("size-" + name, 0)])
    )
    array = da.Array(labels.graph, layer, A.chunks[:1], dtype=np.int64)
    return A.shape[0] - compute(size)[0][0], array


@tasks.with_threads_of_worker
def _forest_of_block(block):
    """Return every vertex of the edges of a block that is not the first of its component, and that first vertex."""
    csr = block.matrix._csr
    rows = rows_of_entries(csr).astype(np.int64) + block.rows[0]
    return _forest(rows, block.columns[csr.indices].astype(np.int64))


def _forest(left, right):
    """Return every vertex of edges that is not the first of its component, in ascending order, and that first vertex."""
    xp = namespace_of(left)
    vertices, numbers = xp.unique(xp.concatenate([left, right]), return_inverse=True)
    edges = (xp.ones(left.size, bool), (numbers[: left.size], numbers[left.size :]))
    _, labels = components_of(Graph(csr_array(edges, shape=(vertices.size, vertices.size))))
    _, firsts = xp.unique(labels, return_index=True)
    roots = vertices[firsts[labels]]
    return vertices[roots != vertices], roots[roots != vertices]


@tasks.with_threads_of_worker
def _merge(forests):
    return _forest(*(namespace_of(*parts).concatenate(parts) for parts in zip(*forests, strict=True)))


def _number(forest):
    """Return every vertex that is no root, and the number of its component: how many roots come before its own."""
    vertices, roots = forest
    return vertices, roots - namespace_of(vertices).searchsorted(vertices, roots)


def _size(forest):
    return forest[0].size


def _slice(forest, begin, end):
    """Return what concerns the vertices of a block, and how many vertices before them are no roots."""
    xp = namespace_of(forest[0])
    first, last = to_host_list(xp.searchsorted(forest[0], xp.asarray([begin, end])))
    return forest[0][first:last], forest[1][first:last], first


def _label(part, begin, end):
    vertices, numbers, before = part
    xp = namespace_of(vertices)
    labels = xp.arange(begin, end)
    labels -= before + xp.searchsorted(vertices, labels)
    labels[vertices - begin] = numbers
    return labels
