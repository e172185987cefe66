"""`random_walk`: paths that follow edges chosen at random.

Design: each walk is one visit, which draws its random numbers by its own number and that of the step, so it does not depend on
the other walks.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_operand
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import Hole
from spark_csr.graph.algorithms.checks import check_real, check_shares
from spark_csr.graph.algorithms.power import divide_by_source
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.philox import random_unit, seed_of
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives._check import count_of
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each, for_few
from spark_csr.primitives.segmented import segmented_scan

FEW, STEPS = 1 << 12, 1 << 18
"""Up to so many walks are visited one by one; and so many steps of one walk at a time, less of more walks, so that a core takes
some hundredths of a second: Ctrl-C is answered between two such visits."""

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph

choose_edge = Hole(
    "choose_edge(weights, sums, first, stop, chance) -> edge",
    "Return one of the edges `first` to `stop` for a random number from 0 to 1; `stop`, if all weights are 0. `sums`: the "
    "weights of a vertex's edges, added up.",
)


def random_walk(G: Graph, source: ArrayLike, length: int, *, weighted: bool = False, seed: int = 0) -> Array:
    """Walk from every source along edges chosen at random.

    Parameters, result and exceptions that are not listed are those of `sample_neighbors`. See the example of
    `sample_neighbors`.

    Parameters
    ----------
    source : int, name, or array_like of these
        The vertices where the walks start. A vertex that is listed several times starts as many different walks.
    length : int
        The number of steps of every walk.
    weighted : bool, default: False
        If True, the probability of an edge is proportional to its weight. If False, all edges that leave a vertex are equally
        likely.

    Returns
    -------
    (k, length + 1) array of ints
        The vertices of every walk, beginning with its source. A walk ends at a vertex that no edge leaves (with `weighted`, no
        edge of positive weight); the rest of its row is -1. The dtype is int32 if all vertices fit, otherwise int64.

    Raises
    ------
    ValueError
        If `length` is negative, as `sample_neighbors`, and, with `weighted` and `config.validate`, if a weight is negative,
        infinite or NaN.

    Notes
    -----
    The random numbers are those of Philox 4x32-10 (Salmon et al. 2011) for the seed, the number of the walk and the step. So
    walks are the same on every device, and the first walks and the first steps do not change when more are asked for. Each of
    several edges to one vertex counts. *Cost*: one launch, and two or three random reads for every step. With `weighted`,
    running sums of the weights in float64, and for every step a bisection in the sums of its vertex. Host reads: those of the
    checks, and those of the scan of the weights. *Order*: that of `source`. *Empty input*: no walks.
    """
    xp, csr = arrays_of(G)
    starts, length, key = read_vertices(G, source, "source"), count_of("length", length), seed_of(seed)
    size = starts.size * (length + 1)
    walks = allocate_array(xp, size, csr.indices.dtype, f"{starts.size} walks of {length} steps")
    weights, sums = _running_sums(csr) if weighted else (csr.indptr, csr.indptr)
    arrays = starts, csr.indptr, csr.indices, weights, sums
    body, few = _make_body(bool(weighted)), starts.size <= FEW
    visit = functools.partial(for_few, starts.size, size) if few else functools.partial(for_each, starts.size)
    most = STEPS if few else STEPS // FEW
    for first in range(0, max(length, 1), most):
        visit(body, *arrays, *key, first, min(first + most, length), length, walks)
    return walks.reshape(starts.size, length + 1)


def _running_sums(csr):
    """Return the checked weights, and their running sums from the first edge of every vertex on."""
    check_real(csr.data)
    check_shares(csr)
    weights = as_operand(csr.data.astype(np.float64, copy=False))
    if weights.size:
        weights = divide_by_source(csr, weights)
    return weights, segmented_scan(weights, csr.indptr)


def _walk(w, starts, indptr, indices, weights, sums, key_low, key_high, begin, end, length, walks):
    """Write steps `begin` to `end` of walk number `w`."""
    here = np.uint64(w) * (np.uint64(length) + 1) + np.uint64(begin)
    if begin == 0:
        walks[here] = starts[w]
    vertex = np.int64(walks[here])
    for step in range(begin, end):
        if vertex >= 0:
            first, stop = np.uint64(indptr[vertex]), np.uint64(indptr[np.uint64(vertex) + 1])
            vertex = np.int64(-1)
            if first < stop:
                edge = choose_edge(weights, sums, first, stop, random_unit(key_low, key_high, step, w))
                if edge < stop:
                    vertex = np.int64(indices[edge])
        here += 1
        walks[here] = vertex


@njit(forceinline=True)
def _choose_uniformly(weights, sums, first, stop, chance):
    """Return an edge, each with the same probability. Rounding never reaches `stop`, as a chance below 1 has 53 bits."""
    return first + np.uint64(np.int64(chance * np.float64(np.int64(stop - first))))


@njit(forceinline=True)
def _choose_by_weight(weights, sums, first, stop, chance):
    """Return the first edge at which the running sum exceeds `chance` times the whole; `stop` if the whole is 0.

    The sums of tiles are rounded separately, so at the ends of tiles a weight of 0 might seem to be more than 0.
    """
    whole = sums[stop - 1]
    if not whole > 0:
        return stop
    wanted, low, high = chance * whole, first, stop - 1
    while low < high:
        middle = (low + high) >> 1
        if sums[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    while weights[low] == 0:
        low = low + 1 if low + 1 < stop else first
    return low


@functools.cache
def _make_body(weighted):
    """Return the body of a walk by weights, or of one in which every edge has the same probability."""
    return njit(specialise(_walk, choose_edge=_choose_by_weight if weighted else _choose_uniformly))
