"""`Graph`: a square matrix seen as vertices and edges.

Design: an entry is an edge from its row to its column, and its position in `matrix.indices` is the edge's id; a matrix is not
changed to become a graph. What depends on the pattern alone (the source of every edge, reversed edges) is found once and kept
with the matrix's record. Reversed edges are known by the ids of those that they reverse, so weights are never stored twice.
"""

from spark_csr import _html
from spark_csr._array import index_dtype, read_only, to_host_scalar
from spark_csr._current_device import methods_on_their_device
from spark_csr._matrix.csr import csr_array
from spark_csr._matrix.display import picture
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import entries_of_columns
from spark_csr.graph.edges import check_mirrored, reverse_edges, symmetrize
from spark_csr.graph.exchange import Exchange
from spark_csr.primitives.sort import gather


@methods_on_their_device
class Graph(Exchange):
    """Vertices `0` to `n - 1` and the edges between them.

    Parameters
    ----------
    A : anything that `csr_array` takes
        Square. An entry in row `u` and column `v` is an edge from `u` to `v`, its value the edge's weight. Stored zeros,
        self-loops and several edges between the same two vertices are edges like others.
    directed : bool
        False says that every edge is stored both ways, with the same weight.

    Attributes
    ----------
    matrix : csr_array
        Shares the arrays of `A` where it is a `csr_array`. `matrix.data` may be written into.
    n_vertices, n_edges : int
        Of an undirected graph each edge counts twice, but for self-loops.
    device : str
    directed : bool

    Raises
    ------
    ValueError
        If `A` is not square, or with `directed=False` some edge has no reverse, or one of another weight: the first is named
        (looked for only if `config.validate`).
    TypeError
        As `csr_array`.

    Notes
    -----
    *Cost*: none for a `csr_array`; `directed=False` finds the reversed edges, see `transpose`, and compares them.

    Examples
    --------
    >>> from spark_csr.graph import Graph
    >>> G = Graph([[0, 5, 0], [0, 0, 7], [0, 0, 0]])
    >>> G
    Graph(3 vertices, 2 edges, directed, cpu)
    >>> G.degrees()
    array([1, 1, 0], dtype=int32)
    """

    def __init__(self, A, *, directed=True):
        matrix = A if isinstance(A, csr_array) else csr_array(A)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a graph needs a square matrix, got shape {matrix.shape}")
        self.matrix = csr_array._of(matrix._csr)  # a matrix of our own: what A does in place gives A another record
        self.directed, self._scratch = bool(directed), []
        if not directed:
            check_mirrored(matrix._csr)

    @classmethod
    def _of(cls, csr, directed):
        """A graph of a record that is right already."""
        self = cls.__new__(cls)
        self.matrix, self.directed, self._scratch = csr_array._of(csr), directed, []
        return self

    @property
    def _csr(self):
        return self.matrix._csr

    @property
    def n_vertices(self):
        """How many vertices."""
        return self._csr.shape[0]

    @property
    def n_edges(self):
        """How many edges are stored."""
        return self._csr.indices.size

    @property
    def _holder(self):
        return self.matrix._holder

    @property
    def device(self):
        """`"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return self.matrix.device

    @property
    def transpose(self):
        """The graph of reversed edges, with the weights that the edges have now; `transpose.edge_ids` says which they reverse.

        The edges into a vertex stand in the order of their sources, those between the same two vertices in that of their ids.

        Notes
        -----
        *Cost*: the first time a stable counting sort of the edges by target, which is kept; the weights are gathered anew.
        """
        back = self._csr.plan(reverse_edges)
        flipped = Graph._of(back.with_data(gather(self._csr.data, back.data)), self.directed)
        flipped.edge_ids = read_only(back.data)
        return flipped

    def degrees(self, direction="out"):
        """How many edges leave (`"out"`) or enter (`"in"`) every vertex: an `(n,)` array of int32, int64 for 2**31 edges.

        Notes
        -----
        *Cost*: one pass over the offsets; of `"in"` one over the edges the first time.
        """
        if direction not in ("out", "in"):
            raise ValueError(f"direction must be 'out' or 'in', got {direction!r}")
        if direction == "out":
            return self._csr.indptr[1:] - self._csr.indptr[:-1]
        return self._csr.plan(entries_of_columns).astype(index_dtype(self.n_edges))

    def sources(self):
        """The vertex that every edge leaves: a read-only `(m,)` array, found once and kept."""
        return read_only(self._csr.plan(rows_of_entries))

    def symmetrize(self, combine=None):
        """The undirected graph with every edge both ways, of several edges between two vertices one.

        Parameters
        ----------
        combine : {"sum", "prod", "min", "max", "any", "all"} or Monoid, optional
            What becomes of the weights of all edges between two vertices, whichever way they go. Default: they must be equal.

        Raises
        ------
        ValueError
            Without `combine`, if edges between two vertices differ in weight: the first two vertices are named.

        Notes
        -----
        *Cost*: a sort of twice the edges. *Order*: edges by source, then target. *Empty input*: no edges.

        Examples
        --------
        >>> from spark_csr.graph import Graph
        >>> Graph([[0, 5, 0], [0, 0, 7], [0, 0, 0]]).symmetrize().matrix.toarray()
        array([[0, 5, 0],
               [5, 0, 7],
               [0, 7, 0]])
        """
        return Graph._of(symmetrize(self._csr, combine), False)

    def to_device(self, device):
        """This graph where it is on `device` already, else a copy there."""
        matrix = self.matrix.to_device(device)
        return self if matrix is self.matrix else Graph._of(matrix._csr, self.directed)

    def __repr__(self):
        kind = "directed" if self.directed else "undirected"
        return f"Graph({self.n_vertices} vertices, {self.n_edges} edges, {kind}, {self.device})"

    def _repr_html_(self):
        rows = [("vertices", f"{self.n_vertices:,}"), ("edges", f"{self.n_edges:,}")]
        rows += [("kind", "directed" if self.directed else "undirected"), ("dtype of the weights", self.matrix.dtype)]
        if self.n_vertices:
            most = to_host_scalar(self.degrees().max())
            rows.append(("out-degree", f"{self.n_edges / self.n_vertices:.3g} on average, {most:,} at most"))
        rows += [("memory", _html.bytes_as_text(self.matrix.nbytes)), ("device", self.device)]
        return _html.table("Graph", rows, picture(self._csr) if self.n_vertices else "")


def arrays_of(G):
    """The namespace and the record of what must be a graph."""
    if not isinstance(G, Graph):
        raise TypeError(f"G must be a Graph, got {type(G).__name__}: use Graph(A)")
    return G._csr.xp, G._csr
