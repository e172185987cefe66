"""Graphs from and to `edge_index`, the two rows of sources and targets in which PyTorch Geometric and others hold edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from spark_csr._array import to_host_scalar
from spark_csr.graph import Graph
from spark_csr.interop.torch._share import array_of, check_same_device, check_tensor, stream_of, tensor_of
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from spark_csr._ops import MonoidLike


def from_edge_index(
    edge_index: torch.Tensor,
    edge_weight: torch.Tensor | None = None,
    num_nodes: int | None = None,
    *,
    directed: bool = True,
    combine: MonoidLike | None = None,
) -> Graph:
    """Return the graph of the edges in an `edge_index`.

    Parameters
    ----------
    edge_index : (2, m) integer torch.Tensor
        The source of every edge, and its target.
    edge_weight : (m,) torch.Tensor, optional
        The weight of every edge. Default: 1, of torch's default dtype.
    num_nodes : int, optional
        The number of vertices. Default: one more than the largest vertex.
    directed : bool, default: True
        If False, every edge is stored in both directions, if it is not there already.
    combine : {"sum", "prod", "min", "max", "any", "all", "first"} or Monoid, optional
        How to combine the weights of parallel edges, as in `Graph.from_edges`. By default a directed graph keeps all parallel
        edges.

    Returns
    -------
    Graph
        The graph, on the device of the tensor, without a gradient. Its edges are sorted by source and then by target.

    Raises
    ------
    ValueError
        If `edge_index` does not have two rows, lengths differ, or a vertex is negative or not below `num_nodes`.
    TypeError
        If an operand is not a tensor, vertices are not integers, or tensors are on different devices.

    Notes
    -----
    For each vertex, `G.matrix @ x` adds up the weighted values at the targets of its edges. `G.transpose.matrix @ x` adds up
    the weighted values at the sources of the edges that enter it, as `index_add` of `x[source]` by `target` does for weights of
    1. The graph sorts its edges: `from_edge_index(edge_index, torch.arange(m)).matrix.data` holds, for each edge of the graph,
    its column in `edge_index`. *Cost*: that of `Graph.from_edges`, which sorts the edges. *Empty input*: a graph without edges.

    Examples
    --------
    >>> import torch
    >>> from spark_csr.interop.torch import from_edge_index
    >>> G = from_edge_index(torch.tensor([[0, 1, 2], [2, 2, 0]]))
    >>> G
    Graph(3 vertices, 3 edges, directed, cpu)
    >>> G.transpose.matrix @ torch.tensor([1.0, 10, 100])
    tensor([100.,   0.,  11.])
    """
    check_tensor("edge_index", edge_index)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise ValueError(f"edge_index must have two rows, sources and targets, got shape {tuple(edge_index.shape)}")
    if edge_index.is_floating_point() or edge_index.is_complex() or edge_index.dtype == torch.bool:
        raise TypeError(f"edge_index must hold integers, got dtype {edge_index.dtype}: use edge_index.long()")
    if edge_weight is None:
        edge_weight = torch.ones(edge_index.shape[1], device=edge_index.device)
    check_same_device(edge_index=edge_index, edge_weight=check_tensor("edge_weight", edge_weight))
    with stream_of(edge_index):
        source, target = ends = array_of(edge_index.contiguous())
        if num_nodes is None:
            num_nodes = to_host_scalar(ends.max()) + 1 if ends.size else 0
        vertices = count_of("num_nodes", num_nodes)
        weight = array_of(edge_weight.contiguous())
        return Graph.from_edges(source, target, weight, directed=directed, combine=combine, n_vertices=vertices)


def to_edge_index(G: Graph) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the edges of a graph as an `edge_index`, and their weights.

    Parameters
    ----------
    G : Graph
        The graph. An undirected graph has every edge in both directions.

    Returns
    -------
    edge_index : (2, m) torch.Tensor of int64
        The source of every edge, and its target, on the device of the graph.
    edge_weight : (m,) torch.Tensor
        The weight of every edge. It shares memory with the graph.

    Raises
    ------
    TypeError
        If `G` is not a Graph.

    Examples
    --------
    >>> from spark_csr.graph import Graph
    >>> from spark_csr.interop.torch import to_edge_index
    >>> to_edge_index(Graph([[0.0, 5], [7, 0]]))
    (tensor([[0, 1],
            [1, 0]]), tensor([5., 7.], dtype=torch.float64))
    """
    if not isinstance(G, Graph):
        raise TypeError(f"G must be a Graph, got {type(G).__name__}: use Graph(...)")
    ends = tensor_of(G.sources()), tensor_of(G.matrix.indices)
    return torch.stack([end.long() for end in ends]), tensor_of(G.matrix.data)
