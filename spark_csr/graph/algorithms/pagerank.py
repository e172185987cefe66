"""`pagerank`, `personalized_pagerank`: how often a walker who sometimes jumps is found at every vertex.

Design: one product with the reversed edges for each iteration, and one pass over the vertices, which sums two things at once,
as the parts of a complex number: how far the vector moved, and what is at vertices that no edge leaves. Where a backend has
sweeps that do both, for weights that are all equal, all iterations are one call of them. Sweeps read entries that are new
already, so they take other and fewer steps to the same vector. They begin at a guess from the degrees: 5 instead of 7 sweeps on
a Kronecker graph, 3 instead of 4 on a uniform random one, until the vector moved by less than 1e-4.
"""

import numpy as np

from spark_csr._array import by_width, is_array, namespace_of, to_host_scalar
from spark_csr._numba import njit
from spark_csr._operations.form import check
from spark_csr._operations.reduce.sums import entries_of_rows, sums
from spark_csr.graph.algorithms.power import Pass, as_distribution, convergence_error, entering_pattern, make_sums
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives import _check

COMPLEX128 = np.dtype(np.complex128)


def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weighted=True, dangling=None):
    """The stationary distribution of a walk that follows an edge with probability `alpha`, and jumps otherwise.

    Parameters
    ----------
    G : Graph
        An edge is followed with a probability in proportion to its weight; weights are finite and not negative. Several edges
        between two vertices count as their sum.
    alpha : float
        From 0 to 1.
    personalization : (n,) array, optional
        Where jumps lead, in proportion; default: everywhere alike.
    max_iter : int
    tol : float
        The iteration ends when the vector moves by less than `n * tol` in all.
    nstart : (n,) array, optional
        Where the walk starts, in proportion; default: everywhere alike.
    weighted : bool
        False: all edges of a vertex are followed alike (networkx's `weight=None`).
    dangling : (n,) array, optional
        Where the walk goes on from vertices that no edge leaves, or only edges of weight 0; default: where jumps lead.

    Returns
    -------
    (n,) array of float64
        Sums to 1.

    Raises
    ------
    ValueError
        For `alpha` outside [0, 1], weights or entries of vectors that are negative, infinite or NaN (the first is named; looked
        for only if `config.validate`), vectors of another length, or that sum to 0.
    TypeError
        For what is no graph, complex weights or vectors, or mixed devices.
    RuntimeError
        If it has not converged after `max_iter` iterations.

    Notes
    -----
    *Cost*: for each iteration one product (of weights that are all equal none is read) and one pass over the vertices, on a GPU
    four launches and one host read; on the cores both are one pass where weights are equal and `alpha` is below 1, all
    iterations one call, and there are about half as many of them. Before: reversed edges of a directed graph, kept; weights
    that differ are looked at, and of a large graph put in the order of reversed edges only where more than eight iterations are
    needed. *Order*: same bits every run and for any number
    of threads. *Empty input*: an empty array; without edges where `dangling` says.

    Names, defaults and the test for convergence are those of networkx; its steps are those of a GPU and of weights that differ.
    On the cores Gauss-Seidel sweeps replace them where weights are equal, and where no vector is given they begin at entries in
    proportion to degrees: they end elsewhere within the tolerance. Source:
    Page, Brin, Motwani & Winograd, *The PageRank Citation Ranking*, 1999; Langville & Meyer, *A Survey of Eigenvector Methods
    of Web Information Retrieval*, 2005.

    Examples
    --------
    >>> from spark_csr.graph import Graph, pagerank
    >>> pagerank(Graph([[0, 1, 1], [0, 0, 1], [1, 0, 0]])).round(3)
    array([0.388, 0.215, 0.397])
    """
    xp, csr = arrays_of(G)
    n = csr.shape[0]
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must lie in [0, 1], got {alpha}")
    weights, _, back = make_sums(G, weighted)
    alike = xp.full(1, 1 / max(n, 1))
    jump = alike if personalization is None else as_distribution("personalization", personalization, csr)
    fall = jump if dangling is None else as_distribution("dangling", dangling, csr)
    now = xp.full(n, 1 / max(n, 1)) if nstart is None else as_distribution("nstart", nstart, csr)
    if not n:
        return now
    pattern = entering_pattern(G) if weights is None and alpha < 1 else None
    iterate = None if pattern is None else pattern.plan(_find_iteration)
    if iterate is not None and nstart is None and jump is alike and fall is alike:
        _guess(csr, pattern, alpha, now)
    if iterate is None:
        jump, fall = (xp.full(n, 1 / n) if x is alike else x for x in (jump, fall))
        error = _iterate_composed(csr, weights, back, jump, fall, float(alpha), now, max_iter, n * tol)
    else:
        entering = pattern.indptr, by_width(pattern.indices)
        error = iterate(*entering, csr.plan(_shares), jump, fall, float(alpha), now, max_iter, float(n * tol))
    if error < n * tol:
        return now
    raise convergence_error("pagerank", max_iter, error, n * tol)


def _iterate_composed(csr, weights, back, jump, fall, alpha, now, max_iter, enough):
    """Make `now` the next vector until it moves by less than `enough`; returns how far it moved last."""
    xp, n = namespace_of(now), now.size
    (share, sent, arrived), over_vertices, error = (xp.empty(n) for _ in range(3)), Pass(now, n), np.inf
    lost = _begin_composed(csr, weights, over_vertices, now, share, sent)
    for _ in range(max_iter):
        back(sent, out=arrived)
        moved = over_vertices.total(_step, arrived, now, sent, share, jump, fall, alpha, lost, dtype=COMPLEX128)
        moved = to_host_scalar(moved)
        error, lost = moved.real, moved.imag
        if error < enough:
            break
    return error


def _shares(csr):
    """One over the number of edges that leave every vertex, 0 where there are none; a `plan`."""
    leaving = csr.plan(entries_of_rows)
    return np.where(leaving == 0, 0.0, 1 / np.maximum(leaving, 1))


def _guess(csr, entering, alpha, now):
    """Write the vector that would be exact if edges came from vertices drawn at random: the same for every vertex, and the same
    for every edge that enters it."""
    ends, edges = csr.plan(_measure_dead_ends)
    lost = (ends * (1 - alpha) + edges * alpha) / (1 - (ends - edges) * alpha)
    np.multiply(entering.plan(entries_of_rows), alpha * (1 - lost) / max(entering.indices.size, 1), out=now)
    now += (1 - alpha + alpha * lost) / now.size


def _measure_dead_ends(csr):
    """Return the part of the vertices that no edge leaves, and the part of the edges that lead to them; a `plan`."""
    ends = csr.plan(entries_of_rows) == 0
    return ends.mean(), ends[csr.indices].mean() if csr.indices.size else 0.0


def _find_iteration(csr):
    """Return the function that does all steps in one call; None where the backend has none for this graph."""
    return csr.backend.rank_iteration(csr.indptr)


@njit
def _step(operands, v):
    """The next entry of the vector and what goes along every edge; the sum of how far it moved and, imaginary, what is lost."""
    arrived, now, sent, share, jump, fall, alpha, lost = operands
    entry = alpha * (arrived[v] + lost * fall[v]) + (1 - alpha) * jump[v]
    moved = abs(entry - now[v])
    now[v] = entry
    sent[v] = entry * share[v]
    return complex(moved, entry if share[v] == 0 else 0.0)


def _begin_composed(csr, weights, over_vertices, now, share, sent):
    """Write what goes along every edge of a vertex, as a part and in all; returns what is at vertices that none leaves."""
    leaving = csr.plan(entries_of_rows).astype(np.float64) if weights is None else sums(csr.with_data(weights), axis=1)
    begun = to_host_scalar(over_vertices.total(_begin, leaving, now, share, sent, dtype=COMPLEX128))
    if begun.imag:
        at = _check.find_first_true(share == np.inf)
        raise ValueError(f"the edges that leave {at} weigh nearly nothing: raise their weights, or use weighted=False")
    return begun.real


@njit(error_model="numpy")
def _begin(operands, v):
    """One over the weight of all edges that leave a vertex, 0 where that is 0; the sum of what is lost there and, imaginary,
    how many weights are too small to divide by."""
    leaving, now, share, sent = operands
    lost = leaving[v] == 0
    share[v] = 0.0 if lost else 1 / leaving[v]
    sent[v] = now[v] * share[v]
    return complex(now[v] if lost else 0.0, 1.0 if share[v] == np.inf else 0.0)


def personalized_pagerank(G, sources, alpha=0.85, max_iter=100, tol=1e-6, nstart=None, weighted=True, dangling=None):
    """`pagerank` of a walk that jumps back to some vertices.

    Parameters
    ----------
    G : Graph
    sources : int, sequence or (k,) integer array
        Vertices; a vertex that is named twice is jumped to twice as often. For other proportions use
        `pagerank(personalization=...)`.
    alpha, max_iter, tol, nstart, weighted, dangling
        As of `pagerank`.

    Returns
    -------
    (n,) array of float64
        Sums to 1.

    Raises
    ------
    ValueError
        As `pagerank`; for no sources, or sources out of range: the first is named.
    TypeError
        As `pagerank`; for sources that are no integers.
    RuntimeError
        As `pagerank`.

    Notes
    -----
    *Cost*, *Order*: as `pagerank`. *Empty input*: a graph without vertices has no sources, so it is refused.

    Examples
    --------
    >>> from spark_csr.graph import Graph, personalized_pagerank
    >>> personalized_pagerank(Graph([[0, 1, 1], [0, 0, 1], [1, 0, 0]]), 1).round(3)
    array([0.327, 0.289, 0.384])
    """
    xp, csr = arrays_of(G)
    if not is_array(sources):
        sources = xp.asarray(np.atleast_1d(sources))
    if not sources.size:
        raise ValueError("sources must name a vertex, got none")
    check.within("sources", _check.integers("sources", sources), csr.shape[0])
    jumps = xp.bincount(sources.astype(np.intp), minlength=csr.shape[0])
    return pagerank(G, alpha, jumps, max_iter, tol, nstart, weighted, dangling)
