"""networkx's functions of the importance of nodes, by `pagerank`, `hits`, `betweenness` and the centralities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx, defer_to_networkx
from spark_csr.interop.networkx.paths import refuse_infinite

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
    """Compute the PageRank of every node, as `networkx.pagerank` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    alpha : float, default: 0.85
        The probability, from 0 to 1, that the walk follows an edge.
    personalization : dict, optional
        For nodes that jumps lead to, a number proportional to the probability; 0 for nodes that are missing. Default: all are
        equal.
    max_iter : int, default: 100
        The largest number of iterations.
    tol : float, default: 1e-6
        The iteration ends when the vector moves by less than `len(G) * tol`.
    nstart : dict, optional
        The values of nodes to start with. Default: all are equal.
    weight : str or None, default: "weight"
        The edge attribute that holds the weight. If None, all weights are 1.
    dangling : dict, optional
        For nodes that the walk goes on to from a node without edges, a number proportional to the probability. Default: as for
        jumps.

    Returns
    -------
    dict
        The PageRank of every node.

    Raises
    ------
    networkx.PowerIterationFailedConvergence
        If the iteration has not converged after `max_iter` iterations.
    ZeroDivisionError
        If the values of `personalization` sum to 0.
    NotImplementedError
        If `spark_csr.graph.pagerank` refuses an argument, such as negative weights.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, pagerank
    >>> found = pagerank(convert_from_nx(nx.path_graph(3)))
    >>> {node: round(rank, 3) for node, rank in found.items()}
    {0: 0.257, 1: 0.486, 2: 0.257}
    """
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
    G: NodeGraph,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Compute the hub and the authority value of every node, as `networkx.hits` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not. The edge attribute "weight" holds the weights.
    max_iter : int, default: 100
        The largest number of iterations.
    tol : float, default: 1e-8
        The iteration ends when the hub values, the largest of which is 1, change by less than this in total.
    nstart : dict, optional
        The hub values of all nodes to start with. Default: all are equal.
    normalized : bool, default: True
        If True, hub and authority values each sum to 1. If False, the largest of each is 1.

    Returns
    -------
    hubs : dict
        The hub value of every node.
    authorities : dict
        The authority value of every node.

    Raises
    ------
    networkx.NetworkXError
        If `nstart` lacks a node, or if its values sum to 0.
    networkx.PowerIterationFailedConvergence
        If the iteration has not converged after `max_iter` iterations, or if all values are 0, as without edges.
    NotImplementedError
        If `spark_csr.graph.hits` refuses an argument, such as negative weights.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, hits
    >>> hubs, authorities = hits(convert_from_nx(nx.DiGraph([(0, 1), (0, 2), (1, 2)])))
    >>> {node: round(value, 3) for node, value in hubs.items()}
    {0: 0.618, 1: 0.382, 2: 0.0}
    """
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
    """Compute the betweenness centrality of every node, as `networkx.betweenness_centrality` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    k : int, optional
        Estimate the result from this number of randomly chosen nodes, which are those that networkx chooses. Default: use all
        nodes.
    normalized : bool, default: True
        Whether to divide by the number of pairs.
    weight : str or None, optional
        The edge attribute that holds the length. If None, every edge has length 1.
    endpoints : bool, default: False
        Whether to count both ends of a path among the nodes that it leads through.
    seed : int, random.Random, numpy.random.RandomState or numpy.random.Generator, optional
        The seed, or the generator, of the random choice.

    Returns
    -------
    dict
        The centrality of every node.

    Raises
    ------
    ValueError
        If `k` is negative or larger than the number of nodes.
    NotImplementedError
        If there are more shortest paths than a float64 can count, or if a length is not positive and finite.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import betweenness_centrality, convert_from_nx
    >>> betweenness_centrality(convert_from_nx(nx.path_graph(3)))
    {0: 0.0, 1: 1.0, 2: 0.0}
    """
    if k is not None and not 0 <= k <= len(G):
        raise ValueError(f"Sample larger than population or is negative: got k={k} for {len(G)} nodes")
    k = None if k == len(G) else k
    refuse_infinite(G, weight)
    with defer_to_networkx():
        by = None if k is None else nx.utils.create_py_random_state(seed)  # NumPy's generators too
        found = ours.betweenness(G.weighted_graph(weight), k, normalized, endpoints, by, weighted=weight is not None)
    return G.to_dict(found)


@bind_as_networkx
def closeness_centrality(
    G: NodeGraph, u: Any = None, distance: str | None = None, wf_improved: bool = True
) -> dict[Any, float] | float:
    """Compute the closeness centrality of every node, as `networkx.closeness_centrality` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    u : node, optional
        The node to compute the centrality of. Default: all nodes.
    distance : str or None, optional
        The edge attribute that holds the length. If None, every edge has length 1.
    wf_improved : bool, default: True
        Whether to multiply by the share of the other nodes that reach the node.

    Returns
    -------
    dict or float
        The centrality of every node, or that of `u`.

    Raises
    ------
    networkx.NodeNotFound
        If `u` is not a node of the graph.
    NotImplementedError
        If a length is negative, infinite or NaN.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import closeness_centrality, convert_from_nx
    >>> closeness_centrality(convert_from_nx(nx.path_graph(3)), 1)
    1.0
    """
    if u is not None and u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G")
    refuse_infinite(G, distance)
    vertex = None if u is None else G.place[u]
    with defer_to_networkx():
        found = ours.closeness_centrality(G.weighted_graph(distance), vertex, distance is not None, wf_improved)
    return G.to_dict(found) if u is None else found[0].item()


@bind_as_networkx
def eigenvector_centrality(
    G: NodeGraph,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: str | None = None,
) -> dict[Any, float]:
    """Compute the eigenvector centrality of every node, as `networkx.eigenvector_centrality` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    max_iter : int, default: 100
        The largest number of iterations.
    tol : float, default: 1e-6
        The iteration ends when the vector moves by less than `len(G) * tol`.
    nstart : dict, optional
        The values of all nodes to start with. Default: all are equal.
    weight : str or None, optional
        The edge attribute that holds the weight. If None, all weights are 1.

    Returns
    -------
    dict
        The centrality of every node.

    Raises
    ------
    networkx.NetworkXPointlessConcept
        If the graph has no nodes.
    networkx.NetworkXError
        If all values of `nstart` are 0.
    networkx.PowerIterationFailedConvergence
        If the iteration has not converged after `max_iter` iterations.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, eigenvector_centrality
    >>> found = eigenvector_centrality(convert_from_nx(nx.path_graph(3)))
    >>> {node: round(value, 3) for node, value in found.items()}
    {0: 0.5, 1: 0.707, 2: 0.5}
    """
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
    """Compute the Katz centrality of every node, as `networkx.katz_centrality` does.

    Parameters
    ----------
    G : NodeGraph
        A graph, directed or not.
    alpha : float, default: 0.1
        What a path counts for each of its edges.
    beta : float or dict, default: 1.0
        What every node has by itself.
    max_iter : int, default: 1000
        The largest number of iterations.
    tol : float, default: 1e-6
        The iteration ends when the vector moves by less than `len(G) * tol`.
    nstart : dict, optional
        The values of all nodes to start with. Default: zeros.
    normalized : bool, default: True
        Whether to divide the values so that the sum of their squares is 1.
    weight : str or None, optional
        The edge attribute that holds the weight. If None, all weights are 1.

    Returns
    -------
    dict
        The centrality of every node.

    Raises
    ------
    networkx.NetworkXError
        If `beta` is a dict without a value for every node.
    networkx.PowerIterationFailedConvergence
        If the iteration has not converged after `max_iter` iterations.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, katz_centrality
    >>> found = katz_centrality(convert_from_nx(nx.path_graph(3)))
    >>> {node: round(value, 3) for node, value in found.items()}
    {0: 0.56, 1: 0.611, 2: 0.56}
    """
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
