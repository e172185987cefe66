"""networkx's functions of triangles and cores, on `triangles`, `clustering` and `core_number`."""

import networkx as nx

from spark_csr import graph as ours


def triangles(G, nodes=None):
    """As networkx: a dict by node, or a number for one node."""
    return _select_nodes(G, ours.triangles(G.unweighted), nodes)


def clustering(G, nodes=None, weight=None):
    """As networkx, of undirected graphs: a dict by node, or a number for one node."""
    return _select_nodes(G, ours.clustering(G.unweighted), nodes)


def _select_nodes(G, values, nodes):
    """Return the value of one node, or a dict of those of a container that are in the graph, or of all."""
    if nodes is None:
        return G.by_node(values)
    if nodes in G:
        return values[G.place[nodes]].item()
    try:
        return {node: values[G.place[node]].item() for node in nodes if node in G}
    except TypeError as error:
        raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from error


def core_number(G):
    """As networkx: a dict by node; NetworkXNotImplemented for graphs with self-loops."""
    G_, csr = G.unweighted, G.unweighted._csr
    if (G_.sources() == csr.indices).any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted")
    return G.by_node(ours.core_number(G_))
