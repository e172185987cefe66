"""`pagerank` of a graph in blocks of rows on Dask."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from spark_csr._array import device_of, namespace_of, to_device, to_host_scalar
from spark_csr.graph.algorithms.power import LARGE
from spark_csr.interop.dask.checkpoints import saver
from spark_csr.interop.dask.elementwise import change_values, fill
from spark_csr.interop.dask.iterate import Step, check_square, check_vector, iterate, map_chunks, start, vector_of
from spark_csr.interop.dask.transposed import TransposedBlocks

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from spark_csr.interop.dask.blocks import csr_blocks


class _Walk(Step):
    """One step of a random walk; vectors are x, one over the weights that leave, jump, fall, and the last change."""

    def __init__(self, alpha, tolerance, transposed):
        self.alpha, self.tolerance, self.transposed = alpha, tolerance, transposed

    def operand(self, vectors):
        return vectors[0] * vectors[1]

    def measure(self, vectors, product):
        x, over = vectors[:2]
        return np.array([to_host_scalar(x[over == 0].sum()), vectors[4]])

    def decide(self, before, sums):
        change = float(sums[1]) if before["iteration"] else np.inf
        return {"done": change < self.tolerance, "value": change, "dangling": sums[0]}

    def advance(self, vectors, product, decision):
        x, over, jump, fall, _ = vectors
        new = self.alpha * (product + decision["dangling"] * fall) + (1 - self.alpha) * jump
        return new, over, jump, fall, float(to_host_scalar(abs(new - x).sum()))


def _start_walk(x, weights, jump, fall):
    """Return the vectors on the device of the weights, which is that of the blocks."""
    device, xp = device_of(weights), namespace_of(weights)
    with np.errstate(divide="ignore", over="ignore"):
        over = xp.where(weights == 0, 0.0, 1 / weights)
    if to_host_scalar((over == np.inf).any()):
        raise ValueError("the edges that leave a vertex weigh nearly nothing, so weights cannot be divided by their sum")
    return to_device(x, device), over, to_device(jump, device), to_device(fall, device), 0.0


def pagerank(
    A: csr_blocks | TransposedBlocks,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Any = None,
    weighted: bool = True,
    dangling: Any = None,
    *,
    progress: Callable[[int, float], Any] | None = None,
    check_every: int = 10,
    checkpoint: str | os.PathLike[str] | None = None,
) -> da.Array:
    """Compute the stationary distribution of a random walk that follows an edge with probability `alpha`, and jumps otherwise.

    Parameters, result and exceptions that are not listed are those of `spark_csr.graph.pagerank`, for a graph in blocks, and
    vectors that are arrays of Dask or array_like; the probabilities are in the memory of the workers.

    Parameters
    ----------
    A : csr_blocks of shape (n, n), or its transpose
        The graph: an entry in row `i` and column `j` is an edge from vertex `i` to vertex `j`, and its value is the weight,
        which is not negative. If rows are the targets of edges, give ``A.T``.
    personalization : (n,) dask.array.Array or array_like, optional
        The probabilities of the vertices that jumps lead to; they are divided by their sum. Default: all are equal.
    progress, check_every, checkpoint : as for `linalg.cg`
        With the change of the probabilities in place of the residual. Give what `linalg.read_checkpoint` reads as `nstart` to
        continue.

    Notes
    -----
    Names, defaults and the test for convergence are those of networkx, as in `spark_csr.graph.pagerank`. *Cost* of an
    iteration: that of `linalg.cg`. Without `persist`, every iteration makes the blocks again, for example from files. The
    weights of the edges that leave each vertex are summed once. *Order*: the same bits for the same blocks. Source: Page, Brin,
    Motwani & Winograd, *The PageRank Citation Ranking*, 1999.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.dask import from_csr, pagerank
    >>> A = from_csr(csr_array([[0, 1, 1], [0, 0, 1], [1, 0, 0]]), blocks=2)
    >>> pagerank(A).compute().round(3)
    array([0.388, 0.215, 0.397])
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must lie in [0, 1], got {alpha}")
    pull = isinstance(A, TransposedBlocks)
    matrix = check_square(A.T if pull else A)
    n = matrix.shape[0]
    if not n:
        return da.zeros(0)
    if not weighted:
        matrix = change_values(matrix, partial(fill, value=1.0))
    least, largest = (float(value) for value in da.compute(matrix.min(), matrix.max()))
    if not (least >= 0 and largest < np.inf):
        wrong = largest if least >= 0 else least
        raise ValueError(f"weights must be finite and not negative, got {wrong}: use weighted=False, or other values")
    if largest and not 1 / LARGE < largest < LARGE:
        matrix = matrix * 2.0 ** min(-math.frexp(largest)[1], 1000)
    weights = matrix.astype(np.float64).sum(axis=0 if pull else 1)
    equal = da.full(n, 1 / n, chunks=(matrix.chunks[0],))
    jump = equal if personalization is None else _distribution("personalization", personalization, matrix)
    fall = jump if dangling is None else _distribution("dangling", dangling, matrix)
    x = equal if nstart is None else _distribution("nstart", nstart, matrix)
    states = start(matrix, _start_walk, x, weights, jump, fall)
    step = _Walk(alpha, n * tol, transposed=not pull)
    # the change of an iteration is known in the next
    states, last = iterate(matrix, states, step, max_iter + 1, check_every, progress, saver(checkpoint, matrix, 0))
    if not last["done"]:
        raise RuntimeError(f"pagerank has not converged after {max_iter} iterations: the last change is {last['value']:.3g}")
    return vector_of(matrix, states, 0, np.float64)


def _distribution(name, given, matrix):
    """Return a vector over its sum; raise ValueError if it is no distribution."""
    x = check_vector(name, given, matrix).astype(np.float64)
    total, least = (float(value) for value in da.compute(x.sum(), x.min()))
    if not (least >= 0 and 0 < total < np.inf):
        raise ValueError(f"{name} must not be negative, and must have a positive sum, got {least} and the sum {total}")
    return map_chunks(partial(_divide, by=total), x)


def _divide(x, by):
    return x / by
