"""Operations on a quiet machine, and beside processes that do nothing but spin, as other programs do on a laptop.

Calls of both libraries take turns, so that each meets the same load. What counts are the median and the 95th percentile of
their times. One call in fifty or so waits for the scheduler to give a core back, whichever library it is of: with fewer than
some hundred calls the 95th percentile is a matter of luck.
"""

import contextlib
import dataclasses
import subprocess
import sys
import time

import numpy as np

from peers.graph import Forms
from rows import once
from spark_csr import csr_array, gallery
from timing import Row


def arguments(parser):
    """The load, and how many calls meet it."""
    parser.add_argument("--spinners", type=int, default=2, metavar="N", help="processes that spin")
    parser.add_argument("--calls", type=int, default=400, metavar="N", help="calls of each, fewer of those that take long")


@dataclasses.dataclass
class Beside(Row):
    """An operation beside so many processes that spin."""

    spinners: int = 0

    def figures(self, options):
        found = {"wrong": [], "left_out": {}}
        calls = self.calls(self.operands(), options, found)
        with _spinning(self.spinners):
            usual = max(np.median(_timed(calls, 5), axis=0).max(), 1e-6)
            seconds = _timed(calls, 5 if options.smoke else int(np.clip(2 / usual, 10, options.calls)))
        middle, late = np.percentile(seconds, (50, 95), axis=0)
        times = {x: {"median": float(middle[k]), "95 %": float(late[k])} for k, x in enumerate(calls)}
        ratios = {
            x: {"median": float(middle[k] / middle[0]), "95 %": float(late[k] / late[0])} for k, x in enumerate(calls) if k
        }
        return found | {"rounds": len(seconds), "seconds": times, "ratios": ratios}


def rows(options):
    """A row for each operation, size, and number of processes beside it. SciPy's or NumPy's time by ours: at least 0.5."""
    for spinners in (0, options.spinners):
        for entries in (5_000,) if options.smoke else (5_000, 200_000, 1_000_000):
            for operation, operands in _operations(entries).items():
                title = f"{operation}, {entries:,}, beside {spinners} that spin"
                without = "plain", "mkl", "mkl, inspected", "graphblas", "networkx", "numpy, not stable"
                yield Beside(title, operation.partition(",")[0], operands, 0.5, without=without, spinners=spinners)


def _operations(entries):
    """By operation the maker of its operands."""
    n, rng = entries // 8, np.random.default_rng(1)
    values, places, x, X = rng.standard_normal(entries), rng.integers(0, n, (2, entries)), rng.random(n), rng.random((n, 8))
    A = once(lambda: gallery.uniform(n, n, 8))
    both = once(lambda: (Forms(csr_array((A() + A().T).tocsr()), 0),))
    return {
        "A @ x": lambda: (A(), x),
        "A @ x, 8 columns": lambda: (A(), X),
        "A @ x, transposed": lambda: (A().T, x),
        "A @ A": lambda: (A(), False),
        "A + B": lambda: (A(), A().T.tocsr()),
        "A * dense row": lambda: (A(), x),
        "sum, of rows": lambda: (A(), 1),
        "COO to CSR": lambda: (values, *places, (n, n)),
        "sort": lambda: (values,),
        "inclusive_scan": lambda: (values,),
        "weak components": both,
        "bfs": both,
    }


def _timed(calls, count):
    """(count, libraries) seconds."""
    seconds = np.empty((count, len(calls)))
    for row in seconds:
        for i, call in enumerate(calls.values()):
            start = time.perf_counter()
            call()
            row[i] = time.perf_counter() - start
    return seconds


@contextlib.contextmanager
def _spinning(count):
    """Keep `count` processes busy."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.5 * bool(count))
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
