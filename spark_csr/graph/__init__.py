"""Graphs: frontiers of vertices and edges, operators that take your own functions, and algorithms.

A `Graph` is a square CSR matrix, and a `Frontier` holds some of its vertices or edges. Some operators return another frontier:
`advance` follows the edges that leave a frontier, `traverse` repeats this until a frontier is empty, `filter` selects items,
and `uniquify` drops repeated ones. The others compute arrays: `for_each`, `neighbor_reduce`, `segmented_intersection` and
`expand`. The functions that you pass are plain Python; they become part of the kernels of the device that the graph is on.
Names of parameters follow SciPy's `csgraph`, or else networkx. All functions raise TypeError if `G` is not a `Graph`, KeyError
for a name that no vertex has, and MemoryError if there is no room for what they return or for scratch memory.
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min
from spark_csr.graph.algorithms.bellman_ford import bellman_ford
from spark_csr.graph.algorithms.betweenness import betweenness
from spark_csr.graph.algorithms.bfs import bfs
from spark_csr.graph.algorithms.closeness_centrality import closeness_centrality
from spark_csr.graph.algorithms.color import color
from spark_csr.graph.algorithms.connected_components import connected_components
from spark_csr.graph.algorithms.eccentricity import eccentricity
from spark_csr.graph.algorithms.edge_betweenness import edge_betweenness
from spark_csr.graph.algorithms.eigenvector_centrality import eigenvector_centrality, katz_centrality
from spark_csr.graph.algorithms.harmonic_centrality import harmonic_centrality
from spark_csr.graph.algorithms.hits import hits
from spark_csr.graph.algorithms.k_core import core_number, k_core
from spark_csr.graph.algorithms.k_hop import k_hop
from spark_csr.graph.algorithms.label_propagation import label_propagation
from spark_csr.graph.algorithms.leiden_communities import leiden_communities
from spark_csr.graph.algorithms.louvain_communities import louvain_communities
from spark_csr.graph.algorithms.minimum_spanning_tree import minimum_spanning_tree
from spark_csr.graph.algorithms.modularity import modularity
from spark_csr.graph.algorithms.pagerank import pagerank, personalized_pagerank
from spark_csr.graph.algorithms.path import path
from spark_csr.graph.algorithms.random_walk import random_walk
from spark_csr.graph.algorithms.sample_neighbors import NeighborSample, sample_neighbors
from spark_csr.graph.algorithms.sssp import sssp
from spark_csr.graph.algorithms.topological_sort import topological_generations, topological_sort
from spark_csr.graph.algorithms.triangle_count import average_clustering, clustering, transitivity, triangle_count, triangles
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph
from spark_csr.graph.operators.advance import advance
from spark_csr.graph.operators.expand import expand
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.for_each import for_each
from spark_csr.graph.operators.intersection import segmented_intersection
from spark_csr.graph.operators.neighbor_reduce import neighbor_reduce
from spark_csr.graph.operators.traverse import traverse
from spark_csr.graph.operators.uniquify import uniquify

__all__ = [
    "Frontier",
    "Graph",
    "NeighborSample",
    "advance",
    "atomic_add",
    "atomic_max",
    "atomic_min",
    "average_clustering",
    "bellman_ford",
    "betweenness",
    "bfs",
    "closeness_centrality",
    "clustering",
    "color",
    "connected_components",
    "core_number",
    "eccentricity",
    "edge_betweenness",
    "eigenvector_centrality",
    "expand",
    "filter",
    "for_each",
    "harmonic_centrality",
    "hits",
    "k_core",
    "k_hop",
    "katz_centrality",
    "label_propagation",
    "leiden_communities",
    "louvain_communities",
    "minimum_spanning_tree",
    "modularity",
    "neighbor_reduce",
    "pagerank",
    "path",
    "personalized_pagerank",
    "random_walk",
    "sample_neighbors",
    "segmented_intersection",
    "sssp",
    "topological_generations",
    "topological_sort",
    "transitivity",
    "traverse",
    "triangle_count",
    "triangles",
    "uniquify",
]

# Kernels call the atomic functions, so these stay as they are.
functions_on_their_device(globals(), [name for name in __all__ if not name.startswith("atomic_")])


def __dir__() -> list[str]:
    return __all__
