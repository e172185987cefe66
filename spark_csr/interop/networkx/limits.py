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
    "dijkstra_path": (_refuse_weight_functions,),
    "dijkstra_path_length": (_refuse_weight_functions,),
    "eigenvector_centrality": (_refuse_weight_functions,),
    "katz_centrality": (_refuse_weight_functions,),
    "leiden_communities": (_refuse_directed,),
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
