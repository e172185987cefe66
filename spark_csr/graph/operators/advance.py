"""`advance`: from a frontier along its edges to the next.

Design: a function is called for every edge that leaves the frontier, and what it accepts becomes the next frontier. Where a
vertex is wanted once only, the edges that enter it may be searched instead: see `push` and `pull`, which return the same. Cost:
a kernel for every function and direction. Source: Wang et al., *Gunrock*, PPoPP 2016.
"""

from spark_csr.graph.frontier import Frontier, extent_of
from spark_csr.graph.operators.expand import check_frontier, ranges_of
from spark_csr.graph.operators.pull import pull, pull_pays
from spark_csr.graph.operators.push import OUTPUTS, claim, push, restrict
from spark_csr.graph.operators.uniquify import uniquify
from spark_csr.graph.operators.visits import INT64, check_state, compile_test
from spark_csr.primitives.scan import as_storable
from spark_csr.primitives.sort import gather

DIRECTIONS = "push", "pull", "auto"


def advance(G, frontier, func, state=(), *, direction="push", output="vertex", unique=False, candidates=None):
    """Call a function for every edge that leaves a frontier; where it says yes, the edge leads into the next frontier.

    Parameters
    ----------
    G : Graph
    frontier : Frontier
        Of vertices; of edges: those that leave their targets are meant.
    func : function
        `func(src, dst, edge, weight, *state) -> bool`, a Python function or lambda, `@numba.njit` or not. It is compiled into
        kernels and must not close over variables; globals and functions that it mentions count as they are when `advance` is
        called. Vertices and edges are int64. Calls run at once and in any order, so it must be pure, or write only the slots of
        its own edge, or what every other writer of a slot writes too, or write by `atomic_add`, `atomic_min` and `atomic_max`.
    state : tuple of (k,) arrays and numbers
        Passed on. Bools of an array on a GPU arrive as 0 and 1: write `not x`, not `~x`.
    direction : {"push", "pull", "auto"}
        "push": visit the edges that leave the frontier. "pull", with `unique`: for every candidate, visit the edges that enter
        it from the frontier, until one is accepted; pays where the frontier is large. "auto", with `unique`: by Beamer's rule,
        pull where the frontier has more edges than a 15th of the candidates', and more vertices than an 18th of all.
    output : {"vertex", "edge", None}
        The next frontier is of the vertices that accepted edges lead to, or of the edges; None: `func` may return anything,
        and is called for its effects.
    unique : bool
        Every vertex once: by that of the accepted edges which comes from the smallest source (and of these has the smallest
        id). A repeated item of the frontier counts once. `func` may be called for some edges only, so it must be pure.
    candidates : Frontier, optional
        With `unique`: only these vertices may be in the next frontier.

    Returns
    -------
    Frontier or None
        An item for every accepted edge: a vertex that several lead to is in it several times. With `unique`: every vertex once,
        in ascending order; `edges` and `sources` of the frontier say by which edge, and from where, each was reached.

    Raises
    ------
    ValueError, TypeError
        For a frontier of another graph, arrays on other devices, a function that takes other arguments, closes over
        variables, does not compile (the reason is Numba's) or returns no bool; for what is pulled, or restricted to
        candidates, without `unique`.
    MemoryError
        If there is no room for the next frontier.

    Notes
    -----
    float16 weights arrive as float32.

    *Cost*: a scan of the frontier's degrees, one visit to every edge, and a copy of what is kept; two host reads, one with
    `output=None`. Scratch: one item for each edge visited, kept with the graph. `unique` adds a table of all vertices, or of
    few candidates a sort, and one host read. "pull": a visit to every candidate, one host read; the graph's reversed edges the
    first time. The first call for a function compiles; what was compiled is kept on disk. *Order*: by position in the frontier,
    then by rank of the edge; with `unique` ascending; always the same. *Empty input*: an empty frontier; nothing is called.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, Graph, advance
    >>> G = Graph([[0, 5, 1], [0, 0, 7], [2, 0, 0]])
    >>> advance(G, Frontier.all(G), lambda src, dst, edge, weight: weight > 1).items
    array([1, 2, 0], dtype=int32)
    """
    csr = check_frontier(G, frontier)
    _check_options(direction, output, unique, candidates)
    state = check_state(state, csr.indptr)
    data = as_storable(csr.data)
    func = compile_test(func, edge_arguments(data.dtype), state, tests=output is not None)
    if unique:
        return _advance_once(G, csr, data, frontier, func, state, direction, candidates)
    found = push(csr, data, ranges_of(csr, frontier), func, state, output, G._scratch)
    return None if output is None else Frontier._of(output, extent_of(G, output), found)


def edge_arguments(dtype):
    """What a function of edges is given, by name."""
    return {"src": INT64, "dst": INT64, "edge": INT64, "weight": dtype}


def _check_options(direction, output, unique, candidates):
    if output not in OUTPUTS:
        raise ValueError(f"output must be 'vertex', 'edge' or None, got {output!r}")
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be 'push', 'pull' or 'auto', got {direction!r}")
    if unique and output != "vertex":
        raise ValueError(f"unique=True finds vertices, got output={output!r}: their edges are the frontier's `edges`")
    if not unique and (direction != "push" or candidates is not None):
        given = f"direction={direction!r}" if direction != "push" else "candidates"
        raise ValueError(f"{given} finds every vertex once: use unique=True")


def _advance_once(G, csr, data, frontier, func, state, direction, candidates):
    """Push and claim, or pull."""
    if frontier.kind == "edge":
        frontier = Frontier._of("vertex", G.n_vertices, gather(csr.indices, frontier._list()))
    if candidates is not None:
        check_frontier(G, candidates, "vertex")
    if direction != "pull":
        ranges = ranges_of(csr, uniquify(frontier))
        if direction == "push" or not _pull_pays(csr, ranges, candidates):
            if candidates is not None:
                func, state = restrict(func), (candidates._as_bitmap(), *state)
            return claim(csr, push(csr, data, ranges, func, state, "edge", G._scratch))
    candidates = Frontier.all(G) if candidates is None else uniquify(candidates)
    return pull(csr, data, frontier, candidates, func, state)


def _pull_pays(csr, ranges, candidates):
    """Return whether pulling pays, by Beamer's rule; the edges of all candidates are counted only if the frontier's might be
    enough."""
    items, total, n = ranges[0], ranges[3], csr.shape[0]
    if candidates is None or not pull_pays(total, items.size, 0, n):
        return pull_pays(total, items.size, csr.indices.size, n)
    return pull_pays(total, items.size, ranges_of(csr, candidates)[3], n)
