"""`connected_components`, with the labels of SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_csr.csgraph.operands import in_c_order, is_ours, read, scipys
from spark_csr.graph import Graph
from spark_csr.graph import connected_components as components_of

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike


def connected_components(
    csgraph: MatrixLike | ArrayLike,
    directed: bool = True,
    connection: Literal["weak", "strong"] = "weak",
    return_labels: bool = True,
) -> tuple[int, Array] | int:
    """Find the connected components of a graph, as `scipy.sparse.csgraph.connected_components` does.

    Parameters, result and exceptions that are not listed are those of `graph.connected_components`, but labels have the numbers
    that SciPy gives them. This package computes weak components, and the number of strong ones, of a large sparse matrix. SciPy
    computes the rest: its numbers of strong components depend on the order in which it finds them.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or array_like
        The graph: each entry of a sparse matrix, and each finite element other than 0 of a dense one, is an edge.
    directed : bool, default True
        Whether edges have a direction. If not, `connection` is ignored.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.csgraph import connected_components
    >>> connected_components(csr_array([[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]))
    (2, array([0, 1, 1, 0], dtype=int32))
    """
    weak = not directed or connection == "weak"
    if is_ours(csgraph) and connection in ("weak", "strong") and (weak or not return_labels):
        return components_of(Graph(read(csgraph)), "weak" if weak else "strong", return_labels)
    return scipys("connected_components")(in_c_order(csgraph), directed, connection, return_labels)
