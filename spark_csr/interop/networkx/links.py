"""networkx's predictions of links, by `segmented_intersection`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr.graph import segmented_intersection
from spark_csr.interop.networkx.limits import bind_as_networkx, under_name
from spark_csr.primitives import segmented_reduce

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spark_csr.interop.networkx.convert import NodeGraph

    Pairs = Iterable[tuple[Any, Any]]
    Scores = Iterator[tuple[Any, Any, float]]


@bind_as_networkx
def jaccard_coefficient(G: NodeGraph, ebunch: Pairs | None = None) -> Scores:
    """Compute the Jaccard coefficient of pairs of nodes, as `networkx.jaccard_coefficient` does."""
    pairs, u, v = _read(G, ebunch)
    degrees = _degrees(G)
    common = segmented_intersection(G.unweighted_graph, u, v, count=True)
    union = degrees[u] + degrees[v] - common
    return _scores(pairs, common / np.maximum(union, 1))


adamic_adar_index = under_name(
    "adamic_adar_index", lambda G, ebunch=None: _sum_over_common(G, ebunch, lambda degrees: 1 / np.log(degrees))
)
resource_allocation_index = under_name(
    "resource_allocation_index", lambda G, ebunch=None: _sum_over_common(G, ebunch, lambda degrees: 1 / degrees)
)


def _read(G, ebunch):
    """Return the pairs as a list, and the vertices of their first and of their second nodes."""
    pairs = list(ebunch)
    try:
        ends = np.fromiter(map(G.place.__getitem__, itertools.chain.from_iterable(pairs)), np.int64, 2 * len(pairs))
    except KeyError as error:
        missing = next(node for pair in pairs for node in pair if node not in G)
        raise nx.NodeNotFound(f"Node {missing} not in G.") from error
    return pairs, ends[::2].copy(), ends[1::2].copy()


def _degrees(G):
    """Return the degrees; leave graphs with self-loops to networkx, which counts these twice, and not as common."""
    graph = G.unweighted_graph
    if (graph.sources() == graph._csr.indices).any():
        raise NotImplementedError("self-loops are not supported")
    return graph.degrees().astype(np.int64)


def _sum_over_common(G, ebunch, share):
    """Return the sums, over the common neighbours of pairs, of what their degrees are worth."""
    pairs, u, v = _read(G, ebunch)
    degrees = _degrees(G)
    offsets, common = segmented_intersection(G.unweighted_graph, u, v)
    with np.errstate(divide="ignore"):
        worth = share(degrees)[common]
    if np.isinf(worth).any():
        raise NotImplementedError("the logarithm of a degree of 1 is 0: networkx divides by it")
    return _scores(pairs, segmented_reduce(worth, offsets))


def _scores(pairs, scores):
    return ((u, v, score) for (u, v), score in zip(pairs, scores.tolist(), strict=True))
