"""Algorithms on graphs against the reference code of the GAP benchmark (C++, OpenMP), on the processor; a line each.

    python compare_gap.py FOLDER [--rounds 5] [--quick] [--only TEXT] [--scale 18] [--degree 16] [--threads 2]

FOLDER is where the reference was built (github.com/sbeamer/gapbs, `make`: -O3 -fopenmp). Its `converter` generates a Kronecker
and a uniform random graph, which both sides read from the same serialized files, with the same random lengths. Sources are
those that GAP's picker chooses, options those of its `bench.mk`: shortest paths with a delta of 2 (and, in a line of its own,
with the delta that is best for it here), PageRank until all entries together move by less than 1e-4, betweenness from 4
sources. A round is one run of GAP's program, of several trials, and as many calls of ours; rounds take turns, and the ratio is
the median over rounds of GAP's mean over ours. Every result is compared with what GAP says of its own.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from side_by_side import parser  # noqa: E402

WANTED = {"triangles": 3.0}
KINDS = {"kron": "-g", "urand": "-u"}
SEED, DELTA, TOLERANCE, SOURCES, DELTAS = 27491095, 2, 1e-4, 4, (1, 2, 4, 8, 16, 32, 64)


def read_graph(path):
    """Offsets, targets, weights (None in a `.sg`) of a graph that GAP serialized, and whether it is directed."""
    import numpy as np

    content = path.read_bytes()
    directed = content[0] != 0
    edges, n = (int(x) for x in np.frombuffer(content, np.int64, 2, 1))
    offsets = np.frombuffer(content, np.int64, n + 1, 17)
    pairs = 2 if path.suffix == ".wsg" else 1
    entries = np.frombuffer(content, np.int32, edges * pairs, 17 + 8 * (n + 1)).reshape(edges, pairs)
    return offsets, entries[:, 0].copy(), entries[:, 1].copy() if pairs == 2 else None, directed


def random_words(seed):
    """The generator std::mt19937_64."""
    word, mask = (1 << 64) - 1, 1 << 31
    state = [seed]
    for k in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + k) & word)
    while True:
        for k in range(312):
            x = (state[k] & ~(mask - 1) & word) | (state[(k + 1) % 312] & (mask - 1))
            state[k] = state[(k + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        for x in state:
            x ^= x >> 29 & 0x5555555555555555
            x ^= x << 17 & 0x71D67FFFEDA60000
            x ^= x << 37 & 0xFFF7EEE000000000
            yield (x ^ x >> 43) & word


def picked(offsets, count):
    """Return the first sources that GAP's SourcePicker chooses: vertices with edges."""
    n, words, found = offsets.size - 1, random_words(SEED), []
    cutoff = ((1 << 64) - 1 - ((1 << 64) - 1) % n) & 0xFFFFFFFF if ((1 << 64) - 1) % n != n - 1 else 0
    while len(found) < count:
        number = next(words) & 0xFFFFFFFF
        if (not cutoff or number < cutoff) and offsets[number % n] < offsets[number % n + 1]:
            found.append(number % n)
    return found


def seconds(call):
    """Measure how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def min_of_columns(rows):
    """Return the least number of every column."""
    return [min(column) for column in zip(*rows, strict=True)]


class Gap:
    """The programs of a build."""

    def __init__(self, folder, threads):
        self.folder, self.environment = pathlib.Path(folder), {**os.environ, "OMP_NUM_THREADS": str(threads)}

    def __call__(self, program, *options):
        command = [str(self.folder / program), *map(str, options)]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def generated(self, kind, options, folder):
        """Return the files of a graph, without and with weights, and generate them where they are absent."""
        files = [pathlib.Path(folder) / f"{kind}{suffix}" for suffix in (".sg", ".wsg")]
        for path in files:
            if not path.exists():
                weights = ["-w"] if path.suffix == ".wsg" else []
                self("converter", KINDS[kind], options.scale, "-k", options.degree, *weights, "-b", path)
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
        from spark_csr import csr_array
        from spark_csr.graph import Graph

        self.gap, (self.plain, self.weighted) = gap, files
        offsets, targets, _, directed = read_graph(self.plain)
        self.offsets, n = offsets, offsets.size - 1
        self.G = Graph(csr_array((targets * 0 + 1.0, targets, offsets), shape=(n, n)), directed=directed)
        offsets, targets, lengths, directed = read_graph(self.weighted)
        self.W = Graph(csr_array((lengths, targets, offsets), shape=(n, n)), directed=directed)

    def lines(self, quick):
        """Yield for each line its name, GAP's program, its options, our calls (one for each trial), and a function that says
        whether a result is what GAP says."""
        import numpy as np

        from spark_csr import graph

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
        few = 2 if quick else 5
        parts = np.reshape(sources, (trials, SOURCES))[:few]
        between = [lambda s=s: graph.betweenness(G, sources=s, normalized=False) for s in parts]
        yield "betweenness", "bc", ["-i", SOURCES], between, functools.partial(self._betweenness, parts[-1])

    def _run(self, program, options, trials):
        path = self.weighted if program == "sssp" else self.plain
        return self.gap(program, "-f", path, "-n", trials, "-a", *options)

    def _seconds(self, program, options, trials):
        return numbers(r"Average Time:\s+(\S+)", self._run(program, options, trials))[0]

    def timed(self, program, options, calls, agrees, rounds, pause=0.05):
        """Return the seconds of every trial of ours and of theirs, the best of all rounds, and whether the results agree. The
        first trial of each side is not counted: GAP's starts its threads and finds no memory."""
        if options is None:
            options = ["-d", min(DELTAS, key=lambda d: self._seconds(program, ["-d", d], 4))]
        ours, theirs, right = [], [], agrees(calls[-1](), self._run(program, options, len(calls)))
        for _ in range(rounds):
            time.sleep(pause)
            theirs.append(numbers(r"Trial Time:\s+(\S+)", self._run(program, options, len(calls)))[1:])
            time.sleep(pause)
            ours.append([seconds(call) for call in calls][1:])
        return min_of_columns(ours), min_of_columns(theirs), right

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


def main(arguments=None):
    """Print the table; the exit status is 1 if results differ."""
    taken = parser(__doc__, 5, "small graphs", "lines whose graph and algorithm contain it")
    taken.add_argument("folder", help="where the reference was built")
    taken.add_argument("--graphs", help="where its graphs are kept, for more than one run; default: a temporary folder")
    taken.add_argument("--scale", type=int, default=18, help="graphs have 2**scale vertices")
    taken.add_argument("--degree", type=int, default=16)
    taken.add_argument("--threads", type=int, default=2)
    options = taken.parse_args(arguments)
    if options.quick:
        options.scale, options.rounds = min(options.scale, 10), 1
    from spark_csr import config
    from spark_csr._cli import table

    config.threads = options.threads
    lines, right = [["graph", "algorithm", "ours", "GAP", "ratio", "wanted", ""]], True
    with tempfile.TemporaryDirectory() as scratch:
        for kind in KINDS:
            gap = Gap(options.folder, options.threads)
            compared = Compared(gap, gap.generated(kind, options, options.graphs or scratch))
            for name, program, given, calls, agrees in compared.lines(options.quick):
                if options.only not in f"{kind} {name}":
                    continue
                ours, theirs, agreed = compared.timed(program, given, calls, agrees, options.rounds)
                ratio, wanted = sum(theirs) / sum(ours), WANTED.get(name, 1.0)
                cells = [table.format_duration(sum(s) / len(s)) for s in (ours, theirs)]
                verdict = f"{wanted:g}x" + ("" if ratio >= wanted else " MISSED")
                lines.append([kind, name, *cells, f"{ratio:.2f}x", verdict, "" if agreed else "DIFFERS"])
                print(*lines[-1], file=sys.stderr)
                right &= agreed
    print(table.align(lines))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
