"""Sampled neighbours for the loaders of PyTorch Geometric.

Design: the entries of one matrix are the edges by the vertex that they enter, and their values are the columns of
`edge_index`, so `sample_neighbors` returns both, and nothing is looked up afterwards. The random numbers of a batch are a
function of the seed and of its vertices, so they do not depend on which process draws them. What is drawn is put into PyTorch
Geometric's records by its own functions, which also draw edges that do not exist (`neg_sampling`).
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Any

try:
    from torch_geometric.data import Data, HeteroData
    from torch_geometric.sampler import BaseSampler, SamplerOutput
    from torch_geometric.sampler.neighbor_sampler import edge_sample, node_sample
except ImportError as error:
    message = "spark_csr.interop.pyg needs PyTorch Geometric: install it with: pip install torch torch_geometric"
    raise ImportError(message) from error

import numpy as np
import torch

from spark_csr._config import config
from spark_csr.graph import Graph, sample_neighbors
from spark_csr.graph.philox import seed_of
from spark_csr.interop.torch import from_edge_index, to_edge_index
from spark_csr.interop.torch._share import array_of, check_tensor, stream_of, tensor_of
from spark_csr.primitives._check import integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput

__all__ = ["NeighborSampler"]


def __dir__() -> list[str]:
    return __all__


class NeighborSampler(BaseSampler):
    """Sample neighbours for `NodeLoader` and `LinkLoader` of PyTorch Geometric.

    Parameters
    ----------
    data : torch_geometric.data.Data or Graph
        What the loader loads from: its `edge_index` has the edges. A `Graph` stands for the edges that `to_edge_index` returns.
    num_neighbors : sequence of ints
        For every hop, the number of edges to draw from those that enter a vertex which was first reached in the previous hop;
        -1 for all edges.
    replace : bool, default: False
        If True, edges are drawn with replacement: exactly that number for every vertex that edges enter.
    seed : int, optional
        The seed of the random numbers, in [0, 2**64). What is drawn for a batch depends on the seed and on the vertices of the
        batch, in their order, and not on the number of workers. By default every batch takes another seed from PyTorch's random
        numbers, as PyTorch Geometric's own sampler does: `torch.manual_seed` makes these the same on every run with the same
        number of workers.

    Attributes
    ----------
    num_neighbors : list of ints
        The numbers of edges to draw.
    replace : bool
        Whether edges are drawn with replacement.
    seed : int or None
        The seed.

    Raises
    ------
    TypeError
        If `data` is neither a Data nor a Graph, or if a number or the seed is not an integer.
    ValueError
        If `data` has no `edge_index` of two rows, if a vertex in it is out of range, if a number is less than -1, or if `seed`
        is out of range. When a loader asks for a sample: if it gives times, or vertices of a type.

    Notes
    -----
    The conventions are those of PyTorch Geometric's `NeighborLoader` with its defaults. A batch has the vertices that were
    given first, in their order, then those that were first reached in each hop. Every edge leads from a vertex that was reached
    to the one that drew it; edges of later hops come later. `num_sampled_nodes` and `num_sampled_edges` count them by hop, as
    `trim_to_layer` needs them. `e_id` are columns of `edge_index`, by which the loader selects edge attributes. A vertex that
    is given twice is there twice, with the same edges.

    Edges are drawn with equal probabilities, from graphs with one type of vertices and edges, whatever their times are:
    `HeteroData`, `input_time`, `weight_attr`, `disjoint` and `subgraph_type` of `NeighborLoader` have no counterpart.

    Neither pyg-lib nor torch-sparse is needed. Sampling runs where the edges are; in a worker of a loader, on one core. A
    worker that is not forked gets a copy of the edges. *Cost*: edges are sorted once, and take 12 bytes each, or 16 from 2**31
    vertices on. A batch costs what `sample_neighbors` costs, and the conversion of its indices to int64.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from torch_geometric.loader import NodeLoader
    >>> from spark_csr.interop.pyg import NeighborSampler
    >>> edge_index = torch.tensor([[1, 2, 3, 0], [0, 0, 1, 3]])
    >>> data = Data(torch.eye(4), edge_index, edge_attr=torch.arange(4) * 10)
    >>> loader = NodeLoader(data, NeighborSampler(data, [-1, 1], seed=1), [0, 3], batch_size=1)
    >>> batch = next(iter(loader))
    >>> batch.n_id, batch.edge_index, batch.edge_attr
    (tensor([0, 1, 2, 3]), tensor([[1, 2, 3],
            [0, 0, 1]]), tensor([ 0, 10, 20]))
    >>> batch.num_sampled_nodes, batch.num_sampled_edges
    ([1, 2, 1], [2, 1])
    """

    num_neighbors: list[int]
    replace: bool
    seed: int | None

    def __init__(
        self, data: Data | Graph, num_neighbors: Sequence[int], *, replace: bool = False, seed: int | None = None
    ) -> None:
        if isinstance(num_neighbors, dict):
            raise TypeError("num_neighbors must be a sequence of ints, got a dict: a graph here has one type of edges")
        self.num_neighbors = [integer("a number in num_neighbors", number) for number in num_neighbors]
        if any(number < -1 for number in self.num_neighbors):
            raise ValueError(f"num_neighbors must be at least 0, or -1 for all edges, got {min(self.num_neighbors)}")
        self.replace, self.seed = bool(replace), None if seed is None else integer("seed", seed)
        seed_of(self.seed or 0)
        edge_index, n = _edges_of(data)
        ids = torch.arange(edge_index.shape[-1], device=edge_index.device)
        self._device, self._incoming = edge_index.device, from_edge_index(edge_index.flip(0), ids, n)

    def sample_from_nodes(self, index: NodeSamplerInput, **kwargs: Any) -> SamplerOutput:
        return node_sample(_check_plain(index), self._sample)

    def sample_from_edges(self, index: EdgeSamplerInput, neg_sampling: NegativeSampling | None = None) -> SamplerOutput:
        return edge_sample(_check_plain(index), self._sample, self._incoming.n_vertices, False, None, neg_sampling)

    def _sample(self, given, time):
        """Return what is drawn for vertices, of which some may be given twice; the functions that call this give no times."""
        in_worker, seed = torch.utils.data.get_worker_info() is not None, _seed_of(self.seed, given)
        given = given.to(self._device, torch.int64)
        unique, place = given.unique(return_inverse=True)
        twice = len(given) - len(unique)
        with config(threads=1) if in_worker else contextlib.nullcontext(), stream_of(given):
            sources = array_of(unique if twice else given)
            found = sample_neighbors(self._incoming, sources, self.num_neighbors, replace=self.replace, seed=seed)
            drawn, node = found.graph.matrix, tensor_of(found.vertices).long()
            if twice:
                rows = torch.cat([place, torch.arange(len(unique), len(node), device=self._device)])
                drawn, first = drawn[array_of(rows)], torch.empty_like(node)
                first.scatter_reduce_(0, rows, torch.arange(len(rows), device=self._device), "amin", include_self=False)
                node = node[rows]
            source, offsets, edge = map(tensor_of, (drawn.indices, drawn.indptr, drawn.data))
        row = first[source.long()] if twice else source.long()
        ends = [0, *(end + twice for end in found.offsets[1:])]
        return SamplerOutput(
            node=node,
            row=row,
            col=torch.repeat_interleave(offsets.diff(), output_size=len(row)).long(),
            edge=edge,
            num_sampled_nodes=np.diff(ends).tolist(),
            num_sampled_edges=offsets[ends[:-1]].diff().tolist(),
        )


def _edges_of(data):
    """Return the edges of a graph and the number of its vertices."""
    if isinstance(data, Graph):
        return to_edge_index(data)[0], data.n_vertices
    if isinstance(data, HeteroData):
        raise TypeError("data must have one type of vertices and edges, got HeteroData: use data.to_homogeneous()")
    if not isinstance(data, Data):
        raise TypeError(f"data must be a Data or a Graph, got {type(data).__name__}: use Data(edge_index=..., num_nodes=...)")
    if data.edge_index is None:
        raise ValueError("data has no edge_index: make one of a matrix A with to_edge_index(Graph(A))")
    return check_tensor("edge_index", data.edge_index).as_subclass(torch.Tensor), data.num_nodes


def _check_plain(inputs):
    """Return what a loader asks for; raise ValueError if it has times or a type of vertices, which would be ignored."""
    if inputs.input_type is not None:
        raise ValueError(
            f"vertices have the type {inputs.input_type!r}, but the sampler has one type: use data.to_homogeneous()"
        )
    if inputs.time is not None:
        raise ValueError("the loader gives times, but neighbours are drawn whatever their times are: leave out input_time")
    return inputs


def _seed_of(seed, vertices):
    """Return the seed of a batch: a function of its vertices or, without a seed, a random number of PyTorch."""
    if seed is None:
        return int(torch.randint(2**63 - 1, ()))
    content = vertices.long().contiguous().numpy(force=True).tobytes()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, key=seed.to_bytes(8, "little")).digest(), "little")
