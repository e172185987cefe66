"""`neighbor_reduce`: a function of every edge of a vertex, combined.

Design: the engine of `A @ x` and `segmented_reduce`, with a user's function in place of the product: what the function returns
is never written to memory. Cost: the edges of a frontier are listed first, by `expand`.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._dispatch import backend_of
from spark_csr._holes import call, result, scalar
from spark_csr._operations.form.record import rows_of_entries, tiles
from spark_csr._specialise import inlined
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.expand import check_frontier, list_edges
from spark_csr.graph.operators.visits import check_state, compile_test, infer_dtype
from spark_csr.primitives.scan import accumulator_dtype, as_storable
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import gather


def neighbor_reduce(G, func, monoid, frontier=None, direction="out", *, state=()):
    """For every vertex combine what a function says of its edges.

    Parameters
    ----------
    G : Graph
    func : function
        `func(src, dst, edge, weight, *state)` returns a number; as the function of `advance`, and pure.
    monoid : {"sum", "prod", "min", "max", "any", "all"} or Monoid
    frontier : Frontier of vertices, optional
        Default: all.
    direction : {"out", "in"}
        Of a vertex the edges that leave it, or those that enter it. Either way `src` is where the edge starts.
    state : tuple of (k,) arrays and numbers
        Passed on; on a GPU arrays do not know their size.

    Returns
    -------
    (n,) array, or one for each item of the frontier
        In the dtype that NumPy accumulates what Numba infers for `func` in; for a vertex without edges the monoid's identity.

    Raises
    ------
    TypeError, ValueError
        As `advance`; ValueError for an unknown monoid or direction.

    Notes
    -----
    *Cost*: one pass over the edges; two launches on a GPU. `"in"` finds the reversed edges the first time; of a frontier its
    edges are written and read once more, one host read. *Order*: same bits every run and for any number of threads. *Empty
    input*: identities.

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
    dtype = accumulator_dtype(monoid, infer_dtype(func, edge_arguments(data.dtype), state, (sources, csr.indices, None, data)))
    edges, read, offsets, cuts = _segments(csr, frontier, direction)
    out = xp.empty(offsets.size - 1, dtype)
    if out.size:
        source = make_item(func, data.dtype, dtype, read)
        backend_of(out).reduce_items(cuts, monoid, source, (*edges, data, *state), offsets, out)
    return out


def _segments(csr, frontier, direction):
    """The edges by vertex, how they are read, the offsets of vertices among them, and the tiles of these."""
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
def make_item(func, weight, dtype, read):
    """Return the source of items: `func` of an edge that is read in one of these ways, for weights of a dtype."""
    return inlined(read, call=func, scalar=weight.type, result=dtype.type)
