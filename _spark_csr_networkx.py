"""What networkx asks of a backend when it is imported. This module does not import the package, which would take longer."""

WEIGHTS = "Weights must be finite and not negative."

ORDER = "The nodes of a generation have the order that they have in the graph; networkx may return them in another order."

PATHS = "Of equal paths, networkx may return another."

HITS = (
    "The method is power iteration, as in networkx 3.7. Earlier versions use another method: where the values are not unique, "
    "they may return others, and with ``normalized=False`` they divide by other numbers. ``method='svd'`` is not supported."
)

LEIDEN = (
    "Only undirected graphs are supported, and only the default of ``theta``. networkx may find other communities. Before "
    "version 3.7 it has no implementation of its own, and the metric is the modularity."
)

FUNCTIONS = {
    "average_clustering": "Multigraphs, directed graphs and weights are not supported.",
    "betweenness_centrality": "The weight must be the name of an edge attribute, or None. Lengths must be positive.",
    "closeness_centrality": f"The distance must be the name of an edge attribute, or None. ``sp`` is not supported. {WEIGHTS}",
    "clustering": "Multigraphs, directed graphs and weights are not supported.",
    "connected_components": "",
    "core_number": "Only undirected graphs are supported.",
    "dijkstra_path": f"The weight must be the name of an edge attribute. {PATHS} {WEIGHTS}",
    "dijkstra_path_length": f"The weight must be the name of an edge attribute. {WEIGHTS}",
    "eigenvector_centrality": "The weight must be the name of an edge attribute, or None.",
    "has_path": "",
    "hits": f"{HITS} {WEIGHTS}",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "katz_centrality": "The weight must be the name of an edge attribute, or None.",
    "leiden_communities": f"{LEIDEN} {WEIGHTS}",
    "louvain_communities": f"Only undirected graphs are supported. networkx may find other communities. {WEIGHTS}",
    "minimum_spanning_edges": "Only `algorithm='kruskal'` and `ignore_nan=False` are supported. Multigraphs are not.",
    "multi_source_dijkstra_path_length": f"The weight must be the name of an edge attribute. {WEIGHTS}",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": f"`alpha` must lie in [0, 1]. {WEIGHTS}",
    "shortest_path": f"Only `method='dijkstra'` is supported. {PATHS} {WEIGHTS}",
    "shortest_path_length": f"Only `method='dijkstra'` is supported. {WEIGHTS}",
    "single_source_dijkstra_path_length": f"The weight must be the name of an edge attribute. {WEIGHTS}",
    "single_source_shortest_path_length": "",
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
