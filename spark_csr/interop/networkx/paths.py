"""networkx's functions of path lengths and of spanning trees, by `bfs`, `sssp` and `minimum_spanning_tree`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph import bfs, minimum_spanning_tree, sssp
from spark_csr.interop.networkx.convert import EXACT
from spark_csr.interop.networkx.limits import defer_to_networkx

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


def single_source_shortest_path_length(G: NodeGraph, source: Any, cutoff: float | None = None) -> dict[Any, int]:
    """Compute how many edges away each node is, as `networkx.single_source_shortest_path_length` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    source : node
        The node to start from.
    cutoff : float, optional
        Search no further than this many edges away. Default: search everywhere.

    Returns
    -------
    dict
        The number of edges to every node that is reached, the nearest nodes first.

    Raises
    ------
    networkx.NodeNotFound
        If `source` is not a node of the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, single_source_shortest_path_length
    >>> single_source_shortest_path_length(convert_from_nx(nx.path_graph(3)), 0)
    {0: 0, 1: 1, 2: 2}
    """
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    distance, _ = bfs(G.unweighted, G.place[source], depth_limit=_count_levels(cutoff))
    return _nearest_first(G, distance, distance >= 0)


def _count_levels(cutoff):
    """Return the number of levels to search: as many as are smaller than `cutoff`, rounded up."""
    if cutoff is None or cutoff == math.inf:
        return None
    return math.ceil(cutoff) if cutoff > 0 else 0


def single_source_dijkstra_path_length(
    G: NodeGraph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path to each node, as `networkx.single_source_dijkstra_path_length` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    source : node
        The node to start from.
    cutoff : float, optional
        Search no further than this distance. Default: search everywhere.
    weight : str, default: "weight"
        The edge attribute that holds the length.

    Returns
    -------
    dict
        The distance of every node that is reached, the nearest nodes first; integers if all lengths are integers.

    Raises
    ------
    networkx.NodeNotFound
        If `source` is not a node of the graph.
    NotImplementedError
        If a length is negative, infinite or NaN, or if lengths are integers and a distance is 2**53 or more.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, single_source_dijkstra_path_length
    >>> G = convert_from_nx(nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})]), edge_attrs={"weight": 1})
    >>> single_source_dijkstra_path_length(G, 0)
    {0: 0, 1: 2, 2: 5}
    """
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def multi_source_dijkstra_path_length(
    G: NodeGraph, sources: Collection[Any], cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path from the nearest source to each node, as networkx's function of this name does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    sources : set of nodes
        The nodes to start from.
    cutoff : float, optional
        Search no further than this distance. Default: search everywhere.
    weight : str, default: "weight"
        The edge attribute that holds the length.

    Returns
    -------
    dict
        The distance of every node that is reached, the nearest nodes first; integers if all lengths are integers.

    Raises
    ------
    ValueError
        If `sources` is empty.
    networkx.NodeNotFound
        If a source is not a node of the graph.
    NotImplementedError
        If a length is negative, infinite or NaN, or if lengths are integers and a distance is 2**53 or more.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, multi_source_dijkstra_path_length
    >>> G = convert_from_nx(nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})]), edge_attrs={"weight": 1})
    >>> multi_source_dijkstra_path_length(G, {0, 2})
    {0: 0, 2: 0, 1: 2}
    """
    if not sources:
        raise ValueError("sources must name at least one node, got none")
    for node in sources:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    if weight in G.weights and np.isinf(G.weights[weight]).any():
        raise NotImplementedError("edges of infinite weight count as missing here, but not in networkx")
    limit = math.inf if cutoff is None else cutoff
    if limit < 0:
        return dict.fromkeys(sources, 0)
    starts = [G.place[node] for node in sources]
    with defer_to_networkx():
        distance = sssp(G.weighted(weight), starts, return_predecessors=False, limit=limit)
    near = (distance <= limit) & (distance < math.inf)
    whole = weight not in G.weights or G.weights[weight].dtype.kind in "biu"
    if whole and (distance[near] >= EXACT).any():
        raise NotImplementedError("distances are computed in float64, which does not hold all integers from 2**53 on")
    return _nearest_first(G, distance, near, whole)


def _nearest_first(G, distance, near, whole=True):
    """Return a dict by node of the distances that are near enough, as integers if they are whole."""
    vertices = np.flatnonzero(near)
    vertices = vertices[np.argsort(distance[vertices], kind="stable")]
    values = distance[vertices].astype(np.int64) if whole else distance[vertices]
    return dict(zip(G.named(vertices), values.tolist(), strict=True))


def minimum_spanning_edges(
    G: NodeGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, Any]]:
    """Generate the edges of a minimum spanning tree, as `networkx.minimum_spanning_edges` does with `data=False`.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph without repeated edges.
    algorithm : str, default: "kruskal"
        The order of the edges is that of Kruskal's algorithm; `can_run` refuses any other value.
    weight : str, default: "weight"
        The edge attribute that holds the weight.
    keys : bool, default: True
        Ignored, as only multigraphs have keys.
    data : bool, default: True
        Attributes of edges are never returned; `can_run` refuses any value but False.
    ignore_nan : bool, default: False
        `can_run` refuses True.

    Returns
    -------
    iterator of pairs of nodes
        The edges, the lightest first, and those of equal weight in the order of `G.edges`.

    Raises
    ------
    NotImplementedError
        If a weight is NaN.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, minimum_spanning_edges
    >>> weights = {(0, 1): 3, (1, 2): 1, (0, 2): 2}
    >>> graph = nx.Graph((*edge, {"weight": weight}) for edge, weight in weights.items())
    >>> list(minimum_spanning_edges(convert_from_nx(graph, edge_attrs={"weight": 1}), data=False))
    [(1, 2), (0, 2)]
    """
    with defer_to_networkx():
        tree = minimum_spanning_tree(G.weighted(weight))._csr
    order = np.argsort(tree.data, kind="stable")
    return zip(G.named(rows_of_entries(tree)[order]), G.named(tree.indices[order]), strict=True)
