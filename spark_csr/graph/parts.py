"""Parts of a graph: the neighbours of a vertex, and the graph of some of the vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from spark_csr._array import index_dtype, namespace_for, read_only, to_host_list, to_host_scalar
from spark_csr._current_device import methods_on_their_device
from spark_csr._engine import lean
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.ranges import Ranges, copy_ranges, expand_ranges
from spark_csr._shared.atomics import atomic_max
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.vertices import read_vertex, read_vertices
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@methods_on_their_device
class Parts:
    """The methods of `Graph` that return parts of it."""

    if TYPE_CHECKING:  # `Graph` defines these
        directed: Any
        device: Any
        n_vertices: Any
        _csr: Any
        _derive: Any

    def __len__(self) -> int:
        """Return the number of vertices."""
        return self.n_vertices

    def neighbors(self, vertex: Any, direction: Literal["out", "in"] = "out") -> Array:
        """Return the vertices that the edges of a vertex lead to, or come from.

        Parameters
        ----------
        vertex : int or name
            The vertex (names: see `Graph.vertex`).
        direction : {"out", "in"}, default: "out"
            "out" returns the targets of the edges that leave the vertex (networkx's `successors`), "in" the sources of those
            that enter it (`predecessors`).

        Returns
        -------
        (k,) array of ints
            The neighbours, in the order in which the edges are stored; for "in" of a directed graph they ascend. A vertex with
            several edges to the same neighbour has it several times. The array is read-only, and shares memory with the graph.

        Raises
        ------
        ValueError, TypeError
            If the vertex is out of range, or neither an integer nor a name, or if `direction` is unknown.

        Notes
        -----
        *Cost*: one host read. For "in", the reversed edges of a directed graph are found the first time, and kept.
        """
        if direction not in ("out", "in"):
            raise ValueError(f"direction must be 'out' or 'in', got {direction!r}")
        vertex = read_vertex(self, vertex, "vertex")
        csr = self._csr.plan(reverse_edges) if direction == "in" and self.directed else self._csr
        start, stop = to_host_list(csr.indptr[vertex : vertex + 2])
        return read_only(csr.indices[start:stop])

    def subgraph(self, vertices: ArrayLike) -> Self:
        """Return the graph of some of the vertices and of all edges between them.

        Parameters
        ----------
        vertices : (k,) array_like of ints or names
            The vertices to select (names: see `Graph.vertex`), each once, in any order. Vertex `vertices[i]`
            becomes vertex `i` of the result.

        Returns
        -------
        Graph
            The graph of `k` vertices, on the same device, with the weights that the edges have now. It is directed if this
            graph is. The edges of a vertex keep their order.

        Raises
        ------
        ValueError
            If a vertex is out of range, or is named twice.
        TypeError
            If a vertex is neither an integer nor a name.

        Notes
        -----
        networkx's `subgraph` is a view; this is a new graph. Vertices that have names keep them. *Cost*: a copy of the
        edges that leave the vertices, from which the others are dropped; two or three host reads. Scratch: a number for each
        vertex of this graph. *Empty input*: a graph without vertices.
        """
        csr, xp = self._csr, namespace_for(self.device)
        chosen = read_vertices(self, vertices, "vertices")
        number, k = xp.full(csr.shape[0], -1, index_dtype(csr.shape[0])), chosen.size
        for_each(k, _number, chosen, number)
        if (at := find_first_true(gather(number, chosen) != xp.arange(k))) is not None:
            raise ValueError(f"vertices must be distinct, got {to_host_scalar(chosen[at])} twice: use numpy.unique(vertices)")
        starts, offsets, total = expand_ranges(Ranges.of_rows(chosen, csr.indptr))
        indices, data = copy_ranges(starts, offsets, total, 0, csr.indices, csr.data)
        inside = gather(number, indices)
        some = select_entries(Csr(offsets, inside, data, (k, k)), inside >= 0)
        part = Csr(some.indptr, some.indices.astype(index_dtype(k), copy=False), some.data, (k, k))
        return self._derive(part, vertices=chosen)


@lean
def _number(i, vertices, number):
    """Write the number of a vertex; of one that is named twice, the larger."""
    atomic_max(number, np.uint64(vertices[i]), i)
