"""networkx's functions of path lengths and of spanning trees, on `bfs`, `sssp` and `minimum_spanning_tree`."""

import math

import networkx as nx
import numpy as np

from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph import bfs, minimum_spanning_tree, sssp
from spark_csr.interop.networkx.convert import EXACT
from spark_csr.interop.networkx.limits import defer_to_networkx


def single_source_shortest_path_length(G, source, cutoff=None):
    """As networkx: a dict of distances, the near nodes first."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    distance, _ = bfs(G.unweighted, G.place[source], depth_limit=_count_levels(cutoff))
    return _nearest_first(G, distance, distance >= 0)


def _count_levels(cutoff):
    """Return the number of levels to search: as many as are smaller than `cutoff`, rounded up."""
    if cutoff is None or cutoff == math.inf:
        return None
    return math.ceil(cutoff) if cutoff > 0 else 0


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    """As networkx: a dict of distances, the near nodes first."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    """As networkx: a dict of distances, the near nodes first."""
    if not sources:
        raise ValueError("sources must not be empty")
    for node in sources:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    if weight in G.weights and np.isinf(G.weights[weight]).any():
        raise NotImplementedError("edges of infinite weight are none here")
    limit = math.inf if cutoff is None else cutoff
    if limit < 0:
        return dict.fromkeys(sources, 0)
    starts = [G.place[node] for node in sources]
    with defer_to_networkx():
        distance = sssp(G.weighted(weight), starts, return_predecessors=False, limit=limit)
    near = (distance <= limit) & (distance < math.inf)
    whole = weight not in G.weights or G.weights[weight].dtype.kind in "biu"
    if whole and (distance[near] >= EXACT).any():
        raise NotImplementedError("distances from 2**53 on may be no float64")
    return _nearest_first(G, distance, near, whole)


def _nearest_first(G, distance, near, whole=True):
    """A dict by node of the distances that are near enough, as integers where they are whole."""
    vertices = np.flatnonzero(near)
    vertices = vertices[np.argsort(distance[vertices], kind="stable")]
    values = distance[vertices].astype(np.int64) if whole else distance[vertices]
    return dict(zip(G.named(vertices), values.tolist(), strict=True))


def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """As networkx with `data=False`: an iterator of pairs of nodes, the lightest first, of equal ones as `G.edges` has them."""
    with defer_to_networkx():
        tree = minimum_spanning_tree(G.weighted(weight))._csr
    order = np.argsort(tree.data, kind="stable")
    return zip(G.named(rows_of_entries(tree)[order]), G.named(tree.indices[order]), strict=True)
