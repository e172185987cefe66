"""Algorithms on graphs with GraphBLAS, which has products of matrices and vectors but no algorithms."""

import numpy as np

from peers import peer
from peers.graph import ALPHA, TOL
from peers.products import graphblas


@peer("bfs", "graphblas")
def bfs_graphblas(g):
    """Levels: what the frontier reaches, masked by what has none yet."""
    gb, A = graphblas(), g.graphblas

    def call():
        level, frontier = gb.Vector(int, A.nrows), gb.Vector.from_coo([g.source], True, size=A.nrows)
        depth = 0
        while frontier.nvals:
            level(frontier.S) << depth
            frontier(~level.S, replace=True) << gb.semiring.any_pair(frontier @ A)
            depth += 1
        return level

    return call


@peer("sssp", "graphblas")
def sssp_graphblas(g):
    """Bellman & Ford's steps, from vertices that came nearer in the last one."""
    gb, A = graphblas(), g.graphblas

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


@peer("pagerank", "graphblas")
def pagerank_graphblas(g):
    """The vector by out-weights, then its product with the matrix."""
    gb, A = graphblas(), g.graphblas
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


@peer("weak components", "graphblas")
def components_graphblas(g):
    """FastSV (Zhang, Azad & Hu 2020), as LAGraph has it: the least neighbour by min_second, hooking, shortcutting."""
    gb = graphblas()
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


@peer("triangles", "graphblas")
def triangles_graphblas(g):
    """Sandia's: dot products of the lower triangle, masked by itself, of vertices by degree."""
    gb = graphblas()
    A = gb.io.from_scipy_sparse(g.undirected)

    def call():
        order = np.argsort(A.reduce_rowwise(gb.agg.count).new().to_dense(fill_value=0), kind="stable")
        L = gb.select.tril(A[order, order].new(), -1).new()
        return int(gb.semiring.plus_pair[int](L @ L.T).new(mask=L.S).reduce_scalar("plus").get(0))

    return call
