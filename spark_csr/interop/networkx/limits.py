"""What is left to networkx: calls whose arguments the backend does not support, and graphs that an algorithm refuses."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def defer_to_networkx() -> Iterator[None]:
    """Turn exceptions of our algorithms into NotImplementedError: networkx may have an answer (for negative weights, say)."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise NotImplementedError(str(error)) from error


def _refuse_weight_functions(of):
    return callable(of["weight"]) and "weights that a function returns are not supported"


def _refuse_weights(of):
    return of["weight"] is not None and "weights are not supported"


def _refuse_directed(of):
    return of["G"].is_directed() and "directed graphs are not supported"


def _refuse_several_edges(of):
    return of["G"].is_multigraph() and "multigraphs are not supported"


def _refuse_few_nodes(of):
    return of["nodes"] is not None and "networkx visits the neighbours of the given nodes only, which is faster"


LIMITS: dict[str, Any] = {
    "betweenness_centrality": (_refuse_weights, lambda of: of["k"] == 0 and "there are no sources"),
    "clustering": (_refuse_weights, _refuse_directed, _refuse_several_edges),
    "core_number": (_refuse_directed,),
    "minimum_spanning_edges": (
        _refuse_several_edges,
        _refuse_weight_functions,
        lambda of: of["algorithm"] != "kruskal" and "only the order of edges of algorithm='kruskal' is supported",
        lambda of: of["data"] is not False and "attributes of edges are not kept: use data=False",
        lambda of: of["ignore_nan"] and "ignore_nan=True is not supported",
    ),
    "multi_source_dijkstra_path_length": (_refuse_weight_functions,),
    "pagerank": (_refuse_weight_functions, lambda of: not 0 <= of["alpha"] <= 1 and "alpha must lie in [0, 1]"),
    "single_source_dijkstra_path_length": (_refuse_weight_functions,),
    "triangles": (lambda of: of["nodes"] is not None and _refuse_several_edges(of),),
}
"""Checks by the name of a function. A check is given a dict of the call's arguments, and returns a sentence that says why the
backend does not support the call, or a false value if it does."""

NOT_WORTH_IT: dict[str, Any] = {"clustering": (_refuse_few_nodes,), "triangles": (_refuse_few_nodes,)}
"""Checks of calls that the backend supports: they return why a call is not worth a conversion of the graph."""
