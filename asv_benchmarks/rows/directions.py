"""In which direction does a breadth-first search go, level by level, and what would the other cost?

A step's cost is the number of edges that it looks at: to push, all that leave the frontier; to pull, those into every vertex
not reached yet, up to the first that comes from the frontier. The JSON file has all levels.
"""

import dataclasses
import functools

import numpy as np

from rows import real_matrix
from spark_csr import gallery
from spark_csr.graph import Graph, bfs
from spark_csr.graph.algorithms.bfs import search
from spark_csr.graph.operators.pull import ALPHA, BETA
from timing import Row, rounds_on_cores, summary

MADE = {"rmat": lambda scale: gallery.rmat(scale), "grid": lambda side: gallery.poisson((side, side))}


def arguments(parser):
    """The graph, and when a search turns."""
    parser.add_argument(
        "--graph", default="rmat:16", help="rmat:SCALE, grid:SIDE, a real one by name, or a file for Graph.read"
    )
    parser.add_argument("--source", type=int, help="default: the vertex with most edges")
    parser.add_argument("--alpha", type=float, default=ALPHA)
    parser.add_argument("--beta", type=float, default=BETA)


def graph_of(name):
    """A graph that is made, or read."""
    kind, _, size = name.partition(":")
    if kind in MADE and size.isdigit():
        return Graph(MADE[kind](int(size)))
    make = real_matrix(name)
    return Graph.read(name) if make is None else Graph(make())


@dataclasses.dataclass
class Search(Row):
    """A search in both directions, beside one that only pushes and one that only pulls."""

    def figures(self, options):
        G = graph_of(self.name)
        source = int(np.argmax(G.degrees())) if options.source is None else options.source
        ways = {"ours": "auto", "push alone": "push", "pull alone": "pull"}
        search = functools.partial(bfs, G, source, alpha=options.alpha, beta=options.beta)
        seconds = rounds_on_cores({x: functools.partial(search, direction=way) for x, way in ways.items()}, options)
        levels = Levels(G, source, options.alpha, options.beta)
        found = {"vertices": levels.vertices, "pulled": levels.pulled, "edges": levels.auto}
        found |= {"edges, push alone": levels.push, "edges, pull alone": levels.pull}
        sizes = {"n_vertices": int(G.n_vertices), "n_edges": int(G.n_edges), "source": source}
        return summary(ways, seconds) | sizes | {"levels": {name: values.tolist() for name, values in found.items()}}


def rows(options):
    """One."""
    yield Search("rmat:8" if options.smoke else options.graph, "bfs", None)


class Levels:
    """What a search met on every level."""

    def __init__(self, G, source, alpha, beta):
        distance, before = bfs(G, source)
        self.count = int(distance.max()) + 1
        self.vertices, self.push = self._sums(distance, None), self._sums(distance, G.degrees())
        entering, looked = G.degrees("in"), looked_at(G, before)
        reached = np.cumsum(self._sums(distance, entering))
        found = np.append(self._sums(distance, looked)[1:], 0)  # by a step, of the vertices one level further
        passed = entering.sum() - reached - np.append(self._sums(distance, entering)[1:], 0)
        self.pull = found + passed
        self.pulled = np.zeros(self.count, bool)
        search(G, source, "auto", alpha, beta, None, self.pulled)
        self.auto = np.where(self.pulled, self.pull, self.push)

    def _sums(self, distance, values):
        """Of the vertices of every level."""
        reached = distance >= 0
        weights = None if values is None else values[reached]
        return np.bincount(distance[reached], weights, minlength=self.count).astype(np.int64)


def looked_at(G, before):
    """The edges into every vertex up to that from the vertex it was reached from: sources ascend."""
    back = G.transpose
    hits = np.flatnonzero(back.matrix.indices == before[back.sources()])
    targets = back.sources()[hits]
    out = np.zeros(G.n_vertices, np.int64)
    out[targets[::-1]] = (hits - back.matrix.indptr[targets] + 1)[::-1]  # of several the first stays
    return out
