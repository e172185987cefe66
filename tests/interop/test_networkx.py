"""The networkx backend returns what networkx returns, or leaves a call to networkx."""

import functools
import inspect
import math
import pathlib
import random
import re
import subprocess
import sys
import tomllib
import types
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("networkx", reason="needs networkx: pip install networkx")

import networkx as nx

import _spark_csr_networkx as told
from spark_csr.interop import networkx as backend

pytestmark = pytest.mark.usefixtures("cpu_only", "registered")

ROOT = pathlib.Path(__file__).parents[2]
KINDS = nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph


@pytest.fixture
def registered(monkeypatch):
    """As if the package were installed, with its entry points; then networkx always asks backends."""
    of, dispatchable = nx.utils.backends, nx.utils.backends._dispatchable
    monkeypatch.setitem(of.backends, "spark_csr", EntryPoint("spark_csr", backend.__name__, "networkx.backends"))
    monkeypatch.setitem(of.backend_info, "spark_csr", told.get_info())
    monkeypatch.setattr(dispatchable, "__call__", dispatchable._call_if_any_backends_installed)
    with nx.config(warnings_to_ignore={"cache"}):
        yield


def ours(name, *args, **options):
    return getattr(nx, name)(*args, **options, backend="spark_csr")


def theirs(name, *args, **options):
    return getattr(nx, name)(*args, **options, backend="networkx")


def types_of(found):
    """The types that a result is made of."""
    if isinstance(found, dict):
        return dict, {types_of(x) for x in found.values()}
    return type(found), {type(x) for x in found} if isinstance(found, set | tuple) else None


@st.composite
def graphs(draw, kinds=KINDS, largest=9):
    """Few nodes with names of all kinds, which do not come in their order; self-loops; some edges have no weight."""
    n, kind = draw(st.integers(1, largest)), draw(st.sampled_from(kinds))
    nodes = draw(st.permutations([*"abc", (1, 2), 0.5, *range(4)]))[:n]
    node = st.sampled_from(nodes)
    edges = draw(st.lists(st.tuples(node, node, st.none() | st.integers(0, 6).map(lambda x: x / 2)), max_size=3 * n))
    graph = kind()
    graph.add_nodes_from(nodes)
    for u, v, weight in edges:
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return graph


@pytest.mark.parametrize("name", ["is_tree", "is_forest", "is_arborescence", "is_branching"])
def test_trees_without_nodes(name):
    for call in (ours, theirs):
        with pytest.raises(nx.NetworkXPointlessConcept, match="G has no nodes"):
            call(name, nx.DiGraph())


def test_what_is_told_is_what_there_is():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]
    assert points["networkx.backends"] == {"spark_csr": backend.__name__}
    assert points["networkx.backend_info"] == {"spark_csr": f"{told.__name__}:get_info"}
    assert told.__name__ in project["tool"]["setuptools"]["py-modules"]
    registered = nx.utils.backends._registered_algorithms
    assert [name for name in dir(backend) if name in registered] == sorted(told.get_info()["functions"])


LACKING = {"closeness_centrality": {"sp"}, "hits": {"method"}, "leiden_communities": {"theta"}}
"""Parameters of networkx that the backend supports with their defaults only, by function. Before a parameter is added here, see
whether what its default means is what our function does."""


@pytest.mark.parametrize("name", told.FUNCTIONS)
def test_parameters_are_networkx_s(name):
    of_networkx = nx.utils.backends._registered_algorithms[name].orig_func
    own, theirs = (dict(inspect.signature(f).parameters) for f in (getattr(backend, name), of_networkx))
    if name == "leiden_communities":  # networkx, which passes its own default, has it since version 3.7
        assert own.pop("metric").default == "modularity"
        theirs.pop("metric", None)
    assert set(theirs) - set(own) <= LACKING.get(name, set())
    assert {p: theirs[p].default for p in own} == {p: own[p].default for p in own}


def test_parameters_that_a_newer_networkx_has(monkeypatch):
    def newer(G, new=(), alpha=0.5, *, way="fast"):
        pass

    limits = sys.modules[backend.can_run.__module__].arguments_of.__globals__
    monkeypatch.setitem(limits, "_signatures", limits["_signatures"].__wrapped__)
    monkeypatch.setattr(nx.pagerank, "orig_func", newer)
    graph = nx.karate_club_graph()
    G = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert backend.can_run("pagerank", (graph, ()), {"way": "fast"}) is True
    found = backend.pagerank(G, (), way="fast")
    assert found == backend.pagerank(G, alpha=0.5)
    assert found == pytest.approx(theirs("pagerank", graph, 0.5), abs=1e-5)
    assert "new=[3]" in backend.can_run("pagerank", (graph, [3]), {})
    assert "way='slow'" in backend.can_run("pagerank", (graph,), {"way": "slow"})
    with pytest.raises(NotImplementedError, match="way='slow' is not supported, only the default 'fast'"):
        backend.pagerank(G, way="slow")


def test_neither_imports_the_other():
    done = "import sys, {}; sys.exit({!r} in sys.modules)"
    for here, other in (("spark_csr", "networkx"), (told.__name__, "spark_csr"), ("networkx", "numba")):
        assert subprocess.run([sys.executable, "-c", done.format(here, other)], cwd=ROOT, check=False).returncode == 0


def listed(graph):
    """Edges with weights, in an order of their own."""
    names = (lambda ends: list(map(repr, ends))) if graph.is_directed() else sorted_names
    return sorted((names(ends), weight) for *ends, weight in graph.edges(data="weight"))


def sorted_names(nodes):
    return sorted(map(repr, nodes))


@given(graphs())
def test_there_and_back(graph):
    G = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert (list(G), len(G), G.is_directed(), G.is_multigraph()) == (
        list(graph),
        len(graph),
        graph.is_directed(),
        graph.is_multigraph(),
    )
    assert "nobody" not in G
    assert [] not in G
    back = backend.convert_to_nx(G)
    assert list(back) == list(graph)
    assert type(back) is type(graph)
    wanted = type(graph)(graph)
    for *_, attributes in wanted.edges(data=True):
        attributes.setdefault("weight", 1)
    assert listed(back) == listed(wanted)
    assert backend.convert_to_nx(3) == 3


@given(graphs())
def test_functions_of_any_graph(graph):
    for weight in ("weight", None, "none has it"):
        found, wanted = (f("pagerank", graph, weight=weight, tol=1e-12, max_iter=1000) for f in (ours, theirs))
        assert found == pytest.approx(wanted, abs=1e-9)
        assert list(found) == list(wanted)
        assert types_of(found) == types_of(wanted)
    for options in ({}, {"normalized": False}, {"endpoints": True}, {"k": len(graph)}, {"k": len(graph) // 2 + 1, "seed": 3}):
        found, wanted = (f("betweenness_centrality", graph, **options) for f in (ours, theirs))
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        assert types_of(found) == types_of(wanted)
    first = next(iter(graph))
    for cutoff in (None, -1, 0, 1, 1.5, math.inf):
        found, wanted = (f("single_source_shortest_path_length", graph, first, cutoff=cutoff) for f in (ours, theirs))
        assert found == wanted
        assert types_of(found) == types_of(wanted)
        assert list(found.values()) == list(wanted.values())
        found, wanted = (f("single_source_dijkstra_path_length", graph, first, cutoff=cutoff) for f in (ours, theirs))
        assert found == wanted
        assert list(found.values()) == list(wanted.values())
        find_paths(graph, first, cutoff)
    check_centralities(graph)
    sources = set(list(graph)[::3])
    found, wanted = (f("multi_source_dijkstra_path_length", graph, sources) for f in (ours, theirs))
    assert found == wanted


def find_paths(graph, first, cutoff):
    """Of several shortest paths any may be found: their lengths are compared."""
    if cutoff is not None:
        return
    for weight in (None, "weight"):
        found, wanted = (f("shortest_path_length", graph, first, weight=weight) for f in (ours, theirs))
        assert found == wanted
        paths = ours("shortest_path", graph, first, weight=weight)
        assert set(paths) == set(theirs("shortest_path", graph, first, weight=weight))
        for target in graph:
            assert ours("has_path", graph, first, target) == (target in wanted)
            if target not in wanted:
                for name in ("shortest_path", "shortest_path_length"):
                    with pytest.raises(nx.NetworkXNoPath):
                        ours(name, graph, first, target, weight=weight)
                continue
            assert ours("shortest_path_length", graph, first, target, weight=weight) == wanted[target]
            for path in (paths[target], ours("shortest_path", graph, first, target, weight=weight)):
                assert (path[0], path[-1]) == (first, target)
                if weight is None:
                    assert nx.is_path(graph, path)
                    assert len(path) - 1 == wanted[target]
        entering = theirs("shortest_path_length", graph, target=first, weight=weight)
        assert ours("shortest_path_length", graph, target=first, weight=weight) == entering
        backwards = ours("shortest_path", graph, target=first, weight=weight)
        assert {node: (nodes[0], nodes[-1]) for node, nodes in backwards.items()} == {node: (node, first) for node in entering}
        pairs = dict(ours("shortest_path_length", graph, weight=weight))
        assert pairs == dict(theirs("shortest_path_length", graph, weight=weight))
        assert {u: set(d) for u, d in ours("shortest_path", graph, weight=weight)} == {u: set(d) for u, d in pairs.items()}
        if weight:
            assert ours("dijkstra_path", graph, first, first) == [first]
            assert ours("dijkstra_path_length", graph, first, first) == 0


def check_centralities(graph):
    for options in ({}, {"wf_improved": False}, {"distance": "weight"}, {"u": next(iter(graph))}):
        found, wanted = (f("closeness_centrality", graph, **options) for f in (ours, theirs))
        assert found == pytest.approx(wanted, abs=1e-12)
        assert types_of(found) == types_of(wanted)
    if not graph.is_multigraph():
        for options in ({}, {"weight": "weight", "beta": dict.fromkeys(graph, 0.5)}):
            found, wanted = (f("katz_centrality", graph, alpha=0.01, tol=1e-12, **options) for f in (ours, theirs))
            assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_eigenvector_centrality(weight):
    graph = nx.karate_club_graph()
    found, wanted = (f("eigenvector_centrality", graph, tol=1e-10, max_iter=500, weight=weight) for f in (ours, theirs))
    assert found == pytest.approx(wanted, abs=1e-8)
    found, wanted = (f("betweenness_centrality", graph, weight=weight) for f in (ours, theirs))
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name, options", [("louvain_communities", {}), ("leiden_communities", {"metric": "modularity"})])
def test_communities(name, options):
    graph, function = nx.les_miserables_graph(), functools.partial(getattr(nx.community, name), backend="spark_csr", **options)
    for seed in (None, 3, random.Random(5)):
        sets = function(graph, seed=seed)
        assert type(sets) is list
        assert nx.community.is_partition(graph, sets)
        assert nx.community.modularity(graph, sets) > 0.53  # at least 0.544 with 1,500 seeds; None is any of them
    assert function(graph, seed=3) == function(graph, seed=3)
    with pytest.raises(ValueError, match="max_level argument must be a positive integer"):
        function(graph, max_level=0)


@pytest.mark.parametrize("weight, resolution", [("weight", 1), (None, 0.3)])
def test_communities_of_the_constant_potts_model(weight, resolution):
    graph, quality = nx.les_miserables_graph(), pytest.importorskip("networkx", "3.7").community.constant_potts_model
    found, wanted = [], []
    for name, qualities in (("spark_csr", found), ("networkx", wanted)):
        for seed in range(5):
            sets = nx.community.leiden_communities(graph, weight=weight, resolution=resolution, seed=seed, backend=name)
            qualities.append(quality(graph, sets, weight=weight, resolution=resolution))
    assert np.mean(found) > 0.98 * np.mean(wanted)


def test_topological_order():
    graph = nx.DiGraph((u, v) for u, v in nx.gnp_random_graph(30, 0.1, seed=1, directed=True).edges if u < v)
    found, wanted = (f("topological_generations", graph) for f in (ours, theirs))
    assert isinstance(found, types.GeneratorType)
    assert list(map(set, found)) == list(map(set, wanted))
    place = {node: i for i, node in enumerate(ours("topological_sort", graph))}
    assert all(place[u] < place[v] for u, v in graph.edges)
    assert ours("is_directed_acyclic_graph", graph) is True
    for other, error in ((nx.DiGraph([(0, 1), (1, 0)]), nx.NetworkXUnfeasible), (nx.path_graph(2), nx.NetworkXError)):
        assert ours("is_directed_acyclic_graph", other) is False
        with pytest.raises(error):
            list(ours("topological_sort", other))


def test_attributes_of_edges_are_kept():
    graph = nx.Graph([("a", "b", {"weight": 3, "name": "ab"}), ("b", "c", {"weight": 1}), ("a", "c", {})])
    found, wanted = (list(f("minimum_spanning_edges", graph)) for f in (ours, theirs))
    assert found == wanted
    G = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    assert listed(backend.convert_to_nx(G)) == listed(graph)
    assert G.weighted_graph("weight").matrix.data.tolist() == [3, 1, 3, 1, 1, 1]
    with pytest.raises(NotImplementedError, match=r"'name' must be a real number of 64 bits, got 'ab' for \('a', 'b'\)"):
        G.weighted_graph("name")


def test_refusals_name_the_argument():
    graph = nx.path_graph(3)
    for name, options, why in (
        ("bfs_edges", {"source": 0, "sort_neighbors": sorted}, "sort_neighbors="),
        ("harmonic_centrality", {"sources": [0]}, "sources=[0]"),
        ("diameter", {"usebounds": True}, "usebounds=True"),
        ("jaccard_coefficient", {}, "ebunch=None"),
        ("clustering", {"weight": "weight"}, "weight='weight'"),
        ("minimum_spanning_edges", {"algorithm": "prim"}, "algorithm='prim'"),
        ("betweenness_centrality", {"k": 0}, "k=0"),
        ("leiden_communities", {"metric": "potts"}, "metric='potts'"),
        ("closeness_centrality", {"sp": {}}, "sp"),
        ("has_path", {"source": None, "target": 1}, "None stands for every node"),
        ("dijkstra_path", {"source": 1, "target": None}, "None stands for every node"),
        ("hits", {"method": "svd"}, "method"),
        ("leiden_communities", {"theta": 0.5}, "theta"),
    ):
        assert why in backend.can_run(name, (graph,), options)


@given(graphs(KINDS[::2]))
def test_functions_of_undirected_graphs(graph):
    found, wanted = (f("connected_components", graph) for f in (ours, theirs))
    assert isinstance(found, types.GeneratorType)
    assert list(found) == list(wanted)
    for name in ("number_connected_components", "is_connected", "triangles"):
        found, wanted = (f(name, graph) for f in (ours, theirs))
        assert found == wanted
        assert types_of(found) == types_of(wanted)
    simple = nx.Graph(graph)
    some = [*list(graph)[1::2], "nobody"]
    for name in ("triangles", "clustering"):
        for nodes in (None, next(iter(graph)), some):
            assert ours(name, simple, nodes) == theirs(name, simple, nodes)
    for data in (False, True):
        found, wanted = (f("minimum_spanning_edges", simple, data=data) for f in (ours, theirs))
        assert list(found) == list(wanted)
    found, wanted = (f("transitivity", simple) for f in (ours, theirs))
    assert (found, type(found)) == (pytest.approx(wanted), type(wanted))
    for options in ({}, {"nodes": list(simple)[::2]}):
        assert ours("average_clustering", simple, **options) == pytest.approx(theirs("average_clustering", simple, **options))
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    found, wanted = (f("core_number", simple) for f in (ours, theirs))
    assert found == wanted
    assert types_of(found) == types_of(wanted)


@given(graphs(KINDS[1::2]))
def test_functions_of_directed_graphs(graph):
    for kind in ("weakly", "strongly"):
        found, wanted = (f(f"{kind}_connected_components", graph) for f in (ours, theirs))
        assert isinstance(found, types.GeneratorType)
        assert list(found) == list(wanted)
        for name in (f"number_{kind}_connected_components", f"is_{kind}_connected"):
            assert ours(name, graph) == theirs(name, graph)
            assert type(ours(name, graph)) is type(theirs(name, graph))


@pytest.mark.parametrize("normalized", [True, False])
def test_hits(normalized):
    for graph in (nx.karate_club_graph(), nx.gnp_random_graph(30, 0.2, seed=1, directed=True)):
        start = {node: 1.0 + i % 3 for i, node in enumerate(reversed(list(graph)))}
        for options in ({}, {"nstart": start}):
            found, wanted = (f("hits", graph, **options, normalized=normalized) for f in (ours, theirs))
            for mine, other in zip(found, wanted, strict=True):
                largest = 1 if normalized else max(map(abs, other.values()))  # before version 3.7 the norm is 1
                assert mine == pytest.approx({v: abs(x) / largest for v, x in other.items()}, abs=1e-6)
            assert types_of(found[0]) == types_of(wanted[0])
    assert ours("hits", nx.Graph()) == ({}, {})
    start = {"d": 1, "c": 3, "b": 1, "a": 1}  # by node, in whatever order
    assert ours("hits", nx.DiGraph(["ab", "cd"]), nstart=start)[0] == {"a": 0.25, "b": 0, "c": 0.75, "d": 0}
    for error, options in (
        (nx.NetworkXError, {"nstart": {0: 1}}),
        (nx.NetworkXError, {"nstart": dict.fromkeys(graph, 0)}),
        (nx.PowerIterationFailedConvergence, {"max_iter": 2}),
    ):
        with pytest.raises(error):
            ours("hits", graph, **options)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        ours("hits", nx.empty_graph(3))


def test_pagerank_of_vectors():
    graph = nx.gnp_random_graph(30, 0.05, seed=1, directed=True)
    some, other = {3: 1, 5: 2, "nobody": 7}, {0: 1}
    for options in ({"personalization": some}, {"nstart": some}, {"dangling": other}, {"alpha": 0.5, "personalization": some}):
        found, wanted = (f("pagerank", graph, tol=1e-12, **options) for f in (ours, theirs))
        assert found == pytest.approx(wanted, abs=1e-9)


def test_errors_are_networkx_s():
    path, loop = nx.path_graph(4), nx.Graph([(0, 0), (0, 1)])
    for error, name, args, options in (
        (nx.PowerIterationFailedConvergence, "pagerank", [path], {"max_iter": 0}),
        (nx.PowerIterationFailedConvergence, "hits", [path], {"max_iter": 0}),
        (ZeroDivisionError, "pagerank", [path], {"personalization": {0: 0}}),
        (nx.NodeNotFound, "single_source_shortest_path_length", [path, 7], {}),
        (nx.NodeNotFound, "single_source_dijkstra_path_length", [path, 7], {}),
        (nx.NetworkXNoPath, "dijkstra_path_length", [nx.empty_graph(2), 0, 1], {}),
        (nx.NetworkXNoPath, "dijkstra_path_length", [nx.empty_graph(2), 0, 1], {"weight": None}),
        (nx.NetworkXNoPath, "dijkstra_path", [nx.empty_graph(2), 0, 1], {"weight": None}),
        (ValueError, "betweenness_centrality", [path, 5], {}),
        (ValueError, "multi_source_dijkstra_path_length", [path, []], {}),
        (nx.NetworkXPointlessConcept, "is_connected", [nx.Graph()], {}),
        (nx.NetworkXPointlessConcept, "is_weakly_connected", [nx.DiGraph()], {}),
        (nx.NetworkXPointlessConcept, "is_strongly_connected", [nx.DiGraph()], {}),
        (nx.NetworkXNotImplemented, "connected_components", [nx.DiGraph()], {}),
        (nx.NetworkXNotImplemented, "core_number", [loop], {}),
        (nx.NetworkXError, "triangles", [path, 7], {}),
    ):
        for run in (ours, theirs):
            with pytest.raises(error):
                run(name, *args, **options)


AS_NEW = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)
"""Whether networkx has the messages and the orders that the backend has, those of version 3.7."""


def outcome(run, name, *args, **options):
    """The result of a call, dicts and generators with their order, or the exception."""
    try:
        found = run(name, *args, **options)
        found = list(found) if hasattr(found, "__next__") else found
        return in_order(found)
    except (nx.NetworkXException, ValueError, KeyError, TypeError) as error:
        return type(error), str(error) if AS_NEW else ""


def in_order(found):
    """A result in which dicts are lists of pairs."""
    if isinstance(found, dict):
        return [(key, in_order(value)) for key, value in found.items()] if AS_NEW else found
    return type(found)(map(in_order, found)) if isinstance(found, list | tuple) else found


def bipartite(by, name, *args):
    return getattr(nx.bipartite, name)(*args, backend=by)


@given(graphs(), st.none() | st.sampled_from([-1, 0, 1, 1.5, 3, math.inf]))
def test_searches_have_the_order_of_networkx(graph, cutoff):
    """Values, paths, and the order of dicts and generators are networkx's; so are exceptions and their messages."""
    first, last = next(iter(graph)), list(graph)[-1]
    some = list(graph)[::2]
    calls = [
        ("single_source_shortest_path", first, cutoff),
        ("single_source_shortest_path_length", first, cutoff),
        ("all_pairs_shortest_path", cutoff),
        ("all_pairs_shortest_path_length", cutoff),
        ("bfs_layers", first),
        ("bfs_layers", some),
        ("bfs_layers", [first, "nobody"]),
        ("descendants", first),
        ("descendants", "nobody"),
        ("ancestors", first),
        ("ancestors", "nobody"),
        *(("descendants_at_distance", node, distance) for node, distance in ((first, 1), (first, 1.5), ("nobody", 1))),
        ("single_source_dijkstra", first, None, cutoff),
        ("single_source_dijkstra", first, last, cutoff),
        ("single_source_dijkstra", first, "nobody", cutoff),
        ("single_source_dijkstra_path", first, cutoff),
        ("single_source_dijkstra_path", "nobody", cutoff),
        ("single_source_dijkstra_path_length", first, cutoff),
        ("multi_source_dijkstra", some, None, cutoff),
        ("multi_source_dijkstra", some, last, cutoff),
        ("multi_source_dijkstra", []),
        ("multi_source_dijkstra_path", some, cutoff),
        ("multi_source_dijkstra_path_length", some, cutoff),
        ("all_pairs_dijkstra", cutoff),
        ("all_pairs_dijkstra_path", cutoff),
        ("all_pairs_dijkstra_path_length", cutoff, None),
        ("dijkstra_path", first, last),
        ("dijkstra_path_length", first, last),
        ("dijkstra_path_length", first, "nobody"),
        ("shortest_path", first, None, None),
        ("shortest_path", first, None, "weight"),
        ("shortest_path", first, "nobody", "weight"),
        ("shortest_path", first, last, None, "mine"),
        ("shortest_path_length", first, None, "weight"),
        ("shortest_path_length", None, None, "weight"),
    ]
    limit = None if cutoff is None else max(math.ceil(min(cutoff, 9)), 0)
    calls += [("bfs_edges", first, False, limit), ("bfs_edges", "nobody")]
    if not graph.is_directed():
        calls += [("single_target_shortest_path_length", first, cutoff), ("bfs_edges", first, True, limit)]
        calls += [("shortest_path", None, first, weight) for weight in (None, "weight")]
    for name, *args in calls:
        assert outcome(ours, name, graph, *args) == outcome(theirs, name, graph, *args), (name, args)
    found, wanted = (f("single_target_shortest_path_length", graph, first, cutoff) for f in (ours, theirs))
    assert found == wanted


@st.composite
def graphs_of_any_sign(draw):
    """A graph whose weights may be negative; half of the time its cycles are not."""
    graph, bounded = draw(graphs()), draw(st.booleans())
    height = {node: draw(st.integers(-4, 4)) if bounded and graph.is_directed() else 0 for node in graph}
    for u, v, attributes in graph.edges(data=True):
        attributes["weight"] = attributes.get("weight", 1) + height[v] - height[u] - (0 if bounded else draw(st.integers(0, 3)))
    return graph


@given(graphs_of_any_sign())
def test_bellman_ford(graph):
    first, last = next(iter(graph)), list(graph)[-1]
    for name, *args in (
        ("single_source_bellman_ford_path_length", first),
        ("single_source_bellman_ford_path_length", "nobody"),
        ("bellman_ford_path_length", first, last),
        ("bellman_ford_path_length", first, "nobody"),
        ("bellman_ford_path_length", "nobody", "nobody"),
        ("all_pairs_bellman_ford_path_length",),
        ("shortest_path_length", first, None, "weight", "bellman-ford"),
        ("negative_edge_cycle",),
    ):
        found, wanted = (outcome(run, name, graph, *args) for run in (ours, theirs))
        found, wanted = (dicts(x) if isinstance(x, list) else x for x in (found, wanted))
        assert found == wanted, (name, args)
    for target in (None, last):
        found, wanted = (outcome(run, "single_source_bellman_ford", graph, first, target) for run in (ours, theirs))
        if isinstance(wanted[0], type):
            assert found == wanted
            continue
        lengths, paths = map(dict, wanted) if target is None else ({target: wanted[0]}, {target: wanted[1]})
        mine, ways = map(dict, found) if target is None else ({target: found[0]}, {target: found[1]})
        assert mine == lengths
        for node, nodes in ways.items():
            assert (nodes[0], nodes[-1]) == (first, node)
            assert nx.path_weight(nx.DiGraph(shortest_of(graph)), nodes, "weight") == lengths[node]
        assert set(paths) == set(ways)


def dicts(found):
    """Lists of pairs as dicts, in dicts too."""
    return {key: dict(value) if isinstance(value, list) else value for key, value in dict(found).items()}


def shortest_of(graph):
    """The shortest edge from each node to each other one, in both directions for an undirected graph."""
    out = nx.DiGraph()
    for u, v, weight in graph.edges(data="weight"):
        for a, b in ((u, v),) if graph.is_directed() else ((u, v), (v, u)):
            if not out.has_edge(a, b) or weight < out[a][b]["weight"]:
                out.add_edge(a, b, weight=weight)
    return out


@given(graphs())
def test_degrees_trees_and_distances(graph):
    first = next(iter(graph))
    calls = [("degree_centrality",), ("is_tree",), ("is_forest",), ("eccentricity",), ("eccentricity", first)]
    calls += [("eccentricity", [first, "nobody"]), ("eccentricity", 77), ("average_shortest_path_length",)]
    calls += [(name,) for name in ("diameter", "radius", "periphery")]
    if graph.is_directed():
        calls += [(name,) for name in ("in_degree_centrality", "out_degree_centrality", "is_arborescence", "is_branching")]
    if graph.is_directed() or not nx.is_tree(graph):
        calls.append(("center",))
    for name, *args in calls:
        assert outcome(ours, name, graph, *args) == outcome(theirs, name, graph, *args), (name, args)
    for args in ((), ([first],), (None, "weight"), ([first, "nobody"], "weight")):
        found, wanted = (run("harmonic_centrality", graph, *args) for run in (ours, theirs))
        assert found == pytest.approx(wanted)
        assert list(found) == list(wanted)
    positive = graph.copy()
    for *_, attributes in positive.edges(data=True):
        attributes["weight"] = attributes.get("weight", 0) + 1
    if not graph.is_multigraph():
        for options in ({}, {"normalized": False}, {"weight": "weight"}, {"k": len(graph) // 2 + 1, "seed": 3}):
            found, wanted = (run("edge_betweenness_centrality", positive, **options) for run in (ours, theirs))
            assert found == pytest.approx(wanted, abs=1e-12)
            assert list(found) == list(wanted)


@given(graphs(KINDS[::2]), st.booleans())
def test_bipartite_graphs_and_links(graph, even):
    if even:
        graph.remove_edges_from([edge for edge in list(graph.edges) if str(edge[0]) <= str(edge[1])])
    assert ours("is_bipartite", graph) == theirs("is_bipartite", graph)
    for name in ("color", "sets"):
        found, wanted = (outcome(functools.partial(bipartite, by), name, graph) for by in ("spark_csr", "networkx"))
        assert found == wanted
    simple = nx.Graph(graph)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    found, wanted = (list(f("maximum_spanning_edges", simple)) for f in (ours, theirs))
    assert found == wanted
    pairs = [(u, v) for u in simple for v in simple if u != v]
    for name in ("jaccard_coefficient", "resource_allocation_index", "adamic_adar_index"):
        found, wanted = (list(f(name, simple, pairs)) for f in (ours, theirs))
        assert [x[:2] for x in found] == [x[:2] for x in wanted]
        assert [x[2] for x in found] == pytest.approx([x[2] for x in wanted])
        assert outcome(ours, name, simple, [("nobody", 1)]) == outcome(theirs, name, simple, [("nobody", 1)])


HEAVY = nx.Graph([(0, 1, {"weight": 1}), (1, 2, {"weight": -1})])
STRANGE = nx.Graph([(0, 1, {"weight": 1}), (1, 2, {"weight": None})])
ENDLESS = nx.Graph([(0, 1, {"weight": math.inf})])
BEYOND = nx.path_graph(4)
nx.set_edge_attributes(BEYOND, 1e308, "weight")
LARGE = nx.Graph([(0, 1, {"weight": 2**60 + 1})])
FAR = nx.Graph([(0, 1, {"weight": 2**53}), (1, 2, {"weight": 1})])
MIXED = nx.DiGraph([(0, 1, {"weight": 2**52}), (1, 2, {"weight": 2**52 + 1}), (2, 3, {"weight": 0.5})])


def test_no_target_is_a_node_that_is_not_there():
    for name in ("dijkstra_path_length", "bellman_ford_path_length"):
        with pytest.raises(NotImplementedError, match="not implemented by 'spark_csr' backend for the given arguments"):
            ours(name, nx.path_graph(3), 0, None)


def test_a_node_that_differs_from_itself():
    nan = float("nan")
    G = nx.Graph([(nan, 1, {"weight": 2}), (1, 2, {"weight": 2})])
    for name in ("dijkstra_path_length", "bellman_ford_path_length", "shortest_path_length"):
        for ends in ((2, nan), (nan, 2)):
            assert outcome(ours, name, G, *ends) == outcome(theirs, name, G, *ends)


@pytest.mark.parametrize("graph", [ENDLESS, BEYOND])
def test_infinite_lengths_are_networkx_s(graph):
    for name in ("single_source_dijkstra", "single_source_bellman_ford"):
        assert outcome(ours, name, graph, 0) == outcome(theirs, name, graph, 0)


@pytest.mark.parametrize(
    "name, args, options",
    [
        ("single_source_dijkstra_path_length", [nx.path_graph(3), 0], {"weight": lambda u, v, d: 2}),
        ("single_source_dijkstra_path_length", [STRANGE, 0], {}),
        ("single_source_dijkstra_path_length", [LARGE, 0], {}),
        ("single_source_dijkstra_path_length", [FAR, 0], {}),
        ("single_source_dijkstra_path_length", [MIXED, 0], {}),
        ("betweenness_centrality", [BEYOND], {"weight": "weight"}),
        ("betweenness_centrality", [FAR], {"weight": "weight"}),
        ("edge_betweenness_centrality", [FAR], {"weight": "weight"}),
        ("pagerank", [HEAVY], {}),
        ("pagerank", [nx.path_graph(3)], {"alpha": -0.5}),
        ("betweenness_centrality", [ENDLESS], {"weight": "weight"}),
        ("closeness_centrality", [ENDLESS], {"distance": "weight"}),
        ("closeness_centrality", [nx.path_graph(3)], {"distance": lambda u, v, d: 2}),
        ("dijkstra_path", [nx.path_graph(3), 0, 2], {"weight": lambda u, v, d: 2}),
        ("transitivity", [nx.DiGraph([(0, 1), (1, 2), (2, 0)])], {}),
        ("clustering", [nx.DiGraph([(0, 1), (1, 2), (2, 0)])], {}),
        ("core_number", [nx.DiGraph([(0, 1), (1, 2), (2, 0)])], {}),
        ("minimum_spanning_edges", [nx.cycle_graph(4)], {"algorithm": "prim"}),
        ("minimum_spanning_edges", [nx.cycle_graph(4)], {"ignore_nan": True}),
        ("minimum_spanning_edges", [nx.MultiGraph(nx.cycle_graph(4))], {"data": False}),
        ("single_source_bellman_ford_path_length", [nx.DiGraph([(0, 1, {"weight": -math.inf})]), 1], {}),
        ("adamic_adar_index", [nx.Graph([(0, 0), (0, 1), (1, 2)]), [(0, 2)]], {}),
        ("center", [nx.path_graph(4)], {}),
        ("eccentricity", [nx.path_graph(4)], {"weight": "weight"}),
        ("bfs_edges", [nx.DiGraph([(0, 1)]), 1], {"reverse": True}),
        ("average_neighbor_degree", [nx.path_graph(3)], {}),
    ],
)
def test_what_is_left_to_networkx(name, args, options):
    with pytest.raises(NotImplementedError):
        ours(name, *args, **options)
    wanted = theirs(name, *args, **options)
    with nx.config(backend_priority=["spark_csr"]):
        found = getattr(nx, name)(*args, **options)
    if isinstance(wanted, types.GeneratorType):
        found, wanted = list(found), list(wanted)
    assert found == wanted


def noted(calls, function):
    """The function, which writes its name into a list."""

    @functools.wraps(function)
    def call(*args, **options):
        calls.append(function.__name__)
        return function(*args, **options)

    return call


def test_priority_and_cache(monkeypatch):
    calls = []
    for name in ("pagerank", "triangles", "convert_from_nx"):
        monkeypatch.setattr(backend, name, noted(calls, getattr(backend, name)))
    graph = nx.karate_club_graph()
    with nx.config(backend_priority=["spark_csr"]):
        nx.pagerank(graph)
        nx.pagerank(graph)
        nx.triangles(graph)
        assert calls == ["convert_from_nx", "pagerank", "pagerank", "triangles"]
        nx.triangles(graph, 0)
        assert calls[4:] == []
        graph.add_edge(0, 33, weight=100)
        assert nx.pagerank(graph) == pytest.approx(theirs("pagerank", graph), abs=1e-5)
        assert calls[4:] == ["convert_from_nx", "pagerank"]


@pytest.mark.parametrize("kind", KINDS)
def test_views_follow_their_graph(kind):
    """networkx does not tell a view of changes of the graph that it shows."""
    graph = kind([(0, 1), (1, 2), (2, 0), (2, 3)])
    views = [graph.subgraph([0, 1, 2]), graph.edge_subgraph(graph.edges), nx.subgraph_view(graph), graph.copy(as_view=True)]
    views += [graph.to_undirected(as_view=True), graph.to_directed(as_view=True), graph.subgraph(graph).subgraph(graph)]
    views += [graph.reverse(copy=False)] if graph.is_directed() else []
    for change in (lambda: graph.remove_edge(0, 1), lambda: graph.add_edge(1, 0, weight=7), lambda: None):
        for view in views:
            assert ours("pagerank", view) == pytest.approx(theirs("pagerank", view), abs=1e-5)
            assert ours("has_path", view, 0, 1) == theirs("has_path", view, 0, 1)
        change()


@pytest.mark.parametrize("bad", [None, "2", 1j, [1], 2**70])
def test_a_weight_that_is_no_number_is_named(bad):
    for kind in KINDS:
        graph = kind([(0, 1, {"weight": 2}), (0, "b", {"weight": bad}), (2, 2, {"weight": 0.5})])
        with pytest.raises(NotImplementedError, match=re.escape(f"real number of 64 bits, got {bad!r} for (0, 'b')")):
            backend.convert_from_nx(graph, edge_attrs={"weight": 1})


def test_a_converted_graph_runs_here_only():
    G = backend.convert_from_nx(nx.karate_club_graph())
    assert nx.number_connected_components(G) == 1
    with pytest.raises(NotImplementedError):
        nx.average_neighbor_degree(G)
    with nx.config(fallback_to_nx=True):
        assert nx.average_neighbor_degree(G) == theirs("average_neighbor_degree", nx.Graph(nx.karate_club_graph().edges))


def test_types_of_distances():
    whole, half = (nx.Graph([(0, 1, {"weight": w}), (1, 2, {"weight": 2 * w})]) for w in (1, 0.5))
    assert [type(x) for x in ours("single_source_dijkstra_path_length", whole, 0).values()] == [int] * 3
    assert ours("single_source_dijkstra_path_length", half, 0) == {0: 0, 1: 0.5, 2: 1.5}
    assert np.array(list(ours("single_source_dijkstra_path_length", half, 0, cutoff=1).values())).tolist() == [0, 0.5]


@pytest.mark.parametrize("make", [int, random.Random, np.random.RandomState, np.random.default_rng])
def test_betweenness_from_some_nodes_takes_every_seed_of_networkx(make):
    graph = nx.gnp_random_graph(30, 0.2, seed=1)
    found = nx.betweenness_centrality(graph, k=7, seed=make(5), backend="spark_csr")
    assert found == pytest.approx(nx.betweenness_centrality(graph, k=7, seed=make(5)))


def test_negative_weights_are_networkxs_whatever_the_cutoff():
    graph = nx.DiGraph([(0, 1, {"weight": -1}), (0, 2, {"weight": 1})])
    for cutoff in (None, 0, -2):
        with pytest.raises(NotImplementedError):
            ours("single_source_dijkstra_path_length", graph, 0, cutoff=cutoff)
