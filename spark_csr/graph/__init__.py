"""Graphs: frontiers of vertices and edges, and operators that take a user's function.

A graph is a square CSR matrix. A frontier goes through operators, each of which returns another: `advance` along its edges,
`filter` and `uniquify`. Functions are plain Python and become part of the kernels of whichever device the graph is on.
"""

from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph
from spark_csr.graph.operators.advance import advance
from spark_csr.graph.operators.expand import expand
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.uniquify import uniquify

__all__ = ["Frontier", "Graph", "advance", "expand", "filter", "uniquify"]
