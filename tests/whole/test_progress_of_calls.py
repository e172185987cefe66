"""Every public function with `progress` reports its steps and gives the same bits; what the function raises ends its work."""

import inspect

import numpy as np
import pytest

import spark_csr
from spark_csr import csr_array, gallery, graph, io, linalg, primitives
from spark_csr.graph import Graph

pytestmark = pytest.mark.usefixtures("cpu_only")

A = gallery.rmat(9, seed=3)
ORDER = A.to_scipy()
BOTH = Graph(csr_array(ORDER + ORDER.T), directed=False)
ONE_WAY = Graph(A)
LINE = gallery.poisson((12, 12))
B = np.linspace(1, 2, 144)
GRID = Graph(gallery.poisson((20, 20)), directed=False)
KEYS = np.random.default_rng(0).random(300_000)

CALLS = {
    "betweenness": lambda **o: graph.betweenness(ONE_WAY, **o),
    "betweenness by lengths": lambda **o: graph.betweenness(ONE_WAY, k=300, seed=1, weighted=True, **o),
    "closeness_centrality": lambda **o: graph.closeness_centrality(ONE_WAY, **o),
    "closeness_centrality of two": lambda **o: graph.closeness_centrality(ONE_WAY, [3, 5], **o),
    "closeness_centrality by lengths": lambda **o: graph.closeness_centrality(BOTH, range(300), weighted=True, **o),
    "edge_betweenness": lambda **o: graph.edge_betweenness(ONE_WAY, **o),
    "harmonic_centrality": lambda **o: graph.harmonic_centrality(ONE_WAY, **o),
    "harmonic_centrality by lengths": lambda **o: graph.harmonic_centrality(BOTH, range(300), weighted=True, **o),
    "eccentricity": lambda **o: graph.eccentricity(GRID, **o),
    "pagerank": lambda **o: graph.pagerank(ONE_WAY, tol=1e-12, weighted=False, **o),
    "pagerank by weights": lambda **o: graph.pagerank(ONE_WAY, tol=1e-12, **o),
    "personalized_pagerank": lambda **o: graph.personalized_pagerank(ONE_WAY, 3, **o),
    "hits": lambda **o: graph.hits(BOTH, max_iter=1000, **o),
    "eigenvector_centrality": lambda **o: graph.eigenvector_centrality(BOTH, **o),
    "katz_centrality": lambda **o: graph.katz_centrality(BOTH, alpha=1e-3, **o),
    "louvain_communities": lambda **o: graph.louvain_communities(BOTH, **o),
    "leiden_communities": lambda **o: graph.leiden_communities(BOTH, **o),
    "label_propagation": lambda **o: graph.label_propagation(BOTH, **o),
    "sort": lambda **o: primitives.sort(KEYS, **o),
    "argsort": lambda **o: primitives.argsort(KEYS, **o),
    "sort_by_key": lambda **o: primitives.sort_by_key(KEYS, np.arange(KEYS.size), **o),
    "matmul": lambda **o: A.matmul(A, **o),
    "matmul from the right": lambda **o: A.T.matmul(A.T, **o),
    "eigsh": lambda **o: linalg.eigsh(LINE, 2, v0=B, return_eigenvectors=False, **o),
    "eigs": lambda **o: linalg.eigs(LINE, 2, v0=B, return_eigenvectors=False, **o),
    "svds": lambda **o: linalg.svds(LINE, 2, v0=B, return_singular_vectors=False, **o),
    "lobpcg": lambda **o: linalg.lobpcg(LINE, np.stack([B, B**2], axis=1), tol=1e-6, maxiter=60, **o)[0],
    "lsmr": lambda **o: linalg.lsmr(LINE, B, **o)[0],
    **{
        name: lambda name=name, **o: getattr(linalg, name)(LINE, B, **o)[0]
        for name in ("cg", "minres", "bicgstab", "gmres", "cgs", "bicg", "lgmres")
    },
}
COUNTED = {
    "betweenness",
    "closeness_centrality",
    "eccentricity",
    "edge_betweenness",
    "harmonic_centrality",
    "sort",
    "argsort",
    "sort_by_key",
    "matmul",
}
"""What knows how many steps there are."""


def arrays(result):
    """All numbers of a result, as bytes."""
    parts = result if isinstance(result, tuple) else (result,)
    parts = [part for x in parts for part in ((x.indptr, x.indices, x.data) if isinstance(x, csr_array.__mro__[-2]) else (x,))]
    return [np.asarray(part).tobytes() for part in parts]


@pytest.mark.parametrize("name", CALLS)
def test_steps_are_reported_and_results_keep_their_bits(name):
    told = []
    assert arrays(CALLS[name](progress=lambda *x: told.append(x))) == arrays(CALLS[name]())
    done = [step for step, _ in told]
    assert done == sorted(set(done))
    assert done
    if name.split()[0] in COUNTED:
        assert told[-1][0] == told[-1][1]
    else:
        assert done == list(range(1, len(done) + 1))


def test_every_function_with_progress_is_here():
    modules = spark_csr, graph, linalg, primitives
    found = {
        name
        for module in modules
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
        if "progress" in inspect.signature(getattr(module, name)).parameters
    }
    assert found - {name.split()[0] for name in CALLS} == {"mmread", "load_npz", "lsqr"}  # below, and in tests/linalg


@pytest.mark.parametrize("name", ["betweenness", "matmul", "argsort", "cg", "pagerank"])
def test_what_the_function_raises_ends_the_work(name):
    def stop(done, value):
        raise ArithmeticError(f"enough after {done}")

    with pytest.raises(ArithmeticError, match="enough after"):
        CALLS[name](progress=stop)


def write(tmp_path):
    """A file of every kind, and what reads it."""
    edges = "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(200_000))
    (tmp_path / "edges.csv").write_text(edges)
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    io.mmwrite(tmp_path / "a.mtx", A)
    io.save_npz(tmp_path / "a.npz", A)
    io.save_ragged(tmp_path / "ragged.npz", spark_csr.Ragged(A.data, A.indptr))
    readers = {"edges.csv": Graph.read, "edges.txt": Graph.read, "a.mtx": io.mmread, "a.npz": io.load_npz}
    return {tmp_path / name: read for name, read in (readers | {"ragged.npz": io.load_ragged}).items()}


def test_readers_report_bytes(tmp_path):
    for path, read in write(tmp_path).items():
        told = []
        read(path, progress=lambda *x, told=told: told.append(x))
        assert told[-1] == (path.stat().st_size, path.stat().st_size), path
        assert told == sorted(told)


def test_readers_pass_on_what_the_function_raises(tmp_path):
    for path, read in write(tmp_path).items():
        with pytest.raises(LookupError, match="my own"):
            read(path, progress=lambda *x: {}["my own"])


def test_packed_files_and_file_objects(tmp_path):
    import gzip

    path, told = tmp_path / "a.mtx", []
    io.mmwrite(path, A)
    packed = tmp_path / "a.mtx.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert (io.mmread(packed, progress=lambda *x: told.append(x)) != A).nnz == 0
    assert told[-1][0] == packed.stat().st_size
    with open(path) as text, open(path, "rb") as binary:
        for file in (text, binary):
            io.mmread(file, progress=lambda *x: told.append(x))
            assert told[-1] == (path.stat().st_size,) * 2
