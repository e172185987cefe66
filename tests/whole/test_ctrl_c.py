"""How long calls take to answer Ctrl-C, pressed at three moments; their operands are whole, and they may be repeated."""

import hashlib
import time

import numpy as np
import pytest
import scipy.sparse as sp

from interrupts import interrupt
from spark_csr import Ragged, csr_array, gallery, graph, io, linalg, primitives, prune, vstack
from spark_csr.graph import Graph

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cpu_only", "full_speed")]

MOST = 1.0
"""Seconds within which Ctrl-C is answered."""

SHARES = (0.1, 0.4, 0.75)
"""When it is pressed, as a part of the time that the call takes."""


def both_ways(scale):
    A = gallery.rmat(scale).to_scipy()
    return Graph(csr_array(A + A.T), directed=False)


def on_graph(name, scale, **options):
    """A call of an algorithm, and what it must leave whole."""

    def make(tmp_path):
        G = both_ways(scale)
        return (lambda: getattr(graph, name)(G, **options)), G.matrix

    return make


def on_matrix(call, make):
    def make_both(tmp_path):
        A = make()
        return (lambda: call(A)), A

    return make_both


def on_array(call, size=1 << 24):
    def make(tmp_path):
        x = np.random.default_rng(0).random(size)
        return (lambda: call(x)), x

    return make


def assemble(x):
    n = x.size // 2
    rows, columns = (np.random.default_rng(k).integers(0, n // 8, n) for k in (1, 2))
    return csr_array((x[:n], (rows, columns)), shape=(n // 8, n // 8))


def read_matrix(tmp_path):
    io.mmwrite(tmp_path / "a.mtx", gallery.uniform(10**5, 10**5, 20))
    return (lambda: io.mmread(tmp_path / "a.mtx")), np.empty(0)


def read_edges(tmp_path):
    u, v = np.random.default_rng(0).integers(0, 10**5, (2, 2 * 10**6)).tolist()
    rows = "\n".join(f"user{a},user{b}" for a, b in zip(u, v, strict=True))
    (tmp_path / "edges.csv").write_text("source,target\n" + rows)
    return (lambda: Graph.read(tmp_path / "edges.csv")), np.empty(0)


def grid(n):
    return lambda: gallery.poisson((n, n))


def triangle(n):
    return lambda: csr_array(sp.tril(gallery.poisson((n, n)).to_scipy()))


def many(matrix=None):
    return gallery.uniform(300_000, 300_000, 20)


CALLS = {
    "betweenness": on_graph("betweenness", 14, k=1500, seed=1),
    "betweenness by lengths": on_graph("betweenness", 13, k=1000, seed=1, weighted=True),
    "closeness_centrality": on_graph("closeness_centrality", 14),
    "pagerank": on_graph("pagerank", 18, tol=1e-15, max_iter=1000, alpha=0.95),
    "louvain_communities": on_graph("louvain_communities", 16),
    "leiden_communities": on_graph("leiden_communities", 16),
    "label_propagation": on_graph("label_propagation", 17),
    "triangle_count": on_graph("triangle_count", 17),
    "minimum_spanning_tree": on_graph("minimum_spanning_tree", 17),
    "connected_components": on_graph("connected_components", 18),
    "sssp": on_graph("sssp", 18, source=0),
    "random_walk of many": on_graph("random_walk", 16, source=np.arange(1 << 16), length=100),
    "random_walk of one": on_graph("random_walk", 16, source=0, length=3_000_000),
    "A @ A": on_matrix(lambda A: A @ A, lambda: gallery.rmat(15)),
    "A.T @ X": on_matrix(lambda A: A.T @ np.ones((A.shape[0], 32)), lambda: gallery.rmat(17)),
    "transpose": on_matrix(lambda A: A.T.tocsr(), many),
    "vstack": on_matrix(lambda A: vstack([A, A, A]), many),
    "prune": on_matrix(lambda A: prune(A, topk=5), many),
    "expm": on_matrix(linalg.expm, grid(25)),
    "spsolve": on_matrix(lambda A: linalg.spsolve(A, np.ones(A.shape[0])), grid(300)),
    "spsolve_triangular": on_matrix(lambda A: linalg.spsolve_triangular(A, np.ones(A.shape[0])), triangle(1500)),
    "eigsh": on_matrix(lambda A: linalg.eigsh(A, 3, v0=np.ones(A.shape[0])), grid(150)),
    "cg": on_matrix(lambda A: linalg.cg(A, np.ones(A.shape[0])), grid(500)),
    "sort": on_array(primitives.sort),
    "argsort": on_array(primitives.argsort),
    "sort by merging": on_array(lambda x: primitives.sort(x, algorithm="merge")),
    "segmented_sort": on_array(lambda x: primitives.segmented_sort(x, np.arange(0, x.size + 1, 64))),
    "map": on_array(lambda x: Ragged(x, np.arange(0, x.size + 1, 16)).map(lambda v: np.sin(v) ** 3)),
    "combinations": on_array(lambda x: Ragged(x, np.arange(0, x.size + 1, 16)).combinations(2), 1 << 22),
    "COO to CSR": on_array(assemble),
    "mmread": read_matrix,
    "Graph.read": read_edges,
}


def arrays(x):
    """All arrays of a result."""
    if isinstance(x, (tuple, list)):
        return [part for each in x for part in arrays(each)]
    if isinstance(x, Graph):
        return arrays(x.matrix)
    if isinstance(x, Ragged):
        return [x.values]
    return [x.indptr, x.indices, x.data] if hasattr(x, "indptr") else [np.asarray(x)]


def digest(x):
    found = hashlib.blake2b()
    for array in arrays(x):
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return found.digest()


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_is_answered(name, tmp_path):
    call, operand = CALLS[name](tmp_path)
    expected = digest(call())  # compiles, too
    before, start = digest(operand), time.monotonic()
    call()
    seconds = time.monotonic() - start
    waits = [interrupt(call, share * seconds) for share in SHARES]
    assert min(waits) < MOST, waits  # a busy machine may keep the one or the other waiting
    assert sorted(waits)[1] < MOST, waits
    assert digest(operand) == before
    assert digest(call()) == expected
