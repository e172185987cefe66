"""Algorithms on graphs by other libraries, each as its users would have it; and ours.

For each algorithm and library a function of `Forms` returns the function to be timed. It is called before it is timed, so that
what a library keeps with its graphs is there.
"""

import functools
import importlib

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from benchmarks import peers
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
    def gb(self):
        """GraphBLAS itself."""
        try:
            return peers._graphblas()
        except ImportError as error:
            raise NotImplementedError(f"no GraphBLAS: {error}") from error

    @functools.cached_property
    def graphblas(self):
        """The weighted matrix."""
        return self.gb.io.from_scipy_sparse(self.scipy)

    @functools.cached_property
    def nx(self):
        """networkx itself."""
        try:
            return importlib.import_module("networkx")
        except ImportError as error:
            raise NotImplementedError("no networkx") from error

    @functools.cached_property
    def networkx(self):
        """A DiGraph with weights."""
        return self.nx.from_scipy_sparse_array(self.scipy, create_using=self.nx.DiGraph)


def bfs_ours(g):
    return lambda: graph.bfs(g.ours, g.source)


def bfs_scipy(g):
    return lambda: csgraph.breadth_first_order(g.scipy, g.source)


def bfs_graphblas(g):
    """Levels: what the frontier reaches, masked by what has none yet."""
    gb, A = g.gb, g.graphblas

    def call():
        level, frontier = gb.Vector(int, A.nrows), gb.Vector.from_coo([g.source], True, size=A.nrows)
        depth = 0
        while frontier.nvals:
            level(frontier.S) << depth
            frontier(~level.S, replace=True) << gb.semiring.any_pair(frontier @ A)
            depth += 1
        return level

    return call


def bfs_networkx(g):
    return lambda: g.nx.single_source_shortest_path_length(g.networkx, g.source, backend="networkx")


def sssp_ours(g):
    return lambda: graph.sssp(g.ours, g.source, return_predecessors=False)


def sssp_scipy(g):
    return lambda: csgraph.dijkstra(g.scipy, indices=g.source)


def sssp_graphblas(g):
    """Bellman & Ford's steps, from vertices that came nearer in the last one."""
    gb, A = g.gb, g.graphblas

    def call():
        distance = gb.Vector.from_coo([g.source], 0.0, size=A.nrows)
        changed = distance.dup()
        while changed.nvals:
            new = gb.semiring.min_plus(changed @ A).new()
            nearer = gb.binary.lt(new & distance).new()
            known = gb.select.valueeq(nearer, False).new()
            changed(~known.S, replace=True) << new
            distance(gb.binary.min) << changed
        return distance

    return call


def sssp_networkx(g):
    return lambda: g.nx.single_source_dijkstra_path_length(g.networkx, g.source, backend="networkx")


def pagerank_ours(g):
    return lambda: graph.pagerank(g.ours, ALPHA, tol=TOL)


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


def pagerank_graphblas(g):
    """The vector by out-weights, then its product with the matrix."""
    gb, A = g.gb, g.graphblas
    n = A.nrows

    def call():
        out = A.reduce_rowwise("plus").new()
        share, dangling, x = out.apply(gb.unary.minv).new(), gb.Vector(float, n), gb.Vector(float, n)
        dangling(~out.S) << 1.0
        x << 1 / n
        while True:
            lost = x.ewise_mult(dangling, gb.binary.times).reduce("plus").new().value or 0.0
            sent = x.ewise_mult(share, gb.binary.times).new()
            sent << sent.apply(gb.binary.times, right=ALPHA)
            new = gb.Vector(float, n)
            new << ALPHA * lost / n + (1 - ALPHA) / n
            new(gb.binary.plus) << gb.semiring.plus_times(sent @ A)
            moved = new.ewise_mult(x, gb.binary.minus).new().apply(gb.unary.abs).new().reduce("plus").new().value
            x = new
            if moved < n * TOL:
                return x

    return call


def pagerank_networkx(g):
    return lambda: g.nx.pagerank(g.networkx, ALPHA, tol=TOL, backend="networkx")


def components_ours(g):
    return lambda: graph.connected_components(g.ours)


def components_scipy(g):
    return lambda: csgraph.connected_components(g.scipy, connection="weak")


def components_graphblas(g):
    """FastSV (Zhang, Azad & Hu 2020), as LAGraph has it: the least neighbour by min_second, hooking, shortcutting."""
    gb = g.gb
    A = gb.io.from_scipy_sparse(g.undirected.astype(bool))

    def call():
        parent = gb.Vector.from_dense(np.arange(A.nrows))
        above, least = parent.dup(), parent.dup()
        while True:
            least(gb.binary.min) << gb.semiring.min_second(A @ above)
            hooked = gb.Vector.from_coo(parent.to_dense(), least.to_dense(), size=A.nrows, dup_op=gb.binary.min)
            parent(gb.binary.min) << hooked
            parent(gb.binary.min) << least
            parent(gb.binary.min) << above
            dense = parent.to_dense()
            new = gb.Vector.from_dense(dense[dense])
            if new.isequal(above):
                return new
            above << new

    return call


def components_networkx(g):
    return lambda: list(g.nx.weakly_connected_components(g.networkx, backend="networkx"))


def strong_ours(g):
    return lambda: graph.connected_components(g.ours, "strong")


def strong_scipy(g):
    return lambda: csgraph.connected_components(g.scipy, connection="strong")


def strong_networkx(g):
    return lambda: list(g.nx.strongly_connected_components(g.networkx, backend="networkx"))


def triangles_ours(g):
    return lambda: graph.triangle_count(g.ours_undirected)


def triangles_scipy(g):
    """The product of the lower triangle with itself, and then its mask."""

    def call():
        L = sp.tril(g.undirected, -1, format="csr")
        return int((L @ L).multiply(L).sum())

    return call


def triangles_graphblas(g):
    """Sandia's: dot products of the lower triangle, masked by itself, of vertices by degree."""
    gb = g.gb
    A = gb.io.from_scipy_sparse(g.undirected)

    def call():
        order = np.argsort(A.reduce_rowwise(gb.agg.count).new().to_dense(fill_value=0), kind="stable")
        L = gb.select.tril(A[order, order].new(), -1).new()
        return int(gb.semiring.plus_pair[int](L @ L.T).new(mask=L.S).reduce_scalar("plus").get(0))

    return call


def triangles_networkx(g):
    N = g.nx.from_scipy_sparse_array(g.undirected)
    return lambda: sum(g.nx.triangles(N, backend="networkx").values()) // 3


def tree_ours(g):
    return lambda: graph.minimum_spanning_tree(g.ours)


def tree_scipy(g):
    return lambda: csgraph.minimum_spanning_tree(g.scipy)


ALGORITHMS = {
    "bfs": {"ours": bfs_ours, "scipy": bfs_scipy, "graphblas": bfs_graphblas, "networkx": bfs_networkx},
    "sssp": {"ours": sssp_ours, "scipy": sssp_scipy, "graphblas": sssp_graphblas, "networkx": sssp_networkx},
    "pagerank": {
        "ours": pagerank_ours,
        "scipy": pagerank_scipy,
        "graphblas": pagerank_graphblas,
        "networkx": pagerank_networkx,
    },
    "connected_components": {
        "ours": components_ours,
        "scipy": components_scipy,
        "graphblas": components_graphblas,
        "networkx": components_networkx,
    },
    "strong components": {"ours": strong_ours, "scipy": strong_scipy, "networkx": strong_networkx},
    "triangle_count": {
        "ours": triangles_ours,
        "scipy": triangles_scipy,
        "graphblas": triangles_graphblas,
        "networkx": triangles_networkx,
    },
    "minimum_spanning_tree": {"ours": tree_ours, "scipy": tree_scipy},
}
