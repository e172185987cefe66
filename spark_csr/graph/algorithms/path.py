"""`path`: the vertices on a shortest path, from the predecessors that a search returns.

Design: following predecessors is a chain of dependent reads, so each path is one visit, which first counts its vertices and
then writes them from the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from spark_csr._array import is_array, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._ragged import Ragged
from spark_csr.graph.vertices import check_items, number_names
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from typing import Any

    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph


@overload
def path(predecessors: ArrayLike, target: int | str, G: Graph | None = ...) -> Array: ...


@overload
def path(predecessors: ArrayLike, target: Any, G: Graph | None = ...) -> Array | Ragged: ...


def path(predecessors: ArrayLike, target: Any, G: Graph | None = None) -> Array | Ragged:
    """Return the vertices on the path to a target, from the predecessors that `bfs` or `sssp` has found.

    Parameters
    ----------
    predecessors : (n,) array_like of ints
        The vertex before each vertex, and -1 for sources.
    target : int, name, or (k,) array_like of these
        The vertex, or the vertices, that the paths lead to.
    G : Graph, optional
        The graph that was searched; needed if targets are names.

    Returns
    -------
    (length,) array or Ragged
        The vertices from a source to the target, both included, in the dtype of `predecessors`. For an array of targets, a
        ragged array whose list `i` is the path to `target[i]`. If a target was not reached, its path is the target alone, as
        for a source: look at its distance, which is -1 or infinite.

    Raises
    ------
    ValueError
        If a target is out of range, if the predecessors of a target lead in a circle or to no vertex, or if there is not one
        for each vertex of `G`.
    TypeError
        If targets are neither integers nor names of `G`, or if predecessors are not integers.

    Notes
    -----
    `G.names_of` returns the names of the vertices. *Cost*: two dependent reads for each vertex of a path, one visit for each
    path, and two host reads. *Empty input*: no targets give no paths.

    Examples
    --------
    >>> from spark_csr.graph import Graph, path, sssp
    >>> distance, predecessors = sssp(Graph([[0, 9, 2, 0], [0, 0, 0, 1], [0, 3, 0, 8], [0, 0, 0, 0]]), 0)
    >>> path(predecessors, 3)
    array([0, 2, 1, 3], dtype=int32)
    >>> path(predecessors, [1, 2]).to_lists()
    [[0, 2, 1], [0, 2]]
    >>> from spark_csr.graph import bfs
    >>> G = Graph.from_edges(["ann", "bob"], ["bob", "cleo"])
    >>> G.names_of(path(bfs(G, "ann")[1], "cleo", G))
    array(['ann', 'bob', 'cleo'], dtype=object)
    """
    before = predecessors if is_array(predecessors) else np.asarray(predecessors)
    before = _check.integers("predecessors", _check.one_dimensional("predecessors", before))
    xp, n = namespace_of(before), before.size
    is_one = np.ndim(target) == 0
    if G is not None:
        if G.n_vertices != n:
            raise ValueError(f"predecessors must be one for each of the {G.n_vertices} vertices of G, got {n}")
        is_one = is_one or (isinstance(target, tuple) and target in G)
        target = number_names(G, target, "target")
    targets = check_items(xp, target, n, "target")
    lengths = xp.empty(targets.size, np.int64)
    for_each(targets.size, _count, targets, before, n, lengths)
    at = _check.find_first_true(lengths < 0)
    if at is not None:
        raise ValueError(
            f"the predecessors of {to_host_scalar(targets[at])} must lead to a source, whose predecessor is -1: "
            f"pass those that bfs or sssp returns"
        )
    offsets = scan_trusted_counts(lengths)
    total = to_host_scalar(offsets[-1])
    out = allocate_array(xp, total, before.dtype, f"{total} vertices of paths")
    for_each(targets.size, _write, targets, before, offsets, out)
    return out if is_one else Ragged(out, offsets)


@njit
def _count(i, targets, before, n, lengths):
    """Write the number of vertices on a path, and -1 where it does not end at a source."""
    vertex, length = np.int64(targets[i]), np.int64(0)
    while 0 <= vertex < n and length <= n:
        vertex, length = np.int64(before[vertex]), length + 1
    lengths[i] = length if vertex == -1 else -1


@njit
def _write(i, targets, before, offsets, out):
    """Write the vertices of a path, the last one first."""
    vertex, first, position = np.int64(targets[i]), offsets[i], offsets[i + 1]
    while position > first:
        position -= 1
        out[position] = vertex
        vertex = np.int64(before[vertex])
