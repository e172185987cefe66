"""A networkx backend: `nx.pagerank(G, backend="spark_csr")`, or of all calls `nx.config.backend_priority = ["spark_csr"]`.

networkx finds this module by the entry point `networkx.backends`. It asks `can_run` whether a call can be done here, converts
the graph, which it keeps with the original until that is changed, and calls the function of its own name. What cannot be done
it does itself if the backend was not asked for by name.

Design: what networkx promises of results holds (types, nodes, which errors); numbers that an iteration ends in agree within
its tolerance. Nothing is done differently in silence: what our algorithms refuse is a NotImplementedError, and networkx goes
on by itself. Names in here that are functions of networkx are taken for what the backend does: no others may stand here.
"""

import inspect

try:
    import networkx as _networkx  # noqa: F401
except ImportError as error:
    raise ImportError("spark_csr.interop.networkx needs networkx: install it with: pip install networkx") from error

from spark_csr.interop.networkx.components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from spark_csr.interop.networkx.convert import NodeGraph, convert_from_nx, convert_to_nx
from spark_csr.interop.networkx.importance import betweenness_centrality, hits, pagerank
from spark_csr.interop.networkx.limits import LIMITS, NOT_WORTH_IT
from spark_csr.interop.networkx.paths import (
    minimum_spanning_edges,
    multi_source_dijkstra_path_length,
    single_source_dijkstra_path_length,
    single_source_shortest_path_length,
)
from spark_csr.interop.networkx.structure import clustering, core_number, triangles

__all__ = [
    "NodeGraph",
    "betweenness_centrality",
    "can_run",
    "clustering",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "core_number",
    "hits",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "minimum_spanning_edges",
    "multi_source_dijkstra_path_length",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "pagerank",
    "should_run",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path_length",
    "strongly_connected_components",
    "triangles",
    "weakly_connected_components",
]


def can_run(name, args, kwargs):
    """Whether the function of this name can do a call with these arguments: True, or a str that says why not."""
    return _unless(LIMITS, name, args, kwargs)


def should_run(name, args, kwargs):
    """The same, for what can be done, of whether it is better than what networkx does."""
    return _unless(NOT_WORTH_IT, name, args, kwargs)


def _unless(limits, name, args, kwargs):
    try:
        bound = inspect.signature(globals()[name]).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    return next((told for limit in limits.get(name, ()) if (told := limit(bound.arguments))), True)
