"""Algorithms on graphs: real ones where there are files of them, an R-MAT graph, a grid, a path. Graphs from tables of edges.

networkx is timed on small graphs only, GraphBLAS not where it would take a step for each of thousands of levels.
"""

import functools
import importlib.util

import numpy as np

from peers import edge_tables
from peers import graph as peers
from rows import once, real_matrix, scaled, sized
from spark_csr import csr_array, gallery
from timing import Row

FILES = {"ego-twitter": 2_400_000, "soc-slashdot0902": 950_000, "bcsstk16": 290_000}  # about so many edges
SMALL = 300_000  # edges up to which networkx is waited for
WANTED = dict.fromkeys(("bfs", "sssp", "pagerank", "weak components", "triangles"), 1)
LIBRARIES = "scipy", "graphblas", "networkx"


def graphs(options):
    """(name, maker of a matrix, source, edges, levels): the source None is the busiest vertex."""
    for name, edges in FILES.items():
        make = real_matrix(name)
        if make is not None and options.size >= 1:
            yield name, make, None, edges, 10
    scale, side, length = scaled(options, 16), sized(options, 1000, 2), sized(options, 1_000_000)
    yield f"R-MAT {scale}", lambda: gallery.rmat(scale), None, 16 << scale, 10
    yield f"grid {side} x {side}", lambda: gallery.poisson((side, side)), 0, 4 * side**2, 2 * side
    yield f"path of {length:,}", lambda: gallery.poisson((length,)), 0, 2 * length, length


def rows(options):
    """A row for each kind of names in a table of edges, and for each graph and algorithm."""
    if options.device == "cpu":
        edges = sized(options, 2_000_000)
        for kind, make in edge_tables.COLUMNS.items():
            if kind != "strings of Arrow" or importlib.util.find_spec("pyarrow"):
                columns = functools.partial(make, edges)
                yield Row(f"{edges:,} edges from names, {kind}", "from edges", columns, 1, against=("pandas",))
    for name, make, source, edges, levels in graphs(options):
        made = once(functools.partial(forms, make, source))
        for algorithm in peers.OURS:
            walks = algorithm in ("bfs", "sssp", "weak components") and levels * edges > 1e9
            without = ("networkx",) * (edges > SMALL) + ("graphblas",) * walks
            wanted = 0.5 if name.startswith("path") and algorithm == "bfs" else WANTED.get(algorithm)
            yield Row(f"{name}, {algorithm}", algorithm, made, wanted, moved, LIBRARIES, without)


def forms(make, source):
    """Where a matrix has entries beside its diagonal, as a graph."""
    S = make().to_scipy().tocoo()
    keep = S.row != S.col
    return (peers.Forms(csr_array((np.ones(keep.sum()), (S.row[keep], S.col[keep])), shape=S.shape), source),)


def moved(g):
    """Every edge's target read once."""
    return g.scipy.indices.nbytes
