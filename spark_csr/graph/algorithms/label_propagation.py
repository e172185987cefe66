"""`label_propagation`: communities, as labels that most neighbours have.

Design: vertices of one colour are not neighbours, so all of them may read their neighbours' labels at once; the colours are
processed one after the other. The labels around a vertex are sorted to be counted. Every change leaves more edges within
communities than before, so the iteration comes to an end. Source: Cordasco & Gargano, *Community Detection via Semi-Synchronous
Label Propagation Algorithms*, 2010.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_list, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._progress import watch
from spark_csr.graph.algorithms.checks import check_undirected, limit_of
from spark_csr.graph.algorithms.color import color
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.expand import list_edges
from spark_csr.graph.union import number_sets_by_least, singletons
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import argsort, gather

if TYPE_CHECKING:
    from spark_csr._types import Array, Progress
    from spark_csr.graph.graph import Graph


def label_propagation(G: Graph, max_iter: int = 100, *, seed: int = 0, progress: Progress = None) -> Array:
    """Divide the vertices into communities: each vertex takes the label that is most frequent among its neighbours.

    Parameters, result and exceptions that are not listed are those of `louvain_communities`. RuntimeError is raised if some
    labels still change after `max_iter` rounds. See the example of `louvain_communities`.

    Parameters
    ----------
    G : Graph
        An undirected graph. A self-loop makes a vertex its own neighbour, each of several edges to one neighbour counts, and
        weights are ignored.
    max_iter : int, default: 100
        The largest number of rounds. Every vertex is visited once in a round.
    seed : int, default: 0
        The seed, in [0, 2**64), of the function `color`: vertices are visited in the order of their colours.
    progress : bool or function, optional
        As for `louvain_communities`, called as `progress(round, None)`.

    Notes
    -----
    Every vertex starts with a label of its own. It keeps its label unless another one is more frequent among its neighbours;
    then it takes the most frequent label, or the largest of those that are equally frequent. networkx's
    `label_propagation_communities` has the same rule, but its colours, and so its communities, may differ. *Cost*: a colouring;
    then for every round and colour, the labels of the neighbours of its vertices are gathered, sorted and read. One host read
    for each round, and those of the sorts. Scratch: four numbers for every edge. *Order*: the same labels on every run and on
    any device. *Empty input*: an empty array.
    """
    xp, csr = arrays_of(G)
    check_undirected(G, "label_propagation")
    label, rounds = singletons(xp, csr.shape[0]), limit_of("max_iter", max_iter)
    classes = _group_by_color(xp, csr, color(G, seed=seed))
    with watch(progress, "label_propagation", "rounds") as report:
        for turn in range(1, rounds + 1):
            changed = xp.zeros(1, np.int32)
            for vertices, targets, offsets, tiles in classes:
                _follow(vertices, targets, offsets, tiles, label, changed)
            if report is not None:
                report(turn, None)
            if not to_host_scalar(changed[0]):
                return number_sets_by_least(label)[1]
    raise RuntimeError(f"labels still change after {rounds} rounds: use a larger max_iter")


def _group_by_color(xp, csr, colors):
    """Return, for every colour, its vertices, the targets of their edges, the offsets of these, and their tiles."""
    order = argsort(colors)
    edges, offsets = list_edges(csr, Frontier._of("vertex", colors.size, order))
    targets = gather(csr.indices, edges)
    stops = xp.cumsum(xp.bincount(colors))
    vertex_bounds, edge_bounds = ([0, *to_host_list(x)] for x in (stops, offsets[stops]))
    classes = []
    for (start, stop), (first, last) in zip(pairwise(vertex_bounds), pairwise(edge_bounds), strict=True):
        inside = offsets[start : stop + 1] - first
        tiles = merge_path_tiles(inside, last - first, backend_of(inside).sort_tile_size) if first < last else None
        classes.append((order[start:stop], targets[first:last], inside, tiles))
    return classes


def _follow(vertices, targets, offsets, tiles, label, changed):
    """Write new labels for the vertices of a colour."""
    if targets.size:
        around = gather(by_width(label), targets)
        in_order = namespace_of(around).empty_like(around)
        backend_of(around).segmented_sort(tiles, offsets, around, in_order, None)
        for_each(vertices.size, _adopt, vertices, offsets, in_order, label, changed)


@njit
def _adopt(i, vertices, offsets, around, label, changed):
    """Write a vertex's new label, from runs of equal labels around it: the last of the longest runs has the largest label."""
    vertex = vertices[i]
    position, stop = np.uint64(offsets[i]), np.uint64(offsets[i + 1])
    mine, own, most, best = np.uint64(label[vertex]), np.uint64(0), np.uint64(0), np.uint64(0)
    while position < stop:
        first, mark = position, np.uint64(around[position])
        while position < stop and np.uint64(around[position]) == mark:
            position += 1
        if mark == mine:
            own = position - first
        if position - first >= most:
            most, best = position - first, mark
    if own < most:
        label[vertex] = best
        changed[0] = 1
