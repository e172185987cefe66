"""What is left to networkx: calls whose arguments the backend does not support, and graphs that an algorithm refuses.

Design: networkx passes all arguments, defaults too, by position where its own signature allows that. So arguments are bound to
the signature of the installed networkx. A parameter that networkx has and the backend lacks must have networkx's default.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import networkx as nx
import numpy as np

from spark_csr.interop.networkx.convert import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_csr.interop.networkx.convert import NodeGraph

P = ParamSpec("P")
R = TypeVar("R")


MODULES = nx, nx.community, nx.bipartite
"""Where networkx has the functions of the backend."""


def bind_as_networkx(function: Callable[P, R]) -> Callable[P, R]:
    """Let networkx call a function of the backend with whatever parameters the installed networkx has."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> R:
        return function(**arguments_of(function, args, options))  # type: ignore[call-arg]

    return call


def under_name(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as that of the backend which networkx calls by this name."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Do as networkx's function `{name}` does."
    return bind_as_networkx(function)


def arguments_of(function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by the names of the function's parameters, defaults too."""
    signature, own = _signatures(function)
    bound = signature.bind(*args, **options)
    bound.apply_defaults()
    for name, value in bound.arguments.items():
        default = signature.parameters[name].default
        if name not in own and value is not default and not (isinstance(value, str | float | int) and value == default):
            raise NotImplementedError(f"{name}={value!r} is not supported, only the default {default!r}")
    return {name: value for name, value in bound.arguments.items() if name in own}


@functools.cache
def _signatures(function):
    """Return networkx's signature of a function, with what only the backend has as keywords, and the backend's parameters."""
    own = inspect.signature(function).parameters
    theirs = next((f for module in MODULES if (f := getattr(module, function.__name__, None))), None)
    parameters = inspect.signature(theirs.orig_func).parameters if theirs else own
    added = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, p in own.items() if name not in parameters]
    return inspect.Signature([*parameters.values(), *added]), own


@contextlib.contextmanager
def defer_to_networkx() -> Iterator[None]:
    """Turn exceptions of our algorithms into NotImplementedError: networkx may have an answer (for negative weights, say)."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise NotImplementedError(str(error)) from error


def refuse_lengths(G: NodeGraph, weight: str | None) -> None:
    """Leave graphs to networkx of which a path may have an infinite length, or an integer that a float64 does not hold."""
    if not G.has_weights(weight):
        return
    weights = G.weights[weight]  # type: ignore[index]
    longest = float(abs(weights.astype(np.float64)).max(initial=0)) * len(G)
    if weights.dtype.kind in "biu" and longest >= EXACT:
        raise NotImplementedError(f"weight={weight!r}: lengths are float64, which does not hold all integers from 2**53 on")
    if not longest < math.inf:
        raise NotImplementedError(
            f"weight={weight!r}: nodes at an infinite distance count as unreachable here, but not in networkx"
        )


def _refuse_weight_functions(of):
    return callable(of["weight"]) and "weight=function: weights that a function returns are not supported"


def _refuse_distance_functions(of):
    return callable(of["distance"]) and "distance=function: functions are not supported"


def _refuse(name, why="only the default is supported"):
    """Return a check that refuses every value of a parameter but None and False."""
    return lambda of: of[name] is not None and of[name] is not False and f"{name}={of[name]!r}: {why}"


def _refuse_no_node(of):
    return any(of[name] is None for name in ("source", "target") if name in of) and "None stands for every node"


def _refuse_directed(of):
    return of["G"].is_directed() and "directed graphs are not supported"


def _refuse_several_edges(of):
    return of["G"].is_multigraph() and "multigraphs are not supported"


def _refuse_few_nodes(of):
    return of["nodes"] is not None and "networkx visits the neighbours of the given nodes only, which is faster"


def _refuse_two_nodes(of):
    return of["source"] is not None and of["target"] is not None and "networkx searches from both nodes, which is faster"


def _refuse_no_pairs(of):
    return of["ebunch"] is None and "ebunch=None: give the pairs, as networkx would list all pairs without an edge"


def _refuse_reversed(of):
    return of["reverse"] and of["G"].is_directed() and "reverse=True: the order of predecessors is not known"


_simple, _lengths = (_refuse_directed, _refuse_several_edges), (_refuse_weight_functions,)

_spanning = (
    _refuse_several_edges,
    _refuse_weight_functions,
    lambda of: of["algorithm"] != "kruskal" and f"algorithm={of['algorithm']!r}: only 'kruskal' is supported",
    _refuse("ignore_nan"),
)

_extremes = (
    _refuse("e", "networkx need not compute anything"),
    _refuse("usebounds", "networkx computes some eccentricities only"),
    _refuse("weight", "weights are not supported"),
)

LIMITS: dict[str, Any] = {
    "adamic_adar_index": (_refuse_no_pairs,),
    "all_pairs_bellman_ford_path": _lengths,
    "all_pairs_bellman_ford_path_length": _lengths,
    "all_pairs_dijkstra": _lengths,
    "all_pairs_dijkstra_path": _lengths,
    "all_pairs_dijkstra_path_length": _lengths,
    "average_clustering": (_refuse("weight", "weights are not supported"), *_simple),
    "average_shortest_path_length": (_refuse("weight", "weights are not supported"), _refuse("method")),
    "bellman_ford_path": (*_lengths, _refuse_no_node),
    "bellman_ford_path_length": (*_lengths, _refuse_no_node),
    "betweenness_centrality": (_refuse_weight_functions, lambda of: of["k"] == 0 and "k=0: there are no sources"),
    "bfs_edges": (_refuse("sort_neighbors"), _refuse_reversed),
    "center": _extremes,
    "closeness_centrality": (_refuse_distance_functions,),
    "clustering": (_refuse("weight", "weights are not supported"), *_simple),
    "color": (_refuse_directed,),
    "core_number": (_refuse_directed,),
    "diameter": _extremes,
    "dijkstra_path": (*_lengths, _refuse_no_node),
    "dijkstra_path_length": (*_lengths, _refuse_no_node),
    "eccentricity": (_refuse("sp"), _refuse("weight", "weights are not supported")),
    "edge_betweenness_centrality": (
        _refuse_several_edges,
        _refuse_weight_functions,
        lambda of: of["k"] == 0 and "k=0: there are no sources",
    ),
    "eigenvector_centrality": _lengths,
    "harmonic_centrality": (_refuse_distance_functions, _refuse("sources")),
    "has_path": (_refuse_no_node,),
    "is_bipartite": (_refuse_directed,),
    "jaccard_coefficient": (_refuse_no_pairs,),
    "katz_centrality": _lengths,
    "leiden_communities": (
        _refuse_directed,
        lambda of: of["metric"] not in ("modularity", "cpm") and f"metric={of['metric']!r}: only 'modularity' and 'cpm'",
    ),
    "louvain_communities": (_refuse_directed,),
    "maximum_spanning_edges": _spanning,
    "minimum_spanning_edges": _spanning,
    "multi_source_dijkstra": _lengths,
    "multi_source_dijkstra_path": _lengths,
    "multi_source_dijkstra_path_length": _lengths,
    "negative_edge_cycle": _lengths,
    "pagerank": (_refuse_weight_functions, lambda of: not 0 <= of["alpha"] <= 1 and "alpha must lie in [0, 1]"),
    "periphery": _extremes,
    "radius": _extremes,
    "resource_allocation_index": (_refuse_no_pairs,),
    "sets": (_refuse_directed, _refuse("top_nodes", "networkx need not compute anything")),
    "shortest_path": _lengths,
    "shortest_path_length": _lengths,
    "single_source_bellman_ford": _lengths,
    "single_source_bellman_ford_path": _lengths,
    "single_source_bellman_ford_path_length": _lengths,
    "single_source_dijkstra": _lengths,
    "single_source_dijkstra_path": _lengths,
    "single_source_dijkstra_path_length": _lengths,
    "transitivity": _simple,
    "triangles": (lambda of: of["nodes"] is not None and _refuse_several_edges(of),),
}
"""Checks by the name of a function. A check is given a dict of the call's arguments, and returns a sentence that says why the
backend does not support the call, or a false value if it does."""

NOT_WORTH_IT: dict[str, Any] = {
    "clustering": (_refuse_few_nodes,),
    "has_path": (_refuse_two_nodes,),
    "shortest_path": (_refuse_two_nodes,),
    "triangles": (_refuse_few_nodes,),
}
"""Checks of calls that the backend supports: they return why a call is not worth a conversion of the graph."""
