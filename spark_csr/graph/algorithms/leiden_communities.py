"""`leiden_communities`: communities of large modularity or another quality, each of which is connected within.

Design: as `louvain_communities`, but before communities become vertices they are divided once more: every vertex begins alone,
and joins a set of vertices within its community that it gains by. In each round half of the vertices that are alone, drawn at
random, may join, and the others may be joined, so no vertex that another joins leaves at the same time: a set stays connected.
What becomes a vertex are these sets, so a community may be divided on the next level. The constant Potts model is the same
method with 1 for the degree of every vertex. Source: Traag, Waltman & van Eck, *From
Louvain to Leiden: Guaranteeing Well-connected Communities*, 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from spark_csr._array import by_width, to_host_scalar
from spark_csr._engine import lean, njit
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import sums
from spark_csr._progress import number_steps, watch
from spark_csr._shared.atomics import atomic_add, atomic_min
from spark_csr.graph.algorithms.checks import check_undirected, number_of
from spark_csr.graph.algorithms.louvain_communities import check_levels
from spark_csr.graph.algorithms.modularity import as_whole, slot_of, table_mask
from spark_csr.graph.algorithms.moving import MARGIN, Tables, add_degree, begin, merge_communities, move_vertices
from spark_csr.graph.algorithms.weak import weak_roots
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.philox import random_bits, seed_of
from spark_csr.graph.union import number_sets, number_sets_by_least
from spark_csr.primitives.foreach import for_each, for_each_tile
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, Progress

ROUNDS = 4
"""The number of rounds in which vertices may join others. Twice as many took a sixth more time, for as much modularity (EPYC,
two cores, two graphs, 2026-11)."""

ITERATIONS = 2
"""The number of times that the method starts from the communities that it has found, as in igraph. Not tuned."""

LEVELS = 1 << 20
"""More levels than there can be: on each the number of vertices becomes smaller."""

DRAWS = 1 << 32
"""Random numbers for moves come before this one, and those for joins from it on."""


def leiden_communities(
    G: Graph,
    resolution: float = 1.0,
    max_level: int | None = None,
    seed: int = 0,
    *,
    weighted: bool = True,
    metric: Literal["modularity", "cpm"] = "modularity",
    progress: Progress = None,
) -> Array:
    """Divide the vertices into connected communities of large modularity or another quality, by the Leiden method.

    Parameters, result and exceptions that are not listed are those of `louvain_communities`; paths of edges within a community
    connect any two of its vertices. See the example of `louvain_communities`.

    Parameters
    ----------
    max_level : int, optional
        The largest number of levels. Default: as many as join vertices.
    metric : {"modularity", "cpm"}, default: "modularity"
        The quality. "cpm" is the constant Potts model: the weight within communities, less `resolution` for each pair of
        vertices within one. A community of `c` vertices is then worth joining with one of `d` vertices if the edges between
        them weigh more than `resolution * c * d`.

    Notes
    -----
    Names are those of networkx; the default of its `metric` is "cpm" since version 3.7. A vertex joins the set that increases
    the quality most; the original method draws the set at random. *Cost*: that of `louvain_communities`, and on every level
    some visits to the edges within communities.
    """
    _, original = arrays_of(G)
    check_undirected(G, "leiden_communities")
    if metric not in ("modularity", "cpm"):
        raise ValueError(f'metric must be "modularity" or "cpm", got {metric!r}')
    levels, key, resolution = check_levels(max_level), seed_of(seed), number_of("resolution", resolution)
    whole, scale = as_whole(original, weighted)
    degree, label = sums(whole, axis=1), begin(whole)
    total = float(to_host_scalar(degree.sum()))
    price, margin = resolution / (total or 1.0), MARGIN
    if metric == "cpm":
        degree, price = original.xp.ones(original.shape[0], np.int64), resolution * scale
        margin = MARGIN * price
    with watch(progress, "leiden_communities", "rounds") as report:
        tell = number_steps(report)
        for turn in range(ITERATIONS if total else 0):
            label = _improve(whole, degree, label, price, margin, key, turn * LEVELS, levels, tell)
    return _divide(original, number_sets_by_least(label)[1])


def _improve(csr, degree, label, price, margin, key, level, levels, report):
    """Return labels of larger quality: levels of moves, joins and merges, from given labels on."""
    community, vertex, stop = label.copy(), begin(csr), level + (LEVELS if levels is None else min(levels, LEVELS))
    while level < stop:
        move_vertices(csr, degree, community, price, key, level, report, margin)
        label = gather(community, vertex)
        parts = _refine(csr, degree, community, price, key, level)
        merged, number = merge_communities(csr, parts)
        if merged.shape[0] == csr.shape[0]:
            break
        least = csr.xp.full(csr.shape[0], csr.shape[0], community.dtype)
        for_each(csr.shape[0], _least_part, community, number, least)
        first = csr.xp.empty(merged.shape[0], merged.indices.dtype)
        for_each(csr.shape[0], _begin_part, community, number, least, first)
        joined = csr.xp.zeros(merged.shape[0], np.int64)
        for_each(csr.shape[0], add_degree, number, degree, joined)
        csr, degree, community, vertex, level = merged, joined, first, gather(number, vertex), level + 1
    return label


@lean
def _least_part(v, community, number, least):
    """Note the least number of the parts of a community."""
    atomic_min(least, np.uint64(community[v]), number[v])


@njit
def _begin_part(v, community, number, least, first):
    """Write the community that a part begins in. All vertices of a part write the same."""
    first[number[v]] = least[community[v]]


def _divide(csr, label):
    """Return labels by which communities that are not connected are divided."""
    within = gather(label, csr.plan(rows_of_entries)) == gather(label, csr.indices)
    return number_sets(*weak_roots(Graph._of(select_entries(csr.with_data(csr.indices), within), False)))[1]


def _refine(csr, degree, community, price, key, level):
    """Return, for every vertex, a vertex that names the part of its community which it is in."""
    xp, n, indices, tables = csr.xp, csr.shape[0], by_width(csr.indices), Tables(csr)
    part, totals, target = begin(csr), xp.zeros(n, np.int64), xp.full(n, -1, csr.indices.dtype)
    size, degrees, inner = xp.ones(n, np.int32), degree.copy(), xp.empty(n, np.int64)
    for_each(n, add_degree, community, degree, totals)
    for turn in range(ROUNDS):
        outer, moved, draw = xp.zeros(n, np.int64), xp.zeros(1, np.int64), (*key, DRAWS + level * ROUNDS + turn)
        for_each(n, _add_outer, csr.indptr, indices, csr.data, community, part, inner, outer)
        state = degree, community, totals, part, size, degrees, inner, outer, price, *draw, tables.keys, tables.sums, target
        for_each_tile(n, _choose_part, csr.indptr, indices, csr.data, *state)
        for_each(n, _join_part, target, degree, part, size, degrees, moved)
        if turn > 1 and not to_host_scalar(moved[0]):
            break
    return part


@lean
def _add_outer(v, indptr, indices, weights, community, part, inner, outer):
    """Add the weight of a vertex's edges to other parts of its community to that of its part."""
    here, beyond = np.uint64(v), np.int64(0)
    own, mine = community[here], part[here]
    for e in range(np.uint64(indptr[here]), np.uint64(indptr[here + 1])):
        u = np.uint64(indices[e])
        if u != here and community[u] == own and part[u] != mine:
            beyond += weights[e]
    inner[here] = beyond
    atomic_add(outer, np.uint64(mine), beyond)


@njit(forceinline=True)
def _may_be_joined(key_low, key_high, vertex, turn):
    """Return whether a vertex that is alone may be joined in this round, and not join others."""
    return random_bits(key_low, key_high, vertex, turn) & 1 != 0


@njit
def _choose_part(
    start,
    stop,
    indptr,
    indices,
    weights,
    degree,
    community,
    totals,
    part,
    size,
    degrees,
    inner,
    outer,
    price,
    key_low,
    key_high,
    turn,
    keys,
    sums,
    target,
):
    """Write, for the vertices of a tile that are alone and may join others, the part that they gain most by."""
    base = np.uint64(indptr[start]) * 2
    for v in range(start, stop):
        first, last, own = np.uint64(indptr[v]), np.uint64(indptr[v + 1]), np.int64(community[v])
        whole, mine = np.float64(totals[own]), np.float64(degree[v])
        if first == last or size[v] != 1 or np.uint64(part[v]) != v:
            continue
        if _may_be_joined(key_low, key_high, v, turn) or np.float64(inner[v]) < price * mine * (whole - mine):
            continue
        mask = table_mask(last - first)
        for s in range(mask + 1):
            sums[base + s] = -1
        for e in range(first, last):
            u = np.uint64(indices[e])
            if u == v or community[u] != own or weights[e] <= 0:
                continue
            other = np.int64(part[u])
            s = slot_of(other, mask)
            while sums[base + s] >= 0 and keys[base + s] != other:
                s = (s + 1) & mask
            if sums[base + s] < 0:
                keys[base + s] = other
                sums[base + s] = weights[e]
            else:
                sums[base + s] += weights[e]
        best, most = np.int64(-1), 0.0
        for s in range(mask + 1):
            if sums[base + s] >= 0:
                other = np.int64(keys[base + s])
                root = np.uint64(other)
                theirs = np.float64(degrees[root])
                gain = np.float64(sums[base + s]) - price * mine * theirs
                if gain < most or (gain == most and best >= 0 and other > best):
                    continue
                if size[root] == 1 and not _may_be_joined(key_low, key_high, root, turn):
                    continue
                if np.float64(outer[root]) >= price * theirs * (whole - theirs):
                    best, most = other, gain
        target[v] = best


@lean
def _join_part(v, target, degree, part, size, degrees, moved):
    """Join the part that a vertex has chosen."""
    if target[v] >= 0:
        root = np.uint64(target[v])
        part[v] = root
        target[v] = -1
        atomic_add(size, root, 1)
        atomic_add(degrees, root, degree[v])
        atomic_add(moved, np.uint64(0), 1)
