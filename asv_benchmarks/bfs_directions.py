"""In which direction does a breadth-first search go, level by level, and what would the other cost? A table, and a picture.

    python bfs_directions.py [GRAPH] [--source VERTEX] [--alpha 15] [--beta 18] [--plot bfs.png]

GRAPH is a file that `Graph.read` knows, the name of one in the folder that SPARK_CSR_DATA names, or `rmat:16`, `grid:1000`,
with the scale or the side. A step's cost is the number of edges that it looks at: to push, all that leave the frontier; to
pull, those into every vertex not reached yet, up to the first that comes from the frontier. Needs matplotlib for `--plot`.
"""

import argparse
import importlib
import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from spark_csr import gallery  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402
from spark_csr.graph import Graph, bfs  # noqa: E402
from spark_csr.graph.algorithms.bfs import search  # noqa: E402
from spark_csr.graph.operators.pull import ALPHA, BETA  # noqa: E402

MADE = {"rmat": lambda scale: gallery.rmat(scale), "grid": lambda side: gallery.poisson((side, side))}
SHOWN = 24  # levels of the table


def graph_of(name):
    """A graph that is made, or read."""
    kind, _, size = name.partition(":")
    if kind in MADE and size.isdigit():
        return Graph(MADE[kind](int(size)))
    known = pathlib.Path(os.environ.get("SPARK_CSR_DATA", ROOT.parent / "shared" / "data")) / f"{name}.npz"
    return Graph.read(known if known.exists() else name)


class Levels:
    """What a search met on every level."""

    def __init__(self, G, source, alpha, beta):
        distance, before = bfs(G, source)
        self.count = int(distance.max()) + 1
        self.vertices, self.push = self._sums(distance, None), self._sums(distance, G.degrees())
        entering, looked = G.degrees("in"), looked_at(G, before)
        reached = np.cumsum(self._sums(distance, entering))
        found = np.append(self._sums(distance, looked)[1:], 0)  # by a step, of the vertices one level further
        passed = entering.sum() - reached - np.append(self._sums(distance, entering)[1:], 0)
        self.pull = found + passed
        self.pulled = np.zeros(self.count, bool)
        search(G, source, "auto", alpha, beta, None, self.pulled)
        self.auto = np.where(self.pulled, self.pull, self.push)

    def _sums(self, distance, values):
        """Of the vertices of every level."""
        reached = distance >= 0
        weights = None if values is None else values[reached]
        return np.bincount(distance[reached], weights, minlength=self.count).astype(np.int64)


def looked_at(G, before):
    """The edges into every vertex up to that from the vertex it was reached from: sources ascend."""
    back = G.transpose
    hits = np.flatnonzero(back.matrix.indices == before[back.sources()])
    targets = back.sources()[hits]
    out = np.zeros(G.n_vertices, np.int64)
    out[targets[::-1]] = (hits - back.matrix.indptr[targets] + 1)[::-1]  # of several the first stays
    return out


def text(levels):
    """The table, of many levels the first."""
    lines = [["level", "vertices", "direction", "edges looked at", "push alone", "pull alone"]]
    costs = levels.auto, levels.push, levels.pull
    for k in range(min(levels.count, SHOWN)):
        way = "pull" if levels.pulled[k] else "push"
        lines.append([str(k), f"{levels.vertices[k]:,}", way, *(f"{x[k]:,}" for x in costs)])
    if levels.count > SHOWN:
        lines.append([f"... {levels.count - 1}", "", f"{levels.pulled.sum()} pulled", "", "", ""])
    lines.append(["all", f"{levels.vertices.sum():,}", "", *(f"{x.sum():,}" for x in costs)])
    return table.align(lines)


def draw(path, title, levels):
    """Costs of both directions by level, what was taken, and the size of frontiers."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(9, 5), layout="constrained")
    axes, steps = figure.subplots(), np.arange(levels.count)
    width = 1 if levels.count > 100 else 0.8
    axes.bar(steps, levels.vertices, width=width, color="#d0d0d0", label="vertices of the frontier")
    axes.plot(steps, levels.push, color="#4878a8", label="edges: push alone")
    axes.plot(steps, levels.pull, color="#c86048", label="edges: pull alone")
    for taken, name, color in ((~levels.pulled, "pushed", "#4878a8"), (levels.pulled, "pulled", "#c86048")):
        axes.plot(steps[taken], levels.auto[taken], "o", color=color, markersize=7 if levels.count < 100 else 3, label=name)
    axes.set_yscale("symlog")
    axes.set_xlabel("level")
    axes.set_title(title)
    axes.legend()
    figure.savefig(path, dpi=150)


def main(arguments=None):
    """Print the table and how long each way takes; draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="rmat:16")
    parser.add_argument("--source", type=int, help="default: the vertex with most edges")
    parser.add_argument("--alpha", type=float, default=ALPHA)
    parser.add_argument("--beta", type=float, default=BETA)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args(arguments)
    G = graph_of(options.graph)
    source = int(np.argmax(G.degrees())) if options.source is None else options.source
    levels = Levels(G, source, options.alpha, options.beta)
    title = f"{options.graph}: {G.n_vertices:,} vertices, {G.n_edges:,} edges, from {source}"
    print(title, text(levels), sep="\n")
    ways = [lambda d=d: bfs(G, source, direction=d, alpha=options.alpha, beta=options.beta) for d in ("auto", "push", "pull")]
    seconds = measure.time_rounds(ways, rounds=options.rounds).min(axis=0)
    print(
        ", ".join(f"{d} {table.format_duration(s)}" for d, s in zip(("auto", "push alone", "pull alone"), seconds, strict=True))
    )
    if options.plot:
        draw(options.plot, title, levels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
