"""`hits`: hubs, whose edges lead to authorities, and authorities, to which edges of hubs lead.

Design: one product with the edges and one with the reversed edges for each iteration; two passes over the vertices, as how far
the vector moved is known only when its sum is.
"""

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._numba import njit
from spark_csr.graph.algorithms.power import Pass, as_distribution, convergence_error, make_sums
from spark_csr.graph.graph import arrays_of


def hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True, weighted=True):
    """How good a hub, and how good an authority, every vertex is.

    Parameters
    ----------
    G : Graph
        Weights are finite and not negative. Several edges between two vertices count as their sum.
    max_iter : int
    tol : float
        The iteration ends when the hubs, which sum to 1, move by less in all.
    nstart : (n,) array, optional
        The hubs to start with, in proportion; default: all alike.
    normalized : bool
        True: hubs and authorities each sum to 1. False: the squares of authorities sum to 1, and hubs are `A @ authorities`.
    weighted : bool
        False: every edge counts as 1.

    Returns
    -------
    hubs, authorities : (n,) arrays of float64

    Raises
    ------
    ValueError
        For weights or entries of `nstart` that are negative, infinite or NaN (the first is named; looked for only if
        `config.validate`), or an `nstart` of another length, or that sums to 0.
    TypeError
        For what is no graph, complex weights, or mixed devices.
    RuntimeError
        If it has not converged after `max_iter` iterations: the larger the second singular value beside the first, the slower.

    Notes
    -----
    *Cost*: for each iteration two products (of weights that are all equal none is read) and two passes over the vertices, seven
    launches and one host read. Before: as `pagerank`. *Order*: same bits every run and for any number of threads. *Empty
    input*: empty arrays; without edges nobody is a hub or an authority: all are 0, as they are where
    no edge leaves what `nstart` names.

    Names and defaults are those of networkx, which asks SciPy for a singular vector. Where there are several of the largest
    singular value, this is the one that the start is projected to, theirs is any. Source: Kleinberg, *Authoritative Sources in
    a Hyperlinked Environment*, J. ACM 46, 1999.

    Examples
    --------
    >>> from spark_csr.graph import Graph, hits
    >>> hubs, authorities = hits(Graph([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    >>> hubs.round(3), authorities.round(3)
    (array([0.618, 0.382, 0.   ]), array([0.   , 0.382, 0.618]))
    """
    xp, csr = arrays_of(G)
    n = csr.shape[0]
    _, along, back = make_sums(G, weighted)
    hubs = xp.full(n, 1 / max(n, 1)) if nstart is None else as_distribution("nstart", nstart, csr)
    authorities, found, over_vertices, error = xp.zeros(n), xp.empty(n), Pass(hubs, n), np.inf
    for _ in range(max_iter if n else 0):
        back(hubs, out=authorities)
        along(authorities, out=found)
        error = to_host_scalar(over_vertices.total(_step, found, found.sum(keepdims=True), hubs))
        if error < tol:
            break
    if n and not error < tol:
        raise convergence_error("hits", max_iter, error, tol)
    if normalized:
        return hubs, authorities / _or_one(authorities.sum())
    authorities /= _or_one(xp.sqrt((authorities * authorities).sum()))
    return G.matrix @ authorities if weighted else along(authorities), authorities


@njit
def _step(operands, v):
    """The next entry of the hubs; how far it moved."""
    found, total, hubs = operands
    entry = found[v] / total[0] if total[0] > 0 else 0.0
    moved = abs(entry - hubs[v])
    hubs[v] = entry
    return moved


def _or_one(total):
    """An array of no axes, 1 where it is 0."""
    return total + (total == 0)
