"""`neighbor_reduce`: apply a function to every edge of a vertex, and combine the results.

Design: this is the engine of `A @ x` and `segmented_reduce`, with a user's function in place of the product; the results of the
function are never written to memory. Cost: the edges of a frontier are listed first, by `expand`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr import _ops as ops
from spark_csr._dispatch import backend_of
from spark_csr._engine import inline
from spark_csr._engine.holes import Hole, call, scalar
from spark_csr._operations.form.record import rows_of_entries, tiles
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.expand import check_frontier, list_edges
from spark_csr.primitives._calls import check_state, compile_test, infer_dtype
from spark_csr.primitives.scan import accumulator_dtype, as_storable
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._ops import MonoidLike
    from spark_csr._types import Array, Number
    from spark_csr.graph.frontier import Frontier
    from spark_csr.graph.graph import Graph

result = Hole(
    "result: NumPy scalar type",
    "The type of what the user's function returns; `scalar` is that of what it takes. `result(x)` converts a value to it.",
)


def neighbor_reduce(
    G: Graph,
    func: Callable[..., Any],
    monoid: MonoidLike,
    frontier: Frontier | None = None,
    direction: Literal["out", "in"] = "out",
    *,
    state: tuple[Array | Number, ...] = (),
) -> Array:
    """Apply a function to every edge, and combine the results for the edges of each vertex by a monoid.

    Parameters, result and exceptions that are not listed are those of `advance`; `func` returns a number.

    Parameters
    ----------
    func : callable
        `func(src, dst, edge, weight, *state)` returns a number. `src` and `dst` are the source and the target of an edge, and
        `edge` is its id, all three int64; `weight` has the dtype of `G.matrix.data`, but float32 for float16. The function must
        be pure; the other rules for it are those of `func` in `advance`.
    monoid : {"sum", "prod", "min", "max", "any", "all"} or Monoid
        Combines the results for the edges of each vertex.
    frontier : Frontier of vertices, optional
        The vertices to compute a result for. Default: all vertices.
    direction : {"out", "in"}, default: "out"
        Which edges belong to a vertex: "out" for those that leave it, "in" for those that enter it. In both cases `src` is the
        vertex that the edge leaves.

    Returns
    -------
    (n,) array, or (k,) array for a frontier of k items
        The combined result of every vertex, or of every item of the frontier. A vertex without edges has the monoid's identity.
        Sums and products of integers and bools have 64 bits, "any" and "all" are bools, and other results have the dtype that
        `func` returns.

    Notes
    -----
    *Cost*: one pass over the edges; two or three launches on a GPU. "in" finds the reversed edges the first time. With
    `frontier`, its edges are also listed: one more write and read of each, and one host read. *Order*: the same bits on every
    run and for any number of threads. *Empty input*: identities.

    Examples
    --------
    >>> from spark_csr.graph import Graph, neighbor_reduce
    >>> G = Graph([[0, 5, 1], [0, 0, 7], [2, 0, 0]])
    >>> neighbor_reduce(G, lambda src, dst, edge, weight: weight, "max", direction="in")
    array([2, 5, 7])
    """
    xp, csr = arrays_of(G)
    if direction not in ("out", "in"):
        raise ValueError(f"direction must be 'out' or 'in', got {direction!r}")
    if frontier is not None:
        check_frontier(G, frontier, "vertex")
    monoid, state, data = ops.monoid(monoid), check_state(state, csr.indptr), as_storable(csr.data)
    func = compile_test(func, edge_arguments(data.dtype), state, tests=False)
    sources = csr.plan(rows_of_entries)
    dtype = infer_dtype(func, edge_arguments(data.dtype), state, lambda: data.size and (sources[0], csr.indices[0], 0, data[0]))
    dtype = accumulator_dtype(monoid, dtype)
    edges, read, offsets, cuts = _segments(csr, frontier, direction)
    out = xp.empty(offsets.size - 1, dtype)
    if out.size:
        source = make_item(func, data.dtype, dtype, read)
        backend_of(out).reduce_items(cuts, monoid, source, (*edges, data, *state), offsets, out)
    return out


def _segments(csr, frontier, direction):
    """Return the edges by vertex, the function that reads them, the offsets of the vertices among them, and the tiles."""
    back = csr.plan(reverse_edges) if direction == "in" else csr
    ends = csr.plan(rows_of_entries), csr.indices
    if frontier is None:
        edges = ends if back is csr else (back.data, back.indices, back.plan(rows_of_entries))
        return edges, _read_edge if back is csr else _read_reversed_edge, back.indptr, back.plan(tiles)
    edges, offsets = list_edges(back, frontier)
    order = edges if back is csr else gather(back.data, edges)
    return (order, *ends), _read_ordered_edge, offsets, merge_path_tiles(offsets, edges.size)


def _read_edge(operands, position):
    """Return the function's result for an edge; its state comes after the edges and weights."""
    edge = np.int64(position)
    source, target = np.int64(operands[0][position]), np.int64(operands[1][position])
    return result(call(source, target, edge, scalar(operands[2][position]), *operands[3:]))


def _read_ordered_edge(operands, position):
    """Do as `_read_edge` for the edge whose id is stored at a position."""
    edge = np.uint64(operands[0][position])
    source, target = np.int64(operands[1][edge]), np.int64(operands[2][edge])
    return result(call(source, target, np.int64(edge), scalar(operands[3][edge]), *operands[4:]))


def _read_reversed_edge(operands, position):
    """Do as `_read_edge` for reversed edges, with the id of the edge that each reverses."""
    edge = np.uint64(operands[0][position])
    source, target = np.int64(operands[1][position]), np.int64(operands[2][position])
    return result(call(source, target, np.int64(edge), scalar(operands[3][edge]), *operands[4:]))


@functools.cache
def make_item(func: Any, weight: np.dtype[Any], dtype: np.dtype[Any], read: Any) -> Any:
    """Return the source of items: `func` of an edge that is read in one of these ways, for weights of a dtype."""
    return inline(read, call=func, scalar=weight.type, result=dtype.type)
