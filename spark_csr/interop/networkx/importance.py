"""networkx's functions of how much nodes count, on `pagerank`, `hits` and `betweenness`."""

import networkx as nx
import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import defer_to_networkx


def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None):
    """As networkx: a dict by node."""
    jumps = _by_vertex(G, personalization)
    if jumps is not None and len(G) and jumps.sum() == 0:
        raise ZeroDivisionError
    with defer_to_networkx():
        try:
            found = ours.pagerank(
                G.weighted(weight), alpha, jumps, max_iter, tol, _by_vertex(G, nstart), dangling=_by_vertex(G, dangling)
            )
        except RuntimeError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    return G.by_node(found)


def hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    """As networkx: dicts of hubs and of authorities."""
    if len(G) and max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    start = None if nstart is None else np.array(list(nstart.values()), np.float64)
    with defer_to_networkx():
        try:
            hubs, authorities = ours.hits(G.weighted("weight"), max_iter, tol, start, normalized)
        except RuntimeError as error:  # their method may still get there
            raise NotImplementedError(str(error)) from error
    return G.by_node(hubs), G.by_node(authorities)


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    """As networkx, without weights: a dict by node. The same nodes are chosen by chance."""
    if k is not None and not 0 <= k <= len(G):
        raise ValueError(f"Sample larger than population or is negative: got k={k} for {len(G)} nodes")
    k = None if k == len(G) else k
    with defer_to_networkx():
        return G.by_node(ours.betweenness(G.unweighted, k, normalized, endpoints, seed))


def _by_vertex(G, values):
    """A dict by node as an array, 0 where a node is missing."""
    return None if values is None else np.array([values.get(node, 0) for node in G], np.float64)
