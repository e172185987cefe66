"""Operations beside other busy processes, against SciPy and NumPy, in one process, on the processor; a line each.

    python compare_busy.py [--spinners 2] [--calls 400] [--only TEXT]

Each row is timed on a quiet machine first, and then beside processes that do nothing but spin, as other programs do on a laptop
or a shared node. A row has the median and the 95th percentile of both libraries' times; "slower" is ours over theirs. At most 2
is wanted. Calls of both libraries take turns, so that each meets the same load. One call in fifty or so waits for the scheduler
to give a core back, whichever library it is of: with fewer than some hundred calls the 95th percentile is a matter of luck.
"""

import argparse
import contextlib
import pathlib
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from spark_csr import csr_array, gallery, primitives  # noqa: E402
from spark_csr._cli import table  # noqa: E402
from spark_csr.graph import Graph, bfs, connected_components  # noqa: E402

PERCENTILES = 50, 95


def rows():
    """Yield (name, ours, theirs)."""
    rng = np.random.default_rng(1)
    for entries in (5_000, 200_000, 1_000_000):
        rows, name = entries // 8, f"{entries:,}"
        A, values = gallery.uniform(rows, rows, 8), rng.standard_normal(entries)
        S, x, X = A.to_scipy(), rng.standard_normal(rows), rng.standard_normal((rows, 8))
        places = rng.integers(0, rows, (2, entries))
        symmetric, start = (S + S.T).tocsr(), Graph(csr_array((S + S.T).tocsr()))
        yield f"A @ x {name}", lambda A=A, x=x: A @ x, lambda S=S, x=x: S @ x
        yield f"A @ X {name}", lambda A=A, X=X: A @ X, lambda S=S, X=X: S @ X
        yield f"A.T @ x {name}", lambda A=A, x=x: A.T @ x, lambda S=S, x=x: S.T @ x
        yield f"A @ A {name}", lambda A=A: A @ A, lambda S=S: S @ S
        yield f"A + A.T {name}", lambda A=A: A + A.T, lambda S=S: S + S.T
        yield f"A.multiply(x) {name}", lambda A=A, x=x: A.multiply(x).tocsr(), lambda S=S, x=x: S.multiply(x).tocsr()
        yield f"A.sum(axis=1) {name}", lambda A=A: A.sum(axis=1), lambda S=S: S.sum(axis=1)
        yield (
            f"COO to CSR {name}",
            lambda v=values, p=places, n=rows: csr_array((v, (p[0], p[1])), shape=(n, n)),
            lambda v=values, p=places, n=rows: sp.csr_array((v, (p[0], p[1])), shape=(n, n)),
        )
        yield f"sort {name}", lambda v=values: primitives.sort(v), lambda v=values: np.sort(v)
        yield f"inclusive scan {name}", lambda v=values: primitives.inclusive_scan(v), lambda v=values: np.cumsum(v)
        yield (
            f"components {name}",
            lambda G=start: connected_components(G),
            lambda S=symmetric: sp.csgraph.connected_components(S, directed=False),
        )
        yield (
            f"bfs {name}",
            lambda G=start: bfs(G, 0),
            lambda S=symmetric: sp.csgraph.breadth_first_order(S, 0, directed=True),
        )


def timed(calls, count):
    """Return the percentiles of both calls' seconds, an array of shape (percentiles, 2)."""
    seconds = np.empty((count, 2))
    for row in seconds:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            row[i] = time.perf_counter() - start
    return np.percentile(seconds, PERCENTILES, axis=0)


@contextlib.contextmanager
def spinning(count):
    """Keep `count` processes busy."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.5)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main(arguments=None):
    """Print a table for the quiet machine and one for the busy one."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--spinners", type=int, default=2, metavar="N", help="processes that spin")
    options.add_argument("--calls", type=int, default=400, metavar="N", help="calls of each, fewer of those that take long")
    options.add_argument("--only", default="", metavar="TEXT", help="lines whose name contains it")
    options = options.parse_args(arguments)
    chosen = [row for row in rows() if options.only in row[0]]
    for spinners in (0, options.spinners):
        lines = [["operation", *(f"{who} {p} %" for p in PERCENTILES for who in ("ours", "theirs")), "slower", "at 95 %"]]
        with spinning(spinners):
            for name, *calls in chosen:
                for call in calls:
                    call()
                usual = max(timed(calls, 5)[0].max(), 1e-6)
                found = timed(calls, int(np.clip(2 / usual, 10, options.calls)))
                lines.append([name, *map(table.format_duration, found.ravel()), *(f"{a / b:.2f}" for a, b in found)])
        print(f"beside {spinners} processes that spin")
        print(table.align(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
