"""`Graph`: a square matrix seen as vertices and edges.

Design: an entry is an edge from its row to its column, and its position in `matrix.indices` is the edge's id. A matrix is not
changed to become a graph. What depends on the pattern alone (the source of every edge, the reversed edges) is computed once and
kept with the matrix's record. Reversed edges hold the ids of the edges that they reverse, so weights are never stored twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spark_csr import _absent, _html
from spark_csr._array import index_dtype, read_only, to_host_scalar
from spark_csr._current_device import methods_on_their_device
from spark_csr._matrix.base import keep_pattern
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr._matrix.display import picture
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import entries_of_columns, sums
from spark_csr._ops import MONOIDS
from spark_csr.graph.edges import check_mirrored, reverse_edges, symmetrize
from spark_csr.graph.exchange import Exchange
from spark_csr.graph.export import Export
from spark_csr.graph.names import Names, check_names, take_names
from spark_csr.graph.parts import Parts
from spark_csr.graph.random_weights import check_weights, draw_weights
from spark_csr.primitives.scan import accumulator_dtype
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._operations.form.record import Csr
    from spark_csr._ops import MonoidLike
    from spark_csr._types import Array, ArrayLike


@methods_on_their_device
class Graph(Exchange, Export, Names, Parts):
    """A graph of vertices `0` to `n - 1` and the edges between them, directed or undirected.

    Parameters
    ----------
    A : array_like, sparse matrix or tuple
        A square matrix, or anything that `csr_array` converts to one. An entry in row `u` and column `v` is an edge from `u` to
        `v`, and its value is the edge's weight. Stored zeros and self-loops are edges like any others, and there may be several
        edges between the same two vertices: if entries are given by coordinates, as `(data, (row, col))` or as a matrix in
        coordinate form, each of them is an edge, even if several have the same position. To add up the entries of one position,
        give `csr_array(A)`.
    directed : bool, default: True
        If False, the graph is undirected: every edge must be stored in both directions, with the same weight.
    names : (n,) array_like, optional
        The names of the vertices: integers, strings or other hashable objects, which differ from each other. By default the
        vertices have no names. `from_edges` finds the names in the edges.
    weights : {"random"}, optional
        "random" draws the weight of every edge uniformly from (0, 1], in place of the values of `A`, which are then not
        compared. The same seed gives the same weights on every run and on any device.
    seed : int, default: 0
        The seed of random weights, in [0, 2**64).

    Attributes
    ----------
    matrix : csr_array
        The matrix of the edges. It shares the arrays of `A` if `A` is a `csr_array`, and the values of a matrix of SciPy by
        rows. `matrix.data` may be written into.
    directed : bool
        Whether the graph is directed.
    edge_ids : (m,) array of ints
        For each edge, the id of the same edge in the graph that was transposed. Only graphs that `transpose` returns have this
        attribute.

    Raises
    ------
    ValueError
        If `A` is not square; or if `directed` is False and an edge has no reverse, or a reverse of another weight. The message
        names the first such edge. Edges are checked only if `config.validate`. Also if `names` has another length, a missing
        name, or one name twice, or if `weights` is another text.
    TypeError
        If `csr_array` refuses `A`, or if a name is not hashable.

    Notes
    -----
    The id of an edge is the position of its entry in `matrix.indices`.

    *Cost*: none for a `csr_array`; for coordinates a stable sort, which keeps the order of edges between the same two vertices.
    `directed=False` finds the reversed edges (see `transpose`) and compares their weights.

    Examples
    --------
    >>> from spark_csr.graph import Graph
    >>> G = Graph([[0, 5, 0], [0, 0, 7], [0, 0, 0]])
    >>> G
    Graph(3 vertices, 2 edges, directed, cpu)
    >>> G.degrees(), G.sources(), G.to_device("cpu") is G
    (array([1, 1, 0], dtype=int32), array([0, 1], dtype=int32), True)
    >>> Graph([[0, 5, 0], [5, 0, 7], [0, 7, 0]], directed=False, weights="random", seed=1).matrix.data.round(2)
    array([0.74, 0.74, 0.14, 0.14])
    >>> H = Graph.from_edges(["ann", "bob"], ["bob", "cleo"], [5, 7])
    >>> H.vertex("bob"), H.vertices(["cleo", "ann"]), H.names_of([2, 0])
    (1, array([2, 0], dtype=int32), array(['cleo', 'ann'], dtype=object))
    >>> H.neighbors(1), H.subgraph(["bob", "cleo"])
    (array([2], dtype=int32), Graph(2 named vertices, 1 edges, directed, cpu))
    >>> H.symmetrize().matrix.toarray()
    array([[0, 5, 0],
           [5, 0, 7],
           [0, 7, 0]])
    """

    matrix: csr_array
    directed: bool
    edge_ids: Array
    _scratch: list[Array]

    if not TYPE_CHECKING:  # type checkers would accept any name
        __getattr__ = _absent.hint_at(_absent.GRAPH)

    def __init__(
        self,
        A: MatrixLike | ArrayLike | tuple[Any, ...],
        *,
        directed: bool = True,
        names: ArrayLike | None = None,
        weights: Literal["random"] | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(A, csr_array):
            _refuse_columns(A)
        matrix = A if isinstance(A, csr_array) else coo_array(A)  # which sums no duplicates
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            rows = ": Graph.from_edges(*A) takes rows of sources and of targets" if matrix.shape[:1] == (2,) else ""
            raise ValueError(f"a graph needs a square matrix, got shape {matrix.shape}{rows}")
        csr, drawn = keep_pattern(matrix._csr, A), check_weights(weights, seed)
        if drawn is not None:
            csr = draw_weights(csr, directed, drawn)
        self.matrix = csr_array._of(csr)  # a separate matrix, as methods that change A in place give A another record
        self.directed, self._scratch = bool(directed), []
        if not directed:
            check_mirrored(csr)
        self._names = None if names is None else check_names(names, self.n_vertices)

    @classmethod
    def _of(cls, csr, directed, names=None):
        """Return a graph of a record and of an array of names that need no checks."""
        self = cls.__new__(cls)
        self.matrix, self.directed, self._scratch, self._names = csr_array._of(csr), directed, [], names
        return self

    def _derive(self, csr, directed=None, vertices=None):
        """Return a graph of these edges, with the names of this graph, or of those of its vertices that are given."""
        names = self._names if vertices is None else take_names(self._names, vertices)
        return Graph._of(csr, self.directed if directed is None else directed, names)

    @property
    def _csr(self):
        return self.matrix._csr

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self._csr.shape[0]

    @property
    def n_edges(self) -> int:
        """Number of stored edges; an undirected graph stores each of its edges twice, except for self-loops."""
        return self._csr.indices.size

    @property
    def _holder(self):
        return self.matrix._holder

    @property
    def device(self) -> str:
        """The device of the graph: `"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return self.matrix.device

    @property
    def transpose(self) -> Graph:
        """The graph of the reversed edges, with the weights that the edges have now.

        The edges of the result are sorted by source, then by target; those between the same two vertices have the order of the
        edges that they reverse. The attribute `edge_ids` of the result holds the id of the edge that each edge of the result
        reverses.

        Notes
        -----
        *Cost*: the first time, a stable counting sort of the edges by target, whose result is kept. Every time, a copy of the
        weights in the new order.
        """
        back = self._csr.plan(reverse_edges)
        flipped = self._derive(back.with_data(gather(self._csr.data, back.data)))
        flipped.edge_ids = read_only(back.data)
        return flipped

    def degrees(self, direction: Literal["out", "in", "both"] = "out", *, weighted: bool = False) -> Array:
        """Count the edges that leave, or that enter, every vertex, or sum their weights.

        Parameters
        ----------
        direction : {"out", "in", "both"}, default: "out"
            "out" counts the edges that leave a vertex, "in" those that enter it, and "both" adds the two numbers: this is
            `degree` of networkx's directed graphs.
        weighted : bool, default: False
            If True, sum the weights of the edges instead.

        Returns
        -------
        (n,) array of int32, or int64 for 2**31 or more edges
            The number of edges of every vertex. Each of several edges between two vertices counts. With `weighted`, the sums
            have the dtype of the weights; those of integers and bools have 64 bits.

        Raises
        ------
        ValueError
            If `direction` is unknown.

        Notes
        -----
        *Cost*: one pass over the offsets. For "in", a pass over the edges the first time. With `weighted`, a pass over the
        weights.
        """
        if direction not in ("out", "in", "both"):
            raise ValueError(f"direction must be 'out', 'in' or 'both', got {direction!r}")
        if direction == "both":
            return self.degrees("out", weighted=weighted) + self.degrees("in", weighted=weighted)
        if weighted:  # in their own dtype, values of one position would be summed first
            weights = self._csr.data.astype(accumulator_dtype(MONOIDS["sum"], self._csr.data.dtype), copy=False)
            return sums(self._csr.with_data(weights), axis=1 if direction == "out" else 0)
        if direction == "out":
            return self._csr.indptr[1:] - self._csr.indptr[:-1]
        return self._csr.plan(entries_of_columns).astype(index_dtype(self.n_edges))

    def sources(self) -> Array:
        """Return the vertex that every edge leaves; the vertices that edges lead to are `matrix.indices`.

        Returns
        -------
        (m,) array of ints
            The source of every edge, in the order of the edges. The array is read-only: it is computed once and kept.
        """
        return read_only(self._csr.plan(rows_of_entries))

    def symmetrize(self, combine: MonoidLike | None = None) -> Graph:
        """Return an undirected graph that stores every edge in both directions, and at most one edge between two vertices.

        Parameters
        ----------
        combine : {"sum", "prod", "min", "max", "any", "all", "first"} or Monoid, optional
            Combines the weights of all edges between two vertices, in either direction; "first" takes that of the edge with the
            least id. By default these weights must be equal. An edge of an undirected graph, which is stored in both
            directions, counts once.

        Returns
        -------
        Graph
            The undirected graph, on the same device.

        Raises
        ------
        ValueError
            If `combine` is not given and edges between two vertices differ in weight (the message names the first two such
            vertices), or if `combine` is an unknown name.

        Notes
        -----
        *Cost*: a sort of the edges, and one of the edges in both directions. *Order*: the edges are sorted by source, then by
        target. Weights are combined in the order of the ids. *Empty input*: no edges.
        """
        csr = self._csr
        if not self.directed:
            csr = select_entries(csr, csr.plan(rows_of_entries) <= csr.indices)
        return self._derive(symmetrize(csr, combine, self._names), False)

    def to_device(self, device: str) -> Graph:
        """Return this graph if it is on the device already, and otherwise a copy of it there.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.to_device`.
        """
        matrix = self.matrix.to_device(device)
        return self if matrix is self.matrix else self._derive(matrix._csr)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        vertices = "vertices" if self._names is None else "named vertices"
        return f"Graph({self.n_vertices} {vertices}, {self.n_edges} edges, {kind}, {self.device})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [("vertices", f"{self.n_vertices:,}"), ("edges", f"{self.n_edges:,}")]
        if self._names is not None:
            rows.append(("names", ", ".join(map(repr, self._names[:3].tolist())) + ", ..." * (self.n_vertices > 3)))
        rows += [("kind", "directed" if self.directed else "undirected"), ("dtype of the weights", self.matrix.dtype)]
        if self.n_vertices:
            most = to_host_scalar(self.degrees().max())
            rows.append(("out-degree", f"{self.n_edges / self.n_vertices:.3g} on average, {most:,} at most"))
        rows += [("memory", _html.bytes_as_text(self.matrix.nbytes)), ("device", self.device)]
        return _html.table("Graph", rows, picture(self._csr) if self.n_vertices else "")


def arrays_of(G: Graph) -> tuple[Any, Csr]:
    """Return the namespace and the record of a graph; raise TypeError for anything else."""
    if not isinstance(G, Graph):
        raise TypeError(f"G must be a Graph, got {type(G).__name__}: use Graph(A)")
    return G._csr.xp, G._csr


def _refuse_columns(A):
    """Raise TypeError for a table of edges, or for two columns of one, which are no matrix."""
    if hasattr(A, "columns") or hasattr(A, "column_names"):
        advice = "Graph.from_edges(table['source'], table['target'])"
        raise TypeError(f"a graph needs a square matrix, got a {type(A).__name__}, which is a table of edges: use {advice}")
    if isinstance(A, tuple) and len(A) == 2 and all(map(_is_column, A)):
        raise TypeError("a graph needs a square matrix, got a tuple of two columns: use Graph.from_edges(source, target)")


def _is_column(x):
    """Return whether `x` is an array of one axis, or a list without lists."""
    return not hasattr(x[0], "__len__") or isinstance(x[0], str) if isinstance(x, list) and x else getattr(x, "ndim", 0) == 1
