"""`louvain_communities`: communities of large modularity, by moves of vertices and then of whole communities.

Design: see `moving`. When no vertex gains by a move, each community becomes a vertex, and vertices are moved again. In the end
the vertices of the graph itself are moved once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import to_host_scalar
from spark_csr._operations.reduce.sums import sums
from spark_csr._progress import number_steps, watch
from spark_csr.graph.algorithms.checks import check_undirected, number_of
from spark_csr.graph.algorithms.modularity import as_whole, quality
from spark_csr.graph.algorithms.moving import begin, merge_communities, move_vertices
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.philox import seed_of
from spark_csr.graph.union import number_sets_by_least
from spark_csr.primitives._check import integer
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, Progress
    from spark_csr.graph.graph import Graph


def louvain_communities(
    G: Graph,
    resolution: float = 1.0,
    threshold: float = 1e-7,
    max_level: int | None = None,
    seed: int = 0,
    *,
    weighted: bool = True,
    progress: Progress = None,
) -> Array:
    """Divide the vertices into communities of large modularity, by the Louvain method.

    Parameters
    ----------
    G : Graph
        An undirected graph. Weights are finite and not negative. Several edges between two vertices count each.
    resolution : float, default: 1.0
        Larger numbers favour smaller communities.
    threshold : float, default: 1e-7
        The method ends when a level adds no more than this to the modularity.
    max_level : int, optional
        The largest number of levels. Default: as many as add to the modularity.
    seed : int, default: 0
        The seed, in [0, 2**64), of the order in which vertices are visited.
    weighted : bool, default: True
        If False, every edge has weight 1.
    progress : bool or function, optional
        True shows on stderr the rounds of visits, and how many vertices moved in the last one: a bar of tqdm if that is
        installed, else lines. A function is called as `progress(round, moved)` after every round.

    Returns
    -------
    (n,) array of ints
        The community of every vertex; int32 where they fit, otherwise int64. Communities are numbered in the order of their
        smallest vertices.

    Raises
    ------
    ValueError
        If `G` is directed, if `max_level` is less than 1, if `seed` is out of range, or if a weight is negative, infinite or
        NaN (the message names the first one; checked only if `config.validate`).
    TypeError
        If `G` is not a Graph, or if weights are complex.

    Notes
    -----
    Names and defaults are those of networkx. The communities differ, as vertices are visited in another order. A community can
    consist of parts that no edge connects; a community of `leiden_communities` cannot. *Cost*: on every level some visits to
    the edges of vertices whose neighbours have moved, and a sort of the edges; one host read for each round of visits, and some
    for each level. Scratch: 24 bytes for each edge. *Order*: the same communities on every run, for any number of threads and
    on any device: weights are summed as integers, see `modularity`. *Empty input*: an empty array. Source: Blondel, Guillaume,
    Lambiotte & Lefebvre, *Fast Unfolding of Communities in Large Networks*, 2008.

    Examples
    --------
    >>> from spark_csr.graph import Graph, label_propagation, modularity
    >>> from spark_csr.graph import leiden_communities, louvain_communities
    >>> A = [[0, 1, 1, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 1, 0], [0, 0, 1, 0, 1]]
    >>> G = Graph([*A, [0, 0, 0, 1, 0]], directed=False)
    >>> found = louvain_communities(G)
    >>> found, leiden_communities(G, 0.1, metric="cpm"), label_propagation(G)
    (array([0, 0, 0, 1, 1], dtype=int32), array([0, 0, 0, 0, 0], dtype=int32), array([0, 0, 0, 0, 0], dtype=int32))
    >>> round(modularity(G, found), 2)
    0.22
    """
    _, csr = arrays_of(G)
    check_undirected(G, "louvain_communities")
    levels, key, resolution = check_levels(max_level), seed_of(seed), number_of("resolution", resolution)
    with watch(progress, "louvain_communities", "rounds") as report:
        return _improve(as_whole(csr, weighted)[0], resolution, threshold, levels, key, number_steps(report))


def _improve(whole, resolution, threshold, levels, key, report):
    """Return the communities that levels of moves and merges find."""
    csr, label, degree = whole, begin(whole), sums(whole, axis=1)
    total, last, level = to_host_scalar(degree.sum()), -float("inf"), 0
    while total and (levels is None or level < levels):
        community = begin(csr)
        if not move_vertices(csr, degree, community, resolution / float(total), key, level, report):
            break
        found = quality(csr, degree, community, resolution)
        if found <= last:
            break
        csr, number = merge_communities(csr, community)
        label, degree = gather(number, label), sums(csr, axis=1)
        level += 1
        if found - last <= threshold:
            break
        last = found
    if level > 1 and levels is None:
        label = _move_once_more(whole, label, resolution, float(total), key, level, report)
    return number_sets_by_least(label)[1]


def _move_once_more(csr, label, resolution, total, key, level, report):
    """Return labels after moves of single vertices from the last level's communities, unless the modularity becomes less."""
    degree, community = sums(csr, axis=1), label.copy()
    move_vertices(csr, degree, community, resolution / total, key, level + 1, report)
    better = quality(csr, degree, community, resolution) > quality(csr, degree, label, resolution)
    return community if better else label


def check_levels(max_level):
    """Return the largest number of levels; None if there is none."""
    if max_level is None:
        return None
    levels = integer("max_level", max_level)
    if levels < 1:
        raise ValueError(f"max_level must be at least 1, got {max_level}")
    return levels
