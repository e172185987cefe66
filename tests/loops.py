"""Graphs for tests, and operators as plain loops over lists: what the kernels are compared with."""

import numpy as np

from battery import BATTERY
from spark_csr import csr_array
from spark_csr._operations.form.record import Csr
from spark_csr.graph import Graph

SQUARE = [name for name, (_, _, _, (rows, columns)) in BATTERY.items() if rows == columns]


def of_lists(xp, lists, weights=None, index=np.int32):
    """The directed graph in which vertex `u` leads to every vertex of `lists[u]`, duplicates and order kept."""
    indptr = np.cumsum([0] + [len(row) for row in lists])
    indices = np.array([v for row in lists for v in row], index)
    data = np.arange(1.0, indices.size + 1) if weights is None else np.asarray(weights)
    record = Csr(*map(xp.asarray, (indptr.astype(index), indices, data)), (len(lists), len(lists)))
    return Graph(csr_array._of(record))


def both_ways(lists):
    """Every edge and its reverse, repeats and loops kept; loops once."""
    out = [list(row) for row in lists]
    for u, row in enumerate(lists):
        for v in row:
            if u != v:
                out[v].append(u)
    return out


def undirected(xp, lists):
    """The undirected graph of lists that have every edge both ways."""
    return Graph(of_lists(xp, lists, np.ones(sum(map(len, lists)))).matrix, directed=False)


def random_lists(n, most, seed=0):
    """Targets of `n` vertices: up to `most` for each, some of them several times, some none, and one vertex with very many."""
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, n, rng.integers(0, most + 1) * rng.integers(0, 2)).tolist() for _ in range(n)]
    lists[n // 3] = rng.integers(0, n, 3 * n).tolist()
    return lists


GRAPHS = {
    "no vertices": [],
    "no edges": [[], [], []],
    "one loop": [[0]],
    "self-loops and repeats": [[0, 1, 1], [2, 0, 2, 2], [], [3, 3]],
    "line": [[4], [3], [], [2], [1]],
    "star": [list(range(1, 41))] + [[0] for _ in range(40)],
    "random": random_lists(60, 6),
}

ITEMS = [[], [0], [3, 0, 3, 39, 0, 1], list(range(40)), [0] * 40]
"""Items of frontiers of 40: none, one, some of them repeated, all, one and the same."""

SEVEN = [[1, 2, 3], [0, 2, 4], [3, 4, 5], [5, 6], [2, 5, 6], [6], []]
"""Edges by hand: every vertex is reached from the first, the last leads nowhere."""


def edges_of(lists):
    """`(source, target)` of every edge, by id."""
    return [(u, v) for u, row in enumerate(lists) for v in row]


def starts_of(lists):
    """The first edge of every vertex."""
    return np.cumsum([0] + [len(row) for row in lists]).tolist()


def advanced(lists, items, accepts):
    """The edges, in order, that `accepts(source, target, edge)` of those that leave `items`."""
    start = starts_of(lists)
    visits = [(u, v, start[u] + rank) for u in items for rank, v in enumerate(lists[u])]
    return [(u, v, e) for u, v, e in visits if accepts(u, v, e)]
