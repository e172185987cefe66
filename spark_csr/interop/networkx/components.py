"""networkx's functions of connected components, on `connected_components`."""

import networkx as nx
import numpy as np

from spark_csr._numba import njit
from spark_csr.graph import connected_components as parted
from spark_csr.primitives.foreach import for_each


def connected_components(G):
    """As networkx: a generator of sets of nodes, in the order of their first nodes."""
    return _sets(G, *parted(G.unweighted))


def weakly_connected_components(G):
    """As networkx: a generator of sets of nodes, in the order of their first nodes."""
    return _sets(G, *parted(G.unweighted))


def strongly_connected_components(G):
    """As networkx: a generator of sets of nodes, each after those that edges lead to from it."""
    count, labels = parted(G.unweighted, "strong")
    done = np.empty(count, np.intp)
    done[labels[_finish_order(G)]] = np.arange(len(G))  # of a component its last vertex: where the search came in
    place = np.empty_like(done)
    place[np.argsort(done)] = np.arange(count)
    return _sets(G, count, place[labels])


def _finish_order(G):
    """Return the vertices in the order in which a depth-first search finishes them."""
    csr, n = G.unweighted._csr, len(G)
    out, path, cursor = np.empty(n, np.int64), np.empty(n, np.int64), csr.indptr[:-1].copy()
    for_each(1, _search, csr.indptr, csr.indices, np.zeros(n, bool), cursor, path, out)
    return out


@njit
def _search(i, indptr, indices, seen, cursor, path, out):
    """From every vertex that is not seen yet, along edges as they are stored."""
    depth, done, one = np.int64(0), np.int64(0), np.uint64(1)
    for start in range(seen.size):
        if not seen[start]:
            seen[start], path[0], depth = True, start, 1
        while depth:
            v = np.uint64(path[depth - 1])
            if cursor[v] == indptr[v + one]:
                out[done], done, depth = v, done + 1, depth - 1
                continue
            w = np.uint64(indices[np.uint64(cursor[v])])
            cursor[v] += 1
            if not seen[w]:
                seen[w], path[depth], depth = True, w, depth + 1


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
