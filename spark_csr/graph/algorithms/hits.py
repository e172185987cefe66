"""`hits`: hubs, whose edges lead to authorities, and authorities, to which the edges of hubs lead.

Design: each iteration is one product with the edges and one with the reversed edges, and two passes over the vertices: the sum
of the new vector must be known before the pass that divides by it and measures how far the vector moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._engine import njit
from spark_csr._progress import watch
from spark_csr.graph.algorithms.power import Pass, as_distribution, check_end, convergence_error, divide_extremes, make_sums
from spark_csr.graph.graph import arrays_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph


def hits(
    G: Graph,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: ArrayLike | Mapping[Any, float] | None = None,
    normalized: bool = True,
    weighted: bool = True,
    *,
    progress: Progress = None,
) -> tuple[Array, Array]:
    """Compute the hub and the authority value of every vertex.

    Parameters, result and exceptions that are not listed are those of `pagerank`. The iteration converges slowly if the second
    singular value is close to the first. See the example of `pagerank`.

    Parameters
    ----------
    tol : float, default: 1e-8
        The iteration ends when the hub values, the largest of which is 1, change by less than this in total.
    nstart : (n,) array_like, or dict or Series by name, optional
        The hub values to start with; they are divided by their sum. Default: all are equal.
    normalized : bool, default: True
        If True, hub and authority values each sum to 1. If False, the largest of each is 1.
    weighted : bool, default: True
        If False, every edge has weight 1.

    Returns
    -------
    hubs : (n,) array of float64
        The hub values.
    authorities : (n,) array of float64
        The authority values.

    Notes
    -----
    *Cost*: for each iteration two products (which read no weights if these are all equal) and two passes over the vertices,
    seven launches and one host read. The work before the first iteration is that of `pagerank`. *Order*: the same bits on every
    run and for any number of threads. *Empty input*: empty arrays. All values are 0 if there are no edges, or if no edge leaves
    a vertex with a positive element of `nstart`.

    Names, defaults and the method are those of networkx 3.7. If several singular vectors belong to the largest singular value,
    the result is the one that `nstart` is projected to. Source: Kleinberg, *Authoritative Sources in a Hyperlinked
    Environment*, J. ACM 46, 1999.
    """
    xp, csr = arrays_of(G)
    n = csr.shape[0]
    max_iter, tol = check_end(max_iter, tol)
    _, along, back = make_sums(G, weighted, divide_extremes)
    hubs = xp.full(n, 1 / max(n, 1)) if nstart is None else as_distribution("nstart", nstart, G)
    authorities, found, over_vertices, error = xp.zeros(n), xp.empty(n), Pass(hubs, n), np.inf
    with watch(progress, "hits") as report:
        for iteration in range(1, max_iter + 1 if n else 1):
            back(hubs, out=authorities)
            along(authorities, out=found)
            error = to_host_scalar(over_vertices.total(_step, found, found.max(keepdims=True), hubs))
            if report is not None:
                report(iteration, error)
            if error < tol:
                break
    if n and not error < tol:
        raise convergence_error("hits", max_iter, error, tol)
    if normalized:
        return hubs / _or_one(hubs.sum()), authorities / _or_one(authorities.sum())
    return hubs, authorities / _or_one(authorities.max()) if n else authorities


@njit
def _step(operands, v):
    """Write the next hub value of a vertex; return how far it moved."""
    found, largest, hubs = operands
    entry = found[v] / largest[0] if largest[0] > 0 else 0.0
    moved = abs(entry - hubs[v])
    hubs[v] = entry
    return moved


def _or_one(total):
    """Return an array of no axes, 1 if it is 0."""
    return total + (total == 0)
