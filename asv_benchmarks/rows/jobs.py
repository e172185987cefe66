"""Jobs from beginning to end: finite elements, texts that are alike, an edge list with names, events from Arrow, and a graph
network on sampled neighbours; beside those who do the same.

Reading, building and all steps of a job are timed together. SuperLU and ARPACK, which SciPy uses too, take most of the time of
finite elements.
"""

import importlib.util

import numpy as np

from peers import jobs, linalg
from rows import scaled, sized
from spark_csr.gallery import poisson
from timing import Row


def rows(options):
    """A row for each job."""
    sides = (sized(options, 150, 2, 8),)
    yield Row("finite elements: assemble, spsolve, cg, eigsh", "finite elements", lambda: sides, 1)
    system = lambda: (poisson((sized(options, 20, 3, 4),) * 3), np.ones(sized(options, 20, 3, 4) ** 3))  # noqa: E731
    yield Row("Poisson's equation in space: spsolve", "spsolve", system, 1)
    for size in (1000, 10_000):
        texts = lambda size=size: (linalg.texts(sized(options, size, least=200)),)  # noqa: E731
        yield Row(f"ten most similar of {size:,} texts", "similar rows", texts, 2)
        yield Row(f"ten nearest of {size:,} texts by cosine", "neighbours by cosine", texts, 2)
    if importlib.util.find_spec("pandas"):
        edges = lambda: (jobs.edge_list(scaled(options, 14)),)  # noqa: E731
        yield Row("CSV with names: pagerank, communities, table", "named edges", edges, 1, None, ("networkx", "igraph"))
    if importlib.util.find_spec("pyarrow"):
        events = lambda: jobs.particles(sized(options, 100_000))  # noqa: E731
        yield Row("events from Arrow: mass of the best pair", "best pairs from Arrow", events, 1)
    if importlib.util.find_spec("torch"):
        graph = lambda: jobs.classes(sized(options, 20_000, 1, 2000))  # noqa: E731
        yield Row("a graph network on sampled neighbours", "sampled neighbours", graph, 1)
