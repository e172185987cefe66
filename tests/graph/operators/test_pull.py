"""Every vertex once: pushed and claimed, pulled, or either."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loops import GRAPHS, advanced, of_lists, random_lists
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Frontier, advance
from spark_csr.graph.operators.pull import pull_pays

pytestmark = pytest.mark.usefixtures("small_tiles")

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
every_direction = pytest.mark.parametrize("direction", ["push", "pull", "auto"])


@pytest.fixture(params=[0, 10**9], ids=["table", "sorted"])
def sparse(request, monkeypatch):
    """Claims by a table only, or by sorting only."""
    module = importlib.import_module("spark_csr.graph.operators.push")
    monkeypatch.setattr(module, "SPARSE", 0 if request.param else 10**9)


@pytest.fixture
def chunks(monkeypatch, cpu_only):
    monkeypatch.setattr(TUNING, "claim_serial", 0)


def accepts(src, dst, edge, weight):
    return (src + 2 * dst + edge) % 3 != 0


def first_claims(lists, items, candidates=None):
    """`(vertex, edge, source)` of what `accepts`, each vertex by the smallest source and then the smallest edge."""
    found = {}
    for u, v, e in advanced(lists, sorted(set(items)), lambda u, v, e: accepts(u, v, e, None)):
        if candidates is None or v in candidates:
            found.setdefault(v, (v, e, u))
    return sorted(found.values())


def claims(F, to_numpy):
    return list(zip(*(to_numpy(x).tolist() for x in (F.items, F.edges, F.sources)), strict=True))


def some(lists):
    n = len(lists)
    rng = np.random.default_rng(n)
    return [[], [n - 1], list(range(n)), rng.integers(0, n, n).tolist()] if n else [[]]


@every_graph
@every_direction
def test_the_smallest_source_wins(xp, to_numpy, sparse, lists, direction):
    G = of_lists(xp, lists)
    for items in some(lists):
        F = advance(G, Frontier.of(G, items), accepts, direction=direction, unique=True)
        assert claims(F, to_numpy) == first_claims(lists, items)


@every_graph
@every_direction
def test_among_candidates_only(xp, to_numpy, lists, direction):
    G, n = of_lists(xp, lists), len(lists)
    for candidates in some(lists):
        among = Frontier.of(G, candidates)
        F = advance(G, Frontier.all(G), accepts, direction=direction, unique=True, candidates=among)
        assert claims(F, to_numpy) == first_claims(lists, range(n), set(candidates))


@every_direction
def test_from_edges_and_bitmaps(xp, to_numpy, direction):
    lists = GRAPHS["random"]
    G = of_lists(xp, lists)
    ends = [v for row in lists for v in row]
    edges = [9, 4, 9]
    F = advance(G, Frontier.of(G, edges, "edge"), accepts, direction=direction, unique=True)
    assert claims(F, to_numpy) == first_claims(lists, [ends[e] for e in edges])
    mask = np.arange(len(lists)) % 3 == 1
    F = advance(G, Frontier("vertex", bitmap=xp.asarray(mask)), accepts, direction=direction, unique=True)
    assert claims(F, to_numpy) == first_claims(lists, np.flatnonzero(mask))


def test_many_chunks_of_candidates(chunks, to_numpy):
    lists = random_lists(20, 40, 3)
    G = of_lists(np, lists)
    F = advance(G, Frontier.all(G), accepts, unique=True)
    assert claims(F, to_numpy) == first_claims(lists, range(20))


@given(st.lists(st.lists(st.integers(0, 7), max_size=6), min_size=8, max_size=8), st.sets(st.integers(0, 7)))
def test_pushed_and_pulled_are_the_same(lists, items):
    G = of_lists(np, lists)
    F = Frontier.of(G, sorted(items))
    claimed = [advance(G, F, accepts, direction=d, unique=True) for d in ("push", "pull")]
    for name in ("items", "edges", "sources"):
        assert getattr(claimed[0], name).tolist() == getattr(claimed[1], name).tolist()


def test_pull_stops_at_the_first_that_is_accepted(xp, to_numpy):
    G = of_lists(xp, [[3], [3], [3], []])
    seen = xp.zeros(3, int)
    advance(G, Frontier.all(G), note, (seen,), direction="pull", unique=True)
    assert to_numpy(seen).tolist() == [1, 1, 0]


def note(src, dst, edge, weight, seen):
    seen[edge] = 1
    return src > 0


def test_rule():
    assert pull_pays(100, 60, 1400, 1000)
    assert not pull_pays(100, 60, 1500, 1000)
    assert not pull_pays(100, 50, 1400, 1000)
    assert not pull_pays(0, 0, 0, 0)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"direction": "pull"}, "direction='pull' can only be used with unique=True"),
        ({"direction": "auto"}, "direction='auto'"),
        ({"direction": "down", "unique": True}, "direction must be"),
        ({"unique": True, "output": "edge"}, "unique=True finds vertices"),
        ({"unique": True, "output": None}, "unique=True finds vertices"),
        ({"candidates": 1}, "candidates can only be used with unique=True"),
    ],
)
def test_refused(given, message):
    G = of_lists(np, [[0]])
    with pytest.raises(ValueError, match=message):
        advance(G, Frontier.all(G), accepts, **given)


def test_candidates_must_be_vertices_of_the_graph():
    G = of_lists(np, [[0], [1]])
    with pytest.raises(ValueError, match="must be of kind 'vertex', got one of kind 'edge'"):
        advance(G, Frontier.all(G), accepts, unique=True, candidates=Frontier.all(G, "edge"))


def note_and_accept(src, dst, edge, weight, seen):
    seen[edge] = 1
    return True


def test_pull_stops_where_every_edge_is_accepted(xp):
    G, seen = of_lists(xp, [[3], [3], [3], []]), xp.zeros(3, int)
    advance(G, Frontier.all(G), note_and_accept, (seen,), direction="pull", unique=True)
    assert seen.tolist() == [1, 0, 0]
