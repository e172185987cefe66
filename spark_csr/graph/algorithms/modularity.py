"""`modularity`, and graphs with whole numbers for weights, of which it and searches for communities compute sums.

Design: weights are scaled and rounded to int64, so that sums over communities are exact and do not depend on the order in which
threads add. Whole numbers are not changed unless their sum is beyond 2**60. Others lose what is below a 2**60th of the sum of
all weights. Source: Newman, *Modularity and Community Structure in Networks*, 2006.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, to_host_scalar
from spark_csr._config import config
from spark_csr._engine import lean, njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import sums
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.checks import check_real, check_shares, check_undirected, number_of
from spark_csr.graph.algorithms.power import LARGE, divide_extremes
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph

BITS = 60
"""Two to this power bounds the sum of all weights."""


def modularity(G: Graph, communities: Array, resolution: float = 1.0, weighted: bool = True) -> float:
    """Compute the modularity of a division: the share of edges within communities beyond that of random graphs.

    Parameters, result and exceptions that are not listed are those of `louvain_communities`. See the example of
    `louvain_communities`.

    Parameters
    ----------
    communities : (n,) array of ints
        The community of every vertex, a number from 0 to `n - 1`.
    resolution : float, default: 1.0
        The factor of the number of edges that a random graph would have inside of the communities. Larger values favour smaller
        communities.

    Returns
    -------
    float
        The modularity, as networkx defines it. NaN if there are no edges, or if all weights are 0.

    Notes
    -----
    *Cost*: two passes over the edges, and three host reads. *Order*: sums of weights are exact for whole numbers up to 2**60;
    others are rounded to a 2**60th of the sum of all weights. The same bits on every run and for any number of threads.
    """
    _, csr = arrays_of(G)
    check_undirected(G, "modularity")
    labels = _check.integers("communities", _check.one_dimensional("communities", communities))
    if labels.size != csr.shape[0]:
        raise ValueError(f"communities must have one entry for each of {csr.shape[0]} vertices, got {labels.size}")
    if config.validate and (at := _check.find_first_true((labels < 0) | (labels >= labels.size))) is not None:
        raise ValueError(f"communities must lie in [0, {labels.size}), got communities[{at}] = {to_host_scalar(labels[at])}")
    whole, _ = as_whole(csr, weighted)
    return quality(whole, sums(whole, axis=1), labels, number_of("resolution", resolution))


def as_whole(csr, weighted):
    """Return a graph's record with int64 weights, where a self-loop has twice its weight, and the factor of the weights."""
    xp, n = csr.xp, csr.indices.size
    weights, scale = xp.ones(n, np.int64), 1.0
    if weighted and n:
        check_real(csr.data, "use weighted=False, or abs(A)")
        check_shares(csr, "use weighted=False, or abs(A)")
        with np.errstate(over="ignore"):
            total = float(to_host_scalar(csr.data.sum(dtype=np.float64)))
        if csr.data.dtype.kind == "f" or not total < 2.0**BITS:
            weights = csr.data.astype(np.float64)
            if not (total < 2.0**52 and _check.find_first_true(weights != xp.rint(weights)) is None):
                if not 1 / LARGE < total < LARGE:
                    largest, given = float(to_host_scalar(weights.max())), weights
                    weights = divide_extremes(csr, given)
                    total = float(to_host_scalar(weights.sum()))
                    scale = 1.0 if weights is given else 1 / max(largest, sys.float_info.min)
                factor = 2.0 ** (BITS - 1 - math.frexp(total)[1])
                weights, scale = xp.rint(weights * factor), min(scale * factor, sys.float_info.max)
        weights = weights.astype(np.int64) if weights.dtype != np.int64 else csr.data.astype(np.int64)
    loops = csr.plan(rows_of_entries) == csr.indices
    weights[loops] *= 2
    return csr.with_data(weights), scale


def quality(whole, degree, labels, resolution):
    """Return the modularity of a record that `as_whole` has made, whose rows have these sums."""
    xp, n = whole.xp, whole.shape[0]
    within, totals = xp.zeros(n, np.int64), xp.zeros(n, np.int64)
    for_each(n, _add_within, whole.indptr, by_width(whole.indices), whole.data, degree, labels, within, totals)
    both = float(to_host_scalar(degree.sum()))
    if not both:
        return math.nan
    parts = totals.astype(np.float64) / both
    return float(to_host_scalar(within.sum())) / both - resolution * float(to_host_scalar((parts * parts).sum()))


@lean
def _add_within(v, indptr, indices, weights, degree, labels, within, totals):
    """Write the weight of a vertex's edges within its community, and add its degree to that of the community."""
    own, total = labels[v], np.int64(0)
    for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
        if labels[indices[e]] == own:
            total += weights[e]
    within[v] = total
    atomic_add(totals, np.uint64(own), degree[v])


@njit(forceinline=True)
def slot_of(community, mask):
    """Return where the search for a community begins in a table whose size is one more than `mask`."""
    return (np.uint64(community) * 0x9E3779B97F4A7C15 >> 32) & mask


@njit(forceinline=True)
def table_mask(size):
    """Return one less than the size of a table for so many entries: the largest power of two up to twice as many."""
    mask = np.uint64(1)
    while mask < np.uint64(size):
        mask = mask + mask + 1
    return mask
