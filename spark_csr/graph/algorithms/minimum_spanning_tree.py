"""`minimum_spanning_tree`: the lightest edges that connect all vertices that paths connect.

Design: every component takes the lightest edge that leaves it, and of equally light ones the one with the least id, so edges
that are taken at once cannot form a cycle. Then components that an edge connects are joined, and edges within a component are
dropped. The lightest edge is found by atomic minima, of weights first and then of ids: edges are never sorted. Source: Borůvka
1926.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._config import config
from spark_csr._engine import lean, njit
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.algorithms.checks import check_real, check_weights
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.for_each import for_each
from spark_csr.graph.union import climb_to_root, join, singletons

if TYPE_CHECKING:
    from spark_csr.graph.graph import Graph

HEAVIEST, NO_EDGE = np.iinfo(np.int64).max, np.iinfo(np.int64).max


def minimum_spanning_tree(G: Graph) -> csr_array:
    """Compute a minimum spanning tree, or a forest: edges of least total weight that connect the same vertices as all edges.

    Parameters
    ----------
    G : Graph
        The graph, taken as undirected: an edge connects its ends whatever its direction, and may be stored in one direction or
        in both. Weights are real; they may be negative, infinite or 0.

    Returns
    -------
    (n, n) csr_array of float64
        The edges of the tree, at the positions that they have in `G.matrix`; the edges of a forest if there are several
        components. Edges of weight 0 are stored, whereas SciPy drops them from its result.

    Raises
    ------
    ValueError
        If a weight is NaN (the message names the first one; checked only if `config.validate`).
    TypeError
        If `G` is not a Graph, or if weights are complex.

    Notes
    -----
    Weights are compared as float64, as in SciPy. Of equal weights, the edge that is stored first counts as lighter, so the
    result is unique. *Cost*: at most log2(n) rounds, each with two visits to every edge that is left from the last round, two
    to every component, and two host reads. Scratch: twenty bytes for every edge, and as many for every vertex. *Order*: the
    same result on every run. *Empty input*: no edges.

    Examples
    --------
    >>> from spark_csr.graph import Graph, minimum_spanning_tree
    >>> minimum_spanning_tree(Graph([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])).toarray()
    array([[0., 0., 0., 3.],
           [0., 0., 2., 5.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    xp, csr = arrays_of(G)
    check_real(csr.data)
    if config.validate:
        check_weights(csr, csr.data != csr.data, "not be NaN", "use numpy.nan_to_num")
    n, weights = csr.shape[0], csr.data.astype(np.float64, copy=False)
    edges, roots = Frontier.all(G, "edge"), Frontier.all(G)
    ends = csr.plan(rows_of_entries).copy(), csr.indices.copy()
    code, parent, in_tree = _order_weights(weights), singletons(xp, n), xp.zeros(csr.indices.size, bool)
    lightest, first = xp.full(n, HEAVIEST), xp.full(n, NO_EDGE)
    while len(edges := filter(edges, _weigh, (*ends, parent, code, lightest))):
        for_each(edges, _name_lightest, (*ends, code, lightest, first))
        for_each(roots, _join_over, (*ends, parent, lightest, first, in_tree))
        roots = filter(roots, climb_to_root, (parent,))
    return csr_array._of(select_entries(csr.with_data(weights), in_tree))


def _order_weights(weights):
    """Return integers that compare like the weights; 0.0 and -0.0 are equal."""
    bits = (weights + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & HEAVIEST)


@lean
def _weigh(edge, one_end, other_end, parent, code, lightest):
    """Replace the ends of an edge by the roots of their components, and note its weight if it is the lightest of either.

    Return whether the components are different.
    """
    u, v = parent[one_end[edge]], parent[other_end[edge]]
    one_end[edge], other_end[edge] = u, v
    if u != v:
        _lower(lightest, u, code[edge])
        _lower(lightest, v, code[edge])
    return u != v


@njit(forceinline=True)
def _lower(slots, i, value):
    if value < slots[i]:
        atomic_min(slots, i, value)


@lean
def _name_lightest(edge, one_end, other_end, code, lightest, first):
    """Note the id of an edge that is the lightest of a component if it is the least such id."""
    u, v, weight = one_end[edge], other_end[edge], code[edge]
    if weight == lightest[u]:
        _lower(first, u, edge)
    if weight == lightest[v]:
        _lower(first, v, edge)


@lean
def _join_over(root, one_end, other_end, parent, lightest, first, in_tree):
    """Put the edge of a component into the tree, join what it connects, and reset the component for the next round."""
    edge = first[root]
    if edge != NO_EDGE:
        in_tree[edge] = True
        join(parent, one_end[edge], other_end[edge])
        lightest[root], first[root] = HEAVIEST, NO_EDGE
