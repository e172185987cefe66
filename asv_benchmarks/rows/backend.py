"""Every function of the backend for networkx, called by networkx, beside networkx's own: 20,000 nodes and 100,000 edges.

networkx has converted the graph already, and keeps it. "First call" has the conversion in it. What visits every pair of nodes
before it returns has graphs of 400 nodes. Generators are emptied, but those for all pairs give what belongs to five nodes. A
call of networkx that takes 0.2 s is timed once. Times are processor time, of all threads: other processes do not count.
"""

import functools
import gc
import importlib.metadata
import itertools
import time

import networkx as nx
import numpy as np

from _spark_csr_networkx import FUNCTIONS, get_info
from rows import sized
from spark_csr.interop.networkx.limits import MODULES
from timing import Row, summary

SLOW = 0.2  # seconds
FIRST = "networkx, first call"


class Graphs:
    """Random graphs with random lengths. Each holds a cycle, or has none."""

    def __init__(self, n, few):
        self.n, self.few = n, few

    def _edges(self, n, m):
        """Without repetition, and not from a node to itself."""
        rng, ring = np.random.default_rng(0), np.arange(n)
        wanted = np.unique(np.r_[ring * n + (ring + 1) % n, rng.integers(0, n * n, m)])
        u, v = np.divmod(wanted, n)
        u, v = u[u != v], v[u != v]
        return u, v, 1 - rng.random(u.size)

    def _graph(self, kind, u, v, lengths):
        graph = kind()
        graph.add_nodes_from(range(int(max(u.max(), v.max())) + 1))
        graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), lengths.tolist(), strict=True))
        return graph

    @functools.cached_property
    def directed(self):
        """A DiGraph, strongly connected."""
        return self._graph(nx.DiGraph, *self._edges(self.n, 4 * self.n))

    @functools.cached_property
    def undirected(self):
        """A Graph, connected."""
        return self._graph(nx.Graph, *self._edges(self.n, 4 * self.n))

    @functools.cached_property
    def small(self):
        """A Graph, connected."""
        return self._graph(nx.Graph, *self._edges(self.few, 4 * self.few))

    @functools.cached_property
    def acyclic(self):
        """A DiGraph whose edges lead to later nodes."""
        u, v, lengths = self._edges(self.n, 5 * self.n)
        keep = abs(u - v) > 1
        return self._graph(nx.DiGraph, np.minimum(u, v)[keep], np.maximum(u, v)[keep], lengths[keep])

    @functools.cached_property
    def bipartite(self):
        """A Graph, connected: edges join even nodes with odd ones."""
        u, v, lengths = self._edges(self.n // 2 * 2, 8 * self.n)
        odd = (u + v) % 2 == 1
        return self._graph(nx.Graph, u[odd], v[odd], lengths[odd])

    @functools.cached_property
    def tree(self):
        """A DiGraph with as many edges as the others, from a root to the leaves."""
        u = np.arange(5 * self.n)
        return self._graph(nx.DiGraph, np.random.default_rng(0).integers(0, u + 1), u + 1, np.ones(u.size))

    @functools.cached_property
    def target(self):
        """A node that half of the nodes are nearer to node 0 than."""
        return list(nx.single_source_dijkstra_path_length(self.directed, 0, backend="networkx"))[self.n // 2]

    @functools.cached_property
    def pairs(self):
        """As many pairs as there are edges, of nodes that differ."""
        rng = np.random.default_rng(1)
        u, step = rng.integers(0, self.n, 5 * self.n), rng.integers(1, self.n, 5 * self.n)
        return list(zip(u.tolist(), ((u + step) % self.n).tolist(), strict=True))

    def forget(self):
        """Let networkx convert the graphs anew."""
        for graph in vars(self).values():
            getattr(graph, "__networkx_cache__", {}).clear()


FOR_ALL_PAIRS = (
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
)

ON_ALL_PAIRS = (
    "average_shortest_path_length",
    "center",
    "closeness_centrality",
    "diameter",
    "eccentricity",
    "harmonic_centrality",
    "periphery",
    "radius",
)

CALLS = {
    **{name: lambda f, g: itertools.islice(f(g.directed), 5) for name in FOR_ALL_PAIRS},
    **{name: lambda f, g: f(g.small) for name in ON_ALL_PAIRS},
    "adamic_adar_index": lambda f, g: f(g.undirected, g.pairs),
    "ancestors": lambda f, g: f(g.directed, 0),
    "average_clustering": lambda f, g: f(g.undirected),
    "bellman_ford_path": lambda f, g: f(g.directed, 0, g.target),
    "bellman_ford_path_length": lambda f, g: f(g.directed, 0, g.target),
    "betweenness_centrality": lambda f, g: f(g.directed, k=10, seed=1),
    "betweenness_centrality, by length": lambda f, g: f(g.directed, k=10, seed=1, weight="weight"),
    "bfs_edges": lambda f, g: f(g.directed, 0),
    "bfs_layers": lambda f, g: f(g.directed, 0),
    "clustering": lambda f, g: f(g.undirected),
    "color": lambda f, g: f(g.bipartite),
    "connected_components": lambda f, g: f(g.undirected),
    "core_number": lambda f, g: f(g.undirected),
    "degree_centrality": lambda f, g: f(g.directed),
    "descendants": lambda f, g: f(g.directed, 0),
    "descendants_at_distance": lambda f, g: f(g.directed, 0, 5),
    "dijkstra_path": lambda f, g: f(g.directed, 0, g.target),
    "dijkstra_path_length": lambda f, g: f(g.directed, 0, g.target),
    "edge_betweenness_centrality": lambda f, g: f(g.directed, k=10, seed=1),
    "eigenvector_centrality": lambda f, g: f(g.directed),
    "has_path": lambda f, g: f(g.directed, 0, g.target),
    "hits": lambda f, g: f(g.directed, max_iter=1000),
    "in_degree_centrality": lambda f, g: f(g.directed),
    "is_arborescence": lambda f, g: f(g.tree),
    "is_bipartite": lambda f, g: f(g.bipartite),
    "is_branching": lambda f, g: f(g.tree),
    "is_connected": lambda f, g: f(g.undirected),
    "is_directed_acyclic_graph": lambda f, g: f(g.acyclic),
    "is_forest": lambda f, g: f(g.tree),
    "is_strongly_connected": lambda f, g: f(g.directed),
    "is_tree": lambda f, g: f(g.tree),
    "is_weakly_connected": lambda f, g: f(g.directed),
    "jaccard_coefficient": lambda f, g: f(g.undirected, g.pairs),
    "katz_centrality": lambda f, g: f(g.directed, 0.05),
    "leiden_communities": lambda f, g: f(g.small, seed=1),
    "louvain_communities": lambda f, g: f(g.undirected, seed=1),
    "maximum_spanning_edges": lambda f, g: f(g.undirected),
    "minimum_spanning_edges": lambda f, g: f(g.undirected),
    "multi_source_dijkstra": lambda f, g: f(g.directed, {0, 1, 2}),
    "multi_source_dijkstra_path": lambda f, g: f(g.directed, {0, 1, 2}),
    "multi_source_dijkstra_path_length": lambda f, g: f(g.directed, {0, 1, 2}),
    "negative_edge_cycle": lambda f, g: f(g.directed),
    "number_connected_components": lambda f, g: f(g.undirected),
    "number_strongly_connected_components": lambda f, g: f(g.directed),
    "number_weakly_connected_components": lambda f, g: f(g.directed),
    "out_degree_centrality": lambda f, g: f(g.directed),
    "pagerank": lambda f, g: f(g.directed),
    "resource_allocation_index": lambda f, g: f(g.undirected, g.pairs),
    "sets": lambda f, g: f(g.bipartite),
    "shortest_path": lambda f, g: f(g.directed, 0),
    "shortest_path, two nodes": lambda f, g: f(g.directed, 0, g.target),
    "shortest_path_length": lambda f, g: f(g.directed, 0),
    "single_source_bellman_ford": lambda f, g: f(g.directed, 0),
    "single_source_bellman_ford_path": lambda f, g: f(g.directed, 0),
    "single_source_bellman_ford_path_length": lambda f, g: f(g.directed, 0),
    "single_source_dijkstra": lambda f, g: f(g.directed, 0),
    "single_source_dijkstra_path": lambda f, g: f(g.directed, 0),
    "single_source_dijkstra_path_length": lambda f, g: f(g.directed, 0),
    "single_source_shortest_path": lambda f, g: f(g.directed, 0),
    "single_source_shortest_path_length": lambda f, g: f(g.directed, 0),
    "single_target_shortest_path_length": lambda f, g: f(g.directed, 0),
    "strongly_connected_components": lambda f, g: f(g.directed),
    "topological_generations": lambda f, g: f(g.acyclic),
    "topological_sort": lambda f, g: f(g.acyclic),
    "transitivity": lambda f, g: f(g.undirected),
    "triangles": lambda f, g: f(g.undirected),
    "weakly_connected_components": lambda f, g: f(g.directed),
}
"""A function of networkx's function and of `Graphs`, by the name of the row, which begins with that of the function."""

SEVERAL = {
    "leiden_communities": lambda found: sum(map(len, found)),
    "louvain_communities": lambda found: sum(map(len, found)),
    "topological_generations": lambda found: [set(generation) for generation in found],
    "topological_sort": set,
}
"""What is the same in all answers, where there are several right ones."""


class Call(Row):
    """A function that networkx dispatches. `operation` calls it."""

    def figures(self, options):
        (graphs,), name = self.operands(), self.name.partition(",")[0]
        function = next(f for module in MODULES if (f := getattr(module, name, None)))
        ours, theirs = (
            functools.partial(_empty, self.operation, functools.partial(function, backend=of), graphs)
            for of in ("spark_csr", "networkx")
        )
        start = time.process_time()
        expected = theirs()
        once = time.process_time() - start
        digest = SEVERAL.get(name, lambda found: found)
        wrong = [] if _alike(digest(ours()), digest(expected)) else ["networkx"]
        del expected
        gc.freeze()  # Python's collector of garbage does not visit the graphs of all rows again and again
        is_slow = options.smoke or once > SLOW
        seconds = np.empty((options.rounds, 3))
        for turn in seconds:
            turn[:] = _seconds(ours, 0.02), once if is_slow else _seconds(theirs, 0), _first(ours, graphs)
        found = summary({"ours": ours, "networkx": theirs}, seconds[:, :2])
        anew = summary({"ours": ours, "networkx": theirs}, seconds[:, [2, 1]])
        found["seconds"]["ours, first call"] = anew["seconds"]["ours"]
        found["ratios"][FIRST] = anew["ratios"]["networkx"]
        return {"wrong": wrong, "left_out": {}, **found}


def _empty(call, function, graphs):
    """What a call returns, or a list of what it generates."""
    found = call(function, graphs)
    return list(found) if hasattr(found, "__next__") else found


def _seconds(call, least):
    """Seconds per call, of as many as take `least` together, or of one."""
    calls, start = 0, time.process_time()
    while not calls or time.process_time() - start < least:
        call()
        calls += 1
    return (time.process_time() - start) / calls


def _first(call, graphs):
    graphs.forget()
    return _seconds(call, 0)


def _alike(ours, theirs):
    """Whether two results agree; networkx has the integer 0 for an empty sum, and for the distance of a source."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_alike(ours[key], value) for key, value in theirs.items())
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    return abs(ours - theirs) <= 1e-5 * abs(theirs) + 1e-9 if isinstance(theirs, float) else ours == theirs


def rows(options):
    """A row for each function of the backend, and two for some."""
    _register()
    graphs, names = Graphs(sized(options, 20_000), sized(options, 400, least=20)), {}
    for name in CALLS:
        names.setdefault(name.partition(",")[0], []).append(name)
    for function in FUNCTIONS:
        for name in names[function]:
            yield Call(name, CALLS[name], lambda: (graphs,), 5, against=("networkx",))


def _register():
    """Tell networkx of the backend, where the package is not installed."""
    of, name = nx.utils.backends, "spark_csr"
    nx.config.warnings_to_ignore.add("cache")
    if name not in of.backends:
        of.backends[name] = importlib.metadata.EntryPoint(name, "spark_csr.interop.networkx", "networkx.backends")
        of.backend_info[name] = get_info()
        of._dispatchable.__call__ = of._dispatchable._call_if_any_backends_installed
