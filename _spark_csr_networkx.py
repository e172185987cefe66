"""What networkx asks of a backend when it is imported, told without importing the package, which would take longer."""

WEIGHTS = "Weights are finite and not negative: networkx itself is asked where they are not."

FUNCTIONS = {
    "betweenness_centrality": "Without weights.",
    "clustering": "Of undirected graphs, without weights.",
    "connected_components": "",
    "core_number": "",
    "hits": f"By iteration: where it has not converged networkx itself is asked. {WEIGHTS}",
    "is_connected": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "minimum_spanning_edges": "With `data=False`, and Kruskal's order of edges.",
    "multi_source_dijkstra_path_length": f"The weight is the name of an edge attribute. {WEIGHTS}",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": WEIGHTS,
    "single_source_dijkstra_path_length": f"The weight is the name of an edge attribute. {WEIGHTS}",
    "single_source_shortest_path_length": "",
    "strongly_connected_components": "",
    "triangles": "",
    "weakly_connected_components": "",
}
"""What the backend does, and what it says of it in networkx's documentation."""


def get_info():
    """The entry point `networkx.backend_info`."""
    return {
        "backend_name": "spark_csr",
        "project": "spark_csr",
        "package": "spark_csr",
        "short_summary": "CSR matrices and graph operators on the processor's cores, in Numba.",
        "functions": {name: {"additional_docs": told} if told else {} for name, told in FUNCTIONS.items()},
    }
