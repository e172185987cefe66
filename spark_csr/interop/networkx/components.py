"""networkx's functions of connected components, by `connected_components`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._engine import njit
from spark_csr.graph import connected_components as parted
from spark_csr.interop.networkx.limits import bind_as_networkx
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def connected_components(G: NodeGraph) -> Iterator[set[Any]]:
    """Generate the connected components, as `networkx.connected_components` does."""
    return _sets(G, *parted(G.unweighted_graph))


@bind_as_networkx
def weakly_connected_components(G: NodeGraph) -> Iterator[set[Any]]:
    """Generate the weakly connected components, as `networkx.weakly_connected_components` does."""
    return _sets(G, *parted(G.unweighted_graph))


@bind_as_networkx
def strongly_connected_components(G: NodeGraph) -> Iterator[set[Any]]:
    """Generate the strongly connected components, as `networkx.strongly_connected_components` does."""
    count, labels = parted(G.unweighted_graph, "strong")
    done = np.empty(count, np.intp)
    done[labels[_finish_order(G)]] = np.arange(len(G))  # the last vertex of a component is where the search entered it
    place = np.empty_like(done)
    place[np.argsort(done)] = np.arange(count)
    return _sets(G, count, place[labels])


def _finish_order(G):
    """Return the vertices in the order in which a depth-first search finishes them."""
    csr, n = G.unweighted_graph._csr, len(G)
    out, path, cursor = np.empty(n, np.int64), np.empty(n, np.int64), csr.indptr[:-1].copy()
    for_each(1, _search, csr.indptr, csr.indices, np.zeros(n, bool), cursor, path, out)
    return out


@njit
def _search(i, indptr, indices, seen, cursor, path, out):
    """Search from every vertex that is not seen yet, along edges in the order in which they are stored."""
    depth, done, one = np.int64(0), np.int64(0), np.uint64(1)
    for start in range(seen.size):
        if not seen[start]:
            seen[start], path[0], depth = True, start, 1
        while depth:
            v = np.uint64(path[depth - 1])
            if cursor[v] == indptr[v + one]:
                out[done], done, depth = v, done + 1, depth - 1
                continue
            w = np.uint64(indices[np.uint64(cursor[v])])
            cursor[v] += 1
            if not seen[w]:
                seen[w], path[depth], depth = True, w, depth + 1


def _sets(G, count, labels):
    nodes, sizes = G.nodes_of(np.argsort(labels, kind="stable")), np.bincount(labels, minlength=count)
    return ({next(nodes) for _ in range(size)} for size in sizes.tolist())


@bind_as_networkx
def number_connected_components(G: NodeGraph) -> int:
    """Count the connected components, as `networkx.number_connected_components` does."""
    return parted(G.unweighted_graph, return_labels=False)


@bind_as_networkx
def number_weakly_connected_components(G: NodeGraph) -> int:
    """Count the weakly connected components, as `networkx.number_weakly_connected_components` does."""
    return parted(G.unweighted_graph, return_labels=False)


@bind_as_networkx
def number_strongly_connected_components(G: NodeGraph) -> int:
    """Count the strongly connected components, as `networkx.number_strongly_connected_components` does."""
    return parted(G.unweighted_graph, "strong", return_labels=False)


@bind_as_networkx
def is_connected(G: NodeGraph) -> bool:
    """Return whether the graph is connected, as `networkx.is_connected` does."""
    return _is_one(G, number_connected_components)


@bind_as_networkx
def is_weakly_connected(G: NodeGraph) -> bool:
    """Return whether the graph is weakly connected, as `networkx.is_weakly_connected` does."""
    return _is_one(G, number_weakly_connected_components)


@bind_as_networkx
def is_strongly_connected(G: NodeGraph) -> bool:
    """Return whether the graph is strongly connected, as `networkx.is_strongly_connected` does."""
    return _is_one(G, number_strongly_connected_components)


def _is_one(G, number):
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number(G) == 1
