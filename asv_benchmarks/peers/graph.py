"""Algorithms on graphs, by each library as its users would have it. The operand is a `Forms`.

A call is made once before it is timed, so that what a library keeps with its graphs is there.
"""

import functools
import importlib

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from peers import DIGESTS, peer
from peers.products import graphblas
from spark_csr import csr_array, graph
from spark_csr.graph import Graph

ALPHA, TOL = 0.85, 1e-6


class Forms:
    """A graph as every library has it, made when asked for. Weights are random, in (0, 1]."""

    def __init__(self, A, source=None):
        S = sp.csr_array(A.to_scipy())
        S.sort_indices()
        S.data = 1 - np.random.default_rng(0).random(S.nnz)
        self.scipy, self.ours = S, Graph(csr_array(S))
        self.source = int(np.argmax(np.diff(S.indptr))) if source is None else source
        """The busiest vertex, if not told otherwise."""

    @functools.cached_property
    def undirected(self):
        """The pattern with every edge both ways and no self-loops, as SciPy's matrix of ones."""
        S = sp.csr_array(self.scipy + self.scipy.T)
        S.setdiag(0)
        S.eliminate_zeros()
        S.data[:] = 1
        return S

    @functools.cached_property
    def ours_undirected(self):
        """The same as our graph."""
        return Graph(csr_array(self.undirected), directed=False)

    @functools.cached_property
    def graphblas(self):
        """The weighted matrix."""
        return graphblas().io.from_scipy_sparse(self.scipy)

    @functools.cached_property
    def nx(self):
        """networkx itself."""
        return importlib.import_module("networkx")

    @functools.cached_property
    def networkx(self):
        """A DiGraph with weights."""
        return self.nx.from_scipy_sparse_array(self.scipy, create_using=self.nx.DiGraph)


OURS = {
    "bfs": lambda G, g: graph.bfs(G, g.source),
    "sssp": lambda G, g: graph.sssp(G, g.source, return_predecessors=False),
    "pagerank": lambda G, g: graph.pagerank(G, ALPHA, tol=TOL),
    "weak components": lambda G, g: graph.connected_components(G),
    "strong components": lambda G, g: graph.connected_components(G, "strong"),
    "triangles": lambda G, g: graph.triangle_count(G),
    "spanning tree": lambda G, g: graph.minimum_spanning_tree(G),
}


def _ours(algorithm, device, g):
    G = g.ours_undirected if algorithm == "triangles" else g.ours
    return functools.partial(OURS[algorithm], G.to_device(device), g)


for name in OURS:
    peer(name, "ours")(functools.partial(_ours, name, "cpu"))
    peer(name, "cuda")(functools.partial(_ours, name, "cuda"))


@peer("bfs", "scipy")
def bfs_scipy(g):
    return lambda: csgraph.breadth_first_order(g.scipy, g.source)


@peer("bfs", "networkx")
def bfs_networkx(g):
    return lambda: g.nx.single_source_shortest_path_length(g.networkx, g.source, backend="networkx")


@peer("sssp", "scipy")
def sssp_scipy(g):
    return lambda: csgraph.dijkstra(g.scipy, indices=g.source)


@peer("sssp", "networkx")
def sssp_networkx(g):
    return lambda: g.nx.single_source_dijkstra_path_length(g.networkx, g.source, backend="networkx")


@peer("pagerank", "scipy")
def pagerank_scipy(g):
    """networkx's loop, on the transpose, which is made first, for that is faster."""
    S, n = g.scipy, g.scipy.shape[0]

    def call():
        T, out = sp.csr_array(S.T), S.sum(axis=1)
        share = np.divide(1, out, where=out != 0, out=np.zeros(n))
        x, dangling = np.full(n, 1 / n), out == 0
        while True:
            last = x
            x = ALPHA * (T @ (x * share) + x[dangling].sum() / n) + (1 - ALPHA) / n
            if np.abs(x - last).sum() < n * TOL:
                return x

    return call


@peer("pagerank", "networkx")
def pagerank_networkx(g):
    return lambda: g.nx.pagerank(g.networkx, ALPHA, tol=TOL, backend="networkx")


@peer("weak components", "scipy")
def components_scipy(g):
    return lambda: csgraph.connected_components(g.scipy, connection="weak")


@peer("weak components", "networkx")
def components_networkx(g):
    return lambda: list(g.nx.weakly_connected_components(g.networkx, backend="networkx"))


@peer("strong components", "scipy")
def strong_scipy(g):
    return lambda: csgraph.connected_components(g.scipy, connection="strong")


@peer("strong components", "networkx")
def strong_networkx(g):
    return lambda: list(g.nx.strongly_connected_components(g.networkx, backend="networkx"))


@peer("triangles", "scipy")
def triangles_scipy(g):
    """The product of the lower triangle with itself, and then its mask."""

    def call():
        L = sp.tril(g.undirected, -1, format="csr")
        return int((L @ L).multiply(L).sum())

    return call


@peer("triangles", "networkx")
def triangles_networkx(g):
    N = g.nx.from_scipy_sparse_array(g.undirected)
    return lambda: sum(g.nx.triangles(N, backend="networkx").values()) // 3


@peer("spanning tree", "scipy")
def tree_scipy(g):
    return lambda: csgraph.minimum_spanning_tree(g.scipy)


def _finite(library, found):
    """Of distances or ranks what their order does not change."""
    x = found.to_coo()[1] if library == "graphblas" else found
    x = np.array(list(x.values())) if library == "networkx" else x.get() if hasattr(x, "get") else np.asarray(x)
    x = x[np.isfinite(x)]
    return np.array([x.sum(), x.max()])


def _reached(library, found):
    """How many vertices."""
    if library == "ours":
        return int((found[0] >= 0).sum())
    return found[0].size if library == "scipy" else getattr(found, "nvals", None) or len(found)


def _parts(library, found):
    """How many components."""
    if library == "graphblas":
        return np.unique(found.to_dense()).size
    return len(found) if library == "networkx" else found[0] if isinstance(found, tuple) else np.unique(found).size


DIGESTS.update({"bfs": _reached, "sssp": _finite, "pagerank": _finite, "weak components": _parts, "strong components": _parts})
DIGESTS["spanning tree"] = lambda library, found: found.sum()
