"""What `pagerank` and `hits` share: sums over edges in both directions, one pass over all vertices, and checks of vectors.

Design: if all weights are equal, which is the usual case, products read no weights at all. Factors that rows are divided by are
multiplied into the vector instead of the weights. A pass over the vertices writes the next vector and sums, in the same launch,
how far it moved: this is the engine of `segmented_reduce` with a single segment.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.product.matmul import as_operand
from spark_csr._operations.product.spmv import spmv
from spark_csr._operations.product.spmv_transposed import multiply_transposed
from spark_csr._operations.reduce.sums import combine
from spark_csr.graph.algorithms.checks import check_real, check_shares, limit_of, number_of
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.vertices import look_up
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph
    from spark_csr.primitives.search import Tiles

FLOAT64 = np.dtype(np.float64)

HINT = "use weighted=False, or abs(A)"

LARGE = 1e100
"""Weights below this and above one over this are not scaled: neither their sums nor products of two sums overflow."""


@ops.operator_for("biufc")
def second(a, x):
    """Return the second argument, which is how a product without weights multiplies."""
    return x


PLUS_SECOND = ops.Semiring("sum", second, name="plus_second").freeze()


def make_sums(G: Graph, weighted: bool, scale: Any) -> tuple[Array | None, Any, Any]:
    """Return (weights, out_sum, in_sum). The weights are None if all are equal; `out_sum(x, out=...)[u]` adds `w * x[v]` over
    the edges u -> v, and `in_sum(x, out=...)[v]` adds `w * x[u]`. `scale(csr, weights)` returns the weights to use, which need
    not be symmetric."""
    _, csr = arrays_of(G)
    weights = _check_weights(csr) if weighted else None
    if weights is None:  # a record needs data; PLUS_SECOND does not read it, so the columns serve
        back = entering_pattern(G)
        along, back = (functools.partial(spmv, x.with_data(x.indices), ring=PLUS_SECOND) for x in (csr, back))
        return None, along, back
    scaled = scale(csr, weights)
    along = functools.partial(spmv, csr.with_data(scaled))
    return scaled, along, Entering(csr, scaled) if G.directed or scaled is not weights else along


def entering_pattern(G: Graph) -> Csr:
    """Return the pattern of the edges that enter every vertex."""
    return G._csr.plan(reverse_edges) if G.directed else G._csr


class Entering:
    """For every vertex, sum weights times `x` over the edges that enter it, where `x` is taken at the sources of the edges.

    The first few sums of a large graph read the edges in the order in which they are stored. Putting weights in the order of
    reversed edges takes as long as several sums, and finding that order takes longer, so it pays only if there are more sums.
    """

    FEW, LARGE = 8, 1 << 19  # not tuned further
    csr: Csr
    back: Csr | None

    def __init__(self, csr: Csr, weights: Array) -> None:
        self.csr, self.back = csr.with_data(weights), None
        self.left = self.FEW if weights.size > self.LARGE else 0

    def __call__(self, x: Array, out: Array) -> Array:
        self.left -= 1
        if self.left >= 0:
            return multiply_transposed(self.csr, x, out=out)
        if self.back is None:
            back = self.csr.plan(reverse_edges)
            self.back = back.with_data(gather(self.csr.data, back.data))
        return spmv(self.back, x, out=out)


def _check_weights(csr):
    """Return the weights in float64; None if all are equal. Two host reads."""
    check_real(csr.data, HINT)
    if not csr.data.size:
        return None
    least, largest = to_host_scalar(csr.data.min()), to_host_scalar(csr.data.max())
    if least == largest and 0 < largest < np.inf:
        return None
    if not (least >= 0 and largest < np.inf):
        check_shares(csr, HINT)
    return csr.data.astype(FLOAT64, copy=False)


def divide_extremes(csr: Csr, weights: Array) -> Array:
    """Return weights whose sums and products do not overflow: divided by the largest if that is very large or small."""
    largest = to_host_scalar(weights.max())
    return weights if 1 / LARGE < largest < LARGE else weights / (largest or 1)


def divide_by_source(csr: Csr, weights: Array) -> Array:
    """Return weights whose sums have finite reciprocals: divided by the largest of their source if any is very large or small.

    Where only shares of what leaves a vertex count, weights of different vertices may thus lie as far apart as they like.
    """
    xp = csr.xp
    least, largest = to_host_scalar(weights.min()), to_host_scalar(weights.max())
    if least == 0:
        least = to_host_scalar(xp.where(weights > 0, weights, 1).min())
    if least > 1 / LARGE and largest < LARGE:
        return weights
    largest = combine(csr.with_data(weights), 1, ops.MONOIDS["max"], FLOAT64)
    return weights / gather(xp.where(largest > 0, largest, 1), csr.plan(rows_of_entries))


def as_values_of_vertices(name: str, values: Any, G: Graph, absent: float | None = None) -> Array:
    """Return an (n,) vector of real numbers; those of a dict, or of a Series of pandas, belong to the vertices that it names.

    Vertices that it does not name have the value `absent`; if that is None, ValueError is raised for the first of them.
    """
    n = G.n_vertices
    if isinstance(values, Mapping):
        values = namespace_of(G._csr.data).asarray(_by_name(name, list(values), np.asarray(list(values.values())), G, absent))
    elif hasattr(values, "index") and hasattr(values, "to_numpy"):
        labels = values.index.tolist()
        by_position = labels == list(range(n)) and not _has_integer_names(G)
        found = values.to_numpy() if by_position else _by_name(name, labels, values.to_numpy(), G, absent)
        values = namespace_of(G._csr.data).asarray(found)
    x = as_operand(values, G.matrix.data)
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got dtype {x.dtype}")
    if x.shape != (n,):
        raise ValueError(f"{name} must have one entry for each of {n} vertices, got shape {x.shape}")
    return x


def _has_integer_names(G):
    return any(isinstance(x, (int, np.integer)) for x in (() if G.names is None else G.names.tolist()))


def _by_name(name, labels, values, G, absent):
    """Return the values of labels, which are names of vertices or, where no name is an integer, numbers, by vertex."""
    integers = any(isinstance(x, (int, np.integer)) for x in labels)
    only = integers and _has_integer_names(G)
    if values.size and values.dtype.kind not in "biufc":
        raise TypeError(f"{name} must hold numbers, got dtype {values.dtype}")
    found = np.array(look_up(G, labels, name, only), np.int64)
    counts = np.bincount(found, minlength=G.n_vertices)
    at = find_first_true(counts > 1)
    if at is not None:
        raise ValueError(f"{name} must have one value for a vertex, got {counts[at]} for {G.names_of(np.array([at]))[0]!r}")
    at = find_first_true(counts == 0) if absent is None else None
    if at is not None:
        raise ValueError(f"{name} must have a value for every vertex, got none for {G.names_of(np.array([at]))[0]!r}")
    out = np.full(G.n_vertices, absent or 0, np.result_type(values.dtype, np.float64))
    out[found] = values
    return out


def as_distribution(name: str, values: Any, G: Graph) -> Array:
    """Return an (n,) vector as one in float64 that sums to 1; vertices that a dict or a Series does not name have 0."""
    x = as_values_of_vertices(name, values, G, 0)
    if config.validate:
        at = find_first_true(~((x >= 0) & (x < np.inf)))
        if at is not None:
            raise ValueError(f"{name} must be finite and not negative, got {name}[{at}] = {to_host_scalar(x[at])}")
    x = x.astype(FLOAT64)
    total = to_host_scalar(x.sum())
    if x.size:
        check_total(name, total)
    x /= total
    return x


def check_total(name: str, total: float) -> None:
    """Raise ValueError unless numbers can be divided by their sum."""
    if not 0 < total < np.inf:
        raise ValueError(f"{name} must have a finite sum above 0, got {total}")


class Pass:
    """A pass over all vertices, which sums a function of each.

    `total(item, *operands)` returns the sum of `item(operands, v)` over all vertices `v`. An item may write elements of its own
    vertex.
    """

    offsets: Array
    tiles: Tiles

    def __init__(self, like: Array, n: int) -> None:
        xp = namespace_of(like)
        self.offsets = xp.asarray([0, n])
        self.tiles = merge_path_tiles(self.offsets, n)

    def total(self, item: Any, *operands: Any, dtype: np.dtype[Any] = FLOAT64) -> Array:
        """Return the sum as an array of one element."""
        out = namespace_of(self.offsets).empty(1, dtype)
        backend_of(out).reduce_items(self.tiles, ops.MONOIDS["sum"], item, operands, self.offsets, out)
        return out


def check_end(max_iter: Any, tol: Any) -> tuple[int, float]:
    """Return the number of iterations and the tolerance at which an iteration ends."""
    return limit_of("max_iter", max_iter), number_of("tol", tol)


def convergence_error(
    name: str, max_iter: int, error: float, tol: float, advice: str = "raise max_iter or tol"
) -> RuntimeError:
    """Return the exception for an iteration that did not converge."""
    moved = f"{name} moved by {error:.3g} in the last of {max_iter} iterations"
    return RuntimeError(f"{moved}, not by less than {tol:.3g}: {advice}")
