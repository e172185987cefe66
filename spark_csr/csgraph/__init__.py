"""Functions of sparse graphs, with the names, signatures and results of `scipy.sparse.csgraph`.

`connected_components`, `dijkstra` and `shortest_path` run on all cores where their results are the same by definition.
Otherwise SciPy computes, and also in all other functions of `scipy.sparse.csgraph`, which are here under their names. They take
matrices of this package, and return such instead of SciPy's. `spark_csr.graph` has more algorithms, for GPUs too.

Examples
--------
>>> from spark_csr import csr_array, csgraph
>>> A = csr_array([[0, 2, 0], [0, 0, 3], [0, 0, 0]])
>>> csgraph.dijkstra(A, indices=0)
array([0., 2., 5.])
>>> csgraph.breadth_first_tree(A, 0)
<csr_array of dtype 'float64' on cpu, shape (3, 3), with 2 stored elements>
"""

from __future__ import annotations

from typing import Any

from spark_csr._scipys import find_name, names_of
from spark_csr.csgraph.components import connected_components
from spark_csr.csgraph.paths import dijkstra, floyd_warshall, shortest_path

__all__ = ["connected_components", "dijkstra", "floyd_warshall", "shortest_path"]


def __getattr__(name: str) -> Any:
    return find_name(__name__, "scipy.sparse.csgraph", name)


def __dir__() -> list[str]:
    return sorted({*__all__, *names_of("scipy.sparse.csgraph")})
