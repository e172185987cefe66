"""Every function of `spark_csr.graph`, and every semiring with a name, for weights of every dtype: the result is that for the
same weights in float64, or that of exact numbers, as far as the dtype allows; or the dtype is refused by its name.

The weights reach the ends of their dtype, and some edges are parallel, so sums in the dtype of the weights would wrap.
"""

import functools
import math

import numpy as np
import pytest

import dtypes
from spark_csr import coo_array, csr_array, graph
from spark_csr._array import DTYPES
from spark_csr._ops import SEMIRINGS
from spark_csr.graph import Frontier, Graph

pytestmark = pytest.mark.usefixtures("cpu_only")

USUAL = "d"
"""What the usual run has: the dtype that other tests compile all functions for."""


def each_dtype():
    return [pytest.param(dtype, id=str(dtype), marks=() if dtype.char in USUAL else dtypes.RARE) for dtype in DTYPES]


def values_of(dtype, shares):
    """Weights of these shares, in [0, 1], of the largest value of a dtype, of which 64 bits and floats hold some sums."""
    if dtype.kind == "b":
        return np.array(shares) > 0.4
    if dtype.kind in "iu":
        largest = int(np.iinfo(dtype).max) >> (4 if dtype.itemsize == 8 else 0)
        return np.array([int(share * 1024) * largest // 1024 for share in shares], dtype)
    return (np.array(shares) * min(float(np.finfo(dtype).max) / 16, 1e300)).astype(dtype)


SHARES = [1, 0.75, 0.5, 1, 0.125, 0.5, 0.25, 1, 0.75, 0.5, 0.25, 0.125]
LOW, HIGH = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 0, 2], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 4, 5]
"""The first two edges are parallel."""


def acyclic(dtype):
    return of_ends(values_of(dtype, SHARES), LOW, HIGH)


def of_ends(data, low, high):
    return Graph(coo_array((data, (low, high)), shape=(6, 6)))


def small(dtype):
    """Of which products fit every dtype."""
    return of_ends(np.array([1, 2, 3, 1, 2, 1, 1, 2, 1, 3, 1, 2]).astype(dtype), LOW, HIGH)


def cyclic(dtype):
    """Every vertex is reached from each other one."""
    return of_ends(values_of(dtype, [*SHARES, 1, 0.5, 0.75]), [*LOW, 5, 5, 3], [*HIGH, 0, 1, 3])


def undirected(dtype):
    data = values_of(dtype, SHARES)[1:]
    return Graph(of_ends(np.concatenate([data, data]), LOW[1:] + HIGH[1:], HIGH[1:] + LOW[1:]).matrix, directed=False)


def weight_of(src, dst, edge, weight):
    return weight


def is_heavy(src, dst, edge, weight):
    return weight > 0.4


def is_even(item):
    return item % 2 == 0


def note(item, depth):
    depth[item] += 1


def count(frontier):
    depth = np.zeros(6, int)
    graph.for_each(frontier, note, (depth,))
    return depth


def of_edges(G):
    return G.sources(), G.matrix.indices, G.matrix.data


def arrays_of(x):
    """All arrays of a result."""
    if isinstance(x, Graph):
        return arrays_of(of_edges(x))
    if isinstance(x, csr_array):
        return arrays_of((x.indptr, x.indices, x.data))
    if isinstance(x, (tuple, list)):
        return [array for part in x for array in arrays_of(part)]
    return [x.items if isinstance(x, Frontier) else np.asarray(x)]


def largest_of(G):
    return float(abs(G.matrix.data).max())


TIGHT = {"tol": 1e-12, "max_iter": 10_000}
LABELS = np.array([0, 0, 0, 1, 1, 1])
MONOIDS = "sum", "prod", "min", "max", "any", "all"

CALLS = {
    "Frontier": (acyclic, lambda G: Frontier.all(G)),
    "Graph": (cyclic, lambda G: (G.transpose, G.subgraph([4, 2, 1]))),
    "advance": (cyclic, lambda G: graph.advance(G, Frontier.all(G), is_heavy)),
    "average_clustering": (undirected, graph.average_clustering),
    "bellman_ford": (cyclic, lambda G: graph.bellman_ford(G, 0)),
    "betweenness": (cyclic, lambda G: graph.betweenness(G, weighted=True)),
    "bfs": (cyclic, lambda G: graph.bfs(G, 0)),
    "closeness_centrality": (cyclic, lambda G: graph.closeness_centrality(G, weighted=True) * largest_of(G)),
    "clustering": (undirected, graph.clustering),
    "color": (undirected, graph.color),
    "connected_components": (acyclic, graph.connected_components),
    "core_number": (undirected, graph.core_number),
    "degrees": (cyclic, lambda G: [G.degrees(way, weighted=True) for way in ("out", "in", "both")]),
    "eccentricity": (undirected, graph.eccentricity),
    "edge_betweenness": (undirected, lambda G: graph.edge_betweenness(G, weighted=True)),
    "eigenvector_centrality": (cyclic, lambda G: graph.eigenvector_centrality(G, weighted=True, **TIGHT)),
    "expand": (cyclic, lambda G: graph.expand(G, Frontier.of(G, [2, 0]))),
    "filter": (cyclic, lambda G: graph.filter(Frontier.all(G), is_even)),
    "for_each": (cyclic, lambda G: count(Frontier.all(G))),
    "harmonic_centrality": (cyclic, lambda G: graph.harmonic_centrality(G, weighted=True) * largest_of(G)),
    "hits": (cyclic, lambda G: graph.hits(G, **TIGHT)),
    "k_core": (undirected, lambda G: graph.k_core(G, 2)),
    "k_hop": (cyclic, lambda G: graph.k_hop(G, [0], 2)),
    "katz_centrality": (cyclic, lambda G: graph.katz_centrality(G, 0.1 / largest_of(G), weighted=True, **TIGHT)),
    "label_propagation": (undirected, graph.label_propagation),
    "leiden_communities": (undirected, graph.leiden_communities),
    "louvain_communities": (undirected, graph.louvain_communities),
    "minimum_spanning_tree": (undirected, graph.minimum_spanning_tree),
    "modularity": (undirected, lambda G: graph.modularity(G, LABELS)),
    "pagerank": (cyclic, lambda G: graph.pagerank(G, **TIGHT)),
    "path": (cyclic, lambda G: graph.path(graph.sssp(G, 0)[1], 5)),
    "personalized_pagerank": (cyclic, lambda G: graph.personalized_pagerank(G, [3], **TIGHT)),
    "random_walk": (cyclic, lambda G: graph.random_walk(G, np.arange(6), 8, weighted=True, seed=5)),
    "sample_neighbors": (cyclic, lambda G: graph.sample_neighbors(G, [0, 3], [1, 2], seed=5).graph),
    "segmented_intersection": (acyclic, lambda G: graph.segmented_intersection(G, np.array([0, 1]), np.array([2, 4]))),
    "sssp": (cyclic, lambda G: graph.sssp(G, 0)),
    "topological_generations": (acyclic, graph.topological_generations),
    "topological_sort": (acyclic, graph.topological_sort),
    "transitivity": (undirected, graph.transitivity),
    "traverse": (acyclic, lambda G: count(graph.traverse(G, Frontier.of(G, 0), is_heavy))),
    "triangle_count": (undirected, graph.triangle_count),
    "triangles": (undirected, graph.triangles),
    "uniquify": (cyclic, lambda G: graph.uniquify(graph.advance(G, Frontier.all(G), is_heavy))),
    **{
        f"from_edges {by}": (small if by == "prod" else cyclic, lambda G, by=by: Graph.from_edges(*of_edges(G), combine=by))
        for by in (*MONOIDS, "first")
    },
    **{
        f"neighbor_reduce {by}": (small if by == "prod" else cyclic, lambda G, by=by: graph.neighbor_reduce(G, weight_of, by))
        for by in MONOIDS
    },
    **{
        f"symmetrize {by}": (small if by == "prod" else cyclic, lambda G, by=by: G.symmetrize(by)) for by in (*MONOIDS, "first")
    },
}


def outcome(make, call, dtype, wide):
    """The arrays of a result for weights of a dtype that are cast to a wide one, or the exception."""
    G = make(dtype)
    data = G.matrix.data.astype(wide)
    G = Graph(csr_array((data, G.matrix.indices, G.matrix.indptr), shape=G.matrix.shape), directed=G.directed)
    try:
        return arrays_of(call(G))
    except (TypeError, ValueError) as error:
        return error


def test_the_table_has_every_function():
    known = {name.split()[0] for name in CALLS}
    assert {name for name in graph.__all__ if not name.startswith("atomic_")} - known == {"NeighborSample"}


@pytest.mark.parametrize("dtype", each_dtype())
def test_functions_of_graphs(dtype):
    wide = np.dtype(complex if dtype.kind == "c" else float)
    accuracy = 8 * float(np.finfo(dtype).eps) if dtype.kind in "fc" else 1e-12
    for name, (make, call) in CALLS.items():
        found, expected = (outcome(make, call, dtype, x) for x in (dtype, wide))
        if isinstance(found, Exception) or isinstance(expected, Exception):
            assert type(found) is type(expected), (name, found, expected)
            assert not isinstance(found, TypeError) or dtype.kind == "c", (name, found)
            continue
        for x, right in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, right, rtol=accuracy, err_msg=name)


RINGS = {
    "plus_times": (0, lambda a, b: a + b, lambda a, x: a * x),
    "min_plus": (math.inf, min, lambda a, x: a + x),
    "max_plus": (-math.inf, max, lambda a, x: a + x),
    "max_times": (-math.inf, max, lambda a, x: -math.inf if -math.inf in (a, x) else a * x),
    "any_pair": (0, max, lambda a, x: 1),
    "or_and": (0, max, lambda a, x: bool(a) and bool(x)),
}
ROWS = [[(0, 3), (1, 7)], [], [(0, 1), (2, 2), (3, 0)], [(1, 5)]]
"""The columns and values of every row. The second is empty: its result is the identity, which a further product reads."""


@pytest.mark.parametrize("dtype", each_dtype())
@pytest.mark.parametrize("ring", SEMIRINGS)
def test_semirings(ring, dtype):
    indptr = np.cumsum([0, *map(len, ROWS)])
    columns, values = np.array([entry for row in ROWS for entry in row]).T
    A, x = csr_array((values.astype(dtype), columns, indptr), shape=(4, 4)), np.array([1, 2, 3, 2]).astype(dtype)
    if (dtype.kind == "c" and ring.startswith(("min", "max"))) or (dtype.kind in "bu" and ring == "max_plus"):
        with pytest.raises(TypeError, match=str(dtype)):
            A.matmul(x, semiring=ring)
        return
    identity, add, multiply = RINGS[ring]
    least, largest = ends_of(dtype)
    exact = x.real.astype(float).tolist()
    for _ in range(2):
        x = A.matmul(x, semiring=ring)
        products = [[multiply(float(A[i, j].real), exact[j]) for j, _ in row] for i, row in enumerate(ROWS)]
        exact = [functools.reduce(add, row) if row else identity for row in products]
        np.testing.assert_array_equal(x, [min(max(value, least), largest) for value in exact])


def ends_of(dtype):
    """The least and the largest number of a dtype; identities are infinite."""
    if dtype.kind == "b":
        return 0, 1
    return (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (-math.inf, math.inf)
