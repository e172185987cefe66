"""PageRank against networkx's iteration on dense matrices, and against networkx."""

import fractions

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from battery import FINITE, build
from loops import GRAPHS, SQUARE, of_lists, random_lists
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._config import config
from spark_csr._cpu.pagerank import rank_cuts
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Graph, pagerank, personalized_pagerank
from spark_csr.graph.algorithms import pagerank as module
from spark_csr.graph.algorithms.power import Entering

pytestmark = pytest.mark.usefixtures("small_tiles")

GOOD = 1e-12


@pytest.fixture(autouse=True, params=["one pass", "composed"])
def fused(request, monkeypatch):
    """Whether the cores go on by themselves where weights are equal."""
    if request.param == "composed":
        monkeypatch.setattr(module, "_find_iteration", lambda csr: None)
    elif SIMULATED:
        pytest.skip("a GPU composes")
    return request.param == "one pass"


def reference(A, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, dangling=None):
    """The vector, and how many iterations it takes."""
    n, leaving = len(A), A.sum(axis=1)
    jump = np.full(n, 1 / max(n, 1)) if personalization is None else np.asarray(personalization) / np.sum(personalization)
    fall = jump if dangling is None else np.asarray(dangling) / np.sum(dangling)
    x = np.full(n, 1 / max(n, 1)) if nstart is None else np.asarray(nstart) / np.sum(nstart)
    steps = A / np.where(leaving, leaving, 1)[:, None]
    for k in range(max_iter if n else 0):
        last = x
        x = alpha * (x @ steps + x[leaving == 0].sum() * fall) + (1 - alpha) * jump
        if abs(x - last).sum() < n * tol:
            return x, k + 1
    return x, 0


def close(got, expected, within=GOOD):
    """`within`: how far all entries together may be from what is expected."""
    assert got.dtype == np.float64
    assert abs(got - expected).sum() <= within
    assert not got.size or abs(got.sum() - 1) < GOOD


def bound(G, tol=1e-6, alpha=0.85):
    """How far a vector may be from the stationary one that moves by `tol` for each vertex."""
    return max(G.n_vertices, 1) * tol * alpha / (1 - alpha)


@pytest.fixture
def reads(monkeypatch):
    """What the host reads while it iterates."""
    found = []
    monkeypatch.setattr(module, "to_host_scalar", lambda x: found.append(x) or x.item())
    return found


@pytest.mark.parametrize("few", [0, 2, 1000])
def test_some_sums_go_through_the_edges_as_they_stand(xp, to_numpy, monkeypatch, few):
    monkeypatch.setattr(Entering, "LARGE", -1)
    monkeypatch.setattr(Entering, "FEW", few)
    G = of_lists(xp, GRAPHS["random"])
    expected, iterations = reference(to_numpy(G.matrix.toarray()), tol=1e-9)
    close(to_numpy(pagerank(G, tol=1e-9)), expected)
    assert iterations > 3


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.kept
def test_every_graph_one_host_read_for_each_iteration(xp, to_numpy, reads, lists, weighted, fused):
    """One pass takes other steps, but not more than two more, to where it does not move any further."""
    G = of_lists(xp, lists)
    dense = to_numpy(G.matrix.toarray())
    if not weighted:
        dense = np.zeros_like(dense)
        np.add.at(dense, (to_numpy(G.sources()), to_numpy(G.matrix.indices)), 1)
    expected, iterations = reference(dense)
    alike = not weighted or G.n_edges < 2  # `of_lists` gives every edge a weight of its own
    if fused and alike and xp is np:
        close(to_numpy(pagerank(G, weighted=weighted, max_iter=iterations + 2)), reference(dense, tol=1e-15)[0], bound(G))
        assert not reads
        with pytest.raises(RuntimeError, match="in the last of 0 iterations"):
            pagerank(G, weighted=weighted, max_iter=0 if lists else pytest.skip("nothing to do"))
    else:
        close(to_numpy(pagerank(G, weighted=weighted)), expected)
        assert len(reads) == iterations + (len(lists) > 0)


@pytest.mark.parametrize("most", [3, 60])
def test_many_tiles(cpu_only, monkeypatch, most):
    """Short rows and long ones, in stages of tiles: the same bits for any number of threads, and near to what is composed."""
    monkeypatch.setattr(TUNING, "ranks_stage", 1 << 12)
    monkeypatch.setattr(TUNING, "ranks_tile", 1 << 8)
    G = of_lists(np, random_lists(20_000, most, seed=2))
    G = Graph(csr_array((np.ones(G.n_edges), G.matrix.indices, G.matrix.indptr), shape=G.matrix.shape))
    first = pagerank(G, tol=1e-14)
    with config(threads=1):
        np.testing.assert_array_equal(pagerank(G, tol=1e-14), first)
    monkeypatch.setattr(module, "_find_iteration", lambda csr: None)
    close(pagerank(of_same(G), tol=1e-14), first, bound(G, 1e-14))


def of_same(G):
    """The same graph, of which nothing is known yet."""
    return Graph(csr_array((G.matrix.data, G.matrix.indices.copy(), G.matrix.indptr.copy()), shape=G.matrix.shape))


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_sweeps_are_as_fast_where_degrees_are_in_order(cpu_only, fused, order):
    """A hub at either end, and vertices that none leaves: a sweep that does not keep the sum must not take longer for it."""
    n, rng = 3000, np.random.default_rng(1)
    heads = np.minimum((n * rng.random(30_000) ** 3).astype(int), n - 1)
    tails = rng.integers(0, n // 2, heads.size)
    heads, tails = (heads, tails) if order == "ascending" else (n - 1 - heads, n - 1 - tails)
    G = Graph(csr_array((np.ones(heads.size), (tails, heads)), shape=(n, n)))
    _, iterations = reference((G.matrix.toarray() > 0).astype(float), tol=1e-9)
    exact = reference((G.matrix.toarray() > 0).astype(float), tol=1e-17)[0]
    close(pagerank(G, tol=1e-9, weighted=False, max_iter=iterations), exact, bound(G, 1e-9))


@pytest.mark.parametrize("alpha", [0.5, 0.85, 0.95, 1 - 1e-12, 1])
def test_every_alpha(xp, to_numpy, alpha):
    """At 1 sweeps might lose everything; where a walk has no circles they are as near."""
    G = of_lists(xp, [[1], [2], [0, 1], []], np.ones(4))
    dense = to_numpy(G.matrix.toarray())
    close(to_numpy(pagerank(G, alpha, tol=1e-14, max_iter=10**4)), reference(dense, alpha, tol=1e-16, max_iter=10**5)[0], 1e-10)


def test_begins_where_edges_to_anywhere_lead(cpu_only, fused):
    """One step is enough where all edges that leave a vertex lead to the same vertices, some of which none leaves."""
    dense = np.zeros((12, 12))
    dense[:7, 4:10] = 1
    G = Graph(dense)
    if fused:
        close(pagerank(G, tol=1e-16, max_iter=1), reference(dense, tol=1e-17)[0])
    for given_ in ({"nstart": np.ones(12)}, {"personalization": np.arange(12)}, {"dangling": np.arange(12)}):
        with pytest.raises(RuntimeError, match="in the last of 1 iterations"):
            pagerank(G, tol=1e-16, max_iter=1, **given_)


@pytest.mark.kept
def test_cuts(cpu_only):
    for indptr, expected, stages in (
        (np.array([0]), [0, 0], 1),
        (np.array([0, 2, 2, 7]), [0, 3], 1),
        (np.arange(0, 40_001, 4), [0, 3334, 6667, 10_000], 1),
        (np.arange(0, 400_001, 4), [k * 100_000 / 30 for k in range(31)], 3),
    ):
        cuts, found = rank_cuts(indptr)
        assert found == stages
        assert (cuts.size - 1) % stages == 0
        np.testing.assert_allclose(cuts, expected, atol=1)
    assert rank_cuts(np.array([0, 10**6, 10**6])) is None


@pytest.mark.parametrize("name", [name for name in SQUARE if name in FINITE])
def test_battery(xp, to_numpy, name):
    A = abs(build(xp, name))
    close(to_numpy(pagerank(Graph(A))), reference(to_numpy(A.toarray()))[0])


def test_undirected(xp, to_numpy):
    G = of_lists(xp, GRAPHS["self-loops and repeats"]).symmetrize("max")
    for data in (G.matrix.data, xp.full(G.n_edges, 7)):
        H = Graph(csr_array((data, G.matrix.indices, G.matrix.indptr)), directed=False)
        close(to_numpy(pagerank(H, tol=1e-10)), reference(to_numpy(H.matrix.toarray()), tol=1e-10)[0], bound(H, 2e-10))


@pytest.mark.parametrize("alpha", [0.3, 0.85, 0.95])
def test_ranks_are_probabilities(xp, to_numpy, alpha):
    """For jumps, starts and falls to few vertices, whose ranks are mostly 0, and in few steps as in many."""
    for seed in range(2 if SIMULATED else 20):
        rng = np.random.default_rng(seed)
        A = (rng.random((30, 30)) < 0.05).astype(float)
        few = {name: (rng.random(30) < 0.1) + np.eye(30)[seed] for name in ("personalization", "nstart", "dangling")}
        given_ = {name: xp.asarray(few[name]) for name in few if rng.random() < 0.6}
        ranks = to_numpy(pagerank(Graph(xp.asarray(A)), alpha, tol=10.0 ** -rng.integers(2, 14), max_iter=10**4, **given_))
        assert (ranks >= 0).all(), seed
        assert abs(ranks.sum() - 1) < GOOD


@settings(max_examples=8 if SIMULATED else 25)
@given(st.data())
def test_vectors(xp, to_numpy, data):
    n = data.draw(st.integers(1, 6))
    entries = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    A = np.array([data.draw(entries) for _ in range(n)], float)
    vector = st.none() | entries.filter(any)
    given_ = {name: data.draw(vector) for name in ("personalization", "nstart", "dangling")}
    alpha = data.draw(st.sampled_from([0, 0.5, 0.85]))
    got = pagerank(Graph(xp.asarray(A)), alpha, **{k: v if v is None else xp.asarray(v) for k, v in given_.items()})
    close(to_numpy(got), reference(A, alpha, **given_)[0])


def test_where_dangling_vertices_lead(xp, to_numpy):
    G = of_lists(xp, [[1], [], [1]])
    vectors = {"personalization": [1.0, 2, 3], "dangling": [5.0, 0, 1]}
    expected = reference(to_numpy(G.matrix.toarray()), **vectors)[0]
    close(to_numpy(pagerank(G, **vectors)), expected)


def test_personalized(xp, to_numpy):
    G = of_lists(xp, GRAPHS["random"])
    dense, jumps = to_numpy(G.matrix.toarray()), np.zeros(60)
    jumps[[0, 7]] = 2, 1
    for sources in ([7, 0, 0], xp.asarray([0, 7, 0], np.uint8)):
        close(to_numpy(personalized_pagerank(G, sources)), reference(dense, personalization=jumps)[0])
    assert personalized_pagerank(G, 3, alpha=0).tolist() == np.eye(60)[3].tolist()
    with pytest.raises(ValueError, match=r"sources must lie in \[0, 60\), got sources\[1\] = 60"):
        personalized_pagerank(G, [0, 60])
    with pytest.raises(ValueError, match="sources must hold at least one vertex"):
        personalized_pagerank(G, [])
    with pytest.raises(TypeError, match="sources must hold integers"):
        personalized_pagerank(G, [0.5])


def test_values_of_a_series_belong_to_its_names(cpu_only):
    """As `G.named` returns them, in any order; of a Series without names by position."""
    pandas = pytest.importorskip("pandas")
    G = Graph.from_edges(["bob", "ann", "cleo"], ["ann", "cleo", "bob"])
    expected = pagerank(G, personalization=[0.5, 0, 1], nstart=[1, 2, 3], tol=1e-6)
    jumps, start = pandas.Series({"cleo": 1, "ann": 0.5, "bob": 0}), pandas.Series([1, 2, 3])
    for some in (jumps, jumps.drop("bob")):
        for by_name in (some, some.to_dict()):
            np.testing.assert_array_equal(pagerank(G, personalization=by_name, nstart=start, tol=1e-6), expected)
    with pytest.raises(KeyError, match=r"no vertex has the name 'bib', which is personalization\[2\]: did you mean 'bob'"):
        pagerank(G, personalization=jumps.rename({"bob": "bib"}))
    with pytest.raises(ValueError, match="personalization must have one value for a vertex, got 2 for 'ann'"):
        pagerank(G, personalization=pandas.Series([0, 1, 2], ["ann", "cleo", "ann"]))
    H = Graph(G.matrix)
    found = pagerank(H, personalization=pandas.Series({2: 1, 0: 0.5, 1: 0}), nstart=start, tol=1e-6)
    np.testing.assert_array_equal(found, expected)


def test_values_by_name_are_those_of_networkx(xp, to_numpy):
    nx = pytest.importorskip("networkx")
    g = nx.gnp_random_graph(30, 0.2, seed=4, directed=True)
    nodes = {k: f"n{k}" for k in g}
    for h in (g, nx.relabel_nodes(g, nodes)):
        some = list(h)[3:9]
        options = {"personalization": {some[0]: 2, some[4]: 1}, "dangling": {some[1]: 1}, "nstart": dict.fromkeys(some, 1.0)}
        expected = nx.pagerank(h, **options, tol=1e-13)
        found = to_numpy(pagerank(Graph.from_networkx(h), **options, tol=1e-13))
        np.testing.assert_allclose(found, [expected[node] for node in h], atol=1e-10)


def test_keys_of_a_dict(xp, to_numpy):
    """Integers are names where there are integers among the names, and otherwise numbers."""
    lists = [[1], [2], [0]]
    expected = to_numpy(pagerank(of_lists(xp, lists), personalization=[0, 3, 1])).tolist()
    for names, jumps in (
        (None, {1: 3, 2: 1}),
        ([5, 0, 1], {0: 3, 1: 1}),
        (["a", "b", "c"], {1: 3, "c": 1}),
        (["a", 2, "c"], {2: 3, "c": 1}),
    ):
        G = Graph(of_lists(xp, lists).matrix, names=names)
        assert to_numpy(pagerank(G, personalization=jumps)).tolist() == expected
    with pytest.raises(KeyError, match="no vertex has the name 2, which is personalization.0."):
        pagerank(Graph(of_lists(xp, lists).matrix, names=[5, 0, 1]), personalization={2: 1, 0: 1})
    with pytest.raises(ValueError, match="got 2 for 'c'"):
        pagerank(G._of(G._csr, True, np.array(["a", "b", "c"], object)), personalization={2: 1, "c": 1})
    with pytest.raises(TypeError, match="personalization must hold numbers, got dtype"):
        pagerank(G, personalization={"a": "much"})
    with pytest.raises(ValueError, match="personalization must have a finite sum above 0"):
        pagerank(G, personalization={})


def test_weights_read_as_they_are(xp, to_numpy):
    """Equal ones are not read; of any dtype; extreme ones neither overflow nor vanish."""
    lists = [[1, 2], [2], [0], []]
    plain = pagerank(of_lists(xp, lists, np.ones(4))).tolist()
    for weights in (np.ones(4, bool), np.full(4, 5, np.int8), np.full(4, 1e308), np.full(4, 5e-324)):
        assert pagerank(of_lists(xp, lists, weights)).tolist() == plain
    G = of_lists(xp, lists, np.array([1e308, 1.5e308, 1e308, 1e308]))
    close(to_numpy(pagerank(G)), to_numpy(pagerank(of_lists(xp, lists, np.array([2, 3, 2, 2])))))
    assert pagerank(of_lists(xp, lists, np.zeros(4))).tolist() == [0.25] * 4
    G.matrix.data[:] = 3  # plans are of the pattern
    assert pagerank(G).tolist() == plain


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("scales", [(1e300, 1e-200, 1e-310), (1, 1e-310, 0), (1e-322, 1e306, 1e-150)])
def test_weights_of_vertices_far_apart(xp, to_numpy, directed, scales):
    """Only the shares of what leaves a vertex count, in whatever range its weights are."""
    n = 6
    shares = np.random.default_rng(5).integers(1, 5, (n, n)).astype(float)
    scaled = np.kron(np.diag(scales), np.ones((2, 2))) * (shares + shares.T)  # three pairs of vertices with weights alike
    scaled[0, 2] = scaled[2, 0] = scales[0]
    G = Graph(csr_array(xp.asarray(scaled)), directed=directed)
    exact = [[fractions.Fraction(w) for w in row] for row in scaled.tolist()]
    walk = np.array([[float(w / sum(row)) if sum(row) else 1 / n for w in row] for row in exact])
    expected = np.linalg.solve(np.eye(n) - 0.85 * walk.T, np.full(n, 0.15 / n))
    np.testing.assert_allclose(to_numpy(pagerank(G, tol=1e-14, max_iter=300)), expected, rtol=1e-9)


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf])
def test_bad_numbers_are_named(xp, bad):
    with pytest.raises(ValueError, match=f"finite and not negative, got {float(bad)} for 1 -> 2: use weighted=False"):
        pagerank(of_lists(xp, [[1], [0, 2], [2]], np.array([1.0, 1, bad, 1])))
    G = of_lists(xp, [[1], [0]])
    with pytest.raises(ValueError, match=rf"nstart must be finite and not negative, got nstart\[1\] = {float(bad)}"):
        pagerank(G, nstart=xp.asarray([1.0, bad]))


def test_refused(xp):
    G = of_lists(xp, [[1], [0]])
    with pytest.raises(ValueError, match=r"alpha must lie in \[0, 1\], got 1.5"):
        pagerank(G, 1.5)
    with pytest.raises(ValueError, match=r"dangling must have one entry for each of 2 vertices, got shape \(3,\)"):
        pagerank(G, dangling=xp.ones(3))
    with pytest.raises(ValueError, match="personalization must have a finite sum above 0, got 0"):
        pagerank(G, personalization=[0, 0])
    with pytest.raises(TypeError, match="nstart must be real"):
        pagerank(G, nstart=xp.ones(2, complex))
    with pytest.raises(TypeError, match="weights must be real, got dtype complex128"):
        pagerank(of_lists(xp, [[1], [0]], np.ones(2, complex)))
    with pytest.raises(TypeError, match="G must be a Graph"):
        pagerank(G.matrix)


def test_given_up(xp):
    G = of_lists(xp, GRAPHS["random"])
    with pytest.raises(RuntimeError, match=r"pagerank moved by 0.\d+ in the last of 3 iterations, not by less than 6e-11"):
        pagerank(G, max_iter=3, tol=1e-12)
    with pytest.raises(RuntimeError, match="the last of 0 iterations"):
        pagerank(G, max_iter=0)


@pytest.mark.usefixtures("cpu_only")
def test_same_bits_for_any_number_of_threads(xp):
    G = of_lists(xp, GRAPHS["random"])
    with config(threads=1):
        alone = pagerank(G).tolist()
    assert pagerank(G).tolist() == alone


@pytest.mark.skipif(SIMULATED, reason="large for lanes of Python")
def test_as_networkx(real_matrix_file):
    """Of real graphs: networkx's own on karate, its iteration with SciPy on others."""
    S = sp.load_npz(real_matrix_file).tocsr()
    if S.shape[0] != S.shape[1] or S.dtype.kind == "c":
        pytest.skip("no graph with real weights")
    S = sp.csr_array((np.abs(S.data).astype(float), S.indices, S.indptr), S.shape)
    leaving = S.sum(axis=1)
    T = (sp.diags_array(1 / np.where(leaving, leaving, 1)) @ S).T.tocsr()
    n = S.shape[0]
    x, error = np.full(n, 1 / n), 1
    while error >= n * 1e-10:
        last, x = x, 0.85 * (T @ x + x[leaving == 0].sum() / n) + 0.15 / n
        error = abs(x - last).sum()
    most = n * 1e-10 * 2 * 0.85 / 0.15  # either of them may be so far from the fixed point when it moves by less than n * 1e-10
    assert np.abs(pagerank(Graph(S), tol=1e-10) - x).sum() < most
    if n < 100:
        nx = pytest.importorskip("networkx")
        graph = nx.from_scipy_sparse_array(S)
        found, expected = pagerank(Graph.from_networkx(graph), tol=1e-12), nx.pagerank(graph, tol=1e-12, max_iter=1000)
        np.testing.assert_allclose(found, list(expected.values()), rtol=1e-8)


def test_where_a_walk_falls_is_in_proportion(xp, to_numpy):
    A = np.array([[0, 1.0, 0], [0, 0, 0], [0, 1, 0]])
    got = pagerank(Graph(xp.asarray(A)), dangling=xp.asarray([5.0, 0, 1]), tol=1e-12, max_iter=1000)
    steps, x = np.array([[0, 1, 0], [5 / 6, 0, 1 / 6], [0, 1, 0]]), np.full(3, 1 / 3)
    for _ in range(1000):
        x = 0.85 * x @ steps + 0.05
    np.testing.assert_allclose(to_numpy(got), x, atol=1e-9)


def test_a_series_by_other_numbers_than_the_names():
    pandas = pytest.importorskip("pandas")
    G = Graph(np.array([[0, 1.0, 0], [0, 0, 1], [1, 1, 0]]), names=[1, 2, 3])
    with pytest.raises(KeyError, match=r"no vertex has the name 0, which is personalization\[0\]"):
        pagerank(G, personalization=pandas.Series([1.0, 0, 0], index=[0, 1, 2]))
