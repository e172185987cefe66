"""Algorithms on graphs beside the reference code of the GAP benchmark (C++, OpenMP).

`--gap` is the folder where the reference was built (github.com/sbeamer/gapbs, `make`: -O3 -fopenmp). Its `converter` generates
a Kronecker and a uniform random graph, which both sides read from the same serialized files, with the same random lengths.
Sources are those that GAP's picker chooses, options those of its `bench.mk`: shortest paths with a delta of 2 (and, in a line
of its own, with the delta that is best for it here), PageRank until all entries together move by less than 1e-4, betweenness
from 4 sources. A round is one run of GAP's program, of several trials, and as many calls of ours; rounds take turns, and what
counts is the mean over the trials of a round. Every result is compared with what GAP says of its own.
"""

import dataclasses
import functools
import os
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np

from rows.gap_files import picked, read_graph
from spark_csr import config, csr_array, graph
from spark_csr.graph import Graph
from timing import PAUSE, Row, summary

WANTED = {"triangles": 3.0}
KINDS = {"kron": "-g", "urand": "-u"}
DELTA, TOLERANCE, SOURCES, DELTAS = 2, 1e-4, 4, (1, 2, 4, 8, 16, 32, 64)


def arguments(parser):
    """Where GAP is, and its graphs."""
    parser.add_argument("--gap", metavar="FOLDER", required=True, help="where the reference was built")
    parser.add_argument("--graphs", metavar="FOLDER", help="where its graphs are kept, for more than one run")
    parser.add_argument("--scale", type=int, default=18, help="graphs have 2**scale vertices")
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)


def rows(options):
    """A row for each graph and algorithm."""
    config.threads = options.threads
    with tempfile.TemporaryDirectory() as scratch:
        for kind in KINDS:
            gap = Gap(options.gap, options.threads)
            scale = 8 if options.smoke else options.scale
            compared = Compared(gap, gap.generated(kind, scale, options.degree, options.graphs or scratch))
            for name, *how in compared.lines(options.smoke):
                timed = functools.partial(compared.timed, *how)
                yield Trials(f"{kind}, {name}", timed, None, WANTED.get(name, 1.0), against=("GAP",))


@dataclasses.dataclass
class Trials(Row):
    """Runs of a program and calls of ours: `operation` is what times them."""

    def figures(self, options):
        seconds, right = self.operation(options.rounds)
        return summary(("ours", "GAP"), np.array(seconds)) | {"wrong": [] if right else ["GAP"]}


def _seconds(call):
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class Gap:
    """The programs of a build."""

    def __init__(self, folder, threads):
        self.folder, self.environment = pathlib.Path(folder), {**os.environ, "OMP_NUM_THREADS": str(threads)}

    def __call__(self, program, *options):
        command = [str(self.folder / program), *map(str, options)]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def generated(self, kind, scale, degree, folder):
        """Return the files of a graph, without and with weights, and generate them where they are absent."""
        files = [pathlib.Path(folder) / f"{kind}{suffix}" for suffix in (".sg", ".wsg")]
        for path in files:
            if not path.exists():
                weights = ["-w"] if path.suffix == ".wsg" else []
                self("converter", KINDS[kind], scale, "-k", degree, *weights, "-b", path)
        return files


def numbers(pattern, text):
    """All numbers that a pattern finds."""
    return [float(x) for x in re.findall(pattern, text)]


def tops(text):
    """Return the vertices that GAP prints, and their scores."""
    return {int(v): float(score) for v, score in re.findall(r"^(\d+):(\S+)$", text, re.MULTILINE)}


def alike(found, best):
    """Return whether the best vertices have the same scores in proportion to each other; GAP computes in single precision."""
    scale = sum(best.values()) / sum(found[v] for v in best) if best else 0
    return bool(best) and all(abs(found[v] * scale / score - 1) < 1e-2 for v, score in best.items())


class Compared:
    """A graph that both sides read, and what is timed on it."""

    def __init__(self, gap, files):
        self.gap, (self.plain, self.weighted) = gap, files
        offsets, targets, _, directed = read_graph(self.plain)
        self.offsets, n = offsets, offsets.size - 1
        self.G = Graph(csr_array((targets * 0 + 1.0, targets, offsets), shape=(n, n)), directed=directed)
        offsets, targets, lengths, directed = read_graph(self.weighted)
        self.W = Graph(csr_array((lengths, targets, offsets), shape=(n, n)), directed=directed)

    def lines(self, small):
        """Yield for each line its name, GAP's program, its options, our calls (one for each trial), and a function that says
        whether a result is what GAP says."""
        G, W, n, trials = self.G, self.W, self.G.n_vertices, 9
        sources = picked(self.offsets, trials * SOURCES)
        yield "bfs", "bfs", [], [lambda s=s: graph.bfs(G, s) for s in sources[:trials]], self._bfs
        shortest = [lambda s=s: graph.sssp(W, s, return_predecessors=False) for s in sources[:trials]]
        yield f"sssp, delta {DELTA}", "sssp", ["-d", DELTA], shortest, self._sssp
        yield "sssp, best delta", "sssp", None, shortest, self._sssp
        rank = [lambda: graph.pagerank(G, tol=TOLERANCE / n, weighted=False)] * trials
        yield "pagerank", "pr", ["-i", 1000, "-t", TOLERANCE], rank, self._pagerank
        yield "connected components", "cc", [], [lambda: graph.connected_components(G)] * trials, self._components
        yield "triangles", "tc", [], [lambda: graph.triangle_count(G)] * 2, self._triangles
        few = 2 if small else 5
        parts = np.reshape(sources, (trials, SOURCES))[:few]
        between = [lambda s=s: graph.betweenness(G, sources=s, normalized=False) for s in parts]
        yield "betweenness", "bc", ["-i", SOURCES], between, functools.partial(self._betweenness, parts[-1])

    def _run(self, program, options, trials):
        path = self.weighted if program == "sssp" else self.plain
        return self.gap(program, "-f", path, "-n", trials, "-a", *options)

    def _seconds(self, program, options, trials):
        return numbers(r"Average Time:\s+(\S+)", self._run(program, options, trials))[0]

    def timed(self, program, options, calls, agrees, rounds):
        """Seconds of ours and of theirs, a pair of means for each round, and whether the results agree. The first trial of each
        side is not counted: GAP's starts its threads and finds no memory."""
        if options is None:
            options = ["-d", min(DELTAS, key=lambda d: self._seconds(program, ["-d", d], 4))]
        found, right = [], agrees(calls[-1](), self._run(program, options, len(calls)))
        for _ in range(rounds):
            time.sleep(PAUSE)
            theirs = numbers(r"Trial Time:\s+(\S+)", self._run(program, options, len(calls)))[1:]
            time.sleep(PAUSE)
            ours = [_seconds(call) for call in calls][1:]
            found.append((sum(ours) / len(ours), sum(theirs) / len(theirs)))
        return found, right

    def _bfs(self, found, said):
        reached = found[0] >= 0
        edges = self.G.degrees()[reached].sum()
        return [reached.sum(), edges] == [*numbers(r"BFS Tree has (\d+) nodes", said), *numbers(r"nodes and (\d+) edges", said)]

    def _sssp(self, found, said):
        return [(found < float("inf")).sum()] == numbers(r"SSSP Tree reaches (\d+) nodes", said)

    def _pagerank(self, found, said):
        """GAP drops what is at vertices that no edge leaves."""
        return alike(found, tops(said))

    def _components(self, found, said):
        return [found[0]] == numbers(r"There are (\d+) components", said)

    def _triangles(self, found, said):
        return [found] == numbers(r"(\d+) triangles", said)

    def _betweenness(self, sources, found, said):
        """GAP counts the paths that begin at a source as leading through it."""
        return alike(found, {v: score for v, score in tops(said).items() if v not in sources})
