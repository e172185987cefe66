"""Read graphs from files, and convert them from and to networkx."""

from __future__ import annotations

import importlib
import itertools
import os
import re
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form import check, convert
from spark_csr.io import load_npz, mmread
from spark_csr.io._errors import name_errors, open_to_read


@methods_on_their_device
class Exchange:
    """The methods of `Graph` that read and convert graphs."""

    if TYPE_CHECKING:  # `Graph` defines these
        directed: Any
        matrix: Any
        n_vertices: Any
        sources: Any
        symmetrize: Any
        to_device: Any
        _csr: Any
        _of: Any

        def __init__(self, A: Any, *, directed: bool = True) -> None: ...

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, directed: bool = True, n_vertices: int | None = None, one_based: bool = False
    ) -> Self:
        """Read a graph from a Matrix Market file, a `.npz` file of SciPy, or a text file with one edge on every line.

        Parameters
        ----------
        path : str or path
            The extension `.mtx` means Matrix Market, `.npz` the format of `scipy.sparse.save_npz`, and any other
            extension text. A further extension `.gz` or `.bz2` means that the file is compressed. A line of text holds the
            source and the target of an edge and, on every line or on none, its weight, separated by blanks or commas. Text
            after `#` or `%` is a comment.
        directed : bool, default: True
            If True, an edge leads from the row to the column, or from the first to the second vertex of a line. (An entry
            of a symmetric Matrix Market file stands for two edges, one in each direction.) If False, the reverses of all edges
            are added, see `symmetrize`.
        n_vertices : int, optional
            The number of vertices of a graph in a text file. Default: one more than the largest vertex.
        one_based : bool, default: False
            Whether a text file counts vertices from one.

        Returns
        -------
        Graph
            The graph, on the cores. Weights are 1 where a text file states none.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is truncated or malformed, if a line is not an edge, if a vertex is out of range, or if `directed` is
            False and edges between two vertices differ in weight.

        Notes
        -----
        Several edges between the same two vertices are all kept if the file is text. The entries of one position in a Matrix
        Market file are summed. *Cost*: parsing, and a sort of the edges.

        Examples
        --------
        >>> import os
        >>> import tempfile
        >>> from spark_csr.graph import Graph
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "edges.txt")
        ...     with open(path, "w") as file:
        ...         print("0 1 5", file=file)
        ...         print("1 2 7", file=file)
        ...     G = Graph.read(path)
        >>> G
        Graph(3 vertices, 2 edges, directed, cpu)
        """
        kind = os.path.splitext(os.fspath(path).lower().removesuffix(".gz").removesuffix(".bz2"))[1]
        if kind == ".npz":
            graph = cls(load_npz(path))
        elif kind == ".mtx":
            graph = cls(mmread(path))
        else:
            graph = cls._of(_from_text(path, n_vertices, one_based), True)
        return graph if directed else graph.symmetrize()

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Make a graph from a networkx graph, whose nodes become the vertices `0, 1, ...` in their order.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            The graph to convert. The result is directed if it is.
        weight : str or None, default: "weight"
            The edge attribute that holds the weight, which is 1 on edges without this attribute. If None, all weights are 1.

        Returns
        -------
        Graph
            The graph, on the cores. Edges of an undirected graph are stored in both directions.

        Raises
        ------
        TypeError
            If weights are not numbers.

        Notes
        -----
        *Cost*: a Python loop over the edges, and a sort of them.

        Examples
        --------
        >>> import networkx as nx
        >>> from spark_csr.graph import Graph
        >>> Graph.from_networkx(nx.Graph([("a", "b"), ("b", "c")])).matrix.toarray()
        array([[0, 1, 0],
               [1, 0, 1],
               [0, 1, 0]])
        """
        place = {node: i for i, node in enumerate(graph)}
        listed = [(place[u], place[v], 1 if weight is None else d.get(weight, 1)) for u, v, d in graph.edges(data=True)]
        directed = graph.is_directed()
        both = listed if directed else [*listed, *((v, u, w) for u, v, w in listed if u != v)]
        sources, targets, weights = zip(*both, strict=True) if both else ((), (), ())
        data = np.array(weights) if both else np.empty(0)
        n = len(place)
        return cls._of(convert.from_coo_unsummed(_ids(sources), _ids(targets), data, (n, n)), directed)

    def to_networkx(self) -> Any:
        """Convert to a networkx graph whose nodes are the integers from 0 on and whose edges have the attribute `weight`.

        Returns
        -------
        networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            A DiGraph if this graph is directed, else a Graph; a MultiDiGraph or MultiGraph if two vertices have several edges
            in one direction between them.

        Notes
        -----
        *Cost*: Python loops over the vertices and the edges; a graph on a GPU is copied to the host first.

        Examples
        --------
        >>> from spark_csr.graph import Graph
        >>> Graph([[0, 5], [0, 0]]).to_networkx().edges(data=True)
        OutEdgeDataView([(0, 1, {'weight': 5})])
        """
        nx, csr = importlib.import_module("networkx"), self.to_device("cpu")._csr
        u, v, w = self.to_device("cpu").sources(), csr.indices, csr.data
        if not self.directed:
            once = u <= v
            u, v, w = u[once], v[once], w[once]
        name = ("Di" if self.directed else "") + "Graph"
        simple = self.matrix.has_canonical_format or self.matrix.sorted_indices().has_canonical_format
        out = getattr(nx, name if simple else f"Multi{name}")()
        out.add_nodes_from(range(self.n_vertices))
        out.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
        return out


def _ids(vertices):
    return np.array(vertices, np.int64)


def _from_text(path, n_vertices, one_based):
    """Return the record of the edges in a file, in the order of their sources and targets."""
    with name_errors(path, "a list of edges"):
        table = _numbers(path)
        if table.shape[1] not in (2, 3):
            raise ValueError(
                f"every line must hold a source and a target, or these and a weight, got {table.shape[1]} numbers on each line"
            )
        ends = table[:, :2].astype(np.int64)
        if (ends != table[:, :2]).any():
            first = table[:, :2][ends != table[:, :2]][0]
            raise ValueError(f"vertices must be integers, got {first}: number them from 0 on")
        sources, targets = (ends - bool(one_based)).T
        n = (
            max(check.infer_extent("source", sources), check.infer_extent("target", targets))
            if n_vertices is None
            else n_vertices
        )
        data = table[:, 2] if table.shape[1] == 3 else np.ones(len(table))
        return convert.from_coo_unsummed(np.ascontiguousarray(sources), np.ascontiguousarray(targets), data, (n, n))


def _numbers(path):
    """Return the lines that are not comments, as rows of numbers."""
    with open_to_read(path) as file:
        lines = (re.split("[#%]", line.decode())[0].replace(",", " ") for line in file)
        lines = (line for line in lines if line.strip())
        first = next(lines, None)
        return np.empty((0, 2)) if first is None else np.loadtxt(itertools.chain([first], lines), ndmin=2)
