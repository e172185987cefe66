"""A backend for networkx, which runs supported calls here and leaves the others to networkx.

Use it for one call by `nx.pagerank(G, backend="spark_csr")`, or for all calls by `nx.config.backend_priority = ["spark_csr"]`.

networkx finds this module by the entry point `networkx.backends`. It asks `can_run` whether the backend supports a call,
converts the graph (the result is kept with the original until that is changed), and calls the function of the same name here.
If the backend does not support a call and was not asked for by name, networkx answers it itself.

Design: results are as networkx promises (types, nodes, exceptions), and numbers that an iteration computes agree within its
tolerance. Nothing is done differently without notice: if our algorithms refuse an argument, the exception is
NotImplementedError, and networkx goes on by itself. networkx calls whatever this module has under the name of one of
its functions, so nothing else may have such a name here.
"""

from __future__ import annotations

from typing import Any, Literal

try:
    import networkx as _networkx  # noqa: F401
except ImportError as error:
    raise ImportError("spark_csr.interop.networkx needs networkx: install it with: pip install networkx") from error

from spark_csr.interop.networkx.bipartite import color, is_bipartite, sets
from spark_csr.interop.networkx.communities import leiden_communities, louvain_communities
from spark_csr.interop.networkx.components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from spark_csr.interop.networkx.convert import NodeGraph, convert_from_nx, convert_to_nx
from spark_csr.interop.networkx.distances import average_shortest_path_length, center, diameter, eccentricity, periphery, radius
from spark_csr.interop.networkx.importance import (
    betweenness_centrality,
    closeness_centrality,
    degree_centrality,
    edge_betweenness_centrality,
    eigenvector_centrality,
    harmonic_centrality,
    hits,
    in_degree_centrality,
    katz_centrality,
    out_degree_centrality,
    pagerank,
)
from spark_csr.interop.networkx.lengths import (
    all_pairs_bellman_ford_path,
    all_pairs_bellman_ford_path_length,
    all_pairs_dijkstra,
    all_pairs_dijkstra_path,
    all_pairs_dijkstra_path_length,
    bellman_ford_path,
    bellman_ford_path_length,
    dijkstra_path,
    dijkstra_path_length,
    multi_source_dijkstra,
    multi_source_dijkstra_path,
    multi_source_dijkstra_path_length,
    negative_edge_cycle,
    single_source_bellman_ford,
    single_source_bellman_ford_path,
    single_source_bellman_ford_path_length,
    single_source_dijkstra,
    single_source_dijkstra_path,
    single_source_dijkstra_path_length,
)
from spark_csr.interop.networkx.limits import LIMITS, NOT_WORTH_IT, arguments_of
from spark_csr.interop.networkx.links import (
    adamic_adar_index,
    jaccard_coefficient,
    resource_allocation_index,
)
from spark_csr.interop.networkx.order import is_directed_acyclic_graph, topological_generations, topological_sort
from spark_csr.interop.networkx.paths import (
    all_pairs_shortest_path,
    all_pairs_shortest_path_length,
    has_path,
    shortest_path,
    shortest_path_length,
    single_source_shortest_path,
    single_source_shortest_path_length,
    single_target_shortest_path_length,
)
from spark_csr.interop.networkx.structure import average_clustering, clustering, core_number, transitivity, triangles
from spark_csr.interop.networkx.traversal import ancestors, bfs_edges, bfs_layers, descendants, descendants_at_distance
from spark_csr.interop.networkx.trees import (
    is_arborescence,
    is_branching,
    is_forest,
    is_tree,
    maximum_spanning_edges,
    minimum_spanning_edges,
)

__all__ = [
    "NodeGraph",
    "adamic_adar_index",
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "ancestors",
    "average_clustering",
    "average_shortest_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "betweenness_centrality",
    "bfs_edges",
    "bfs_layers",
    "can_run",
    "center",
    "closeness_centrality",
    "clustering",
    "color",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "core_number",
    "degree_centrality",
    "descendants",
    "descendants_at_distance",
    "diameter",
    "dijkstra_path",
    "dijkstra_path_length",
    "eccentricity",
    "edge_betweenness_centrality",
    "eigenvector_centrality",
    "harmonic_centrality",
    "has_path",
    "hits",
    "in_degree_centrality",
    "is_arborescence",
    "is_bipartite",
    "is_branching",
    "is_connected",
    "is_directed_acyclic_graph",
    "is_forest",
    "is_strongly_connected",
    "is_tree",
    "is_weakly_connected",
    "jaccard_coefficient",
    "katz_centrality",
    "leiden_communities",
    "louvain_communities",
    "maximum_spanning_edges",
    "minimum_spanning_edges",
    "multi_source_dijkstra",
    "multi_source_dijkstra_path",
    "multi_source_dijkstra_path_length",
    "negative_edge_cycle",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "out_degree_centrality",
    "pagerank",
    "periphery",
    "radius",
    "resource_allocation_index",
    "sets",
    "shortest_path",
    "shortest_path_length",
    "should_run",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "transitivity",
    "triangles",
    "weakly_connected_components",
]


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Literal[True] | str:
    """Return whether the backend supports a call with these arguments; networkx asks this.

    Parameters
    ----------
    name : str
        The name of the function.
    args : tuple
        Its positional arguments.
    kwargs : dict
        Its keyword arguments.

    Returns
    -------
    True or str
        True, or a sentence that says why the backend does not support the call.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import can_run
    >>> can_run("clustering", (nx.DiGraph(),), {})
    'directed graphs are not supported'
    """
    return _unless(LIMITS, name, args, kwargs)


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Literal[True] | str:
    """Return whether a call that the backend supports is worth a conversion of the graph; networkx asks this.

    Parameters, result and exceptions are those of `can_run`.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import should_run
    >>> should_run("triangles", (nx.path_graph(3),), {})
    True
    """
    return _unless(NOT_WORTH_IT, name, args, kwargs)


def _unless(limits, name, args, kwargs) -> Any:
    try:
        of = arguments_of(globals()[name], args, kwargs)
    except (TypeError, NotImplementedError) as error:
        return str(error)
    return next((told for limit in limits.get(name, ()) if (told := limit(of))), True)


def __dir__() -> list[str]:
    return __all__
