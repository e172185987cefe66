"""`harmonic_centrality`: the sum of one over the distances from all vertices that reach a vertex.

Design: see `all_distances`, and with weights `dijkstra`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._progress import watch
from spark_csr.graph.algorithms.all_distances import search_from_all
from spark_csr.graph.algorithms.checks import as_lengths, check_lengths
from spark_csr.graph.algorithms.dijkstra import sum_distances
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph


def harmonic_centrality(
    G: Graph, nbunch: ArrayLike | None = None, weighted: bool = False, *, progress: Progress = None
) -> Array:
    """Compute the harmonic centrality of every vertex: the sum of one over the distance to it from each vertex that reaches it.

    Unlike `closeness_centrality`, it compares vertices of different components. Vertices at distance 0 do not count.
    Parameters, result and exceptions that are not listed are those of `closeness_centrality`; a search from all vertices is
    made also for few in `nbunch`. Source: Marchiori & Latora, *Harmony in the Small-World*, 2000; Boldi & Vigna, *Axioms for
    Centrality*, 2014. See the example of `closeness_centrality`.

    Parameters
    ----------
    nbunch : int, name, or array_like of these, optional
        The vertices to compute the centrality of. Default: all vertices.
    """
    _, csr = arrays_of(G)
    wanted = None if nbunch is None else Frontier._from_argument("nbunch", G, nbunch)._list()
    back = csr.plan(reverse_edges) if G.directed else csr
    if not weighted:
        with watch(progress, "harmonic_centrality", "vertices", csr.shape[0]) as report:
            found = search_from_all(back, report).inverses
        return found if wanted is None else gather(found, wanted)
    lengths = as_lengths(csr)
    check_lengths(csr)
    wanted = Frontier.all(G)._list() if wanted is None else wanted
    with watch(progress, "harmonic_centrality", "vertices", wanted.size) as report:
        return sum_distances(back, gather(lengths, back.data) if G.directed else lengths, wanted, report)[1]
