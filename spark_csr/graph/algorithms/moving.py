"""What `louvain_communities` and `leiden_communities` share: moves of single vertices, and graphs of communities.

Design: in a round every vertex whose neighbourhood has changed is visited once, a part of the vertices at a time, drawn at
random. All vertices of a part decide by the same state, and then all of them move, so the result does not depend on the
threads; that neighbours decide at once, and exchange places, is rare enough not to matter. A vertex sums the weights to the
communities around it in a table of its own, of which a tile of vertices on the cores needs one. Sources: Blondel, Guillaume,
Lambiotte & Lefebvre, *Fast Unfolding of Communities in Large Networks*, 2008; Lu, Halappanavar & Kalyanaraman, *Parallel
Heuristics for Scalable Community Detection*, 2015.
"""

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._engine import lean, njit
from spark_csr._operations.form.convert import from_coo
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.modularity import slot_of, table_mask
from spark_csr.graph.philox import random_bits
from spark_csr.graph.union import number_sets_by_least
from spark_csr.primitives.foreach import for_each, for_each_tile
from spark_csr.primitives.sort import gather

PARTS, SMALL = (4, 16), 2000
"""Into so many parts a round is divided, powers of two: into more if a graph has at most this number of vertices. Twice as many
parts gave up to 0.1 % more modularity, or less, and took longer (EPYC, two cores, four graphs, 2026-11)."""

ROUNDS = 32
"""The largest number of rounds of one level. Not tuned."""

FEW = 200
"""Rounds end when less than one vertex in so many has moved. Not tuned further."""

MARGIN = 1e-12
"""A vertex moves only if it gains more than this, as a part of its degree: what rounding may have made up."""


class Tables:
    """Scratch memory for the weights to communities around vertices: twice as many slots as there are edges."""

    def __init__(self, csr):
        self.keys = csr.xp.empty(2 * csr.indices.size, csr.indices.dtype)
        self.sums = csr.xp.empty(2 * csr.indices.size, np.int64)


def move_vertices(csr, degree, community, price, key, level, report=None, margin=MARGIN):
    """Move vertices to the communities around them by which the quality gains most, until hardly any vertex moves.

    The quality is the weight within communities, less `price` times the product of the degrees of any two vertices within one.
    It is the modularity if `degree` holds the sums of the rows. `community` is changed; `report`, if any, is given the number
    of vertices that moved in every round. Return whether a vertex moved.
    """
    xp, n, indices, tables = csr.xp, csr.shape[0], by_width(csr.indices), Tables(csr)
    totals, active, target = xp.zeros(n, np.int64), xp.ones(n, np.uint8), xp.full(n, -1, csr.indices.dtype)
    part_of = xp.empty(n, np.uint8)
    for_each(n, add_degree, community, degree, totals)
    has_moved, parts = False, PARTS[n <= SMALL]
    for turn in range(ROUNDS):
        moved = xp.zeros(1, np.int64)
        for_each(n, _draw_part, *key, level * ROUNDS + turn, parts - 1, part_of)
        for part in range(parts):
            state = degree, community, totals, price, margin, part_of, part, active, tables.keys, tables.sums, target
            for_each_tile(n, _choose, csr.indptr, indices, csr.data, *state)
            for_each(n, _move, target, degree, community, totals, moved)
            for_each(n, _wake, csr.indptr, indices, community, target, active)
        count = to_host_scalar(moved[0])
        has_moved |= count > 0
        if report is not None:
            report(count)
        if count * FEW <= n:
            break
    return has_moved


@lean
def add_degree(v, community, degree, totals):
    """Add the degree of a vertex to that of its community."""
    atomic_add(totals, np.uint64(community[v]), degree[v])


@njit
def _draw_part(v, key_low, key_high, turn, mask, part_of):
    """Draw the part of a round in which a vertex is visited."""
    part_of[v] = random_bits(key_low, key_high, v, turn) & np.uint64(mask)


@njit
def _choose(
    start, stop, indptr, indices, weights, degree, community, totals, price, margin, part_of, part, active, keys, sums, target
):
    """Write, for the vertices of a tile that take part, the community to move to, if there is a better one than their own."""
    base = np.uint64(indptr[start]) * 2
    for v in range(start, stop):
        if active[v] == 0 or np.int64(part_of[v]) != part:
            continue
        active[v] = 0
        first, last = np.uint64(indptr[v]), np.uint64(indptr[v + 1])
        if first == last:
            continue
        own, mine = np.int64(community[v]), np.float64(degree[v])
        mask = table_mask(last - first)
        for s in range(mask + 1):
            sums[base + s] = -1
        within = np.int64(0)
        for e in range(first, last):
            u = np.uint64(indices[e])
            if u == v:
                continue
            other = np.int64(community[u])
            if other == own:
                within += weights[e]
                continue
            s = slot_of(other, mask)
            while sums[base + s] >= 0 and keys[base + s] != other:
                s = (s + 1) & mask
            if sums[base + s] < 0:
                keys[base + s] = other
                sums[base + s] = weights[e]
            else:
                sums[base + s] += weights[e]
        best, most = own, np.float64(within) - price * mine * np.float64(totals[own] - degree[v])
        most += margin * mine
        for s in range(mask + 1):
            if sums[base + s] >= 0:
                other = np.int64(keys[base + s])
                gain = np.float64(sums[base + s]) - price * mine * np.float64(totals[other])
                if gain > most or (gain == most and best != own and other < best):
                    best, most = other, gain
        if best != own:
            target[v] = best


@lean
def _move(v, target, degree, community, totals, moved):
    """Move a vertex to the community that it has chosen."""
    if target[v] >= 0:
        atomic_add(totals, np.uint64(community[v]), -degree[v])
        atomic_add(totals, np.uint64(target[v]), degree[v])
        community[v] = target[v]
        atomic_add(moved, np.uint64(0), 1)


@lean
def _wake(v, indptr, indices, community, target, active):
    """Visit the neighbours of a vertex that has moved once more, but for those in its community."""
    if target[v] >= 0:
        target[v] = -1
        for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            if community[indices[e]] != community[v]:
                active[indices[e]] = 1


def merge_communities(csr, community):
    """Return the record of the graph whose vertices are the communities, and the number of every vertex's community.

    Communities are numbered in the order of their smallest vertices. The weights between two communities are summed; those
    within one are a self-loop, each in both directions.
    """
    count, number = number_sets_by_least(community)
    rows, columns = gather(number, csr.plan(rows_of_entries)), gather(number, csr.indices)
    return from_coo(rows, columns, csr.data, (count, count)), number


def begin(csr):
    """Return a community of its own for every vertex."""
    return namespace_of(csr.indices).arange(csr.shape[0], dtype=csr.indices.dtype)
