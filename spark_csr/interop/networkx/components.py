"""networkx's functions of connected components, on `connected_components`."""

import networkx as nx
import numpy as np

from spark_csr.graph import connected_components as parted


def connected_components(G):
    """As networkx: a generator of sets of nodes, in the order of their first nodes."""
    return _sets(G, *parted(G.unweighted))


def weakly_connected_components(G):
    """As networkx: a generator of sets of nodes, in the order of their first nodes."""
    return _sets(G, *parted(G.unweighted))


def strongly_connected_components(G):
    """As networkx: a generator of sets of nodes; theirs come in the order in which a search is done with them."""
    return _sets(G, *parted(G.unweighted, "strong"))


def _sets(G, count, labels):
    nodes, sizes = G.named(np.argsort(labels, kind="stable")), np.bincount(labels, minlength=count)
    return ({next(nodes) for _ in range(size)} for size in sizes.tolist())


def number_connected_components(G):
    """As networkx."""
    return parted(G.unweighted, return_labels=False)


def number_weakly_connected_components(G):
    """As networkx."""
    return parted(G.unweighted, return_labels=False)


def number_strongly_connected_components(G):
    """As networkx."""
    return parted(G.unweighted, "strong", return_labels=False)


def is_connected(G):
    """As networkx: NetworkXPointlessConcept without nodes."""
    return _is_one(G, number_connected_components)


def is_weakly_connected(G):
    """As networkx: NetworkXPointlessConcept without nodes."""
    return _is_one(G, number_weakly_connected_components)


def is_strongly_connected(G):
    """As networkx: NetworkXPointlessConcept without nodes."""
    return _is_one(G, number_strongly_connected_components)


def _is_one(G, number):
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number(G) == 1
