"""Graphs from files, and to and from networkx. A line or row is an edge from its first vertex to its second."""

import importlib
import itertools
import os
import re

import numpy as np

from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form import check, convert
from spark_csr.io import load_npz, mmread
from spark_csr.io._errors import name_errors, open_to_read


@methods_on_their_device
class Exchange:
    """What a `Graph` is made of and turned into."""

    @classmethod
    def read(cls, path, *, directed=True, n_vertices=None, one_based=False):
        """Read a graph: Matrix Market (`.mtx`), SciPy's `.npz`, or else text with an edge on every line.

        Parameters
        ----------
        path : str or path
            Any of them may end in `.gz` or `.bz2`. Text: source, target and, on every line or on none, a weight, parted by
            blanks or commas; lines that start with `#` or `%` are comments.
        directed : bool
            True: row to column, or first to second vertex of a line, and nothing else (symmetric Matrix Market files state
            half of their entries, and have both). False: the edges as stated and their reverses, see `symmetrize`.
        n_vertices : int, optional
            Of text; default: one more than the largest vertex.
        one_based : bool
            Whether vertices are counted from one in text.

        Raises
        ------
        FileNotFoundError, ValueError
            As `mmread` and `load_npz`; ValueError for lines that are no edges, vertices out of range, and with
            `directed=False` edges that are stated twice with different weights.

        Notes
        -----
        *Cost*: parsing, and a sort of the edges. Several edges between two vertices stay, in text; Matrix Market sums them.
        """
        kind = os.path.splitext(os.fspath(path).lower().removesuffix(".gz").removesuffix(".bz2"))[1]
        if kind == ".npz":
            graph = cls(load_npz(path).tocsr())
        elif kind == ".mtx":
            graph = cls(mmread(path))
        else:
            graph = cls._of(_from_text(path, n_vertices, one_based), True)
        return graph if directed else graph.symmetrize()

    @classmethod
    def from_networkx(cls, graph, *, weight="weight"):
        """The graph of a networkx graph: its nodes, in their order, are vertices `0, 1, ...`.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        weight : str or None
            The edge attribute that is the weight, 1 where missing; None: all weights are 1.

        Notes
        -----
        *Cost*: a Python loop over the edges, and a sort of them. Undirected edges are stored both ways.
        """
        place = {node: i for i, node in enumerate(graph)}
        listed = [(place[u], place[v], 1 if weight is None else d.get(weight, 1)) for u, v, d in graph.edges(data=True)]
        directed = graph.is_directed()
        both = listed if directed else [*listed, *((v, u, w) for u, v, w in listed if u != v)]
        sources, targets, weights = zip(*both, strict=True) if both else ((), (), ())
        data = np.array(weights) if both else np.empty(0)
        n = len(place)
        return cls._of(convert.from_coo_unsummed(_ids(sources), _ids(targets), data, (n, n)), directed)

    def to_networkx(self):
        """A networkx DiGraph or Graph with attribute `weight`; a Multi one if two vertices have several edges between them."""
        nx, csr = importlib.import_module("networkx"), self.to_device("cpu")._csr
        u, v, w = self.to_device("cpu").sources(), csr.indices, csr.data
        if not self.directed:
            once = u <= v
            u, v, w = u[once], v[once], w[once]
        name = ("Di" if self.directed else "") + "Graph"
        out = getattr(nx, name if self.matrix.has_canonical_format else f"Multi{name}")()
        out.add_nodes_from(range(self.n_vertices))
        out.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
        return out


def _ids(vertices):
    return np.array(vertices, np.int64)


def _from_text(path, n_vertices, one_based):
    """The record of edges in the order of sources and targets."""
    with name_errors(path, "a list of edges"):
        table = _numbers(path)
        if table.shape[1] not in (2, 3):
            raise ValueError(f"an edge has a source, a target and perhaps a weight, got {table.shape[1]} numbers")
        ends = table[:, :2].astype(np.int64)
        if (ends != table[:, :2]).any():
            raise ValueError("vertices must be integers")
        sources, targets = (ends - bool(one_based)).T
        n = (
            max(check.infer_extent("source", sources), check.infer_extent("target", targets))
            if n_vertices is None
            else n_vertices
        )
        data = table[:, 2] if table.shape[1] == 3 else np.ones(len(table))
        return convert.from_coo_unsummed(np.ascontiguousarray(sources), np.ascontiguousarray(targets), data, (n, n))


def _numbers(path):
    """The lines that are no comments, as rows of numbers."""
    with open_to_read(path) as file:
        lines = (re.split("[#%]", line.decode())[0].replace(",", " ") for line in file)
        lines = (line for line in lines if line.strip())
        first = next(lines, None)
        return np.empty((0, 2)) if first is None else np.loadtxt(itertools.chain([first], lines), ndmin=2)
