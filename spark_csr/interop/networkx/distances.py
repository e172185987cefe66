"""networkx's measures of distance, by `eccentricity`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from spark_csr import graph as ours
from spark_csr.graph.algorithms.all_distances import search_from_all
from spark_csr.interop.networkx.limits import bind_as_networkx, under_name
from spark_csr.interop.networkx.paths import single_source_shortest_path_length
from spark_csr.interop.networkx.trees import is_tree

if TYPE_CHECKING:
    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def eccentricity(G: NodeGraph, v: Any = None, sp: None = None, weight: None = None) -> dict[Any, int] | int:
    """Compute the greatest distance from each node, as `networkx.eccentricity` does without weights."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    if v is None:
        try:
            return G.to_dict(ours.eccentricity(G.unweighted_graph))
        except ValueError as error:
            raise nx.NetworkXError(_infinite(G)) from error
    found = {node: _greatest(G, node) for node in G.select(v)}
    return found[v] if v in G else found


def _greatest(G, node):
    lengths = single_source_shortest_path_length(G, node)
    if len(lengths) < len(G):
        raise nx.NetworkXError(_infinite(G))
    return max(lengths.values())


def _infinite(G):
    return (
        f"Found infinite path length because the {'digraph is not strongly' if G.is_directed() else 'graph is not'} connected"
    )


diameter = under_name("diameter", lambda G, e=None, usebounds=False, weight=None: max(_eccentricities(G).values()))
radius = under_name("radius", lambda G, e=None, usebounds=False, weight=None: min(_eccentricities(G).values()))


@bind_as_networkx
def periphery(G: NodeGraph, e: None = None, usebounds: bool = False, weight: None = None) -> list[Any]:
    """Return the nodes of the greatest eccentricity, as `networkx.periphery` does without weights."""
    found = _eccentricities(G)
    greatest = max(found.values())
    return [node for node, value in found.items() if value == greatest]


@bind_as_networkx
def center(G: NodeGraph, e: None = None, usebounds: bool = False, weight: None = None) -> list[Any]:
    """Return the nodes of the least eccentricity, as `networkx.center` does without weights."""
    if len(G) and not G.is_directed() and is_tree(G):
        raise NotImplementedError("networkx finds the center of a tree without searches")
    found = _eccentricities(G)
    least = min(found.values())
    return [node for node, value in found.items() if value == least]


def _eccentricities(G) -> dict[Any, int]:
    return eccentricity(G)  # type: ignore[return-value]


@bind_as_networkx
def average_shortest_path_length(G: NodeGraph, weight: None = None, method: None = None) -> float:
    """Compute the mean distance of two nodes, as `networkx.average_shortest_path_length` does without weights."""
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    found = search_from_all(G.unweighted_graph._csr, None)
    if (found.reached < n).any():
        raise nx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.")
    return int(found.totals.sum()) / (n * (n - 1))
