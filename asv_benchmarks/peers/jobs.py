"""Jobs from beginning to end, as `examples` has them, beside what users of other libraries write."""

import functools
import importlib
import pathlib
import tempfile

import numpy as np
import scipy.sparse.linalg

import spark_csr.linalg
from peers import DIGESTS, peer
from spark_csr.gallery import rmat
from spark_csr.graph import Graph, louvain_communities, pagerank

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@functools.cache
def example(name):
    """The module of an example."""
    (path,) = EXAMPLES.glob(f"??_{name}.py")
    found = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@functools.cache
def edge_list(scale):
    """A CSV file of edges between named vertices, with weights: an R-MAT graph without loops."""
    A = rmat(scale).to_scipy().tocoo()
    lines = [f"user{u},user{v},{1 + (u + v) % 5}" for u, v in zip(*A.coords, strict=True) if u < v]
    path = pathlib.Path(_folder().name, f"edges{scale}.csv")
    path.write_text("\n".join(["source,target,weight", *lines]), encoding="utf-8")
    return path


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory()


@functools.cache
def particles(events):
    """Arrow arrays of electrons and muons."""
    rng = np.random.default_rng(1)
    return tuple(example("events_from_arrow").particles(rng, events) for _ in range(2))


@peer("finite elements", "ours")
def finite_elements_ours(side):
    return lambda: example("finite_elements").solve(spark_csr, spark_csr.linalg, side)


@peer("finite elements", "scipy")
def finite_elements_scipy(side):
    return lambda: example("finite_elements").solve(scipy.sparse, scipy.sparse.linalg, side)


DIGESTS["finite elements"] = lambda library, found: (found[0], np.sort(found[2]))  # conjugate gradients end where they end


@peer("named edges", "ours")
def named_edges_ours(path):
    def call():
        G = Graph.read(path, columns=("source", "target", "weight"), directed=False)
        return G.named({"rank": pagerank(G, tol=1e-12), "community": louvain_communities(G)})

    return call


@peer("named edges", "igraph")
def named_edges_igraph(path):
    igraph, pandas = map(importlib.import_module, ("igraph", "pandas"))

    def call():
        g = igraph.Graph.DataFrame(pandas.read_csv(path), directed=False, use_vids=False)
        found = {"rank": g.pagerank(weights="weight"), "community": g.community_multilevel(weights="weight").membership}
        return pandas.DataFrame(found, index=g.vs["name"])

    return call


@peer("named edges", "networkx")
def named_edges_networkx(path):
    nx, pandas = map(importlib.import_module, ("networkx", "pandas"))

    def call():
        g = nx.from_pandas_edgelist(pandas.read_csv(path), edge_attr="weight")
        groups = nx.community.louvain_communities(g, seed=0, backend="networkx")
        community = {name: number for number, group in enumerate(groups) for name in group}
        return pandas.DataFrame({"rank": nx.pagerank(g, tol=1e-12, backend="networkx"), "community": community})

    return call


DIGESTS["named edges"] = lambda library, found: (
    found["rank"].sort_index().to_numpy(np.float32)
)  # communities depend on the order


@peer("best pairs from Arrow", "ours")
def best_pairs_ours(electrons, muons):
    return lambda: example("events_from_arrow").best_masses(electrons, muons)


@peer("best pairs from Arrow", "awkward")
def best_pairs_awkward(electrons, muons):
    ak = importlib.import_module("awkward")

    def call():
        p, q = ak.unzip(ak.cartesian([ak.from_arrow(electrons), ak.from_arrow(muons)]))
        mass = np.sqrt(np.maximum(2 * (p.e * q.e - p.x * q.x - p.y * q.y - p.z * q.z), 0))
        best = ak.argmin(abs(mass - 91.1876), axis=1, keepdims=True)
        return ak.drop_none(mass[best])

    return call


@functools.cache
def classes(n):
    """An `edge_index` of which most edges stay within one of four classes, features that hardly show these, and the classes."""
    torch = importlib.import_module("torch")
    n, y = n // 4 * 4, torch.arange(n // 4 * 4) % 4
    source, step = torch.randint(n, (2, 25 * n), generator=torch.manual_seed(0))
    target = (source + torch.where(torch.rand(25 * n) < 0.9, step // 4 * 4, step)) % n
    return torch.stack([source, target]), torch.eye(4)[y] + torch.randn(n, 4), y


@peer("sampled neighbours", "ours")
def sampled_neighbours_ours(edges, x, y):
    of_torch = importlib.import_module("spark_csr.interop.torch")

    def call():
        importlib.import_module("torch").manual_seed(0)
        job = example("sampled_neighbours")
        return job.train(of_torch.from_edge_index(edges, num_nodes=len(y)), x, y, job.sample)

    return call


@peer("sampled neighbours", "torch")
def sampled_neighbours_torch(edges, x, y):
    """Sampling by random numbers and `unique`, means by `index_add`, as PyTorch Geometric computes without its extensions."""
    torch = importlib.import_module("torch")

    def draw(graph, vertices, size):
        """Return for each vertex up to `size` of its edges, as places in `vertices`, and as targets."""
        starts, targets = graph
        degree = starts[vertices + 1] - starts[vertices]
        chosen = (torch.rand(len(vertices), size) * degree[:, None]).long() + starts[vertices][:, None]
        places = torch.arange(len(vertices)).repeat_interleave(size)
        kept = degree.repeat_interleave(size) > 0
        pairs = torch.unique(torch.stack([places[kept], chosen.ravel()[kept]]), dim=1)  # an edge counts once
        return pairs[0], targets[pairs[1]]

    def sample(graph, vertices, step):
        around, new, rows, reached = vertices, vertices, [], []
        for size in (10, 5):
            place, target = draw(graph, new, size)
            rows.append(place + len(around) - len(new))
            reached.append(target)
            found = torch.unique(target)
            new = found[~torch.isin(found, around)]
            around = torch.cat([around, new])
        order = torch.argsort(around)
        source, target = torch.cat(rows), order[torch.searchsorted(around[order], torch.cat(reached))]
        count = torch.zeros(len(around)).index_add(0, source, torch.ones(len(source))).clamp(min=1)[:, None]
        return around, lambda x: torch.zeros(len(around), x.shape[1]).index_add(0, source, x[target]) / count

    def call():
        torch.manual_seed(0)
        order = torch.argsort(edges[0], stable=True)
        starts = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(edges[0], minlength=len(y)).cumsum(0)])
        return example("sampled_neighbours").train((starts, edges[1][order]), x, y, sample)

    return call


DIGESTS["sampled neighbours"] = lambda library, found: np.array([found > 0.9])  # the random numbers differ
