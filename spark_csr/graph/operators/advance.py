"""`advance`: from a frontier along its edges to the next.

Design: a function is called for every edge that leaves the frontier, and what it accepts becomes the next frontier. Edges, not
vertices, are shared out: a tile of edges finds its first vertex by bisection and walks on. Cost: a kernel for every function.
Sources: Wang et al., *Gunrock*, PPoPP 2016; Beamer, Asanović & Patterson, *Direction-Optimizing BFS*, SC 2012.
"""

import functools

import numpy as np
from numba import njit

from spark_csr._array import by_width, index_dtype
from spark_csr._specialise import specialise
from spark_csr.bisection import segment_of
from spark_csr.graph.frontier import Frontier, extent_of
from spark_csr.graph.operators.expand import of_graph, ranges_of
from spark_csr.graph.operators.visits import INT64, checked_state, compiled_test, kept
from spark_csr.primitives.foreach import for_each_tile
from spark_csr.primitives.scan import storable

OUTPUTS = "vertex", "edge", None


def advance(G, frontier, func, state=(), *, output="vertex"):
    """Call a function for every edge that leaves a frontier; where it says yes, the edge leads into the next frontier.

    Parameters
    ----------
    G : Graph
    frontier : Frontier
        Of vertices; of edges: those that leave their targets are meant.
    func : function
        `func(src, dst, edge, weight, *state) -> bool`, a Python function or lambda, `@numba.njit` or not. It is compiled into
        kernels and must not close over variables; globals that it mentions are constants. Vertices and edges are int64. Calls
        run at once and in any order, so it must be pure, or write only the slots of its own edge, or what every other writer
        of a slot writes too.
    state : tuple of (k,) arrays and numbers
        Passed on. Bools of an array on a GPU arrive as 0 and 1: write `not x`, not `~x`.
    output : {"vertex", "edge", None}
        The next frontier is of the vertices that accepted edges lead to, or of the edges; None: `func` may return anything,
        and is called for its effects.

    Returns
    -------
    Frontier or None
        An item for every accepted edge: a vertex that several lead to is in it several times (see `uniquify`).

    Raises
    ------
    ValueError, TypeError
        For a frontier of another graph, arrays on other devices, a function that takes other arguments, closes over
        variables, does not compile (the reason is Numba's) or returns no bool.
    MemoryError
        If there is no room for the next frontier.

    Notes
    -----
    float16 weights arrive as float32.

    *Cost*: a scan of the frontier's degrees, one visit to every edge, and a copy of what is kept; two host reads, one with
    `output=None`. Scratch: one item for each edge visited. The first call for a function compiles; what was compiled is kept on
    disk. *Order*: by position in the frontier, then by rank of the edge. *Empty input*: an empty frontier; nothing is called.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, Graph, advance
    >>> G = Graph([[0, 5, 1], [0, 0, 7], [2, 0, 0]])
    >>> advance(G, Frontier.all(G), lambda src, dst, edge, weight: weight > 1).items
    array([1, 2, 0], dtype=int32)
    """
    csr = of_graph(G, frontier)
    if output not in OUTPUTS:
        raise ValueError(f"output must be 'vertex', 'edge' or None, got {output!r}")
    state = checked_state(state, csr.indptr)
    data = storable(csr.data)
    func = compiled_test(func, edge_arguments(data.dtype), state, tests=output is not None)
    found = _push(csr, data, frontier, func, state, output, G._scratch)
    return None if output is None else Frontier._of(output, extent_of(G, output), found)


def edge_arguments(dtype):
    """What a function of edges is given, by name."""
    return {"src": INT64, "dst": INT64, "edge": INT64, "weight": dtype}


def _push(csr, data, frontier, func, state, output, scratch):
    """Visit the edges of the frontier; the items that lead on."""
    items, starts, offsets, total = ranges_of(csr, frontier)
    arrays = by_width(items), starts, offsets, offsets.size - 1, by_width(csr.indices), data
    if output is None:
        for_each_tile(total, body(func, data.dtype, output), *arrays, *state)
        return None
    dtype = csr.indices.dtype if output == "vertex" else index_dtype(csr.indices.size)
    return kept(total, body(func, data.dtype, output), dtype, arrays, state, scratch)


def _push_tile(start, stop, items, starts, offsets, rows, indices, data, shift, counts, out, *state):
    """Edges `start` to `stop` of the frontier. Every one is stored, and the place to store at moves on behind a kept one."""
    row = np.uint64(segment_of(offsets, rows, np.int64(start)))
    position, place = start, start
    while position < stop:
        row_end = min(np.uint64(offsets[row + np.uint64(1)]), stop)
        source = np.int64(items[row])
        edge = np.uint64(starts[row]) + (position - np.uint64(offsets[row]))
        for e in range(edge, edge + (row_end - position)):
            target = np.int64(indices[e])
            out[place] = found(target, e)  # noqa: F821
            place += np.uint64(call(source, target, np.int64(e), scalar(data[e]), *state) != 0)  # noqa: F821
        position = row_end
        row += np.uint64(1)
    counts[start >> np.uint64(shift)] = place - start


def _visit_tile(start, stop, items, starts, offsets, rows, indices, data, *state):
    """The same where nothing is kept."""
    row = np.uint64(segment_of(offsets, rows, np.int64(start)))
    position = start
    while position < stop:
        row_end = min(np.uint64(offsets[row + np.uint64(1)]), stop)
        source = np.int64(items[row])
        edge = np.uint64(starts[row]) + (position - np.uint64(offsets[row]))
        for e in range(edge, edge + (row_end - position)):
            call(source, np.int64(indices[e]), np.int64(e), scalar(data[e]), *state)  # noqa: F821
        position = row_end
        row += np.uint64(1)


@njit(forceinline=True)
def _target(target, edge):
    return target


@njit(forceinline=True)
def _edge(target, edge):
    return edge


@functools.cache
def body(func, dtype, output):
    """The kernel's body for weights of a dtype and what is put out."""
    found = _target if output == "vertex" else _edge
    return njit(specialise(_visit_tile if output is None else _push_tile, call=func, scalar=dtype.type, found=found))
