"""Algorithms on graphs: an R-MAT graph, a grid, a path. Graphs from tables of edges."""

import functools

from benchmarks import data
from benchmarks.common import SMOKE, Compared
from peers import edge_tables, graph, networks
from spark_csr import gallery

SCALE, SIDE, LENGTH = (18, 1000, 1_000_000) if data.LARGE else (8, 20, 400) if SMOKE else (14, 200, 100_000)

GRAPHS = {
    "rmat": lambda: gallery.rmat(SCALE),
    "grid": lambda: gallery.poisson((SIDE, SIDE)),
    "path": lambda: gallery.poisson((LENGTH,)),
}


@functools.cache
def forms(name):
    """A graph in every library's hands; a search begins at the busiest vertex, or an end."""
    return graph.Forms(GRAPHS[name](), None if name == "rmat" else 0)


class Algorithms(Compared, operations=tuple(graph.OURS), axes={"graph": list(GRAPHS)}):
    """Random lengths and weights; PageRank to a tolerance of 1e-6; triangles of the graph with every edge both ways."""

    def prepare(self, operation, name):
        if name == "path" and self.library == "graphblas" and operation in ("bfs", "sssp"):
            raise NotImplementedError("a step for each of many levels")
        return super().prepare(operation, name)

    def operands(self, operation, name):
        return (forms(name),)


class FromEdges(Compared, operations=("from edges",), axes={"names": ["integers", "strings"]}):
    """Columns of names and weights to a matrix whose parallel edges are added up."""

    def operands(self, names):
        return edge_tables.COLUMNS[names](10_000_000 if data.LARGE else 1000 if SMOKE else 500_000)


@functools.cache
def network(name):
    """A network in every library's hands."""
    scale, side = (8, 20) if SMOKE else (12, 60)
    return networks.Network(gallery.rmat(scale) if name == "rmat" else gallery.poisson((side, side)))


class Networks(Compared, operations=tuple(networks.OURS), axes={"graph": ["rmat", "grid"]}):
    """Importance, communities, paths and neighbourhoods of a connected graph."""

    def prepare(self, operation, name):
        if self.library == "networkx" and operation in ("closeness", "betweenness by length", "eigenvector") and not SMOKE:
            raise NotImplementedError("a minute or more")
        return super().prepare(operation, name)

    def operands(self, operation, name):
        return (network(name),)
