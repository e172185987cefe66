"""What analysts ask of a network, beside networkx and igraph: an R-MAT graph and a grid.

networkx is left out where a call would take minutes. What visits every pair of vertices has smaller graphs.
"""

import functools

from peers import networks as peers
from rows import once, scaled, sized
from spark_csr import gallery
from timing import Row

PAIRS = "closeness", "betweenness by length"
SLOW = {"transitivity": 50_000, "average clustering": 50_000, "louvain": 50_000} | dict.fromkeys(PAIRS, 5_000)
"""Edges up to which networkx is waited for."""

SMALL = 500_000
"""The same for what is not in `SLOW`."""

LIBRARIES = "networkx", "igraph", "leidenalg"


def rows(options):
    """A row for each graph and operation."""
    for fewer, operations in ((0, [x for x in peers.OURS if x not in PAIRS]), (4, PAIRS)):
        scale, side = scaled(options, 14 - fewer), sized(options, 128 >> (fewer // 2), 2)
        graphs = {
            f"R-MAT {scale}": (lambda scale=scale: gallery.rmat(scale), 16 << scale),
            f"grid {side} x {side}": (lambda side=side: gallery.poisson((side, side)), 4 * side**2),
        }
        for name, (make, edges) in graphs.items():
            network = once(functools.partial(_network, make))
            for operation in operations:
                without = ("networkx",) * (edges > SLOW.get(operation, SMALL))
                if operation == "eigenvector" and name.startswith("grid"):
                    continue  # the second eigenvalue is too near, so results depend on when an iteration ends
                yield Row(f"{name}, {operation}", operation, network, 1, _moved, LIBRARIES, without)


def _network(make):
    return (peers.Network(make()),)


def _moved(g):
    """Every edge's target read once."""
    return g.ours.matrix.indices.nbytes
