"""`eccentricity`: the greatest distance from a vertex to any other.

Design: see `all_distances`. Searches go backwards along edges, so that a vertex is told how far away others are from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._progress import watch
from spark_csr.graph.algorithms.all_distances import search_from_all
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives._check import find_first_true

if TYPE_CHECKING:
    from spark_csr._types import Array, Progress
    from spark_csr.graph.graph import Graph


def eccentricity(G: Graph, *, progress: Progress = None) -> Array:
    """Compute the eccentricity of every vertex: the greatest number of edges on a shortest path from it to any other vertex.

    Its maximum is the diameter of the graph, and its minimum the radius. The vertices that have the minimum are the center, and
    those that have the maximum the periphery. Parameters, result and exceptions that are not listed are those of
    `closeness_centrality`. See the example of `closeness_centrality`.

    Parameters
    ----------
    G : Graph
        The graph. If a vertex does not reach all others, ValueError is raised and names the first one. Weights are ignored.

    Returns
    -------
    (n,) array of int32
        The eccentricity of every vertex.

    Notes
    -----
    *Cost*: that of `closeness_centrality` without weights, and one host read. *Order*: exact.
    """
    _, csr = arrays_of(G)
    with watch(progress, "eccentricity", "vertices", csr.shape[0]) as report:
        *_, reached, farthest = search_from_all(csr, report)
    at = find_first_true(reached < csr.shape[0])
    if at is not None:
        found_by = "connected_components(G, 'strong')" if G.directed else "connected_components(G)"
        raise ValueError(
            f"every vertex must reach all others, got vertex {at}, which does not: pass G.subgraph of one component, found by "
            f"{found_by}"
        )
    return farthest
