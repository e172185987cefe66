"""Eigenvector and Katz centrality: as networkx has them, with weights and without."""

import networkx
import numpy as np
import pytest
import scipy.sparse

from loops import of_lists
from spark_csr import config, csr_array
from spark_csr.graph import Graph, eigenvector_centrality, katz_centrality

BOTH = eigenvector_centrality, katz_centrality


def pair(xp, directed, seed=1):
    """A graph of 30 vertices with weights, as networkx has it and as we do."""
    H = networkx.gnp_random_graph(30, 0.2, seed=seed, directed=directed)
    rng = np.random.default_rng(seed)
    for u, v in H.edges:
        H[u][v]["weight"] = float(rng.integers(1, 5))
    S = networkx.to_scipy_sparse_array(H, nodelist=range(30), format="csr", dtype=float)
    return H, Graph(csr_array(tuple(map(xp.asarray, (S.data, S.indices, S.indptr))), shape=S.shape), directed=directed)


def close(found, expected):
    np.testing.assert_allclose(found, [expected[v] for v in range(len(expected))], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_as_networkx(xp, to_numpy, directed, weight):
    H, G = pair(xp, directed)
    options, weighted = {"tol": 1e-12, "max_iter": 2000}, weight is not None
    found = to_numpy(eigenvector_centrality(G, weighted=weighted, **options))
    close(found, networkx.eigenvector_centrality(H, weight=weight, **options))
    start = {v: float(v % 3 + 1) for v in range(30)}
    found = to_numpy(eigenvector_centrality(G, nstart=xp.asarray(list(start.values())), weighted=weighted, **options))
    close(found, networkx.eigenvector_centrality(H, nstart=start, weight=weight, **options))
    for more in ({}, {"normalized": False}, {"beta": 0.5, "alpha": -0.02}):
        more = {"alpha": 0.02, **options, **more}
        close(to_numpy(katz_centrality(G, weighted=weighted, **more)), networkx.katz_centrality(H, weight=weight, **more))
    own = to_numpy(katz_centrality(G, 0.02, xp.arange(30.0), nstart=xp.ones(30), weighted=weighted, **options))
    close(own, networkx.katz_centrality(H, 0.02, dict(enumerate(np.arange(30.0))), weight=weight, **options))


def test_iterations_are_those_of_networkx(xp, to_numpy):
    """With a loose tolerance the result is that of the same number of iterations."""
    H, G = pair(xp, False)
    close(to_numpy(eigenvector_centrality(G, tol=1e-3)), networkx.eigenvector_centrality(H, tol=1e-3))
    close(to_numpy(katz_centrality(G, 0.02, tol=1e-3)), networkx.katz_centrality(H, 0.02, tol=1e-3))


def test_any_number_of_threads(cpu_only):
    S = scipy.sparse.random_array((30_000, 30_000), density=3e-4, format="csr", rng=np.random.default_rng(0))
    for directed_by in (Graph(csr_array(S)),):
        for function in BOTH:
            found = []
            for threads in (1, 2):
                with config(threads=threads):
                    found.append(function(directed_by, tol=1e-4, max_iter=300, weighted=True))
            np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("scale", [2.0**-1060, 1e-9, 0.1, 1e200, 2.0**1021])
def test_the_scale_of_weights_does_not_matter(xp, to_numpy, scale):
    """Neither do their squares overflow, nor does the identity, which is added, hide them."""
    _, G = pair(xp, True)
    expected = np.linalg.eig(to_numpy(G.matrix.toarray()).T)[1][:, 0].real
    found = eigenvector_centrality(Graph(G.matrix * scale), tol=1e-12, max_iter=2000, weighted=True, nstart=xp.full(30, 1e308))
    np.testing.assert_allclose(to_numpy(found), abs(expected), rtol=1e-9)


def test_large_own_centrality(xp, to_numpy):
    """Of which squares overflow: the vector is divided by its largest element first."""
    G = of_lists(xp, [[1], [2], []])
    found = to_numpy(katz_centrality(G, 0.5, 1e300))
    np.testing.assert_allclose(found, np.array([4, 6, 7]) / np.sqrt(101))


def test_nothing_to_compute(xp):
    for function in BOTH:
        assert function(of_lists(xp, [])).shape == (0,)
    assert katz_centrality(of_lists(xp, [[], []]), normalized=False).tolist() == [1, 1]


def test_refused(xp):
    G = of_lists(xp, [[1], [0]], np.array([1.0, 2]))
    with pytest.raises(RuntimeError, match="eigenvector_centrality moved by .* raise max_iter or tol"):
        eigenvector_centrality(G, max_iter=1, nstart=[1, 0])
    with pytest.raises(RuntimeError, match=r"katz_centrality moved by .*: use a smaller alpha, or raise max_iter or tol"):
        katz_centrality(G, max_iter=1)
    with pytest.raises(RuntimeError, match="katz_centrality moved by .*: use a smaller alpha$"):
        katz_centrality(G, 1.5, max_iter=20)
    with pytest.raises(RuntimeError, match="diverges for alpha=1000"):
        katz_centrality(G, 1e10)
    for bad in (0, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"nstart must be finite and have an element that is not 0, got {float(bad)}"):
            eigenvector_centrality(G, nstart=[0, bad])
    for bad in (np.inf, np.nan):
        for function in BOTH:
            with pytest.raises(ValueError, match=f"weights must be finite, got {bad} for 1 -> 0: use weighted=False"):
                function(of_lists(xp, [[1], [0]], np.array([1.0, bad])), weighted=True)
    for name in ("beta", "nstart"):
        with pytest.raises(ValueError, match=f"{name} must have one entry for each of 2 vertices, got shape"):
            katz_centrality(G, **{name: [1, 2, 3]})
    with pytest.raises(TypeError, match="nstart must be real, got dtype complex128"):
        eigenvector_centrality(G, nstart=[1j, 0])
    with pytest.raises(TypeError, match="weights must be real"):
        katz_centrality(Graph(xp.asarray([[1j]])), weighted=True)
    with pytest.raises(TypeError, match="must be a Graph"):
        eigenvector_centrality(np.eye(2))


def test_vectors_by_name(xp, to_numpy):
    G = Graph(of_lists(xp, [[1], [2], [0]]).matrix, names=["a", "b", "c"])
    for call, argument in ((katz_centrality, "beta"), (katz_centrality, "nstart"), (eigenvector_centrality, "nstart")):
        by_name = to_numpy(call(G, **{argument: {"c": 3.0, "a": 1, "b": 2}}))
        np.testing.assert_array_equal(by_name, to_numpy(call(G, **{argument: [1.0, 2, 3]})))
        with pytest.raises(ValueError, match=f"{argument} must have a value for every vertex, got none for 'b'"):
            call(G, **{argument: {"c": 3.0, "a": 1}})
