"""`label_propagation`: communities, as labels that most neighbours have.

Design: vertices of one colour are no neighbours, so they may all look at their neighbours' labels at once; one colour follows
the other. Labels around a vertex are sorted to be counted. Every change leaves more edges within communities than before, so it
comes to an end. Source: Cordasco & Gargano, *Community Detection via Semi-Synchronous Label Propagation Algorithms*, 2010.
"""

import operator
from itertools import pairwise

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_list, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.algorithms.color import color
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.expand import list_edges
from spark_csr.graph.union import number_sets_by_least, singletons
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import argsort, gather


def label_propagation(G, max_iter=100, *, seed=0):
    """Part the vertices into communities: each gets the label that most of its neighbours have.

    Parameters
    ----------
    G : Graph
        Undirected. A self-loop makes a vertex its own neighbour, several edges to one count each, weights play no part.
    max_iter : int
        How often every vertex may be looked at.
    seed : int
        In [0, 2**64): of the colours, and so of the order in which vertices are looked at.

    Returns
    -------
    (n,) array
        The community of every vertex, numbered by their smallest vertices; int32 where they fit.

    Raises
    ------
    ValueError
        For a directed graph, or a seed out of range.
    TypeError
        For what is no Graph.
    RuntimeError
        If some vertices still change after `max_iter` rounds.

    Notes
    -----
    Every vertex starts with a label of its own. It keeps its label while no other is more frequent among its neighbours, and
    takes the largest of the most frequent ones otherwise, as networkx's `label_propagation_communities`, whose colours, and
    so whose communities, may be others. *Cost*: a colouring, then for every round and colour a gather and a segmented sort of
    its vertices' neighbours' labels, and a visit to each; one host read a round, and those of the sorts. Scratch: four numbers
    for every edge. *Order*: same labels every run, on any device. *Empty input*: no labels.

    Examples
    --------
    >>> from spark_csr.graph import Graph, label_propagation
    >>> A = [[0, 1, 1, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]]
    >>> label_propagation(Graph(A, directed=False))
    array([0, 0, 0, 1, 1], dtype=int32)
    """
    xp, csr = arrays_of(G)
    check_undirected(G, "label_propagation")
    label, rounds = singletons(xp, csr.shape[0]), operator.index(max_iter)
    classes = _group_by_color(xp, csr, color(G, seed=seed))
    for _ in range(rounds):
        changed = xp.zeros(1, np.int32)
        for members in classes:
            _follow(*members, label, changed)
        if not to_host_scalar(changed[0]):
            return number_sets_by_least(label)[1]
    raise RuntimeError(f"labels still change after {rounds} rounds: use a larger max_iter")


def _group_by_color(xp, csr, colors):
    """Return for every colour its vertices, the vertices that their edges lead to, the offsets of these, and tiles of them."""
    order = argsort(colors)
    edges, offsets = list_edges(csr, Frontier._of("vertex", colors.size, order))
    targets = gather(csr.indices, edges)
    stops = xp.cumsum(xp.bincount(colors))
    vertex_bounds, edge_bounds = ([0, *to_host_list(x)] for x in (stops, offsets[stops]))
    classes = []
    for (start, stop), (first, last) in zip(pairwise(vertex_bounds), pairwise(edge_bounds), strict=True):
        inside = offsets[start : stop + 1] - first
        tiles = merge_path_tiles(inside, last - first, backend_of(inside).sort_items) if first < last else None
        classes.append((order[start:stop], targets[first:last], inside, tiles))
    return classes


def _follow(vertices, targets, offsets, tiles, label, changed):
    """New labels for the vertices of a colour."""
    if targets.size:
        around = gather(by_width(label), targets)
        in_order = namespace_of(around).empty_like(around)
        backend_of(around).segmented_sort(tiles, offsets, around, in_order, None)
        for_each(vertices.size, _adopt, vertices, offsets, in_order, label, changed)


@njit
def _adopt(i, vertices, offsets, around, label, changed):
    """Go through runs of equal labels: the last of the longest is the largest label."""
    here, one = np.uint64(i), np.uint64(1)
    vertex = np.uint64(vertices[here])
    position, stop = np.uint64(offsets[here]), np.uint64(offsets[here + one])
    mine, own, most, best = np.uint64(label[vertex]), np.uint64(0), np.uint64(0), np.uint64(0)
    while position < stop:
        first, mark = position, np.uint64(around[position])
        while position < stop and np.uint64(around[position]) == mark:
            position += one
        if mark == mine:
            own = position - first
        if position - first >= most:
            most, best = position - first, mark
    if own < most:
        label[vertex] = best
        changed[0] = 1
