"""The iteration of PageRank, where all edges of a vertex are followed alike, in one pass for each step.

Design: a tile of vertices sums what comes along their edges, and writes at once what each has, what goes on from it, how far
the tile moved and what is lost in it: nothing is written that is read but once. What goes on is written beside what is read, so
the result does not depend on the order of tiles; their sums are added in order. All steps are one call, so small graphs wait
for no Python. Cost: a row is one core's, so graphs with most of their edges in one row are left to the caller.
"""

import functools

import numpy as np

from spark_csr import ops
from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_ahead
from spark_csr._cpu.segmented import ranges_reduced
from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import compiled, cores_for

SERIAL = 1 << 15
"""Vertices and edges up to which one core does it all. Not tuned."""

TILES = 256
"""Tiles at most: enough for the cores of one machine. Not tuned."""

TILE = 4096
"""Vertices and edges of a tile at least. Not tuned."""


def rank_cuts(indptr):
    """The vertices at which tiles of about equal work begin; None where one row is too long for that."""
    n, size = indptr.size - 1, int(indptr[-1]) + indptr.size - 1
    longest = int((indptr[1:] - indptr[:-1]).max()) if n else 0
    if longest > max(size // 4, SERIAL):
        return None
    tiles = max(min(TILES, size // TILE), 1)
    work = indptr + np.arange(n + 1, dtype=np.int64)
    return np.searchsorted(work, np.arange(tiles + 1) * size // tiles)


@njit(forceinline=True)
def _sent_along(operands, edge):
    indices, sent = operands
    return sent[np.uint64(indices[edge])]


@njit(forceinline=True)
def _ask(operands, edge):
    ask_ahead(operands[0], edge)


_arriving = ranges_reduced(ops.MONOIDS["sum"], np.dtype(np.float64), _sent_along, _ask)
"""A function of `(indices, sent), start, stop, 0.0`: the sum of what is sent along a range of edges."""


@njit
def _step(tile, cuts, indptr, indices, share, jump, fall, alpha, lost, now, sent, beside, moved, missing):
    """Do a step for the vertices of a tile."""
    far, left = 0.0, 0.0
    for v in range(np.uint64(cuts[tile]), np.uint64(cuts[tile + np.uint64(1)])):
        arrived = _arriving((indices, sent), np.uint64(indptr[v]), np.uint64(indptr[v + np.uint64(1)]), 0.0)
        entry = alpha * (arrived + lost * fall[v]) + (1 - alpha) * jump[v]
        far += abs(entry - now[v])
        left += entry if share[v] == 0 else 0.0
        now[v], beside[v] = entry, entry * share[v]
    moved[tile], missing[tile] = far, left


@compiled
def _iterate(cores, cuts, indptr, indices, share, jump, fall, alpha, lost, now, sent, beside, steps, enough, moved, missing):
    error, tiles, step = np.inf, moved.size, 0
    graph = cuts, indptr, indices, share, jump, fall, alpha
    while step < steps and not error < enough:
        for_tiles(cores, tiles, _step, (*graph, lost, now, sent, beside, moved, missing))
        error, lost = 0.0, 0.0
        for t in range(tiles):
            error += moved[t]
            lost += missing[t]
        sent, beside, step = beside, sent, step + 1
    return error


def rank_iteration(indptr):
    """Return `iterate`, see `_ranks`, for graphs whose rows begin so; None where one row is too long."""
    cuts = rank_cuts(indptr)
    return None if cuts is None else functools.partial(_ranks, cuts)


def _ranks(cuts, indptr, indices, share, jump, fall, alpha, lost, now, sent, steps, enough):
    """Make `now` the next vector, `steps` times at most, until it moves by less than `enough`; returns how far it moved last.

    Rows hold the edges that enter a vertex; `sent` is what goes along every edge that leaves one, `share` of what it has.
    """
    cores, tiles = 1 if indices.size + now.size <= SERIAL else cores_for(_iterate), cuts.size - 1
    vectors = share, jump, fall, alpha, lost, now, sent, np.empty_like(sent)
    return _iterate(cores, cuts, indptr, indices, *vectors, steps, enough, np.empty(tiles), np.empty(tiles))
