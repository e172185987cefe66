"""The iteration of PageRank, where all edges of a vertex are followed alike, as Gauss-Seidel sweeps in fixed stages.

Design: the vertices are cut into stages, one after the other, and a stage into tiles that run at once. A tile sums what comes
along the edges of its vertices and writes what each has. What goes on from them is written elsewhere, and replaces what is read
after the stage, so later stages of the same sweep read the new values, and the result does not depend on the order of tiles.
A sweep in stages needs about two thirds of the iterations that a sweep with old values needs. Stages do not keep the sum of all
entries, which would approach its value slowly: what a jump brings is weighted by the last sum, and the vector is divided by its
sum at the end. All sweeps are one call, so small graphs wait for no Python. Cost: a row is one core's, so graphs with most of
their edges in one row are left to the caller. Source: Stewart, *Introduction to the Numerical Solution of Markov Chains*, 1994.
"""

import functools

import numpy as np

from spark_csr._cpu.memory import prefetch_ahead
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, expect_jobs, for_tiles, njit
from spark_csr._engine.numba.intrinsics.copies import copy_items

STEP = 1.02
"""How far an entry goes towards its new value, where 1 is all the way. It saves one sweep of 8 on the Kronecker graph above;
1.05 costs one on the uniform graph. Sweeps converge for any steps below 2 / (1 + alpha), so an entry that would not be positive
otherwise goes exactly all the way: what few vertices jump to leaves most entries of many vectors at 0."""

STEEP = 0.9
"""The `alpha` above which entries go exactly all the way."""


def rank_cuts(indptr):
    """Return the vertices at which tiles of about equal work begin, and how many stages these are; None if a row is too long
    for that.
    """
    n, size = indptr.size - 1, int(indptr[-1]) + indptr.size - 1
    longest = int((indptr[1:] - indptr[:-1]).max()) if n else 0
    if longest > max(size // 4, TUNING.ranks_serial):
        return None
    stages = max(min(TUNING.ranks_stages, size // TUNING.ranks_stage), 1)
    tiles = stages * max(min(TUNING.ranks_tiles, size // stages // TUNING.ranks_tile), 1) if size > TUNING.ranks_serial else 1
    work = indptr + np.arange(n + 1, dtype=np.int64)
    return np.searchsorted(work, np.arange(tiles + 1) * size // tiles), stages


@njit(forceinline=True)
def _sum_arriving(indices, sent, start, stop, ahead):
    """Return the sum of what is sent along a range of edges, which is not empty. There are four sums, as each addition waits
    for the last; the last three edges are added without branches, which processors cannot predict.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while start + 4 <= stop:
        prefetch_ahead(indices, start, ahead)
        a += sent[indices[start]]
        b += sent[indices[start + 1]]
        c += sent[indices[start + 2]]
        d += sent[indices[start + 3]]
        start += 4
    last = stop - 1
    x, y = sent[indices[min(start, last)]], sent[indices[min(start + 1, last)]]
    z = sent[indices[min(start + 2, last)]]
    a += x if start < stop else 0.0
    b += y if start + 1 < stop else 0.0
    c += z if start + 2 < stop else 0.0
    return (a + b) + (c + d)


@njit
def _sweep(tile, first, cuts, graph, vectors, weights, ahead, sent, goes_on, origin, sums):
    """Sweep over the vertices of a tile; `goes_on` begins with what goes on from `origin`. `jump` and `fall` have one element
    if all would be equal.
    """
    (indptr, indices, share), (jump, fall, now), (alpha, step, leap, lost) = graph, vectors, weights
    jumps, falls = np.uint64(jump.size > 1), np.uint64(fall.size > 1)
    far, total, left = 0.0, 0.0, 0.0
    tile += np.uint64(first)
    for v in range(np.uint64(cuts[tile]), np.uint64(cuts[tile + 1])):
        start, stop = np.uint64(indptr[v]), np.uint64(indptr[v + 1])
        arrived = _sum_arriving(indices, sent, start, stop, ahead) if start < stop else 0.0
        before, part = now[v], share[v]
        entry = alpha * (arrived + lost * fall[v * falls]) + leap * jump[v * jumps]
        further = before + step * (entry - before)
        entry = further if further > 0 else entry
        far += abs(entry - before)
        total += entry
        left += entry if part == 0 else 0.0
        now[v], goes_on[v - origin] = entry, entry * part
    sums[tile, 0], sums[tile, 1], sums[tile, 2] = far, total, left


@njit
def _begin(tile, cuts, share, now, sent, sums):
    """Write what the vertices of a tile send in the first sweep, and the sum of ranks at those without edges."""
    left = 0.0
    for v in range(np.uint64(cuts[tile]), np.uint64(cuts[tile + 1])):
        sent[v] = now[v] * share[v]
        left += now[v] if share[v] == 0 else 0.0
    sums[tile, 2] = left


@compile_kernel
def _iterate(cores, stages, cuts, graph, vectors, alpha, step, cost, ahead, sent, beside, sweeps, enough, sums, state):
    """Sweep; `cost` is the nanoseconds that more stages are expected for, for each edge, `ahead` as in `prefetch_ahead`.

    `state` is the sum of the vector, 0 before the first sweep, and what is at vertices without edges.
    """
    (_, _, share), (_, _, now), each, error, done = graph, vectors, sums.shape[0] // stages, np.inf, 0
    if state[0] == 0:
        for_tiles(cores, sums.shape[0], _begin, (cuts, share, now, sent, sums))
        state[0], state[1] = 1.0, sums[:, 2].sum()
    total, lost = state[0], state[1]
    while done < sweeps and not error < enough:
        if cores > 1:
            expect_jobs(cost * graph[1].size)
        weights = alpha, step, (1 - alpha) * total, lost
        for stage in range(stages):
            first, start, stop = stage * each, np.uint64(cuts[stage * each]), np.uint64(cuts[(stage + 1) * each])
            goes_on, origin = (sent, np.uint64(0)) if each == 1 else (beside, start)
            for_tiles(cores, each, _sweep, (first, cuts, graph, vectors, weights, ahead, sent, goes_on, origin, sums))
            if each > 1:
                copy_items(beside, np.uint64(0), stop - start, sent, start)
        before, error, total, lost = total, 0.0, 0.0, 0.0
        for tile in range(sums.shape[0]):
            error += sums[tile, 0]
            total += sums[tile, 1]
            lost += sums[tile, 2]
        error, done = error / total + abs(before / total - 1), done + 1
    state[0], state[1] = total, lost
    return error


def rank_iteration(indptr):
    """Return `iterate`, see `_compute_ranks`, for graphs with these offsets; None if a row is too long."""
    cuts = rank_cuts(indptr)
    return None if cuts is None else functools.partial(_compute_ranks, *cuts)


def _compute_ranks(cuts, stages, indptr, indices, share, jump, fall, alpha, now, sweeps, enough, report):
    """Make `now` the next vector, at most `sweeps` times, until it moves by less than `enough`; return how far it moved last.

    Rows hold the edges that enter a vertex; `share` is one over the number of those that leave it, 0 without any. `alpha` is
    below 1: else the sum might become 0.
    """
    tiles, cores = cuts.size - 1, 1 if indices.size + now.size <= TUNING.ranks_serial else cores_for(_iterate)
    sent, beside, sums = np.empty_like(now), np.empty(np.diff(cuts[:: tiles // stages]).max()), np.empty((tiles, 3))
    graph, vectors, step = (indptr, indices, share), (jump, fall, now), STEP if alpha < STEEP else 1.0
    numbers = alpha, step, TUNING.ranks_edge_time, TUNING.memory_ahead
    state, done, error, most = np.zeros(2), 0, np.inf, sweeps if report is None else 1
    while done < sweeps and not error < enough:
        error = _iterate(cores, stages, cuts, graph, vectors, *numbers, sent, beside, most, enough, sums, state)
        done += most
        if report is not None:
            report(done, error)
    now /= state[0] or 1.0
    return error
