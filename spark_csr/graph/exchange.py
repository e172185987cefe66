"""Read graphs from files, and convert them from and to networkx."""

from __future__ import annotations

import functools
import importlib
import os
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form import convert
from spark_csr._operations.form.canonical import sort_indices
from spark_csr.graph import tables
from spark_csr.graph.columns import as_objects, find_non_number, read_names, read_numbers, refuse_beyond, refuse_unequal
from spark_csr.graph.edges import combine_parallel, store_both_ways, store_one_way
from spark_csr.graph.factorize import factorize, number_by_names, read_integers
from spark_csr.graph.formats import read_dimacs, read_metis
from spark_csr.graph.lists import read_list
from spark_csr.graph.names import check_names
from spark_csr.graph.random_weights import check_weights, draw_weights
from spark_csr.io import load_npz, mmread, read_smtx
from spark_csr.io._errors import name_values, without_packing
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._ops import MonoidLike
    from spark_csr._types import ArrayLike, Progress

METIS = (".graph", ".metis")
MATRICES: dict[str, Any] = {".mtx": mmread, ".npz": load_npz, ".smtx": read_smtx}
SIZED_FILES = (*METIS, ".gr", ".smtx")
OTHER_FILES = (*METIS, ".gr", *MATRICES, *tables.PARQUET)
"""The extensions of files that are no text with an edge on every line."""


@methods_on_their_device
class Exchange:
    """The methods of `Graph` that read and convert graphs."""

    if TYPE_CHECKING:  # `Graph` defines these
        directed: Any
        matrix: Any
        n_vertices: Any
        _names: Any
        sources: Any
        symmetrize: Any
        to_device: Any
        _csr: Any
        _of: Any
        _derive: Any

        def __init__(self, A: Any, *, directed: bool = True) -> None: ...

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        directed: bool = True,
        combine: MonoidLike | None = None,
        names: ArrayLike | None = None,
        n_vertices: int | None = None,
        seed: int = 0,
    ) -> Self:
        """Make a graph from the columns of an edge table, in which vertices have names: integers or strings.

        Parameters
        ----------
        source, target : (m,) array_like
            For every edge, the name of the vertex that it leaves, and of the vertex that it leads to. Names are integers,
            strings or other hashable objects: in arrays, lists, or columns of pandas, polars or Arrow.
        weight : (m,) array_like, optional
            The weight of every edge. By default all weights are 1.0. "random" draws weights at random, as `Graph` does.
        directed : bool, default: True
            If False, every edge is stored in both directions, and two vertices have one edge between them.
        combine : {"sum", "prod", "min", "max", "any", "all", "first"} or Monoid, optional
            Combines the weights of parallel edges, that is of rows with the same two vertices; "first" takes that of the first
            row. If `directed` is False, rows in either direction are parallel. By default a directed graph keeps every row as
            an edge of its own, and an undirected graph makes one edge of parallel edges, whose weights must then be equal.
        names : (n,) array_like, optional
            The names of all vertices, in their order. There may be names that no edge has. By default the vertices are the
            names of the edges, in ascending order if these are integers or if they are strings, and otherwise in the order of
            their first appearance, in `source` and then in `target`.
        n_vertices : int, optional
            If given, `source` and `target` are numbers of vertices from 0 to `n_vertices - 1`, and the graph has no names.
        seed : int, default: 0
            The seed of random weights, in [0, 2**64).

        Returns
        -------
        Graph
            The graph, on a GPU if the columns are arrays there. Its edges are sorted by source and then by target; parallel
            edges are in the order of their rows. `names` holds the names of its vertices.

        Raises
        ------
        ValueError
            If the columns differ in length, a value is missing (None, NaN, null; the message says where), a name is not among
            `names`, one name is there twice, or a vertex is not below `n_vertices`. Also if `directed` is False, `combine` is
            None, and parallel edges differ in weight.
        TypeError
            If one column has integers and the other strings, a name is not hashable, or a weight is not a number.

        Notes
        -----
        By default parallel edges are kept, because combining them loses information: "sum" loses the number of edges, and
        "first" loses all weights but one. `combine="sum"` without weights counts the rows of each edge. Floats without
        fractions count as integers, because pandas turns a column of integers that had missing values into floats.

        *Cost*: integers are numbered by a radix sort of both columns. Strings are numbered by the hash table of Arrow if they
        are in columns of Arrow or polars, or if there are many of them and pyarrow is installed; other objects by a dict, which
        takes three times as long. Then the edges are sorted, twice if `directed` is False. *Empty input*: a graph without
        vertices, or of `names` or `n_vertices` without edges.

        Examples
        --------
        >>> from spark_csr.graph import Graph
        >>> G = Graph.from_edges(["ann", "bob", "ann"], ["bob", "cleo", "cleo"], [5, 7, 1])
        >>> G
        Graph(3 named vertices, 3 edges, directed, cpu)
        >>> G.names
        array(['ann', 'bob', 'cleo'], dtype=object)
        >>> G.matrix.toarray()
        array([[0, 5, 1],
               [0, 0, 7],
               [0, 0, 0]])
        >>> Graph.from_edges([10, 10, 30], [30, 30, 10], directed=False, combine="sum").matrix.toarray()
        array([[0., 3.],
               [3., 0.]])
        """
        drawn = check_weights(weight if isinstance(weight, str) else None, seed)
        weight = weight if drawn is None else None
        return cls._of_columns(source, target, weight, directed, combine, names, n_vertices, drawn=drawn)

    @classmethod
    def _of_columns(cls, source, target, weight, directed, combine, names=None, n_vertices=None, of_text=False, drawn=None):
        """Do as `from_edges`; `of_text`: names become integers if all are written as such; `drawn`: see `check_weights`."""
        source, target = read_names("source", source), read_names("target", target)
        weight = None if weight is None else read_numbers("weight", weight)
        refuse_unequal(source=source, target=target, weight=weight)
        if n_vertices is not None:
            if names is not None:
                raise ValueError("give names or n_vertices, not both: with n_vertices, the columns hold numbers of vertices")
            found, n = None, count_of("n_vertices", n_vertices)
            refuse_beyond(n, source=source, target=target)
        else:
            source, target, found = factorize(source, target)
            if of_text:
                source, target, found = read_integers(source, target, found)
            if names is not None:
                names = check_names(names)
                source, target = number_by_names(source, target, found, names)
                found = names
            n = len(found)
        weight = namespace_of(source).ones(source.size) if weight is None else weight
        if directed:
            csr = store_one_way(source, target, weight, (n, n), combine)
        else:
            csr = store_both_ways(source, target, weight, (n, n), combine, found)
        return cls._of(csr if drawn is None else draw_weights(csr, directed, drawn), directed, found)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        directed: bool | None = None,
        n_vertices: int | None = None,
        one_based: bool = False,
        columns: Sequence[str | int] | None = None,
        header: bool | None = None,
        combine: MonoidLike | None = None,
        weights: Literal["random"] | None = None,
        seed: int = 0,
        progress: Progress = None,
    ) -> Self:
        """Read a graph from text with an edge on every line, a parquet file, or a file of another program.

        Parameters
        ----------
        path : str or path
            The extension `.mtx` means Matrix Market, `.npz` the format of `scipy.sparse.save_npz`, `.parquet` or `.pq` a
            parquet file, `.graph` or `.metis` a file of METIS, `.gr` one of the 9th DIMACS challenge, `.smtx` one of the Deep
            Learning Matrix Collection, and any other extension text. A further extension `.gz`, `.bz2`, `.xz` or `.zst` means
            that the file is compressed. Text is a list of numbers or a table of names, see `header`.
        directed : bool, optional
            If True, an edge leads from the row to the column, or from the first to the second vertex of a line. (An entry of a
            symmetric Matrix Market file stands for two edges, one in each direction.) If False, the reverses of all edges are
            added, and two vertices have one edge between them, see `symmetrize`. By default the graph is undirected if the file
            is one of METIS, or a table whose column `type` has "undirected" in every row, as `write` and Gephi write it.
        n_vertices : int, optional
            The number of vertices, if the file is a list of numbers. Default: one more than the largest vertex.
        one_based : bool, default: False
            Whether a list of numbers counts vertices from one.
        columns : sequence of two or three str or int, optional
            The columns of a table that hold the source, the target and, if it is given, the weight: their names, or their
            positions from 0 on. By default these are the columns `source`, `target` and, if there is one, `weight`, in upper or
            lower case, or `from` and `to`, `src` and `dst`, or `FromNodeId` and `ToNodeId`. If the table does not have these,
            its first column is the source, the second the target and, if there are exactly three columns, the third the weight.
        header : bool, optional
            Whether the first line of a text file names the columns. By default it does if it has the names above, if `columns`
            has names, or if the second line has a number as weight, or two integers, where the first has none. It does not if
            it ends with a weight, or with attributes as networkx writes them, behind two names that are no numbers. A text file
            is read as a table if that is known, or if `header` or `columns` is given. Otherwise it is read as a list of
            numbers.
        combine : {"sum", "prod", "min", "max", "any", "all", "first"} or Monoid, optional
            Combines the weights of parallel edges, as in `from_edges`.
        weights : {"random"}, optional
            "random" draws weights at random, as `Graph` does, and does not use those of the file.
        seed : int, default: 0
            The seed of random weights, in [0, 2**64).
        progress : bool or function, optional
            True shows on stderr how much of the file is read: a bar of tqdm if that is installed, else lines. A function is
            called as `progress(done, total)`, perhaps in another thread: with bytes, or with row groups of a parquet file.

        Returns
        -------
        Graph
            The graph, on the cores. Weights are 1 where a file states none. A graph that is read from a table has names.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is truncated or malformed, if a line is not an edge, if a vertex is out of range, if the numbers in a
            header do not agree with what follows, if the file has no such column, if a value is missing, or if the graph is to
            be undirected and edges between two vertices differ in weight. The message names the file and, where it can, the
            line.
        MemoryError
            If a list of numbers has vertices so large that an offset for each does not fit into memory.
        ImportError
            If the file is a parquet file and pyarrow is not installed.

        Notes
        -----
        A list of numbers holds the source and the target of an edge and, on every line or on none, its weight, separated by
        blanks or commas. Text after `#` or `%` is a comment. The vertices are these numbers, and the graph has no names.
        Attributes at the end of a line, as networkx writes them, are read as the weight that is among them, or as 1. So files
        of networkx's `write_edgelist` and `write_weighted_edgelist` are read as they are.

        The separator of a table is the first of tab, comma, semicolon and bar, in this order, that occurs in its first line;
        otherwise it is blanks. Fields may be quoted; blanks around them do not count. Lines at the beginning of the file that
        are empty or begin with `#` or `%` are skipped; the next line is the first one. The vertices have names, as in
        `from_edges`: integers if all of them are written as integers, else text. Empty fields are missing. Files of Gephi are
        such tables.

        Files of METIS and of the DIMACS challenge count vertices from 1: they become the numbers from 0 on, and have no names.
        Weights and sizes of vertices in files of METIS are left out. `.smtx` files are read by `spark_csr.io.read_smtx`.

        Parallel edges of a text or parquet file are all kept, unless `directed` is False or `combine` is given. The entries of
        one position in a Matrix Market file are summed. *Cost*: that of parsing, and that of `from_edges`. pyarrow parses
        tables, if it is installed. NumPy parses lists of numbers and the files of other programs, many lines at once.

        Examples
        --------
        >>> import os
        >>> import tempfile
        >>> from spark_csr.graph import Graph
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "edges.csv")
        ...     with open(path, "w") as file:
        ...         print("source,target,weight", file=file)
        ...         print("ann,bob,5", file=file)
        ...         print("bob,cleo,7", file=file)
        ...     G = Graph.read(path)
        >>> G
        Graph(3 named vertices, 2 edges, directed, cpu)
        >>> G.names
        array(['ann', 'bob', 'cleo'], dtype=object)
        """
        n_vertices = None if n_vertices is None else count_of("n_vertices", n_vertices)
        drawn = check_weights(weights, seed)
        kind = os.path.splitext(without_packing(os.fspath(path).lower()))[1]
        look = tables.look_at(path) if kind not in OTHER_FILES and columns is None and header is None else None
        is_table = kind in tables.PARQUET or (kind not in OTHER_FILES and (look is None or look.has_header() is not None))
        if (is_table or kind in SIZED_FILES) and (n_vertices is not None or one_based):
            what = "is a table of names" if is_table else "says how many vertices there are"
            raise ValueError(f"{path}: n_vertices and one_based are for lists of numbers, and this {what}")
        if is_table:
            read = tables.read_parquet if kind in tables.PARQUET else functools.partial(tables.read_text, header=header)
            source, target, weight, kinds = read(path, columns, progress=progress)
            with name_values(path):
                directed = tables.find_direction(kinds) is not False if directed is None else directed
                of_text, weight = kind not in tables.PARQUET, weight if drawn is None else None
                return cls._of_columns(source, target, weight, directed, combine, of_text=of_text, drawn=drawn)
        if kind in METIS:
            graph = cls._of(read_metis(path, bool(directed), progress), bool(directed))
        elif kind == ".gr":
            graph = cls._of(read_dimacs(path, progress), True)
        elif kind in MATRICES:
            found = MATRICES[kind](path, progress=progress)
            with name_values(path):
                graph = cls(found)
        else:
            graph = cls._of(read_list(path, n_vertices, one_based, progress), True)
        if drawn is not None:
            graph = graph._derive(graph._csr.with_data(np.ones(graph.n_edges)))
        if directed is False and graph.directed:
            with name_values(path):
                graph = graph.symmetrize(combine)
        elif combine is not None:
            graph = graph._derive(combine_parallel(sort_indices(graph._csr), combine))
        return graph if drawn is None else graph._derive(draw_weights(graph._csr, graph.directed, drawn))

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Make a graph from a networkx graph. Its nodes, in their order, become the vertices, and the names of the vertices.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            The graph to convert. The result is directed if it is.
        weight : str or None, default: "weight"
            The edge attribute that holds the weight, which is 1 on edges without this attribute. If None, all weights are 1. A
            weight that is not a number raises TypeError.

        Returns
        -------
        Graph
            The graph, on the cores. Edges of an undirected graph are stored in both directions. `names` holds the nodes.

        Examples
        --------
        >>> import networkx as nx
        >>> from spark_csr.graph import Graph
        >>> G = Graph.from_networkx(nx.Graph([("a", "b"), ("b", "c")]))
        >>> G.matrix.toarray()
        array([[0, 1, 0],
               [1, 0, 1],
               [0, 1, 0]])
        >>> G.names
        array(['a', 'b', 'c'], dtype=object)
        """
        place = {node: i for i, node in enumerate(graph)}
        listed = [(place[u], place[v], 1 if weight is None else d.get(weight, 1)) for u, v, d in graph.edges(data=True)]
        if (at := find_non_number([w for _, _, w in listed])) is not None:
            u, v = list(graph.edges())[at][:2]
            raise TypeError(f"weights must be numbers, got {weight!r} = {listed[at][2]!r} for {u!r} -> {v!r}: give weight=None")
        directed = graph.is_directed()
        both = listed if directed else [*listed, *((v, u, w) for u, v, w in listed if u != v)]
        sources, targets, weights = zip(*both, strict=True) if both else ((), (), ())
        data = np.array(weights) if both else np.empty(0)
        n = len(place)
        csr = convert.from_coo_unsummed(_ids(sources), _ids(targets), data, (n, n))
        return cls._of(csr, directed, as_objects(list(place)))

    def to_networkx(self) -> Any:
        """Convert to a networkx graph whose nodes are the names of the vertices and whose edges have the attribute `weight`.

        Returns
        -------
        networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            A DiGraph if this graph is directed, else a Graph; a MultiDiGraph or MultiGraph if two vertices have several edges
            in one direction between them. The nodes of a graph without names are the integers from 0 on.

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
        nodes = range(self.n_vertices) if self._names is None else self._names.tolist()
        out.add_nodes_from(nodes)
        u, v = (map(nodes.__getitem__, x.tolist()) for x in (u, v))
        out.add_weighted_edges_from(zip(u, v, w.tolist(), strict=True))
        return out


def _ids(vertices):
    return np.array(vertices, np.int64)
