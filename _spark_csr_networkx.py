"""What networkx asks of a backend when it is imported. This module does not import the package, which would take longer."""

WEIGHTS = "Weights must be finite and not negative; networkx answers the call itself if they are not."

FUNCTIONS = {
    "betweenness_centrality": "Weights are not supported.",
    "clustering": "Only undirected graphs without weights are supported.",
    "connected_components": "",
    "core_number": "",
    "hits": f"The method is power iteration; networkx answers the call itself if it does not converge. {WEIGHTS}",
    "is_connected": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "minimum_spanning_edges": "Only `data=False` and `algorithm='kruskal'` are supported.",
    "multi_source_dijkstra_path_length": f"The weight must be the name of an edge attribute. {WEIGHTS}",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": WEIGHTS,
    "single_source_dijkstra_path_length": f"The weight must be the name of an edge attribute. {WEIGHTS}",
    "single_source_shortest_path_length": "",
    "strongly_connected_components": "",
    "triangles": "",
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
