"""What `gpu_check.py` checks and times of graphs: the device against the processor. CuPy has no peer by itself."""

import functools

import numpy as np

from spark_csr import csr_array, gallery, graph
from spark_csr._array import to_device
from spark_csr.graph import Graph

DIRECTIONS = "auto", "push", "pull"


def _lengths(A):
    """The same pattern with whole numbers from 1 to 9, whose sums are exact, alike both ways."""
    S = A.to_scipy().tocoo()
    return csr_array(((S.row + S.col) % 9 + 1.0, (S.row, S.col)), shape=A.shape)


def _both_ways(G):
    return G.symmetrize("max")


ALGORITHMS = {
    **{f"bfs, {way}": functools.partial(graph.bfs, source=0, direction=way) for way in DIRECTIONS},
    "sssp": functools.partial(graph.sssp, source=0),
    "pagerank": graph.pagerank,
    "weak components": graph.connected_components,
    "strong components": functools.partial(graph.connected_components, connection="strong"),
    "spanning tree": lambda G: graph.minimum_spanning_tree(G).data,
    "triangles": lambda G: graph.triangles(_both_ways(G)),
    "core numbers": lambda G: graph.core_number(_both_ways(G)),
    "colours": lambda G: graph.color(_both_ways(G)),
    "betweenness": functools.partial(graph.betweenness, sources=[0, 1, 2]),
    "walks": functools.partial(graph.random_walk, source=[0, 1, 2], length=20),
}
"""On every device the same result, but for the last bits of sums."""


def checks(device):
    """(name, check) pairs; a check returns whether both devices give the same."""
    grid, path = functools.partial(gallery.poisson, (60, 60)), functools.partial(gallery.poisson, (3000,))
    for title, make in {"grid": grid, "path": path, "R-MAT": functools.partial(gallery.rmat, 12)}.items():
        for name, algorithm in ALGORITHMS.items():
            yield f"{name}, {title}", functools.partial(_same, algorithm, make, device)


def _same(algorithm, make, device):
    A = _lengths(make())
    here, there = (algorithm(Graph(A.to_device(where))) for where in ("cpu", device))
    pairs = zip(here, there, strict=True) if isinstance(here, tuple) else [(here, there)]
    return all(np.allclose(a, to_device(b, "cpu") if np.ndim(a) else b, rtol=1e-9) for a, b in pairs)


def timed(device, small):
    """(name, ours, None, bytes that must move), a line each: every edge's target read once."""
    scale, side = (9, 20) if small else (22, 4096)
    for title, make in (("R-MAT", lambda: gallery.rmat(scale)), ("grid", lambda: gallery.poisson((side, side)))):
        A = make()
        G = Graph(A.to_device(device))
        busiest, moved = int(np.diff(A.indptr).argmax()), A.indices.nbytes
        yield f"bfs, {title}", functools.partial(graph.bfs, G, busiest), None, moved
        yield f"pagerank, {title}", functools.partial(graph.pagerank, G, weighted=False), None, moved
        yield f"weak components, {title}", functools.partial(graph.connected_components, G), None, moved
        yield f"sssp, {title}", functools.partial(graph.sssp, Graph(_lengths(A).to_device(device)), busiest), None, 3 * moved
        both = _both_ways(G)
        yield f"triangles, {title}", functools.partial(graph.triangle_count, both), None, moved
