"""`eigenvector_centrality`, `katz_centrality`: a vertex is central if edges from central vertices lead to it.

Design: each iteration is one product with the reversed edges and passes over the vertices: the length of the new vector must be
known before the pass that divides by it and measures how far the vector moved.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.product.spmv import spmv
from spark_csr._progress import watch
from spark_csr.graph.algorithms.checks import check_real, check_weights
from spark_csr.graph.algorithms.power import (
    FLOAT64,
    HINT,
    LARGE,
    PLUS_SECOND,
    Entering,
    Pass,
    as_values_of_vertices,
    check_end,
    convergence_error,
    entering_pattern,
)
from spark_csr.graph.graph import arrays_of

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph


def eigenvector_centrality(
    G: Graph,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: ArrayLike | Mapping[Any, float] | None = None,
    weighted: bool = False,
    *,
    progress: Progress = None,
) -> Array:
    """Compute the eigenvector centrality: the leading left eigenvector of the matrix of the graph.

    Parameters
    ----------
    G : Graph
        The graph. Several edges between two vertices count as one that has the sum of their weights.
    max_iter : int, default: 100
        The largest number of iterations.
    tol : float, default: 1e-6
        The iteration ends when the sum of the absolute changes of all elements is less than `n * tol`.
    nstart : (n,) array_like, or dict or Series by name, optional
        The vector to start with. Default: all elements are equal.
    weighted : bool, default: False
        If True, every edge counts by its weight. If False, every edge has weight 1.
    progress : bool or function, optional
        True shows on stderr the iterations and the sum of the absolute changes: a bar of tqdm if that is installed, else lines.
        A function is called as `progress(iteration, change)` after every iteration.

    Returns
    -------
    (n,) array of float64
        The centrality of every vertex, by the edges that enter it. The sum of the squares is 1.

    Raises
    ------
    ValueError
        If `nstart` has another length, or lacks a vertex, if all its elements are zero, or if an element of it or a weight is
        infinite or NaN.
    TypeError
        If `G` is not a Graph, if weights or `nstart` are complex, or if arrays are on different devices.
    RuntimeError
        If the iteration has not converged after `max_iter` iterations.

    Notes
    -----
    Names, defaults, iterations and the test for convergence are those of networkx: power iteration with the matrix plus the
    identity. If all weights are below 1, they are first divided by the largest of them: beside small weights the identity would
    be all that counts. For the edges that leave the vertices use `G.transpose`. *Cost*: for each iteration one product, which
    reads no weights without `weighted`, two passes over the vertices, and one host read. *Order*: the same bits on every run
    and for any number of threads. *Empty input*: an empty array (networkx raises an exception). Source: Bonacich, *Power and
    Centrality*, 1987.

    Examples
    --------
    >>> from spark_csr.graph import Graph, eigenvector_centrality
    >>> from spark_csr.graph import katz_centrality
    >>> A = [[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    >>> eigenvector_centrality(Graph(A, directed=False)).round(3)
    array([0.612, 0.523, 0.523, 0.282])
    >>> katz_centrality(Graph(A, directed=False), normalized=False).round(3)
    array([1.366, 1.263, 1.263, 1.137])
    """
    xp, csr = arrays_of(G)
    max_iter, tol = check_end(max_iter, tol)
    n, entering = csr.shape[0], _entering_sums(G, weighted, _scale)
    now = xp.ones(n) if nstart is None else _as_vector("nstart", nstart, G)
    if not n:
        return now
    if nstart is not None:
        largest = to_host_scalar(abs(now).max())
        if not 0 < largest < np.inf:
            raise ValueError(f"nstart must be finite and have an element that is not 0, got {largest}")
        now /= largest
    total = to_host_scalar(now.sum())
    if total:
        now /= total
    arrived, over_vertices, error = xp.empty(n), Pass(now, n), np.inf
    with watch(progress, "eigenvector_centrality") as report:
        for iteration in range(1, max_iter + 1):
            entering(now, out=arrived)
            squares = over_vertices.total(_add_and_square, arrived, now)
            error = to_host_scalar(over_vertices.total(_divide, arrived, squares, now))
            if report is not None:
                report(iteration, error)
            if error < n * tol:
                return now
    raise convergence_error("eigenvector_centrality", max_iter, error, n * tol)


@njit
def _add_and_square(operands, v):
    """Add the last vector to what has arrived; return the square of the sum."""
    arrived, now = operands
    entry = arrived[v] + now[v]
    arrived[v] = entry
    return entry * entry


@njit
def _divide(operands, v):
    """Write the next entry of the vector; return how far it moved."""
    arrived, squares, now = operands
    entry = arrived[v] / (math.sqrt(squares[0]) if squares[0] > 0 else 1.0)
    moved = abs(entry - now[v])
    now[v] = entry
    return moved


def katz_centrality(
    G: Graph,
    alpha: float = 0.1,
    beta: float | ArrayLike | Mapping[Any, float] = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: ArrayLike | Mapping[Any, float] | None = None,
    normalized: bool = True,
    weighted: bool = False,
    *,
    progress: Progress = None,
) -> Array:
    """Compute the Katz centrality: the number of paths to every vertex, of which longer ones count less.

    Parameters, result and exceptions that are not listed are those of `eigenvector_centrality`; the vectors need not have an
    element that is not zero. RuntimeError is raised also if the iteration diverges. See the example of
    `eigenvector_centrality`.

    Parameters
    ----------
    alpha : float, default: 0.1
        The factor that each edge of a path contributes to what the path counts. The iteration converges if `alpha` is less than
        one over the largest absolute eigenvalue of the matrix.
    beta : float, (n,) array_like, or dict or Series by name, default: 1.0
        The part of the centrality of every vertex that does not depend on edges.
    max_iter : int, default: 1000
        The largest number of iterations.
    nstart : (n,) array_like, or dict or Series by name, optional
        The vector to start with. Default: zeros.
    normalized : bool, default: True
        Whether to divide the result so that the sum of its squares is 1.

    Returns
    -------
    (n,) array of float64
        The centrality of every vertex, by the edges that enter it: `x = alpha * A.T @ x + beta`.

    Notes
    -----
    *Cost*: for each iteration one product, which reads no weights without `weighted`, one pass over the vertices, and one host
    read. Source: Katz, *A New Status Index Derived from Sociometric Analysis*, 1953.
    """
    xp, csr = arrays_of(G)
    max_iter, tol = check_end(max_iter, tol)
    n, entering = csr.shape[0], _entering_sums(G, weighted, lambda weights, largest: weights)
    own = xp.full(n, float(beta)) if np.ndim(beta) == 0 and not isinstance(beta, Mapping) else _as_vector("beta", beta, G)
    now = xp.zeros(n) if nstart is None else _as_vector("nstart", nstart, G)
    if not n:
        return now
    arrived, over_vertices, error = xp.empty(n), Pass(now, n), np.inf
    with watch(progress, "katz_centrality") as report:
        for iteration in range(1, max_iter + 1):
            entering(now, out=arrived)
            before = error
            error = to_host_scalar(over_vertices.total(_attenuate, arrived, float(alpha), own, now))
            if report is not None:
                report(iteration, error)
            if error < n * tol:
                break
            if not error < np.inf:
                raise RuntimeError(f"katz_centrality diverges for alpha={alpha}: use a smaller alpha")
    if not error < n * tol:
        advice = "use a smaller alpha" if max_iter > 1 and error >= before else "use a smaller alpha, or raise max_iter or tol"
        raise convergence_error("katz_centrality", max_iter, error, n * tol, advice)
    if normalized:
        now /= to_host_scalar(abs(now).max()) or 1.0
        now /= math.sqrt(to_host_scalar((now * now).sum())) or 1.0
    return now


@njit
def _attenuate(operands, v):
    """Write the next entry of the vector; return how far it moved."""
    arrived, alpha, own, now = operands
    entry = alpha * arrived[v] + own[v]
    moved = abs(entry - now[v])
    now[v] = entry
    return moved


def _entering_sums(G, weighted, scale):
    """Return the function that sums, for every vertex, a vector over the edges that enter it.

    `scale(weights, largest)` changes the weights, of which the largest absolute value is given.
    """
    _, csr = arrays_of(G)
    if not weighted or not csr.data.size:  # a record needs data; PLUS_SECOND does not read it, so the columns serve
        back = entering_pattern(G)
        return functools.partial(spmv, back.with_data(back.indices), ring=PLUS_SECOND)
    check_real(csr.data, HINT)
    weights = csr.data.astype(FLOAT64, copy=False)
    largest = to_host_scalar(abs(weights).max())
    if not largest < np.inf:
        check_weights(csr, ~(abs(weights) < np.inf), "be finite", HINT)
    weights = scale(weights, largest)
    return Entering(csr, weights) if G.directed else functools.partial(spmv, csr.with_data(weights))


def _scale(weights, largest):
    """Return weights whose squares do not overflow, and beside which the identity, which is added, is not large."""
    return weights if largest >= 1 and largest < LARGE else weights / (largest or 1)


def _as_vector(name, values, G):
    """Return a copy in float64 of an (n,) vector."""
    x = as_values_of_vertices(name, values, G)
    return namespace_of(x).array(x, FLOAT64)
