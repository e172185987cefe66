"""Sets of vertices that are joined: trees in which parents have smaller numbers than their children.

Design: one tree is hung into another by an atomic minimum. A thread that replaces a link must then join the vertex that the
link led to, so no link is lost, and no thread waits for another. In the end the root of a set is its smallest vertex, in
whatever order the threads ran. Sources: Rem's algorithm, in Dijkstra, *A Discipline of Programming*, 1976; Patwary, Refsnes &
Manne, *Multi-core Spanning Forest Algorithms using the Disjoint-set Data Structure*, IPDPS 2012.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._engine import njit
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.frontier import Frontier
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array


def singletons(xp: Any, n: int) -> Array:
    """Return the parents of `n` vertices that are each a set of their own."""
    return xp.arange(n, dtype=index_dtype(n))


@njit(forceinline=True)
def join(parent, u, v):
    """Join the sets of two vertices. In every turn of the loop the larger of the two numbers becomes smaller."""
    u, v = np.int64(parent[u]), np.int64(parent[v])
    while u != v:
        high, low = max(u, v), min(u, v)
        above = np.int64(parent[high])
        if above > low:
            above = np.int64(atomic_min(parent, high, low))
            if above == high:
                break
        u, v = above, low


@njit(forceinline=True)
def climb_to_root(vertex, parent):
    """Hang a vertex on its root and return whether it is the root itself.

    It climbs along links that other threads may have shortened: long paths halve with every step.
    """
    above = np.int64(parent[vertex])
    while True:
        further = np.int64(parent[above])
        if further == above:
            return above == vertex
        parent[vertex] = above = further


@njit
def _rise(i, parent, is_root):
    is_root[i] = climb_to_root(i, parent)


def flatten(parent: Array) -> Array:
    """Make every vertex a child of its root; return an array of bool, True for vertices that are roots."""
    is_root = namespace_of(parent).empty(parent.size, bool)
    for_each(parent.size, _rise, parent, is_root)
    return is_root


@njit
def _number_root(i, roots, number):
    number[roots[i]] = i


def number_sets(root: Array, is_root: Array) -> tuple[int, Array]:
    """Return the number of sets and the number of every vertex's set, in the order of their roots; one host read."""
    n, roots = root.size, Frontier._of("vertex", root.size, bitmap=is_root)._list()
    number = namespace_of(root).empty(n, index_dtype(n))
    for_each(roots.size, _number_root, roots, number)
    return roots.size, gather(number, root)


@njit
def _least(i, label, least):
    mark = np.int64(label[i])
    if i < least[mark]:
        atomic_min(least, mark, i)


@njit
def _is_least(i, root, is_root):
    is_root[i] = root[i] == i


def number_sets_by_least(label: Array) -> tuple[int, Array]:
    """Do as `number_sets` does for sets that are labelled by any of their vertices."""
    xp, n = namespace_of(label), label.size
    least, is_root = xp.full(n, n, label.dtype), xp.empty(n, bool)
    for_each(n, _least, label, least)
    root = gather(least, label)
    for_each(n, _is_least, root, is_root)
    return number_sets(root, is_root)
