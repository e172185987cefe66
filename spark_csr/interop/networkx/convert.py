"""Conversion of networkx graphs and back: `NodeGraph` keeps nodes, their order and that of their neighbours, and weights."""

from __future__ import annotations

import contextlib
import functools
import itertools
import numbers
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._operations.form.check import as_index
from spark_csr._operations.form.record import Csr
from spark_csr.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spark_csr._types import Array

EXACT = 2**53
"""Up to this number every integer is exact as a float64."""


class NodeGraph:
    """A networkx graph in the form that the backend computes with: nodes `nodes[0]`, `nodes[1]`, ... are vertices 0, 1, ...

    `convert_from_nx` makes such graphs. Edges are stored by node, in the order of networkx's `adjacency()`; undirected edges
    are stored in both directions.

    Parameters
    ----------
    nodes : list
        The nodes, in the order of the vertices.
    pattern : Csr
        The record of the edges, with 1 for every weight.
    weights : dict of arrays
        For each edge attribute that was asked for, its values, one for every stored edge.
    directed : bool
        Whether the graph is directed.
    multigraph : bool
        Whether there may be several edges between two nodes.
    rows : list of mappings, optional
        For every node the edges that leave it, as networkx's `adjacency()` has them, if all attributes were asked for.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx
    >>> G = convert_from_nx(nx.Graph([("a", "b"), ("b", "c")]))
    >>> G.nodes
    ['a', 'b', 'c']
    >>> G.unweighted_graph
    Graph(3 vertices, 4 edges, undirected, cpu)
    """

    __networkx_backend__ = "spark_csr"

    nodes: list[Any]
    weights: dict[str, Array]
    rows: list[Any] | None
    _graphs: dict[str | None, Graph]

    def __init__(
        self,
        nodes: list[Any],
        pattern: Csr,
        weights: dict[str, Array],
        *,
        directed: bool,
        multigraph: bool,
        rows: list[Any] | None = None,
    ) -> None:
        self.nodes, self.weights, self.rows = nodes, weights, rows
        self._pattern, self._directed, self._multigraph, self._graphs = pattern, directed, multigraph, {}

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the nodes."""
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        """Return whether the graph has this node."""
        with contextlib.suppress(TypeError):  # what cannot be hashed is not a node
            return node in self.place
        return False

    def is_directed(self) -> bool:
        """Return whether the graph is directed."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Return whether there may be several edges between two nodes."""
        return self._multigraph

    @functools.cached_property
    def place(self) -> dict[Any, int]:
        """The vertex of every node, as a dict."""
        return {node: i for i, node in enumerate(self.nodes)}

    @functools.cached_property
    def _array_of_nodes(self) -> Array:
        return np.fromiter(self.nodes, object, len(self.nodes))

    def weighted_graph(self, name: str | None) -> Graph:
        """Return the graph with an edge attribute as its weights, in float64; all are 1 for None or an unknown name."""
        name = name if self.has_weights(name) else None
        if name not in self._graphs:
            data = self._pattern.data if name is None else self.weights[name].astype(np.float64)
            self._graphs[name] = Graph._of(self._pattern.with_data(data), self._directed)
        return self._graphs[name]

    def has_weights(self, name: str | None) -> bool:
        """Return whether `weights` has the values of an edge attribute; those of a graph with `rows` are looked up there.

        Raise NotImplementedError if the attribute is not a real number on every edge.
        """
        if self.rows is not None and name is not None and name not in self.weights:
            self.weights[name] = _numbers(self.nodes, self.rows, self._multigraph, name, 1)
        return name in self.weights

    @property
    def unweighted_graph(self) -> Graph:
        """The graph in which all weights are 1."""
        return self.weighted_graph(None)

    def to_dict(self, values: Array) -> dict[Any, Any]:
        """Return an array over vertices as a dict from nodes to Python's numbers, as networkx's functions do."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def select(self, nbunch: Any) -> list[Any]:
        """Return one node, or those of a container that are in the graph, or all for None, as networkx's `nbunch_iter` does."""
        if nbunch is None:
            return self.nodes
        if nbunch in self:
            return [nbunch]
        try:
            return [node for node in nbunch if node in self]
        except TypeError as error:
            raise nx.NetworkXError(f"Node {nbunch} is not in the graph.") from error

    def nodes_of(self, vertices: Array) -> Iterator[Any]:
        """Return an iterator over the nodes of an array of vertices."""
        return iter(self._array_of_nodes[vertices].tolist())


def convert_from_nx(
    graph: Any, *, edge_attrs: Mapping[str, Any] | None = None, preserve_edge_attrs: bool = False, **unused: Any
) -> NodeGraph:
    """Convert a networkx graph to a `NodeGraph`; networkx calls this, and keeps the result.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        The graph to convert.
    edge_attrs : dict, optional
        The names of the edge attributes that are needed, and the values to use where they are missing. Default: none are
        needed.
    preserve_edge_attrs : bool, default: False
        Whether all edge attributes are needed: then the result refers to those of `graph`.
    **unused
        Further arguments of networkx about attributes of nodes and of the graph, which are ignored: no function of the backend
        reads such attributes.

    Returns
    -------
    NodeGraph
        The converted graph.

    Raises
    ------
    NotImplementedError
        If an attribute that was asked for is not a real number on every edge. networkx then goes on by itself.

    Notes
    -----
    *Cost*: Python loops over the edges: one for each attribute, and two more.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx
    >>> G = convert_from_nx(nx.Graph([("a", "b", {"length": 3})]), edge_attrs={"length": 1})
    >>> G.weights
    {'length': array([3, 3])}
    """
    if hasattr(graph, "_graph"):  # a view: networkx does not tell it when the graph that it shows is changed
        graph.__networkx_cache__ = None
    nodes, neighbours, multigraph = list(graph), dict(graph.adjacency()), graph.is_multigraph()
    place = {node: i for i, node in enumerate(nodes)}
    rows = [neighbours[node] for node in nodes]
    targets: Iterator[Any]
    if multigraph:
        counts = [sum(map(len, row.values())) for row in rows]
        targets = (v for row in rows for v, edges in row.items() for _ in edges)
    else:
        counts, targets = list(map(len, rows)), itertools.chain.from_iterable(rows)
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    indices = np.fromiter(map(place.__getitem__, targets), np.int64, indptr[-1])
    n, m = len(nodes), indices.size
    pattern = Csr(as_index(indptr, m), as_index(indices, n), np.ones(m), (n, n))
    weights = {name: _numbers(nodes, rows, multigraph, name, default) for name, default in (edge_attrs or {}).items()}
    kept = rows if preserve_edge_attrs else None
    out = NodeGraph(nodes, pattern, weights, directed=graph.is_directed(), multigraph=multigraph, rows=kept)
    out.place = place
    return out


def _attributes(rows, multigraph):
    """Return an iterator over the attributes of the edges, dict by dict."""
    edges = (row.values() for row in rows)
    if multigraph:
        edges = (keyed.values() for row in edges for keyed in row)
    return itertools.chain.from_iterable(edges)


def _numbers(nodes, rows, multigraph, name, default):
    """Return an attribute, one value for every edge, as an array of integers or floats; raise NotImplementedError for anything
    else."""
    values = [attributes.get(name, default) for attributes in _attributes(rows, multigraph)]
    try:
        array = np.array(values) if values else np.empty(0, np.int64)
    except ValueError:  # sequences of several lengths
        array = np.empty(0, object)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        at = next((k for k, value in enumerate(values) if not _is_real(value)), 0)
        ends = ((u, v) for u, row in zip(nodes, rows, strict=True) for v, x in row.items() for _ in (x if multigraph else "1"))
        u, v = next(itertools.islice(ends, at, None))
        raise NotImplementedError(
            f"edge attribute {name!r} must be a real number of 64 bits, got {values[at]!r} for {(u, v)!r}"
        )
    if array.dtype.kind in "iu" and array.size and not -EXACT <= array.min() <= array.max() <= EXACT:
        raise NotImplementedError(f"edge attribute {name!r} has integers beyond 2**53, which a float64 does not hold exactly")
    with np.errstate(over="ignore"):
        total = abs(array).sum(dtype=np.float64)
    if array.dtype.kind == "f" and not total < EXACT:  # networkx adds the integers among floats exactly
        whole = sum(abs(int(value)) for value in values if isinstance(value, numbers.Integral))
        if whole > EXACT:
            raise NotImplementedError(
                f"edge attribute {name!r} has floats, and integers with a sum of {whole}, which a float64 does not hold exactly"
            )
    return array


def _is_real(value):
    return isinstance(value, numbers.Real | np.bool_) and np.asarray(value).dtype != object


def convert_to_nx(obj: Any, **unused: Any) -> Any:
    """Convert a `NodeGraph` to a networkx graph; return any other object as it is.

    Parameters
    ----------
    obj : object
        The graph to convert, or another result.
    **unused
        Further arguments of networkx, which are ignored.

    Returns
    -------
    object
        A Graph, DiGraph, MultiGraph or MultiDiGraph of networkx, with the edge attributes in `weights`; or `obj` itself.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, convert_to_nx
    >>> convert_to_nx(convert_from_nx(nx.Graph([("a", "b")]))).edges
    EdgeView([('a', 'b')])
    """
    if not isinstance(obj, NodeGraph):
        return obj
    kind = ("Multi" if obj.is_multigraph() else "") + ("DiGraph" if obj.is_directed() else "Graph")
    out, G = getattr(nx, kind)(), obj.unweighted_graph
    once = slice(None) if obj.is_directed() else G.sources() <= G.matrix.indices
    out.add_nodes_from(obj.nodes)
    named = [[(name, value) for value in array[once].tolist()] for name, array in obj.weights.items()]
    attributes = map(dict, zip(*named, strict=True)) if named else ({} for _ in range(G.n_edges))
    if obj.rows is not None:
        kept = list(map(dict, _attributes(obj.rows, obj.is_multigraph())))
        attributes = (kept[e] for e in np.arange(len(kept))[once].tolist())
    out.add_edges_from(zip(obj.nodes_of(G.sources()[once]), obj.nodes_of(G.matrix.indices[once]), attributes, strict=False))
    return out
