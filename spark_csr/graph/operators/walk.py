"""`Walk`: from one frontier to the next, by a function that notes which vertices it has reached.

Design: most levels of a long thin graph have few edges, and a launch for each level costs more than visiting them. While a
frontier is small, one core, or one block of a GPU, goes on by itself; a large frontier is one step of all cores. The next step
needs to know how many vertices and how many edges there are, which is one host read.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import by_width, namespace_of, to_host_list, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr.graph.operators.expand import ranges_of_items
from spark_csr.graph.operators.push import make_body, make_read_weight
from spark_csr.graph.operators.visits import join_flagged, join_tiles, run_visits
from spark_csr.primitives._calls import INT64
from spark_csr.primitives.compact import count_selected_before
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array

SUM = ops.monoid("sum")


class Walk:
    """The state of a walk through a graph.

    `items` are the vertices of the frontier, `edges` the number of edges that leave them, `seen` the number of edges that left
    those before, and `level` the number of steps taken. Without `data`, functions are given the level in place of a weight.
    """

    csr: Csr
    data: Array | None
    dtype: np.dtype[Any] | None
    items: Array
    edges: int
    seen: int
    level: int
    limit: int
    scratch: Any

    def __init__(self, csr: Csr, data: Array | None, items: Array, scratch: Any) -> None:
        self.csr, self.data, self.scratch, self.seen, self.level = csr, data, scratch, 0, 0
        self.dtype = None if data is None else data.dtype
        self.items, *_, self.edges = ranges_of_items(csr, items)
        self.limit = csr.backend.small_frontier()

    @property
    def small(self) -> bool:
        """Whether a launch for every step would cost more than the step."""
        return max(self.items.size, self.edges) <= self.limit

    def advance(self, func: Any, state: tuple[Any, ...], rounds: int = sys.maxsize) -> None:
        """Advance along the edges that `func` accepts: by one large step, or by small ones, at most `rounds` of them."""
        if self.small:
            self._drain(func, state, rounds)
            return
        csr, reader = self.csr, make_read_weight(self.dtype)
        graph, where = (csr.indptr, by_width(csr.indices), self._weights), (by_width(self.items), self.edges)
        if self._go_on(csr.backend.advance_frontier(*graph, func, reader, state, *where)):
            return
        items, starts, offsets, total = ranges_of_items(self.csr, self.items, self.edges)
        arrays = by_width(items), starts, offsets, offsets.size - 1, by_width(self.csr.indices), self._weights
        self.step(total, make_body(func, self.dtype, "vertex"), arrays, state)

    @property
    def _weights(self):
        return self.level if self.data is None else self.data

    def step(self, visits: int, body: Any, arrays: tuple[Any, ...], state: tuple[Any, ...]) -> None:
        """Advance to the vertices that so many visits select (see `visits.select_visits`)."""
        csr, dtype = self.csr, self.csr.indices.dtype
        if not self._go_on(csr.backend.select_visits(visits, body, arrays, state, csr.indptr, dtype)):
            kept = run_visits(visits, body, dtype, arrays, state, self.scratch)
            self._go_on(count_selected_edges(csr, *kept, self.scratch))

    def _go_on(self, found):
        """Take vertices and the number of edges that leave them for the next frontier; return whether they were given."""
        if not found:
            return False
        items, edges = found
        self.items, self.edges, self.seen = items.view(self.csr.indices.dtype), edges, self.seen + self.edges
        self.level += 1
        return True

    def _drain(self, func, state, rounds):
        csr, xp = self.csr, namespace_of(self.items)
        both = xp.empty(2 * self.limit, self.items.dtype)
        both[: self.items.size] = self.items
        progress = xp.asarray(np.array([0, self.items.size, self.edges, 0, self.seen], np.int64))
        graph = csr.indptr, by_width(csr.indices), self._weights
        backend_of(both).drain(*graph, func, make_read_weight(self.dtype), state, by_width(both), progress, rounds)
        here, size, self.edges, done, self.seen = to_host_list(progress)
        self.items, self.level = both[here : here + size], self.level + done


def count_selected_edges(csr: Csr, out: Array, counts: Array, tile: int, scratch: Any) -> tuple[Array, int]:
    """Return the vertices that were selected, and the number of edges that leave them."""
    if tile > 1:
        items = join_tiles(out, counts, tile, scratch)
        return items, to_host_scalar(_count_edges(csr, items, None)[0])
    before = count_selected_before(counts)
    count, edges = to_host_list(namespace_of(out).concatenate([before[-1:].astype(INT64), _count_edges(csr, out, counts)]))
    return join_flagged(out, counts, before, count), edges


@njit(forceinline=True)
def _degree(operands, position):
    """Return the number of edges that leave a vertex."""
    items, bounds = operands[0], operands[1]
    vertex = items[position]
    return bounds[vertex + 1] - bounds[vertex]


@njit(forceinline=True)
def _degree_if_kept(operands, position):
    return _degree(operands[1:], position) if operands[0][position] != 0 else np.int64(0)


def _count_edges(csr, items, flags):
    """Return the number of edges that leave all vertices, or those with a flag, as an array of one element."""
    xp = namespace_of(items)
    offsets, total = xp.asarray(np.array([0, items.size], np.int64)), xp.empty(1, INT64)
    operands = (by_width(items), csr.indptr) if flags is None else (flags, by_width(items), csr.indptr)
    source = _degree if flags is None else _degree_if_kept
    backend_of(items).reduce_items(merge_path_tiles(offsets, items.size), SUM, source, operands, offsets, total)
    return total
