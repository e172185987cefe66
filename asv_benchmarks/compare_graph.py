"""Algorithms on graphs against SciPy's csgraph, GraphBLAS and networkx, in one process, on the processor; a line each.

    python compare_graph.py [--rounds 3] [--quick] [--only TEXT] [--scale 16]

How things are timed is told in `compare.py`, what is run in `benchmarks/graph_peers.py`. Numbers are how many times faster
ours is than each library; wanted is the least of them. networkx is timed on small graphs only, GraphBLAS not where it would
take a step for each of thousands of levels. Graphs are read from the folder that SPARK_CSR_DATA names, where there is one; an
R-MAT graph, a grid and a path are generated. Every result is compared with ours.
"""

import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from benchmarks import graph_peers  # noqa: E402
from side_by_side import parser  # noqa: E402
from spark_csr import csr_array, gallery, load_npz  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402

LIBRARIES = {"scipy": "SciPy", "graphblas": "GraphBLAS", "networkx": "networkx"}
FILES = "ego-twitter", "soc-slashdot0902", "bcsstk16"
SMALL = 300_000  # edges up to which networkx is waited for
WANTED = dict.fromkeys(("bfs", "sssp", "pagerank", "connected_components", "triangle_count"), 1)


def graphs(options):
    """(name, maker of a matrix, source, steps of GraphBLAS's algorithms that walk): the source None is the busiest vertex."""
    folder = pathlib.Path(os.environ.get("SPARK_CSR_DATA", ROOT.parent / "shared" / "data"))
    for name in FILES:
        if (folder / f"{name}.npz").exists() and not options.quick:
            yield name, lambda name=name: load_npz(folder / f"{name}.npz").tocsr(), None, 10
    scale = 10 if options.quick else options.scale
    yield f"R-MAT {scale}", lambda: gallery.rmat(scale), None, 10
    side, length = (50, 3000) if options.quick else (1000, 1_000_000)
    yield f"grid {side} x {side}", lambda: gallery.poisson((side, side)), 0, 2 * side
    yield f"path of {length:,}", lambda: gallery.poisson((length,)), 0, length


def pattern(A):
    """Where a matrix has entries beside its diagonal."""
    S = A.to_scipy().tocoo()
    keep = S.row != S.col
    return csr_array((np.ones(keep.sum()), (S.row[keep], S.col[keep])), shape=A.shape)


def functions(algorithm, g, steps):
    """By library what is to be timed."""
    for library, adapter in graph_peers.ALGORITHMS[algorithm].items():
        walks = library == "graphblas" and algorithm in ("bfs", "sssp", "connected_components")
        if (library == "networkx" and g.scipy.nnz > SMALL) or (walks and steps * g.scipy.nnz > 1e9):
            continue
        try:
            yield library, adapter(g)
        except NotImplementedError as reason:
            print(f"{library} is left out: {reason}", file=sys.stderr)


def digest(algorithm, library, found):
    """Of every library's result a few numbers that must be the same."""
    if algorithm == "bfs":  # how many are reached
        reached = {"ours": lambda: (found[0] >= 0).sum(), "scipy": lambda: found[0].size, "graphblas": lambda: found.nvals}
        return reached.get(library, lambda: len(found))()
    if algorithm in ("sssp", "pagerank"):
        x = found.to_coo()[1] if library == "graphblas" else found
        x = np.array(list(x.values())) if library == "networkx" else x
        return np.array([x[np.isfinite(x)].sum(), x[np.isfinite(x)].max()])
    if algorithm.endswith("components") or algorithm == "connected_components":
        if library == "graphblas":
            return np.unique(found.to_dense()).size
        return len(found) if library == "networkx" else found[0]
    return found.sum() if algorithm == "minimum_spanning_tree" else found


def compared(name, g, steps, algorithm, rounds):
    """A line of the table, and whether all results agree."""
    libraries, calls = zip(*functions(algorithm, g, steps), strict=True)
    digests = [digest(algorithm, library, call()) for library, call in zip(libraries, calls, strict=True)]
    wrong = [x for x, d in zip(libraries, digests, strict=True) if not np.allclose(d, digests[0], rtol=1e-4)]
    seconds = measure.time_rounds(calls, rounds=rounds, pause=0.05)
    ratios = {library: measure.speedup(seconds, 0, k) for k, library in enumerate(libraries) if k}
    wanted = 0.5 if name.startswith("path") and algorithm == "bfs" else WANTED.get(algorithm)
    verdict = "-" if wanted is None else f"{wanted}x" + ("" if min(ratios.values()) >= wanted else " MISSED")
    cells = [f"{ratios[x]:.2f}x" if x in ratios else "-" for x in LIBRARIES]
    line = [name, algorithm, table.format_duration(seconds[:, 0].min()), *cells, verdict]
    return [*line, f"DIFFERS: {', '.join(wrong)}" if wrong else ""], not wrong


def main(arguments=None):
    """Print the table; the exit status is 1 if results differ."""
    taken = parser(__doc__, 3, "small generated graphs", "lines whose graph and algorithm contain it")
    taken.add_argument("--scale", type=int, default=16, help="the R-MAT graph has 2**scale vertices")
    options = taken.parse_args(arguments)
    lines, right = [["graph", "algorithm", "ours", *LIBRARIES.values(), "wanted", ""]], True
    for name, make, source, steps in graphs(options):
        wanted = [x for x in graph_peers.ALGORITHMS if options.only in f"{name} {x}"]
        g = graph_peers.Forms(pattern(make()), source) if wanted else None
        for algorithm in wanted:
            line, agrees = compared(name, g, steps, algorithm, options.rounds)
            print(*line, file=sys.stderr)
            lines.append(line)
            right &= agrees
    print(table.align(lines))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
