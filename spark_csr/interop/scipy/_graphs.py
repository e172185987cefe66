"""Functions of `scipy.sparse.csgraph` whose results are the same by definition: distances and weak components."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csgraph as theirs

from spark_csr import csgraph as ours
from spark_csr.csgraph.operands import is_ours
from spark_csr.interop.scipy._switch import Unfit, replaces


def _size(csgraph, *_, **__):
    return getattr(csgraph, "nnz", 0)


def _check(csgraph):
    if not is_ours(csgraph):
        raise Unfit("the graph is no large square sparse matrix of real numbers by rows, by columns or by coordinates")


@replaces("connected_components", _size, 4, theirs)
def connected_components(csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True) -> Any:
    _check(csgraph)
    if directed and connection != "weak":
        raise Unfit("strong components: their numbers depend on the order of the search")
    return ours.connected_components(csgraph, directed, connection, return_labels)  # type: ignore[arg-type]


@replaces("dijkstra", _size, 4, theirs)
def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    _check(csgraph)
    if return_predecessors:
        raise Unfit("predecessors: of several shortest paths, which one is found depends on the order of the search")
    return ours.dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)


@replaces("shortest_path", _size, 4, theirs)
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    _check(csgraph)
    if return_predecessors or method not in ("auto", "D"):
        raise Unfit("predecessors, or another method than Dijkstra's")
    return ours.shortest_path(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices)
