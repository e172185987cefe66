"""What is left to networkx: calls whose arguments the backend does not support, and graphs that an algorithm refuses.

Design: networkx passes all arguments, defaults too, by position where its own signature allows that. So arguments are bound to
the signature of the installed networkx. A parameter that networkx has and the backend lacks must have networkx's default.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
R = TypeVar("R")


def bind_as_networkx(function: Callable[P, R]) -> Callable[P, R]:
    """Let networkx call a function of the backend with whatever parameters the installed networkx has."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> R:
        return function(**arguments_of(function, args, options))  # type: ignore[call-arg]

    return call


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
    theirs = getattr(nx, function.__name__, None) or getattr(nx.community, function.__name__, None)
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


def _refuse_weight_functions(of):
    return callable(of["weight"]) and "weight=function: weights that a function returns are not supported"


def _refuse_weights(of):
    return of["weight"] is not None and f"weight={of['weight']!r}: weights are not supported, only weight=None"


def _refuse_methods(of):
    return of["method"] != "dijkstra" and f"method={of['method']!r}: only method='dijkstra' is supported"


def _refuse_directed(of):
    return of["G"].is_directed() and "directed graphs are not supported"


def _refuse_several_edges(of):
    return of["G"].is_multigraph() and "multigraphs are not supported"


def _refuse_few_nodes(of):
    return of["nodes"] is not None and "networkx visits the neighbours of the given nodes only, which is faster"


LIMITS: dict[str, Any] = {
    "average_clustering": (_refuse_weights, _refuse_directed, _refuse_several_edges),
    "betweenness_centrality": (_refuse_weight_functions, lambda of: of["k"] == 0 and "k=0: there are no sources"),
    "closeness_centrality": (lambda of: callable(of["distance"]) and "distance=function: functions are not supported",),
    "clustering": (_refuse_weights, _refuse_directed, _refuse_several_edges),
    "core_number": (_refuse_directed,),
    "dijkstra_path": (_refuse_weight_functions, lambda of: of["target"] is None and "None stands for every node"),
    "dijkstra_path_length": (_refuse_weight_functions,),
    "eigenvector_centrality": (_refuse_weight_functions,),
    "has_path": (lambda of: (of["source"] is None or of["target"] is None) and "None stands for every node",),
    "katz_centrality": (_refuse_weight_functions,),
    "leiden_communities": (
        _refuse_directed,
        lambda of: of["metric"] not in ("modularity", "cpm") and f"metric={of['metric']!r}: only 'modularity' and 'cpm'",
    ),
    "louvain_communities": (_refuse_directed,),
    "minimum_spanning_edges": (
        _refuse_several_edges,
        _refuse_weight_functions,
        lambda of: of["algorithm"] != "kruskal" and f"algorithm={of['algorithm']!r}: only 'kruskal' is supported",
        lambda of: of["ignore_nan"] and "ignore_nan=True is not supported",
    ),
    "multi_source_dijkstra_path_length": (_refuse_weight_functions,),
    "pagerank": (_refuse_weight_functions, lambda of: not 0 <= of["alpha"] <= 1 and "alpha must lie in [0, 1]"),
    "shortest_path": (_refuse_weight_functions, _refuse_methods),
    "shortest_path_length": (_refuse_weight_functions, _refuse_methods),
    "single_source_dijkstra_path_length": (_refuse_weight_functions,),
    "transitivity": (_refuse_directed, _refuse_several_edges),
    "triangles": (lambda of: of["nodes"] is not None and _refuse_several_edges(of),),
}
"""Checks by the name of a function. A check is given a dict of the call's arguments, and returns a sentence that says why the
backend does not support the call, or a false value if it does."""

NOT_WORTH_IT: dict[str, Any] = {"clustering": (_refuse_few_nodes,), "triangles": (_refuse_few_nodes,)}
"""Checks of calls that the backend supports: they return why a call is not worth a conversion of the graph."""
