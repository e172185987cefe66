"""Push: visit every edge that leaves a frontier.

Design: the work is divided by edges, not by vertices: a tile of edges finds its first vertex by bisection and continues from
there. If every vertex is wanted once, accepted edges are collected, and the one with the least id (that of the smallest source)
claims the vertex.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import Hole, call, read_weight, scalar
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.bisection import segment_of
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.visits import select_visits
from spark_csr.primitives.foreach import for_each_tile
from spark_csr.primitives.sort import argsort, gather

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array

output_of_edge = Hole(
    "output_of_edge(target, edge) -> number", "Return what a push writes for an accepted edge: its target, or the edge."
)

OUTPUTS = "vertex", "edge", None
"""The kinds of results of a push."""

SPARSE = 32
"""If there is less than one accepted edge for so many vertices, the edges are sorted by target. Otherwise a table of all
vertices is used. Not tuned."""


def push(
    csr: Csr, data: Array, ranges: Any, func: Any, state: tuple[Any, ...], output: str | None, scratch: Any
) -> Array | None:
    """Return the accepted items, in the order of `ranges`; None if there is no output."""
    items, starts, offsets, total = ranges
    arrays = by_width(items), starts, offsets, offsets.size - 1, by_width(csr.indices), data
    if output is None:
        for_each_tile(total, make_body(func, data.dtype, output), *arrays, *state)
        return None
    dtype = csr.indices.dtype if output == "vertex" else index_dtype(csr.indices.size)
    return select_visits(total, make_body(func, data.dtype, output), dtype, arrays, state, scratch)


def _push_tile(start, stop, items, starts, offsets, rows, indices, data, shift, counts, out, *state):
    """Visit edges `start` to `stop` of the frontier, and store those that are accepted.

    Every edge is stored; the position to store at advances only if the edge is accepted.
    """
    row = np.uint64(segment_of(offsets, rows, np.int64(start)))
    position, place = start, start
    while position < stop:
        row_end = min(np.uint64(offsets[row + 1]), stop)
        source = np.int64(items[row])
        edge = np.uint64(starts[row]) + (position - np.uint64(offsets[row]))
        for e in range(edge, edge + (row_end - position)):
            target = np.int64(indices[e])
            out[place] = output_of_edge(target, e)
            place += np.uint64(call(source, target, np.int64(e), read_weight(data, e, 0), *state) != 0)
        position = row_end
        row += 1
    counts[start >> np.uint64(shift)] = place - start


def _visit_tile(start, stop, items, starts, offsets, rows, indices, data, *state):
    """Visit edges `start` to `stop` of the frontier, and store nothing."""
    row = np.uint64(segment_of(offsets, rows, np.int64(start)))
    position = start
    while position < stop:
        row_end = min(np.uint64(offsets[row + 1]), stop)
        source = np.int64(items[row])
        edge = np.uint64(starts[row]) + (position - np.uint64(offsets[row]))
        for e in range(edge, edge + (row_end - position)):
            call(source, np.int64(indices[e]), np.int64(e), read_weight(data, e, 0), *state)
        position = row_end
        row += 1


@njit(forceinline=True)
def _target(target, edge):
    return target


@njit(forceinline=True)
def _edge(target, edge):
    return edge


@functools.cache
def make_body(func: Any, dtype: np.dtype[Any] | None, output: str | None) -> Any:
    """Return the body of the kernel for an output and for weights of a dtype. If that is None, the level is the weight."""
    output_of_edge = _target if output == "vertex" else _edge
    return njit(
        specialise(
            _visit_tile if output is None else _push_tile,
            call=func,
            read_weight=make_read_weight(dtype),
            output_of_edge=output_of_edge,
        )
    )


@functools.cache
def make_read_weight(dtype: np.dtype[Any] | None) -> Any:
    """Return the function that reads an edge's weight; without a dtype it returns the level, `done` rounds after the first."""
    return njit(forceinline=True)(_level if dtype is None else specialise(_weight, scalar=dtype.type))


def _weight(weights, edge, done):
    return scalar(weights[edge])


def _level(first, edge, done):
    return first + done


def _call_if_candidate(src, dst, edge, weight, candidates, *state):
    return candidates[dst] != 0 and call(src, dst, edge, weight, *state)


@functools.cache
def restrict(func: Any) -> Any:
    """Return `func` for the targets that are in a bitmap; the bitmap comes before the state of `func`."""
    return njit(specialise(_call_if_candidate, call=func))


def claim(csr: Csr, edges: Array) -> Frontier:
    """Return the frontier of the vertices that edges lead to, each reached by the first of them; the edges ascend."""
    n, xp = csr.shape[1], namespace_of(edges)
    targets = gather(csr.indices, edges)
    if edges.size * SPARSE <= n:
        order = argsort(targets)
        targets = gather(targets, order)
        opens = xp.ones(targets.size, bool)
        opens[1:] = targets[1:] != targets[:-1]
        return make_frontier(csr, targets[opens], gather(edges, order[opens]))
    first = xp.empty(n, index_dtype(edges.size))
    if n:
        backend_of(first).claim(by_width(targets), first)
    items = Frontier._of("vertex", n, bitmap=first < edges.size)._list()
    return make_frontier(csr, items, gather(edges, gather(first, items)))


def make_frontier(csr: Csr, items: Array, edges: Array) -> Frontier:
    """Return the frontier of these vertices, each reached by one of these edges."""
    frontier = Frontier._of("vertex", csr.shape[1], items, ascending=True)
    frontier.edges, frontier.sources = edges, gather(csr.plan(rows_of_entries), edges)
    return frontier
