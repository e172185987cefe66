"""networkx graphs to ours and back: `NodeGraph` keeps nodes, their order and that of their neighbours, and weights."""

import contextlib
import functools
from itertools import chain

import networkx as nx
import numpy as np

from spark_csr._operations.form.check import as_index
from spark_csr._operations.form.record import Csr
from spark_csr.graph import Graph

EXACT = 2**53
"""Up to here every integer is a float64."""


class NodeGraph:
    """A networkx graph in our hands: nodes `nodes[0]`, `nodes[1]`, ... are vertices 0, 1, ...

    Edges stand by node, in the order of networkx's `adjacency()`; undirected ones both ways. `weights` holds an array over
    edges for each edge attribute that was asked for.
    """

    __networkx_backend__ = "spark_csr"

    def __init__(self, nodes, pattern, weights, *, directed, multigraph):
        self.nodes, self.weights = nodes, weights
        self._pattern, self._directed, self._multigraph, self._graphs = pattern, directed, multigraph, {}

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        with contextlib.suppress(TypeError):  # it cannot be hashed, so it is none of them
            return node in self.place
        return False

    def is_directed(self):
        """As networkx."""
        return self._directed

    def is_multigraph(self):
        """As networkx."""
        return self._multigraph

    @functools.cached_property
    def place(self):
        """The vertex of every node."""
        return {node: i for i, node in enumerate(self.nodes)}

    def weighted(self, name):
        """The graph with an edge attribute for its weights; all are 1 if there is none of this name."""
        name = name if name in self.weights else None
        if name not in self._graphs:
            data = self._pattern.data if name is None else self.weights[name].astype(np.float64)
            self._graphs[name] = Graph._of(self._pattern.with_data(data), self._directed)
        return self._graphs[name]

    @property
    def unweighted(self):
        """The graph without weights."""
        return self.weighted(None)

    def by_node(self, values):
        """An array over vertices as networkx's dict."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def named(self, vertices):
        """The nodes of an array of vertices, one after the other."""
        return map(self.nodes.__getitem__, vertices.tolist())


def convert_from_nx(graph, *, edge_attrs=None, preserve_edge_attrs=False, **unused):
    """A networkx graph as a `NodeGraph`; networkx calls it, and keeps the result.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
    edge_attrs : dict, optional
        The names of edge attributes that are needed, and what they are where missing.
    preserve_edge_attrs : bool
        Whether all are needed.
    unused
        What is asked of attributes of nodes and of the graph: no function here looks at them.

    Raises
    ------
    NotImplementedError
        If all attributes are needed, or one is no real number on some edge: networkx then goes on by itself.

    Notes
    -----
    *Cost*: Python loops over the edges, one for each attribute and two more.
    """
    if preserve_edge_attrs and edge_attrs is None:
        raise NotImplementedError("edges can keep attributes that are asked for by name, not all")
    nodes, neighbours, multigraph = list(graph), dict(graph.adjacency()), graph.is_multigraph()
    place = {node: i for i, node in enumerate(nodes)}
    rows = [neighbours[node] for node in nodes]
    if multigraph:
        counts = [sum(map(len, row.values())) for row in rows]
        targets = (v for row in rows for v, edges in row.items() for _ in edges)
    else:
        counts, targets = list(map(len, rows)), chain.from_iterable(rows)
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    indices = np.fromiter(map(place.__getitem__, targets), np.int64, indptr[-1])
    n, m = len(nodes), indices.size
    pattern = Csr(as_index(indptr, m), as_index(indices, n), np.ones(m), (n, n))
    weights = {name: _numbers(name, _values(rows, multigraph, name, default)) for name, default in (edge_attrs or {}).items()}
    out = NodeGraph(nodes, pattern, weights, directed=graph.is_directed(), multigraph=multigraph)
    out.place = place
    return out


def _values(rows, multigraph, name, default):
    """An attribute of every edge."""
    edges = (row.values() for row in rows)
    if multigraph:
        edges = (keyed.values() for row in edges for keyed in row)
    return [attributes.get(name, default) for attributes in chain.from_iterable(edges)]


def _numbers(name, values):
    """Real numbers as an array of integers or floats; NotImplementedError for anything else."""
    try:
        array = np.array(values) if values else np.empty(0, np.int64)
    except ValueError:  # sequences of several lengths
        array = np.empty(0, object)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise NotImplementedError(f"edge attribute {name!r} is not a real number on every edge")
    if array.dtype.kind in "iu" and array.size and not -EXACT <= array.min() <= array.max() <= EXACT:
        raise NotImplementedError(f"edge attribute {name!r} has integers beyond 2**53, which no float64 is")
    return array


def convert_to_nx(obj, **unused):
    """A `NodeGraph` as a networkx graph; anything else as it is."""
    if not isinstance(obj, NodeGraph):
        return obj
    kind = ("Multi" if obj.is_multigraph() else "") + ("DiGraph" if obj.is_directed() else "Graph")
    out, G = getattr(nx, kind)(), obj.unweighted
    once = slice(None) if obj.is_directed() else G.sources() <= G.matrix.indices
    out.add_nodes_from(obj.nodes)
    named = [[(name, value) for value in array[once].tolist()] for name, array in obj.weights.items()]
    attributes = map(dict, zip(*named, strict=True)) if named else ({} for _ in range(G.n_edges))
    out.add_edges_from(zip(obj.named(G.sources()[once]), obj.named(G.matrix.indices[once]), attributes, strict=False))
    return out
