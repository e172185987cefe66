"""networkx's functions of trees, by `minimum_spanning_tree` and `connected_components`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph import Graph, connected_components, minimum_spanning_tree
from spark_csr.interop.networkx.limits import bind_as_networkx, defer_to_networkx, under_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def minimum_spanning_edges(
    G: NodeGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Generate the edges of a minimum spanning tree, as `networkx.minimum_spanning_edges` does."""
    return _edges(G, G.weighted_graph(weight), data)


@bind_as_networkx
def maximum_spanning_edges(
    G: NodeGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Generate the edges of a maximum spanning tree, as `networkx.maximum_spanning_edges` does."""
    csr = G.weighted_graph(weight)._csr
    return _edges(G, Graph._of(csr.with_data(-csr.data), False), data)


def _edges(G, graph, data):
    with defer_to_networkx():
        tree = minimum_spanning_tree(graph)._csr
    order = np.argsort(tree.data, kind="stable")
    sources, targets = rows_of_entries(tree)[order], tree.indices[order]
    edges = zip(G.nodes_of(sources), G.nodes_of(targets), strict=True)
    if not data:
        return edges
    rows = G.rows
    if rows is None:
        raise NotImplementedError("data=True: the graph was converted without the attributes of its edges, use data=False")
    return ((u, v, rows[i][v]) for i, (u, v) in zip(sources.tolist(), edges, strict=True))


def _is_tree(G):
    _check_nodes(G)
    return len(G) - 1 == _count_edges(G) and _is_forest(G)


is_tree = under_name("is_tree", _is_tree)
is_forest = under_name("is_forest", lambda G: _is_forest(G))
is_arborescence = under_name("is_arborescence", lambda G: is_tree(G) and _enters_once(G))
is_branching = under_name("is_branching", lambda G: is_forest(G) and _enters_once(G))


def _is_forest(G):
    _check_nodes(G)
    return len(G) - connected_components(G.unweighted_graph, return_labels=False) == _count_edges(G)


def _check_nodes(G):
    if not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")


def _count_edges(G):
    """Return the number of edges; an undirected graph stores those that are not self-loops twice."""
    graph = G.unweighted_graph
    if G.is_directed():
        return graph.n_edges
    return (graph.n_edges + int(np.count_nonzero(graph.sources() == graph._csr.indices))) // 2


def _enters_once(G):
    return bool((G.unweighted_graph.degrees("in") <= 1).all())
