"""`connected_components`: vertices that paths connect, whatever the way edges go, or both ways."""

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr.graph.algorithms.strong import strong_roots
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.lean import lean
from spark_csr.graph.operators.advance import advance
from spark_csr.graph.union import flattened, join, numbered, singletons

CONNECTIONS = "weak", "strong"


def connected_components(G, connection="weak", return_labels=True):
    """Part the vertices into connected components.

    Parameters
    ----------
    G : Graph
    connection : {"weak", "strong"}
        "weak": two vertices are connected if a path leads from one to the other, whatever the way its edges go. "strong": if
        a path leads there and another one back. In an undirected graph both are the same.
    return_labels : bool
        False: only say how many there are.

    Returns
    -------
    n_components : int
    labels : (n,) array
        The component of every vertex, numbered by their smallest vertices; int32 where they fit. SciPy numbers weak components
        alike, strong ones in the order in which it finds them.

    Raises
    ------
    ValueError
        For an unknown connection.
    TypeError
        For what is no Graph.

    Notes
    -----
    Self-loops, several edges and weights (0 is one) play no part.

    *Cost*: weak: one visit to every edge, which joins the sets of its ends by an atomic minimum, whatever the length of paths
    (see `union.join`), and one to every vertex; one host read. Strong: on the cores one thread walks along every edge (Tarjan's
    algorithm); on a GPU a search forward and one backward, one host read a level, find the component of a busy vertex first if
    it is not too deep, and one thread, which is slow there, walks along the edges of what is left. *Order*: same labels
    every run. *Empty input*: no components. Sources: Tarjan 1972; Patwary, Refsnes & Manne 2012; Slota, Rajamanickam &
    Madduri, *BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and Related Problems*, IPDPS 2014.

    Examples
    --------
    >>> from spark_csr.graph import Graph, connected_components
    >>> G = Graph([[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    >>> connected_components(G)
    (2, array([0, 1, 1, 0], dtype=int32))
    >>> connected_components(G, "strong")
    (3, array([0, 1, 2, 0], dtype=int32))
    """
    _, csr = arrays_of(G)
    if connection not in CONNECTIONS:
        raise ValueError(f"connection must be 'weak' or 'strong', got {connection!r}")
    root, is_root = strong_roots(G) if connection == "strong" and G.directed else _weak_roots(csr)
    return numbered(root, is_root) if return_labels else to_host_scalar(is_root.sum())


@lean
def _join_ends(src, dst, edge, weight, parent):
    join(parent, src, dst)


def _weak_roots(csr):
    """The smallest vertex of every vertex's component, and which vertices are such ones."""
    pattern = Graph._of(csr.with_data(csr.indices), True)
    parent = singletons(namespace_of(csr.indptr), csr.shape[0])
    advance(pattern, Frontier.all(pattern), _join_ends, (parent,), output=None)
    return parent, flattened(parent)
