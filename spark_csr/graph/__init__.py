"""Graphs: frontiers of vertices and edges, operators that take a user's function, and algorithms.

A graph is a square CSR matrix. A frontier goes through operators that return another: `advance` along its edges, `traverse`
until nothing is left, `filter` and `uniquify`; others compute: `for_each`, `neighbor_reduce`, `segmented_intersection`,
`expand`. Functions are plain Python and become part of the kernels of whichever device the graph is on. Algorithms are named
as SciPy's `csgraph` or networkx name them.
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min
from spark_csr.graph.algorithms.betweenness import betweenness
from spark_csr.graph.algorithms.bfs import bfs
from spark_csr.graph.algorithms.color import color
from spark_csr.graph.algorithms.connected_components import connected_components
from spark_csr.graph.algorithms.hits import hits
from spark_csr.graph.algorithms.k_core import core_number, k_core
from spark_csr.graph.algorithms.label_propagation import label_propagation
from spark_csr.graph.algorithms.minimum_spanning_tree import minimum_spanning_tree
from spark_csr.graph.algorithms.pagerank import pagerank, personalized_pagerank
from spark_csr.graph.algorithms.random_walk import random_walk
from spark_csr.graph.algorithms.sssp import sssp
from spark_csr.graph.algorithms.triangle_count import clustering, triangle_count, triangles
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
    "advance",
    "atomic_add",
    "atomic_max",
    "atomic_min",
    "betweenness",
    "bfs",
    "clustering",
    "color",
    "connected_components",
    "core_number",
    "expand",
    "filter",
    "for_each",
    "hits",
    "k_core",
    "label_propagation",
    "minimum_spanning_tree",
    "neighbor_reduce",
    "pagerank",
    "personalized_pagerank",
    "random_walk",
    "segmented_intersection",
    "sssp",
    "traverse",
    "triangle_count",
    "triangles",
    "uniquify",
]

functions_on_their_device(globals(), [name for name in __all__ if not name.startswith("atomic_")])  # those are for kernels


def __dir__():
    return __all__
