"""Algorithms on graphs, for one library after the other: an R-MAT graph, a grid, a path."""

import abc
import functools

from benchmarks import data
from benchmarks.common import SMOKE, Benchmark
from benchmarks.graph_peers import ALGORITHMS, Forms
from spark_csr import gallery

SCALE, SIDE, LENGTH = (18, 1000, 1_000_000) if data.LARGE else (8, 20, 400) if SMOKE else (14, 200, 100_000)

GRAPHS = {
    "rmat": lambda: gallery.rmat(SCALE),
    "grid": lambda: gallery.poisson((SIDE, SIDE)),
    "path": lambda: gallery.poisson((LENGTH,)),
}


@functools.cache
def forms(name):
    """A graph in every library's hands."""
    return Forms(GRAPHS[name](), None if name == "rmat" else 0)


class OfGraph(Benchmark):
    """Subclasses name the algorithm."""

    @property
    @abc.abstractmethod
    def algorithm(self):
        """One of `ALGORITHMS`."""

    def __init_subclass__(cls, algorithm, graphs=tuple(GRAPHS)):
        cls.algorithm = algorithm
        cls.param_names, cls.params = ("graph", "library"), (list(graphs), list(ALGORITHMS[algorithm]))
        super().__init_subclass__()

    track_bandwidth = None  # the graphs are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, graph, library):
        if graph == "path" and library == "graphblas" and self.algorithm in ("bfs", "sssp"):
            raise NotImplementedError("a step for each of many levels")
        g = forms(graph)
        return ALGORITHMS[self.algorithm][library](g), g.scipy.data.nbytes


class BFS(OfGraph, algorithm="bfs"):
    """From the busiest vertex, or an end."""


class SSSP(OfGraph, algorithm="sssp"):
    """Random lengths."""


class PageRank(OfGraph, algorithm="pagerank"):
    """Random weights, to a tolerance of 1e-6."""


class Components(OfGraph, algorithm="connected_components"):
    """Weak ones."""


class StrongComponents(OfGraph, algorithm="strong components"):
    """Where both ways lead to each other."""


class Triangles(OfGraph, algorithm="triangle_count", graphs=["rmat"]):
    """Of the graph with every edge both ways."""


class SpanningTree(OfGraph, algorithm="minimum_spanning_tree"):
    """Random weights."""
