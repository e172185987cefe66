"""`pagerank` of a graph whose edges are spread over the ranks of a program."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._config import config
from spark_csr.graph.algorithms.power import check_total
from spark_csr.interop.mpi.agreement import agree, tell_function, tell_part
from spark_csr.interop.mpi.rows import csr_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from spark_csr._types import Array


def pagerank(
    A: csr_rows,
    alpha: float = 0.85,
    personalization: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Array | None = None,
    *,
    progress: Callable[[int, float], Any] | None = None,
) -> Array:
    """Compute the stationary distribution of a random walk that follows an edge with probability `alpha`, and jumps otherwise.

    Parameters, result and exceptions that are not listed are those of `spark_csr.graph.pagerank`, for a graph and vectors of
    which each rank has a part. An exception is raised on all ranks, also if they were given different settings, dtypes, or
    vectors on some of them only.

    Parameters
    ----------
    A : csr_rows
        The graph: an entry in row `i` and column `j` is an edge from vertex `i` to vertex `j`, and its value is the weight.
        Weights are finite and not negative. Several entries at one position count as one edge with the sum of their weights.
    personalization, nstart : (m,) arrays, optional
        This rank's parts of the vectors; they are divided by their sums over all ranks. Default: all elements are equal.
    progress : function, optional
        Called on every rank as `progress(iteration, change)` after every iteration, with the sum of the absolute changes.

    Notes
    -----
    All ranks must call this function, with the same settings; `progress` can be given on some of them only. *Cost* of an
    iteration: one product with the transpose, one sum over all ranks, and some passes over vectors. *Order*: the same bits on
    every run with the same number of ranks and the same rows on each. *Empty input*: an empty array.

    The iteration, names and defaults are those of networkx, as in `spark_csr.graph.pagerank`. A walk that comes to a vertex
    which no edge leaves jumps. Source: Page, Brin, Motwani & Winograd, *The PageRank Citation Ranking*, 1999.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop import mpi
    >>> mpi.pagerank(mpi.csr_rows(csr_array([[0.0, 1, 1], [0, 0, 1], [1, 0, 0]]))).round(3)
    array([0.388, 0.215, 0.397])
    """
    if not isinstance(A, csr_rows):
        raise TypeError(f"A must be a csr_rows, got {type(A).__name__}: use csr_rows(A), or spark_csr.graph.pagerank")
    if A.shape[0] != A.shape[1] or not np.array_equal(A.offsets, A.column_offsets):
        raise ValueError(f"A must be square, and its columns be spread as its rows are; its shape is {A.shape}")
    if A.dtype.kind == "c":
        raise TypeError(f"weights must be real, got dtype {A.dtype}")
    vectors = {"personalization": personalization, "nstart": nstart}
    max_iter = _read_settings(A, alpha, max_iter, tol, vectors, progress)
    n = A.shape[0]
    _refuse("the weights", A.block.matrix.data, A)
    jump, now = (_distribution(name, given, A) for name, given in vectors.items())
    if not n:
        return now
    half = _half_scale(A)
    with config(threads=A.threads):
        leaving = A.block.matrix.astype(np.float64) @ A.block.matrix._csr.xp.full(A.block.columns.size, half) * half
        dangling = leaving == 0
        leaving[dangling] = 1
        with np.errstate(over="ignore"):
            _refuse("one over the sum of the weights that leave a vertex", 1 / leaving, A)
        stuck = float(A.comm.sum(now[dangling].sum().reshape(1))[0])
        for iteration in range(max_iter):
            # What leaves no vertex: where a walk jumps, and where no edge leads on.
            new = A.T @ (now / leaving * ~dangling * half)
            new *= alpha * half
            new += (alpha * stuck + 1 - alpha) * jump
            xp = A.block.matrix._csr.xp
            change, stuck = A.comm.sum(xp.stack([abs(new - now).sum(), new[dangling].sum()])).tolist()
            now = new
            if progress is not None:
                progress(iteration + 1, change)
            if change < n * tol:
                return now
    raise RuntimeError(f"pagerank has not converged after {max_iter} iterations: use a larger max_iter or tol")


def _read_settings(A, alpha, max_iter, tol, vectors, progress):
    """Return the number of iterations; raise an exception on all ranks if what was given does not fit, or differs."""

    def read():
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], got {alpha}")
        tell_function("progress", progress)
        told = {"alpha": str(float(alpha)), "max_iter": str(operator.index(max_iter)), "tol": str(float(tol))}
        for name, x in vectors.items():
            told[name] = tell_part(name, x, A.offsets, A, axes=1, optional=True)
            if x is not None and x.dtype.kind == "c":
                raise TypeError(f"{name} must be real, got dtype {x.dtype}")
        return told, operator.index(max_iter)

    return agree(A.comm, read)


def _half_scale(A):
    """Return a power of two whose square times the largest weight is about 1, so that no sum of weights overflows."""
    weights = A.block.matrix.data
    largest = max(A.comm.gather(float(to_host_scalar(weights.max())) if weights.size else 0.0))
    return 2.0 ** -(math.frexp(largest)[1] // 2)


def _distribution(name, given, A):
    """Return this rank's part of a vector of probabilities."""
    if given is None:
        return A.ones() / max(A.shape[0], 1)
    _refuse(name, given, A)
    part = given.astype(np.float64)
    with np.errstate(over="ignore"):
        total = float(A.comm.sum(part.sum().reshape(1))[0])
    if A.shape[0]:
        check_total(name, total)
    return part / total if total else part


def _refuse(name, values, A):
    """Raise ValueError on every rank if a value on any rank is negative, infinite or NaN."""
    wrong = ~((values >= 0) & (values < np.inf))
    at = int(to_host_scalar(wrong.argmax())) if values.size else 0
    first = to_host_scalar(values[at]) if values.size and to_host_scalar(wrong[at]) else None
    for rank, found in enumerate(A.comm.gather(first)):
        if found is not None:
            raise ValueError(f"{name} must be finite and not negative, got {found} on rank {rank}")
