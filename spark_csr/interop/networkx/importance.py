"""networkx's functions of the importance of nodes, by `pagerank`, `hits`, `betweenness` and the centralities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx, defer_to_networkx, refuse_lengths, under_name

if TYPE_CHECKING:
    import random

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def pagerank(
    G: NodeGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: str | None = "weight",
    dangling: Mapping[Any, float] | None = None,
) -> dict[Any, float]:
    """Compute the PageRank of every node, as `networkx.pagerank` does."""
    jumps = _by_vertex(G, personalization)
    if jumps is not None and len(G) and jumps.sum() == 0:
        raise ZeroDivisionError
    with defer_to_networkx():
        try:
            found = ours.pagerank(
                G.weighted_graph(weight), alpha, jumps, max_iter, tol, _by_vertex(G, nstart), dangling=_by_vertex(G, dangling)
            )
        except RuntimeError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    return G.to_dict(found)


@bind_as_networkx
def hits(
    G: NodeGraph, max_iter: int = 100, tol: float = 1e-8, nstart: Mapping[Any, float] | None = None, normalized: bool = True
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Compute the hub and the authority value of every node, as `networkx.hits` does."""
    start = _by_vertex(G, nstart)
    if nstart is not None and len(G):
        if missing := set(G) - nstart.keys():
            raise nx.NetworkXError(f"nstart must have a value for every node; missing: {missing}")
        if start.sum() == 0:
            raise nx.NetworkXError("nstart values must not sum to zero")
    with defer_to_networkx():
        try:
            hubs, authorities = ours.hits(G.weighted_graph("weight"), max_iter, tol, start, normalized)
        except RuntimeError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    if hubs.size and not hubs.any():
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.to_dict(hubs), G.to_dict(authorities)


@bind_as_networkx
def betweenness_centrality(
    G: NodeGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: str | None = None,
    endpoints: bool = False,
    seed: int | random.Random | np.random.RandomState | np.random.Generator | None = None,
) -> dict[Any, float]:
    """Compute the betweenness centrality of every node, as `networkx.betweenness_centrality` does."""
    _check_sample(G, k)
    k = None if k == len(G) else k
    refuse_lengths(G, weight)
    with defer_to_networkx():
        by = None if k is None else nx.utils.create_py_random_state(seed)  # NumPy's generators too
        found = ours.betweenness(G.weighted_graph(weight), k, normalized, endpoints, by, weighted=weight is not None)
    return G.to_dict(found)


@bind_as_networkx
def edge_betweenness_centrality(
    G: NodeGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: str | None = None,
    seed: int | random.Random | np.random.RandomState | np.random.Generator | None = None,
) -> dict[tuple[Any, Any], float]:
    """Compute the betweenness centrality of every edge, as `networkx.edge_betweenness_centrality` does."""
    _check_sample(G, k)
    refuse_lengths(G, weight)
    graph = G.weighted_graph(weight)
    with defer_to_networkx():
        by = None if k is None else nx.utils.create_py_random_state(seed)
        found = ours.edge_betweenness(graph, k, normalized, by, weighted=weight is not None) if len(G) else np.zeros(0)
    u, v = graph.sources(), graph._csr.indices
    once = slice(None) if G.is_directed() else u <= v
    edges = zip(G.nodes_of(u[once]), G.nodes_of(v[once]), strict=True)
    return dict(zip(edges, found[once].tolist(), strict=True))


def _check_sample(G, k):
    if k is not None and not 0 <= k <= len(G):
        raise ValueError("Sample larger than population or is negative")


@bind_as_networkx
def closeness_centrality(
    G: NodeGraph, u: Any = None, distance: str | None = None, wf_improved: bool = True
) -> dict[Any, float] | float:
    """Compute the closeness centrality of every node, as `networkx.closeness_centrality` does."""
    if u is not None and u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G")
    refuse_lengths(G, distance)
    vertex = None if u is None else G.place[u]
    with defer_to_networkx():
        found = ours.closeness_centrality(G.weighted_graph(distance), vertex, distance is not None, wf_improved)
    return G.to_dict(found) if u is None else found[0].item()


@bind_as_networkx
def harmonic_centrality(
    G: NodeGraph, nbunch: Any = None, distance: str | None = None, sources: None = None
) -> dict[Any, float]:
    """Compute the harmonic centrality of every node, as `networkx.harmonic_centrality` does."""
    refuse_lengths(G, distance)
    nodes = set(G.select(nbunch))  # the order of networkx's dict
    with defer_to_networkx():
        vertices = [G.place[node] for node in nodes]
        found = ours.harmonic_centrality(G.weighted_graph(distance), np.array(vertices, np.int64), distance is not None)
    return dict(zip(nodes, found.tolist(), strict=True))


@bind_as_networkx
def degree_centrality(G: NodeGraph) -> dict[Any, float]:
    """Compute the share of the other nodes that each is joined to, as `networkx.degree_centrality` does."""
    graph = G.unweighted_graph
    if G.is_directed():
        return _share(G, graph.degrees("both"))
    loops = graph.sources() == graph._csr.indices
    degrees = graph.degrees()
    return _share(G, degrees + np.bincount(graph._csr.indices[loops], minlength=len(G)) if loops.any() else degrees)


in_degree_centrality = under_name("in_degree_centrality", lambda G: _share(G, G.unweighted_graph.degrees("in")))
out_degree_centrality = under_name("out_degree_centrality", lambda G: _share(G, G.unweighted_graph.degrees()))


def _share(G, degrees):
    return G.to_dict(degrees * (1.0 / (len(G) - 1.0))) if len(G) > 1 else dict.fromkeys(G, 1)


@bind_as_networkx
def eigenvector_centrality(
    G: NodeGraph, max_iter: int = 100, tol: float = 1e-6, nstart: Mapping[Any, float] | None = None, weight: str | None = None
) -> dict[Any, float]:
    """Compute the eigenvector centrality of every node, as `networkx.eigenvector_centrality` does."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = _by_vertex(G, nstart)
    if start is not None and not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    graph, weighted = G.weighted_graph(weight), G.has_weights(weight)
    with defer_to_networkx():
        try:
            return G.to_dict(ours.eigenvector_centrality(graph, max_iter, tol, start, weighted))
        except RuntimeError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error


@bind_as_networkx
def katz_centrality(
    G: NodeGraph,
    alpha: float = 0.1,
    beta: float | Mapping[Any, float] = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
    weight: str | None = None,
) -> dict[Any, float]:
    """Compute the Katz centrality of every node, as `networkx.katz_centrality` does."""
    own: Any
    try:
        own = float(beta)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        if not isinstance(beta, Mapping) or set(beta) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        own = _by_vertex(G, beta)
    graph, weighted = G.weighted_graph(weight), G.has_weights(weight)
    with defer_to_networkx():
        try:
            found = ours.katz_centrality(graph, alpha, own, max_iter, tol, _by_vertex(G, nstart), normalized, weighted)
        except RuntimeError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    return G.to_dict(found)


def _by_vertex(G, values):
    """Return a dict by node as an array over vertices, 0 where a node is missing."""
    return None if values is None else np.array([values.get(node, 0) for node in G], np.float64)
