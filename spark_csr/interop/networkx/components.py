"""networkx's functions of connected components, by `connected_components`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._engine import njit
from spark_csr.graph import connected_components as parted
from spark_csr.interop.networkx.limits import bind_as_networkx, under_name
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


connected_components = under_name("connected_components", lambda G: _sets(G, *parted(G.unweighted_graph)))
weakly_connected_components = under_name("weakly_connected_components", lambda G: _sets(G, *parted(G.unweighted_graph)))


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
    depth, done = np.int64(0), np.int64(0)
    for start in range(seen.size):
        if not seen[start]:
            seen[start], path[0], depth = True, start, 1
        while depth:
            v = np.uint64(path[depth - 1])
            if cursor[v] == indptr[v + 1]:
                out[done], done, depth = v, done + 1, depth - 1
                continue
            w = np.uint64(indices[cursor[v]])
            cursor[v] += 1
            if not seen[w]:
                seen[w], path[depth], depth = True, w, depth + 1


def _sets(G, count, labels):
    nodes, sizes = G.nodes_of(np.argsort(labels, kind="stable")), np.bincount(labels, minlength=count)
    return (set(itertools.islice(nodes, size)) for size in sizes.tolist())


number_connected_components = under_name("number_connected_components", lambda G: _count(G))
number_weakly_connected_components = under_name("number_weakly_connected_components", lambda G: _count(G))
number_strongly_connected_components = under_name("number_strongly_connected_components", lambda G: _count(G, "strong"))
is_connected = under_name("is_connected", lambda G: _is_one(G))
is_weakly_connected = under_name("is_weakly_connected", lambda G: _is_one(G))
is_strongly_connected = under_name("is_strongly_connected", lambda G: _is_one(G, "strong"))


def _count(G, connection="weak"):
    return parted(G.unweighted_graph, connection, return_labels=False)


def _is_one(G, connection="weak"):
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(G, connection) == 1
