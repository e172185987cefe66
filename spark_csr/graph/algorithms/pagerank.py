"""`pagerank`, `personalized_pagerank`: how often a random walk that sometimes jumps is at every vertex.

Design: each iteration is one product with the reversed edges and one pass over the vertices. The pass sums two numbers at once,
as the parts of a complex number: how far the vector moved, and how much of it is at vertices that no edge leaves. If all
weights are equal and a backend has sweeps that do both, all iterations are one call of them. Sweeps read entries that the
same sweep has computed, so fewer are needed, and they approach the same vector by other steps. They begin at a guess from the
degrees: until the vector moved by less than 1e-4, this took 5 instead of 7 sweeps on a Kronecker graph, and 3 instead of 4 on a
uniform random one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.reduce.sums import entries_of_rows, sums
from spark_csr._progress import watch
from spark_csr.graph.algorithms.power import (
    Pass,
    as_distribution,
    check_end,
    convergence_error,
    divide_by_source,
    entering_pattern,
    make_sums,
)
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.vertices import read_vertices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph

COMPLEX128 = np.dtype(np.complex128)


def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: ArrayLike | Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: ArrayLike | Mapping[Any, float] | None = None,
    weighted: bool = True,
    dangling: ArrayLike | Mapping[Any, float] | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Compute the stationary distribution of a random walk that follows an edge with probability `alpha`, and jumps otherwise.

    Parameters
    ----------
    G : Graph
        The graph. An edge is followed with a probability proportional to its weight. Weights are finite and not negative.
        Several edges between two vertices count as one that has the sum of their weights.
    alpha : float, default: 0.85
        The probability, from 0 to 1, that the walk follows an edge.
    personalization : (n,) array_like, or dict or Series by name, optional
        The probabilities of the vertices that jumps lead to; they are divided by their sum. Default: all are equal.
    max_iter : int, default: 100
        The largest number of iterations.
    tol : float, default: 1e-6
        The iteration ends when the sum of the absolute changes of all elements is less than `n * tol`.
    nstart : (n,) array_like, or dict or Series by name, optional
        The vector to start with; it is divided by its sum. Default: equal elements, or a guess where Notes says so.
    weighted : bool, default: True
        If False, all edges that leave a vertex are followed with the same probability (networkx's `weight=None`).
    dangling : (n,) array_like, or dict or Series by name, optional
        The probabilities of the vertices that the walk visits after a dangling vertex, that is one whose outgoing edges have a
        total weight of 0; they are divided by their sum. Default: as for jumps.
    progress : bool or function, optional
        True shows on stderr the iterations and how far the vector moved: a bar of tqdm if that is installed, else lines. A
        function is called as `progress(iteration, change)` after every iteration.

    Returns
    -------
    (n,) array of float64
        The probability of every vertex. They sum to 1.

    Raises
    ------
    ValueError
        If `alpha` is outside [0, 1]; if a weight or an element of a vector is negative, infinite or NaN (the message names the
        first one; checked only if `config.validate`); or if a vector has another length or sums to 0.
    TypeError
        If `G` is not a Graph, if weights or vectors are complex, or if arrays are on different devices.
    RuntimeError
        If the iteration has not converged after `max_iter` iterations.

    Notes
    -----
    *Cost*: each iteration takes one product, which reads no weights if these are all equal, and one pass over the vertices; on
    a GPU four launches and one host read. On the cores, if weights are equal and `alpha` is below 1, an iteration is one pass,
    all iterations are one call, and fewer are needed. Before the first iteration a directed graph is reversed, and the result
    is kept; weights that differ are summed for every vertex. The weights of a large graph are put in the order of the
    reversed edges only if more than eight iterations are needed. *Order*: the same bits on every run and for any number of
    threads. *Empty input*: an empty array. Without edges the result is the distribution that `dangling` gives.

    `personalization`, `nstart` and `dangling` may be dicts, or Series of pandas, from names to numbers, as `G.named` returns
    them. Vertices that they do not name have 0, as in networkx. An integer is a name if there are integers among the names, and
    otherwise the number of a vertex. A Series without names, whose index is 0 to n - 1, is an array.

    Names, defaults and the test for convergence are those of networkx. On a GPU, and for weights that differ, the iterations
    are networkx's too. For equal weights the cores use Gauss-Seidel sweeps, whose result differs within the tolerance; they do
    not use them for a large graph in which more than about a quarter of the edges lead to one vertex. If none of
    `personalization`, `nstart` and `dangling` is given, the sweeps begin at a guess from the degrees. Source: Page, Brin,
    Motwani & Winograd, *The PageRank Citation Ranking*, 1999; Langville & Meyer, *A Survey of Eigenvector Methods of Web
    Information Retrieval*, 2005.

    Examples
    --------
    >>> from spark_csr.graph import Graph, hits, pagerank, personalized_pagerank
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> pagerank(G).round(3), personalized_pagerank(G, 1).round(3)
    (array([0.388, 0.215, 0.397]), array([0.327, 0.289, 0.384]))
    >>> H = Graph.from_edges(["ann", "bob", "cleo"], ["bob", "cleo", "ann"])
    >>> pagerank(H, personalization={"ann": 1}).round(3)
    array([0.389, 0.33 , 0.281])
    >>> hubs, authorities = hits(Graph([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    >>> hubs.round(3), authorities.round(3)
    (array([0.618, 0.382, 0.   ]), array([0.   , 0.382, 0.618]))
    """
    xp, csr = arrays_of(G)
    n = csr.shape[0]
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must lie in [0, 1], got {alpha}")
    max_iter, tol = check_end(max_iter, tol)
    weights, _, back = make_sums(G, weighted, divide_by_source)
    alike = xp.full(1, 1 / max(n, 1))
    jump = alike if personalization is None else as_distribution("personalization", personalization, G)
    fall = jump if dangling is None else as_distribution("dangling", dangling, G)
    now = xp.full(n, 1 / max(n, 1)) if nstart is None else as_distribution("nstart", nstart, G)
    if not n:
        return now
    pattern = entering_pattern(G) if weights is None and alpha < 1 else None
    iterate = None if pattern is None else pattern.plan(_find_iteration)
    if iterate is not None and nstart is None and jump is alike and fall is alike:
        _guess(csr, pattern, alpha, now)
    with watch(progress, "pagerank") as report:
        if pattern is None or iterate is None:
            jump, fall = (xp.full(n, 1 / n) if x is alike else x for x in (jump, fall))
            error = _iterate_composed(csr, weights, back, jump, fall, float(alpha), now, max_iter, n * tol, report)
        else:
            entering = pattern.indptr, by_width(pattern.indices)
            error = iterate(*entering, csr.plan(_shares), jump, fall, float(alpha), now, max_iter, float(n * tol), report)
    if error < n * tol:
        return now
    raise convergence_error("pagerank", max_iter, error, n * tol)


def _iterate_composed(csr, weights, back, jump, fall, alpha, now, max_iter, enough, report):
    """Make `now` the next vector until it moves by less than `enough`; return how far it moved last."""
    xp, n = namespace_of(now), now.size
    (share, sent, arrived), over_vertices, error = (xp.empty(n) for _ in range(3)), Pass(now, n), np.inf
    lost = _begin_composed(csr, weights, over_vertices, now, share, sent)
    for iteration in range(1, max_iter + 1):
        back(sent, out=arrived)
        moved = over_vertices.total(_step, arrived, now, sent, share, jump, fall, alpha, lost, dtype=COMPLEX128)
        moved = to_host_scalar(moved)
        error, lost = moved.real, moved.imag
        if report is not None:
            report(iteration, error)
        if error < enough:
            break
    return error


def _shares(csr):
    """Return one over the number of edges that leave every vertex, 0 where there are none; a `plan`."""
    leaving = csr.plan(entries_of_rows)
    return np.where(leaving == 0, 0.0, 1 / np.maximum(leaving, 1))


def _guess(csr, entering, alpha, now):
    """Write the vector that would be exact if edges came from vertices drawn at random.

    It is the sum of a number that is the same for every vertex, and of one that is the same for every edge that enters the
    vertex.
    """
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
    """Write the next entry of the vector and its share for every edge that leaves the vertex.

    Return how far the entry moved and, as the imaginary part, the entry if no edge leaves the vertex.
    """
    arrived, now, sent, share, jump, fall, alpha, lost = operands
    entry = alpha * (arrived[v] + lost * fall[v]) + (1 - alpha) * jump[v]
    moved = abs(entry - now[v])
    now[v] = entry
    sent[v] = entry * share[v]
    return complex(moved, entry if share[v] == 0 else 0.0)


def _begin_composed(csr, weights, over_vertices, now, share, sent):
    """Write the share and the rank that each edge of a vertex carries; return the sum of ranks at vertices without edges."""
    leaving = csr.plan(entries_of_rows).astype(np.float64) if weights is None else sums(csr.with_data(weights), axis=1)
    return to_host_scalar(over_vertices.total(_begin, leaving, now, share, sent))


@njit(error_model="numpy")
def _begin(operands, v):
    """Write one over the weight of all edges that leave a vertex, 0 where that is 0; return what is lost there."""
    leaving, now, share, sent = operands
    lost = leaving[v] == 0
    share[v] = 0.0 if lost else 1 / leaving[v]
    sent[v] = now[v] * share[v]
    return now[v] if lost else 0.0


def personalized_pagerank(
    G: Graph,
    sources: ArrayLike,
    alpha: float = 0.85,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: ArrayLike | Mapping[Any, float] | None = None,
    weighted: bool = True,
    dangling: ArrayLike | Mapping[Any, float] | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Compute the `pagerank` of a random walk whose jumps lead to some vertices only.

    Parameters, result and exceptions that are not listed are those of `pagerank`. ValueError is raised if there are no sources.
    See the example of `pagerank`.

    Parameters
    ----------
    sources : int, name, or array_like of these
        The vertices that jumps lead to (names: see `Graph.vertex`), with equal probability; a vertex that is named twice is
        jumped to twice as often. For other proportions use `pagerank(personalization=...)`.
    """
    xp, csr = arrays_of(G)
    vertices = read_vertices(G, sources, "sources")
    if not vertices.size:
        raise ValueError("sources must hold at least one vertex, got none")
    jumps = xp.bincount(vertices.astype(np.intp), minlength=csr.shape[0])
    return pagerank(G, alpha, jumps, max_iter, tol, nstart, weighted, dangling, progress=progress)
