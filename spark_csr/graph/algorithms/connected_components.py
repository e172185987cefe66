"""`connected_components`: sets of vertices that paths connect, whatever the direction of the edges or in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from spark_csr._array import to_host_scalar
from spark_csr.graph.algorithms.strong import strong_roots
from spark_csr.graph.algorithms.weak import weak_roots
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.union import number_sets

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph

CONNECTIONS = "weak", "strong"


@overload
def connected_components(
    G: Graph, connection: Literal["weak", "strong"] = ..., return_labels: Literal[True] = ...
) -> tuple[int, Array]: ...


@overload
def connected_components(G: Graph, connection: Literal["weak", "strong"], return_labels: Literal[False]) -> int: ...


@overload
def connected_components(G: Graph, connection: Literal["weak", "strong"] = ..., *, return_labels: Literal[False]) -> int: ...


@overload
def connected_components(
    G: Graph, connection: Literal["weak", "strong"] = ..., return_labels: bool = ...
) -> tuple[int, Array] | int: ...


def connected_components(
    G: Graph, connection: Literal["weak", "strong"] = "weak", return_labels: bool = True
) -> tuple[int, Array] | int:
    """Find the connected components of a graph.

    Parameters
    ----------
    G : Graph
        The graph.
    connection : {"weak", "strong"}, default: "weak"
        "weak": two vertices are connected if a path leads from one to the other, whatever the direction of its edges. "strong":
        two vertices are connected if a path leads from each to the other. In an undirected graph both are the same.
    return_labels : bool, default: True
        Whether to return the component of every vertex. If not, only the number of components is returned.

    Returns
    -------
    n_components : int
        The number of components.
    labels : (n,) array of ints
        The component of every vertex; int32 where they fit, otherwise int64. Components are numbered in the order of their
        smallest vertices. (SciPy numbers weak components in the same way, but strong ones in the order in which it finds
        them.)

    Raises
    ------
    ValueError
        If `connection` is unknown.

    Notes
    -----
    Self-loops, repeated edges and weights are ignored; an edge of weight 0 is an edge.

    *Cost of weak components*: a visit to an edge joins the sets of its ends by an atomic minimum. If there are few edges, each
    is visited once. Otherwise two edges of every vertex are visited first. Then an undirected graph visits the edges of the
    vertices outside of the largest set found so far, and a directed graph visits all edges. Three passes over the vertices
    and two host reads follow. The cost does not depend on the length of paths.

    *Cost of strong components*: on the cores one thread visits every edge (Tarjan's algorithm). On a GPU a forward and a
    backward search find the component of a vertex with many edges, if it is not too deep, with one host read for each level.
    Then the edges among the other vertices are copied to the host, where one thread visits them.

    *Order*: the same labels on every run. *Empty input*: no components. Sources: Tarjan, *Depth-First Search and Linear Graph
    Algorithms*, 1972; Patwary, Refsnes & Manne, *Multi-core Spanning Forest Algorithms using the Disjoint-set Data Structure*,
    IPDPS 2012; Sutton, Ben-Nun & Barak, *Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling*, IPDPS 2018;
    Slota, Rajamanickam & Madduri, *BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and Related
    Problems*, IPDPS 2014.

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
