"""What networkx asks of a backend when it is imported. This module does not import the package, which would take longer."""

WEIGHTS = "Weights must be finite and not negative."

UNWEIGHTED = "Weights are not supported."

LENGTHS = "The weight must be the name of an edge attribute. Weights must not be negative."

SIGNED = "The weight must be the name of an edge attribute. Weights must not be NaN or -inf."

ATTRIBUTE = "must be the name of an edge attribute, or None."

CHOICE = (
    f"The weight {ATTRIBUTE} ``method='bellman-ford'`` takes negative weights. With this "
    "method, or from all nodes to a target of a directed graph, the keys of a dict may be in another order than networkx's."
)

NEAREST = "The keys of a dict have the order of distances; networkx may have them in another order."

ORDER = (
    "The nodes of a generation have the order that they have in the graph; networkx may return them in another order. "
    "Nothing is raised if the graph is changed while they are generated."
)

PATHS = "Of equal paths, networkx may return another."

SUMS = "Values may differ from networkx's in their last bits."

EXTREMES = "``e``, ``usebounds=True`` and weights are not supported."

PAIRS = "``ebunch`` must be given. Graphs with self-loops are not supported."

SPANNING = "Only `algorithm='kruskal'` and `ignore_nan=False` are supported. Multigraphs are not."

HITS = (
    "The method is power iteration, as in networkx 3.7. Earlier versions use another method: where the values are not unique, "
    "they may return others, and with ``normalized=False`` they divide by other numbers. ``method='svd'`` is not supported."
)

LEIDEN = (
    "Only undirected graphs are supported, and only the default of ``theta``. networkx may find other communities. Before "
    "version 3.7 it has no implementation of its own, and the metric is the modularity."
)

FUNCTIONS = {
    "adamic_adar_index": f"{PAIRS} {SUMS}",
    "all_pairs_bellman_ford_path": f"{SIGNED} {NEAREST} {PATHS}",
    "all_pairs_bellman_ford_path_length": f"{SIGNED} {NEAREST}",
    "all_pairs_dijkstra": LENGTHS,
    "all_pairs_dijkstra_path": LENGTHS,
    "all_pairs_dijkstra_path_length": LENGTHS,
    "all_pairs_shortest_path": "",
    "all_pairs_shortest_path_length": "",
    "ancestors": "",
    "average_clustering": "Multigraphs, directed graphs and weights are not supported.",
    "average_shortest_path_length": UNWEIGHTED,
    "bellman_ford_path": f"{SIGNED} {PATHS}",
    "bellman_ford_path_length": SIGNED,
    "betweenness_centrality": f"The weight {ATTRIBUTE} Lengths must be positive.",
    "bfs_edges": "``sort_neighbors``, and ``reverse=True`` for directed graphs, are not supported.",
    "bfs_layers": "",
    "center": f"{EXTREMES} Nor are trees.",
    "closeness_centrality": f"The distance {ATTRIBUTE} ``sp`` is not supported. {WEIGHTS}",
    "clustering": "Multigraphs, directed graphs and weights are not supported.",
    "color": "Directed graphs are not supported.",
    "connected_components": "",
    "core_number": "Only undirected graphs are supported.",
    "degree_centrality": "",
    "descendants": "",
    "descendants_at_distance": "",
    "diameter": EXTREMES,
    "dijkstra_path": LENGTHS,
    "dijkstra_path_length": LENGTHS,
    "eccentricity": "``sp`` and weights are not supported.",
    "edge_betweenness_centrality": f"The weight {ATTRIBUTE} Lengths must be positive. Multigraphs are not supported. {SUMS}",
    "eigenvector_centrality": f"The weight {ATTRIBUTE}",
    "harmonic_centrality": f"The distance {ATTRIBUTE} ``sources`` is not supported. {SUMS} {WEIGHTS}",
    "has_path": "",
    "hits": f"{HITS} {WEIGHTS}",
    "in_degree_centrality": "",
    "is_arborescence": "",
    "is_bipartite": "Directed graphs are not supported.",
    "is_branching": "",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_forest": "",
    "is_strongly_connected": "",
    "is_tree": "",
    "is_weakly_connected": "",
    "jaccard_coefficient": PAIRS,
    "katz_centrality": f"The weight {ATTRIBUTE}",
    "leiden_communities": f"{LEIDEN} {WEIGHTS}",
    "louvain_communities": f"Only undirected graphs are supported. networkx may find other communities. {WEIGHTS}",
    "maximum_spanning_edges": SPANNING,
    "minimum_spanning_edges": SPANNING,
    "multi_source_dijkstra": LENGTHS,
    "multi_source_dijkstra_path": LENGTHS,
    "multi_source_dijkstra_path_length": LENGTHS,
    "negative_edge_cycle": SIGNED,
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "out_degree_centrality": "",
    "pagerank": f"`alpha` must lie in [0, 1]. {WEIGHTS}",
    "periphery": EXTREMES,
    "radius": EXTREMES,
    "resource_allocation_index": f"{PAIRS} {SUMS}",
    "sets": "Directed graphs, and ``top_nodes``, are not supported.",
    "shortest_path": f"{CHOICE} {PATHS}",
    "shortest_path_length": CHOICE,
    "single_source_bellman_ford": f"{SIGNED} {NEAREST} {PATHS}",
    "single_source_bellman_ford_path": f"{SIGNED} {NEAREST} {PATHS}",
    "single_source_bellman_ford_path_length": f"{SIGNED} {NEAREST}",
    "single_source_dijkstra": LENGTHS,
    "single_source_dijkstra_path": LENGTHS,
    "single_source_dijkstra_path_length": LENGTHS,
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path_length": "For a directed graph, the keys of the dict may be in another order than networkx's.",
    "strongly_connected_components": "",
    "topological_generations": ORDER,
    "topological_sort": ORDER,
    "transitivity": "Multigraphs and directed graphs are not supported.",
    "triangles": "If `nodes` is given, multigraphs are not supported.",
    "weakly_connected_components": "",
}
"""The functions of the backend, and what networkx's documentation adds about each."""


def get_info() -> dict[str, object]:
    """Return what networkx asks at its entry point `networkx.backend_info`.

    Returns
    -------
    dict
        The name of the backend, its package, a summary, and the functions that it has.

    Examples
    --------
    >>> from _spark_csr_networkx import get_info
    >>> get_info()["backend_name"]
    'spark_csr'
    """
    return {
        "backend_name": "spark_csr",
        "project": "spark_csr",
        "package": "spark_csr",
        "short_summary": "CSR matrices and graph operators on the processor's cores, in Numba.",
        "functions": {name: {"additional_docs": told} if told else {} for name, told in FUNCTIONS.items()},
    }
