"""`advance`: from a frontier along its edges to the next.

Design: a function is called for every edge that leaves the frontier, and the edges that it accepts lead into the next frontier.
If every vertex is wanted once only, the edges that enter a vertex may be searched instead: see `push` and `pull`, which return
the same. Cost: one kernel for every function and direction. Source: Wang et al., *Gunrock*, PPoPP 2016.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from spark_csr.graph.frontier import Frontier, extent_of
from spark_csr.graph.operators.expand import check_frontier, ranges_of
from spark_csr.graph.operators.pull import pull, pull_pays
from spark_csr.graph.operators.push import OUTPUTS, claim, push, restrict
from spark_csr.graph.operators.uniquify import uniquify
from spark_csr.primitives._calls import INT64, check_state, compile_test
from spark_csr.primitives.scan import as_storable
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from spark_csr._types import Array, Number
    from spark_csr.graph.graph import Graph

DIRECTIONS = "push", "pull", "auto"


@overload
def advance(
    G: Graph,
    frontier: Frontier,
    func: Callable[..., Any],
    state: tuple[Array | Number, ...] = ...,
    *,
    direction: Literal["push", "pull", "auto"] = ...,
    output: Literal["vertex", "edge"] = ...,
    unique: bool = ...,
    candidates: Frontier | None = ...,
) -> Frontier: ...


@overload
def advance(
    G: Graph,
    frontier: Frontier,
    func: Callable[..., Any],
    state: tuple[Array | Number, ...] = ...,
    *,
    direction: Literal["push", "pull", "auto"] = ...,
    output: None,
    unique: bool = ...,
    candidates: Frontier | None = ...,
) -> None: ...


def advance(
    G: Graph,
    frontier: Frontier,
    func: Callable[..., Any],
    state: tuple[Array | Number, ...] = (),
    *,
    direction: Literal["push", "pull", "auto"] = "push",
    output: Literal["vertex", "edge"] | None = "vertex",
    unique: bool = False,
    candidates: Frontier | None = None,
) -> Frontier | None:
    """Call a function for every edge that leaves a frontier; the targets of accepted edges are the next frontier.

    Parameters
    ----------
    G : Graph
        The graph.
    frontier : Frontier
        The vertices whose edges are visited. For a frontier of edges, the edges that leave their targets are visited.
    func : callable
        `func(src, dst, edge, weight, *state) -> bool` returns True if it accepts an edge. `src` and `dst` are the source and
        the target of the edge, and `edge` is its id, all three int64; `weight` has the dtype of `G.matrix.data`, but float32
        for float16. The elements of `state` follow. `func` is a Python function or lambda, decorated with `@numba.njit` or not.
        It is compiled into kernels and must not close over variables; the globals and functions that it mentions are used as
        they are when `advance` is called. Calls run at the same time and in any order. So `func` must be pure (write nothing),
        or write only the array elements of its own edge, or write the same value as all other calls that write to that element,
        or write by `atomic_add`, `atomic_min` and `atomic_max`.
    state : tuple of (k,) arrays and numbers, optional
        Further arguments of `func`: contiguous arrays of one axis, on the device of `G`, and numbers. On a GPU, the elements of
        a bool array are passed as 0 and 1: write `not x`, not `~x`.
    direction : {"push", "pull", "auto"}, default: "push"
        "push" visits the edges that leave the frontier. "pull" visits, for every candidate, the edges that enter it, and stops
        at the first one that comes from the frontier and is accepted. This is faster if the frontier is large. "auto" chooses
        by the rule of Beamer, Asanović & Patterson (SC 2012): it pulls if the number of edges that leave the frontier exceeds a
        15th of the number of edges that leave the candidates, and the frontier has more than an 18th of all vertices. "pull"
        and "auto" need `unique`.
    output : {"vertex", "edge", None}, default: "vertex"
        What the next frontier holds: "vertex" for the vertices that accepted edges lead to, "edge" for the accepted edges. With
        None there is no next frontier: `func` is called for its effects, and may return anything.
    unique : bool, default: False
        If True, every vertex that accepted edges lead to is in the next frontier once. If several accepted edges lead to a
        vertex, the attributes of the result name the edge from the smallest source, and of several edges from this source the
        one with the smallest id. Repeated items of `frontier` count once. `func` may be called for only some of the edges, so
        it must be pure.
    candidates : Frontier, optional
        Only these vertices may be in the next frontier. It needs `unique`. Default: all vertices.

    Returns
    -------
    Frontier or None
        The next frontier; None if `output` is None. Without `unique` it has one item for every accepted edge, so a vertex is
        repeated if several accepted edges lead to it. With `unique` its vertices ascend, and its attributes `edges` and
        `sources` hold the edge by which each vertex was reached, and the vertex that this edge leaves.

    Raises
    ------
    ValueError
        If `frontier` is of another graph, if an array in `state` has several axes or is not contiguous, if an option is
        unknown, or if a `direction` other than "push" or `candidates` are given without `unique`.
    TypeError
        If `G` is not a Graph or `frontier` not a Frontier, if arrays are on different devices or in a dtype that kernels do not
        compute in (float16, for example), or if `func` takes other arguments, closes over variables, does not compile (the
        message gives Numba's reason) or does not return a bool.

    Notes
    -----
    *Cost*: a scan of the frontier's degrees, one visit to every edge, and a copy of what is selected; two host reads, or one
    with `output=None`. Scratch: one item for each edge visited, kept with the graph. `unique` adds a table of all vertices, or
    for few accepted edges a sort, and one host read. "pull" costs a visit to every candidate and one host read, and finds the
    graph's reversed edges the first time. The first call for a function compiles it; compiled kernels are kept on disk.
    *Order*: items follow the order of the frontier and, for one vertex, the order of its edges; with `unique` they ascend. The
    result is the same on every run if the answers of `func` do not depend on the order of its calls. They can depend on it if
    `func` reads what other calls write, for example by using what `atomic_min` returns. *Empty input*: an empty frontier;
    nothing is called.

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


def edge_arguments(dtype: np.dtype[Any]) -> dict[str, np.dtype[Any]]:
    """Return the arguments that a function of edges is given, as a dict from names to dtypes."""
    return {"src": INT64, "dst": INT64, "edge": INT64, "weight": dtype}


def _check_options(direction, output, unique, candidates):
    if output not in OUTPUTS:
        raise ValueError(f"output must be 'vertex', 'edge' or None, got {output!r}")
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be 'push', 'pull' or 'auto', got {direction!r}")
    if unique and output != "vertex":
        raise ValueError(
            f"unique=True finds vertices, got output={output!r}: the attribute `edges` of the result holds their edges"
        )
    if not unique and (direction != "push" or candidates is not None):
        given = f"direction={direction!r}" if direction != "push" else "candidates"
        raise ValueError(f"{given} can only be used with unique=True")


def _advance_once(G, csr, data, frontier, func, state, direction, candidates):
    """Return the next frontier in which every vertex is once, by push and claim or by pull."""
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
    """Return whether pulling pays, by Beamer's rule.

    The edges of all candidates are counted only if the frontier might have enough edges.
    """
    items, total, n = ranges[0], ranges[3], csr.shape[0]
    if candidates is None or not pull_pays(total, items.size, 0, n):
        return pull_pays(total, items.size, csr.indices.size, n)
    return pull_pays(total, items.size, ranges_of(csr, candidates)[3], n)
