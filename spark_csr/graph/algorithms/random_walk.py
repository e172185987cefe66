"""`random_walk`: paths that go on along an edge chosen by chance.

Design: a walk is one visit, which draws its random numbers by its number and the step's: what the others do does not matter.
"""

import functools
import operator

import numpy as np

from spark_csr._array import as_operand
from spark_csr._config import config
from spark_csr._holes import choose
from spark_csr._numba import njit
from spark_csr._specialise import specialise
from spark_csr.graph.algorithms.checks import check_real, check_shares
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.philox import random_unit, seed_of
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import segmented_scan


def random_walk(G, source, length, *, weighted=False, seed=0):
    """Walk from every source along edges chosen by chance.

    Parameters
    ----------
    G : Graph
    source : int, sequence or (k,) integer array
        The vertices where the walks start; one that is listed several times starts as many different walks.
    length : int
        The number of steps of every walk.
    weighted : bool
        Whether the chance of an edge is proportional to its weight. If not, all edges that leave a vertex are equally likely.
    seed : int
        In [0, 2**64).

    Returns
    -------
    (k, length + 1) array
        The vertices of every walk, the first is where it starts; -1 after a vertex that no (positive) edge leaves. int32
        where vertices fit.

    Raises
    ------
    ValueError
        For vertices out of range, a negative length, a seed out of range; for weights that are negative or no finite
        numbers, the first is named, or too large to be added up (looked for only if `config.validate`).
    TypeError
        For what are no integers, and complex weights.
    MemoryError
        If there is no room for the walks.

    Notes
    -----
    The random numbers are those of Philox 4x32-10 (Salmon et al. 2011) for the seed, the number of the walk and the step: the
    same walks on every device, and the first walks or steps do not change when more are asked for. Several edges to one
    vertex count each. *Cost*: one launch, for every step two or three reads from anywhere; with weights running sums of them,
    in float64, and for every step a bisection in those of a vertex. Host reads: what checks take, and the scan of weights.
    *Order*: as `source`. *Empty input*: no walks.

    Examples
    --------
    >>> from spark_csr.graph import Graph, random_walk
    >>> G = Graph([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    >>> random_walk(G, [0, 3], 4, seed=2)
    array([[ 0,  1,  2,  3, -1],
           [ 3, -1, -1, -1, -1]], dtype=int32)
    """
    xp, csr = arrays_of(G)
    starts, length, seed = Frontier._from_argument("source", G, source)._list(), operator.index(length), seed_of(seed)
    if length < 0:
        raise ValueError(f"length must be 0 or above, got {length}")
    size = starts.size * (length + 1)
    walks = allocate_array(xp, size, csr.indices.dtype, f"{starts.size} walks of {length} steps")
    weights, sums = _running_sums(csr) if weighted else (csr.indptr, csr.indptr)
    arrays = starts, csr.indptr, csr.indices, weights, sums
    for_each(starts.size, _make_body(bool(weighted)), *arrays, *seed, length, walks)
    return walks.reshape(starts.size, length + 1)


def _running_sums(csr):
    """The weights, checked, and those of every vertex's edges added up from its first."""
    check_real(csr.data)
    check_shares(csr)
    weights = as_operand(csr.data.astype(np.float64, copy=False))
    sums = segmented_scan(weights, csr.indptr)
    if config.validate and find_first_true(~(sums < np.inf)) is not None:
        raise ValueError("weights of a vertex's edges must add up to a finite number: divide them by the largest")
    return weights, sums


def _walk(w, starts, indptr, indices, weights, sums, key_low, key_high, length, walks):
    """Walk number `w`."""
    vertex = np.int64(starts[np.uint64(w)])
    here = np.uint64(w) * (np.uint64(length) + np.uint64(1))
    walks[here] = vertex
    for step in range(length):
        if vertex >= 0:
            first, stop = np.uint64(indptr[np.uint64(vertex)]), np.uint64(indptr[np.uint64(vertex) + np.uint64(1)])
            vertex = np.int64(-1)
            if first < stop:
                edge = choose(weights, sums, first, stop, random_unit(key_low, key_high, step, w))
                if edge < stop:
                    vertex = np.int64(indices[edge])
        here += np.uint64(1)
        walks[here] = vertex


@njit(forceinline=True)
def _choose_uniformly(weights, sums, first, stop, chance):
    """Return an edge, each as likely. Rounding never reaches `stop`: a chance below 1 has 53 bits."""
    return first + np.uint64(np.int64(chance * np.float64(np.int64(stop - first))))


@njit(forceinline=True)
def _choose_by_weight(weights, sums, first, stop, chance):
    """Return the first edge up to which the sum is above that part of the whole; `stop` if the whole is 0.

    The sums of tiles are rounded apart: at their seams a weight of 0 might be taken for more.
    """
    whole = sums[stop - np.uint64(1)]
    if not whole > 0:
        return stop
    wanted, low, high = chance * whole, first, stop - np.uint64(1)
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if sums[middle] <= wanted:
            low = middle + np.uint64(1)
        else:
            high = middle
    while weights[low] == 0:
        low = low + np.uint64(1) if low + np.uint64(1) < stop else first
    return low


@functools.cache
def _make_body(weighted):
    """Return the body of a walk by weights, or with every edge as likely."""
    return njit(specialise(_walk, choose=_choose_by_weight if weighted else _choose_uniformly))
