"""`connected_components`: vertices that paths connect, whatever the way edges go, or both ways."""

from spark_csr._array import to_host_scalar
from spark_csr.graph.algorithms.strong import strong_roots
from spark_csr.graph.algorithms.weak import weak_roots
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.union import number_sets

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

    *Cost*: weak: where there are few edges, one visit to each, which joins the sets of its ends by an atomic minimum, whatever
    the length of paths (see `union.join`). Else two of every vertex first; then, of undirected graphs, those alone of vertices
    outside of the largest set found so, of directed ones a read of all. Three passes over the vertices; two host reads. Strong:
    on the cores one thread walks along every edge (Tarjan's algorithm); on a GPU a search forward and one backward, one host
    read a level, find the component of a busy vertex first if it is not too deep; the edges among the other vertices are
    copied to the host, where one thread walks along them. *Order*: same labels every run. *Empty input*: no components.
    Sources: Tarjan 1972; Patwary, Refsnes & Manne 2012; Sutton, Ben-Nun & Barak 2018 (see `weak`); Slota, Rajamanickam &
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
    arrays_of(G)
    if connection not in CONNECTIONS:
        raise ValueError(f"connection must be 'weak' or 'strong', got {connection!r}")
    root, is_root = strong_roots(G) if connection == "strong" and G.directed else weak_roots(G)
    return number_sets(root, is_root) if return_labels else to_host_scalar(is_root.sum())
