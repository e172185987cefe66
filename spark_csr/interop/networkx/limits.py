"""What is left to networkx: calls whose arguments say so, and graphs that an algorithm refuses."""

import contextlib


@contextlib.contextmanager
def defer_to_networkx():
    """Turn what our algorithms refuse (negative weights, ...) into NotImplementedError: networkx may know an answer."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise NotImplementedError(str(error)) from error


def _refuse_weight_functions(of):
    return callable(of["weight"]) and "weights are given by a function"


def _refuse_weights(of):
    return of["weight"] is not None and "edges are taken without weights only"


def _refuse_directed(of):
    return of["G"].is_directed() and "the graph is directed"


def _refuse_several_edges(of):
    return of["G"].is_multigraph() and "there may be several edges between two nodes"


def _refuse_few_nodes(of):
    return of["nodes"] is not None and "networkx looks at the neighbours of a few nodes only"


LIMITS = {
    "betweenness_centrality": (_refuse_weights, lambda of: of["k"] == 0 and "there are no sources"),
    "clustering": (_refuse_weights, _refuse_directed, _refuse_several_edges),
    "core_number": (_refuse_directed,),
    "minimum_spanning_edges": (
        _refuse_several_edges,
        _refuse_weight_functions,
        lambda of: of["algorithm"] != "kruskal" and "edges come in the order of Kruskal's algorithm",
        lambda of: of["data"] is not False and "attributes of edges are not kept: use data=False",
        lambda of: of["ignore_nan"] and "edges of weight NaN are not left out",
    ),
    "multi_source_dijkstra_path_length": (_refuse_weight_functions,),
    "pagerank": (_refuse_weight_functions, lambda of: not 0 <= of["alpha"] <= 1 and "alpha lies outside of [0, 1]"),
    "single_source_dijkstra_path_length": (_refuse_weight_functions,),
    "triangles": (lambda of: of["nodes"] is not None and _refuse_several_edges(of),),
}
"""For each function what may be wrong with a dict of its arguments: each says why it cannot be done, or something false."""

NOT_WORTH_IT = {"clustering": (_refuse_few_nodes,), "triangles": (_refuse_few_nodes,)}
"""The same of calls that can be done, for which a conversion of the graph is too much."""
