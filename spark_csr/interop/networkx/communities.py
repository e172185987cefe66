"""networkx's functions of communities, by `louvain_communities` and `leiden_communities`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx, defer_to_networkx

if TYPE_CHECKING:
    import random

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def louvain_communities(
    G: NodeGraph,
    weight: str | None = "weight",
    resolution: float = 1,
    threshold: float = 1e-7,
    max_level: int | None = None,
    seed: int | random.Random | None = None,
) -> list[set[Any]]:
    """Divide the nodes into communities of large modularity, as `networkx.community.louvain_communities` does."""
    _check_levels(max_level)
    with defer_to_networkx():
        graph, number = G.weighted_graph(weight), _as_number(seed)
        return _sets(G, ours.louvain_communities(graph, resolution, threshold, max_level, number))


@bind_as_networkx
def leiden_communities(
    G: NodeGraph,
    weight: str | None = "weight",
    resolution: float = 1,
    max_level: int | None = None,
    seed: int | random.Random | None = None,
    metric: Literal["modularity", "cpm"] = "modularity",
) -> list[set[Any]]:
    """Divide the nodes into connected communities of large quality: `networkx.community.leiden_communities`."""
    _check_levels(max_level)
    with defer_to_networkx():
        graph, number = G.weighted_graph(weight), _as_number(seed)
        return _sets(G, ours.leiden_communities(graph, resolution, max_level, number, metric=metric))


def _check_levels(max_level):
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")


def _as_number(seed):
    """Return a seed for our generators: a number as it is, or one that is drawn from a generator."""
    if seed is None:
        return 0
    return int(seed.random() * 2.0**53) if hasattr(seed, "random") else int(seed)


def _sets(G, labels):
    """Return the nodes of every community, in the order of the communities' first nodes."""
    out: list[set[Any]] = [set() for _ in range(int(labels.max()) + 1 if labels.size else 0)]
    for node, label in zip(G.nodes, np.asarray(labels).tolist(), strict=True):
        out[label].add(node)
    return out
