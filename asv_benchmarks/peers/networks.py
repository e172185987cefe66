"""What analysts ask of a network: importance, communities, paths, neighbourhoods. The operand is a `Network`."""

import functools
import importlib
import random

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from peers import DIGESTS, peer
from spark_csr import csr_array, graph
from spark_csr.graph import Graph

SIZES = 10, 5
"""Neighbours that are sampled in each hop."""


class Network:
    """The largest component of a graph, with every edge both ways and random lengths, as every library has it."""

    def __init__(self, A):
        S = sp.csr_array(A.to_scipy())
        S = sp.csr_array(S + S.T)
        _, label = csgraph.connected_components(S)
        keep = np.flatnonzero(label == np.bincount(label).argmax())
        S = sp.csr_array(sp.triu(S[keep][:, keep], 1))
        S.data = 1 - np.random.default_rng(0).random(S.nnz)
        self.upper, self.n = S, S.shape[0]
        self.ours = Graph(csr_array(sp.csr_array(S + S.T)), directed=False)
        self.acyclic = Graph(csr_array(S))
        self.source = int(np.argmax(np.diff((S + S.T).indptr)))
        self.some = np.random.default_rng(1).permutation(self.n)[: max(self.n // 4, 1)]

    @functools.cached_property
    def target(self):
        """A vertex that a tenth of the others are nearer than."""
        order = np.argsort(graph.sssp(self.ours, self.source, return_predecessors=False))
        return int(order[self.n // 10])

    @functools.cached_property
    def alpha(self):
        """A factor for which Katz centrality converges."""
        return 0.5 / float(self.ours.degrees().max())

    @functools.cached_property
    def nx(self):
        """networkx itself."""
        return importlib.import_module("networkx")

    @functools.cached_property
    def networkx(self):
        """A Graph with weights."""
        return self.nx.from_scipy_sparse_array(self.upper)

    @functools.cached_property
    def networkx_acyclic(self):
        """A DiGraph."""
        return self.nx.from_scipy_sparse_array(self.upper, create_using=self.nx.DiGraph)

    @functools.cached_property
    def igraph(self):
        """A graph with weights."""
        return self._igraph(False)

    @functools.cached_property
    def igraph_acyclic(self):
        """A directed graph."""
        return self._igraph(True)

    def _igraph(self, directed):
        S = self.upper.tocoo()
        made = importlib.import_module("igraph").Graph(n=self.n, edges=np.c_[S.row, S.col], directed=directed)
        made.es["weight"] = S.data
        return made


OURS = {
    "degrees by weight": lambda g, G, D: G.degrees(weighted=True),
    "subgraph": lambda g, G, D: G.subgraph(g.some),
    "2 hops": lambda g, G, D: graph.k_hop(G, g.target, 2)[0],
    "sample": lambda g, G, D: graph.sample_neighbors(G, g.some[:512], SIZES, seed=1),
    "path to a target": lambda g, G, D: graph.path(graph.sssp(G, g.source, g.target)[1], g.target),
    "topological sort": lambda g, G, D: graph.topological_sort(D),
    "transitivity": lambda g, G, D: graph.transitivity(G),
    "average clustering": lambda g, G, D: graph.average_clustering(G),
    "eigenvector": lambda g, G, D: graph.eigenvector_centrality(G, 5000),
    "katz": lambda g, G, D: graph.katz_centrality(G, g.alpha),
    "closeness": lambda g, G, D: graph.closeness_centrality(G),
    "betweenness by length": lambda g, G, D: graph.betweenness(G, normalized=False, weighted=True),
    "louvain": lambda g, G, D: graph.louvain_communities(G, weighted=False),
    "leiden": lambda g, G, D: graph.leiden_communities(G, weighted=False),
}

NETWORKX = {
    "degrees by weight": lambda g, nx, G: dict(G.degree(weight="weight")),
    "subgraph": lambda g, nx, G: G.subgraph(g.some.tolist()).copy(),
    "2 hops": lambda g, nx, G: nx.single_source_shortest_path_length(G, g.target, 2, backend="networkx"),
    "sample": lambda g, nx, G: _sample(G, g.some[:512].tolist()),
    "path to a target": lambda g, nx, G: nx.dijkstra_path(G, g.source, g.target, backend="networkx"),
    "topological sort": lambda g, nx, G: list(nx.topological_sort(g.networkx_acyclic, backend="networkx")),
    "transitivity": lambda g, nx, G: nx.transitivity(G, backend="networkx"),
    "average clustering": lambda g, nx, G: nx.average_clustering(G, backend="networkx"),
    "eigenvector": lambda g, nx, G: nx.eigenvector_centrality(G, 5000, backend="networkx"),
    "katz": lambda g, nx, G: nx.katz_centrality(G, g.alpha, backend="networkx"),
    "closeness": lambda g, nx, G: nx.closeness_centrality(G, backend="networkx"),
    "betweenness by length": lambda g, nx, G: nx.betweenness_centrality(
        G, normalized=False, weight="weight", backend="networkx"
    ),
    "louvain": lambda g, nx, G: nx.community.louvain_communities(G, weight=None, seed=0, backend="networkx"),
}

IGRAPH = {
    "degrees by weight": lambda g, H: H.strength(weights="weight"),
    "subgraph": lambda g, H: H.induced_subgraph(g.some.tolist()),
    "2 hops": lambda g, H: H.neighborhood(g.target, 2),
    "path to a target": lambda g, H: H.get_shortest_path(g.source, g.target, weights="weight"),
    "topological sort": lambda g, H: g.igraph_acyclic.topological_sorting(),
    "transitivity": lambda g, H: H.transitivity_undirected(),
    "average clustering": lambda g, H: H.transitivity_avglocal_undirected(mode="zero"),
    "eigenvector": lambda g, H: H.eigenvector_centrality(),
    "closeness": lambda g, H: H.closeness(),
    "betweenness by length": lambda g, H: H.betweenness(weights="weight"),
    "louvain": lambda g, H: list(H.community_multilevel()),
    "leiden": lambda g, H: list(H.community_leiden(objective_function="modularity", n_iterations=2)),
}


def _sample(G, sources):
    """What `sample_neighbors` does, as one writes it for networkx."""
    by, reached, frontier = random.Random(1), dict.fromkeys(sources), sources
    for size in SIZES:
        new = []
        for u in frontier:
            around = list(G[u])
            for v in around if len(around) <= size else by.sample(around, size):
                if v not in reached:
                    reached[v] = None
                    new.append(v)
        frontier = new
    return reached


def _ours(operation, device, g):
    return functools.partial(OURS[operation], g, g.ours.to_device(device), g.acyclic.to_device(device))


for name in OURS:
    peer(name, "ours")(functools.partial(_ours, name, "cpu"))
    peer(name, "cuda")(functools.partial(_ours, name, "cuda"))
for name, function in NETWORKX.items():
    peer(name, "networkx")(lambda g, function=function: functools.partial(function, g, g.nx, g.networkx))
for name, function in IGRAPH.items():
    peer(name, "igraph")(lambda g, function=function: functools.partial(function, g, g.igraph))


@peer("leiden", "leidenalg")
def leiden_leidenalg(g):
    la = importlib.import_module("leidenalg")
    return lambda: list(la.find_partition(g.igraph, la.ModularityVertexPartition, seed=0))


def _values(library, found):
    """Values of vertices, in their order."""
    if isinstance(found, dict):
        found = [found[v] for v in range(len(found))]
    return np.asarray(found.get() if hasattr(found, "get") else found, float)


def _count(library, found):
    """How many vertices are found, or are in communities."""
    if isinstance(found, list) and found and not isinstance(found[0], (int, np.integer)):
        return sum(map(len, found))
    return len(found)


def _edges(library, found):
    """How many edges there are."""
    if library == "igraph":
        return found.ecount()
    return found.number_of_edges() if library == "networkx" else found.n_edges // 2


def _most(library, found):
    """The vertex that has the most."""
    return int(np.argmax(_values(library, found)))


def _ends(library, found):
    """The first and the last vertex."""
    return [int(found[0]), int(found[-1])]


VALUES = "degrees by weight", "katz", "closeness", "betweenness by length"
DIGESTS.update(dict.fromkeys(VALUES, _values))
DIGESTS.update(dict.fromkeys(("2 hops", "topological sort", "louvain", "leiden"), _count))
DIGESTS.update({"subgraph": _edges, "eigenvector": _most, "path to a target": _ends})
DIGESTS["sample"] = lambda library, found: 0  # each library draws other neighbours
