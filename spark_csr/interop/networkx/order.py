"""networkx's functions of acyclic graphs, by `topological_generations`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def topological_generations(G: NodeGraph) -> Iterator[list[Any]]:
    """Generate the generations of an acyclic graph, as `networkx.topological_generations` does."""
    found, nodes = _sort(G)
    for size in np.bincount(found).tolist():
        yield list(itertools.islice(nodes, size))


@bind_as_networkx
def topological_sort(G: NodeGraph) -> Iterator[Any]:
    """Generate the nodes of an acyclic graph in topological order, as `networkx.topological_sort` does."""
    yield from _sort(G)[1]


def _sort(G):
    """Return the generation of every vertex, and an iterator over the nodes in their order."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    try:
        found = ours.topological_generations(G.unweighted_graph)
    except ValueError as error:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration") from error
    return found, G.nodes_of(np.argsort(found, kind="stable"))


@bind_as_networkx
def is_directed_acyclic_graph(G: NodeGraph) -> bool:
    """Return whether the graph is directed and has no cycle, as `networkx.is_directed_acyclic_graph` does."""
    try:
        ours.topological_generations(G.unweighted_graph)
    except ValueError:
        return False
    return G.is_directed()
