"""What one does with matrices, against SciPy, in one process, on the processor; a line each, with what is wanted.

    python compare_matrix.py [--rounds 5] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. What SciPy does in place is timed on fresh copies, and without these.
"""

import argparse
import pathlib
import sys
import time

import numpy as np
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from spark_csr import csr_array, gallery, prune  # noqa: E402
from spark_csr.cli import table  # noqa: E402
from spark_csr.operations.convert import from_coo, sort_indices, sum_duplicates  # noqa: E402
from spark_csr.operations.record import Csr  # noqa: E402
from spark_csr.operations.transpose import transposed  # noqa: E402

PAUSE = 0.05


class InPlace:
    """A method that changes a matrix: called on a copy each time, and timed without the copying."""

    def __init__(self, matrix, method):
        self.matrix, self.method = matrix, method

    def prepare(self):
        return getattr(self.matrix.copy(), self.method)


def conversions(shrink):
    """(name, ours, theirs, how many times faster is wanted)."""
    rng = np.random.default_rng(0)
    n, rows = 10_000_000 // shrink, 1_000_000 // shrink
    i, j = (rng.integers(0, rows, n, np.int32) for _ in range(2))
    data = rng.random(n)

    def canonical():
        S = sp.coo_array((data, (i, j)), shape=(rows, rows)).tocsr()
        S.sum_duplicates()

    yield "COO to CSR, 10 a row", lambda: from_coo(i, j, data, (rows, rows)), canonical, 2.5
    uniform = gallery.uniform(rows, rows, 16)
    for name, A, wanted in (("16 a row", uniform, 3), ("10,000 entries", gallery.uniform(1000, 1000, 10), 1)):
        S = A.to_scipy()
        yield f"transpose, {name}", lambda csr=A._csr: transposed(csr), lambda S=S: S.tocsc(), wanted
    halves = uniform.data * (rng.random(uniform.nnz) < 0.5)
    A = csr_array((halves, uniform.indices, uniform.indptr), shape=uniform.shape)
    yield "prune, half of the entries zero", lambda: prune(A), InPlace(A.to_scipy(), "eliminate_zeros"), 6
    shuffled = rng.integers(0, rows, uniform.nnz, np.int32)
    arrays = uniform._csr.indptr, shuffled, uniform.data
    S = sp.csr_array(arrays[::-1], shape=uniform.shape)
    yield "sort_indices", lambda: sort_indices(Csr(*arrays, A.shape)), InPlace(S, "sort_indices"), 1
    yield "sum_duplicates", lambda: sum_duplicates(Csr(*arrays, A.shape)), InPlace(S, "sum_duplicates"), 1


def rows(shrink):
    """The lines of all families."""
    for family in (conversions,):
        yield from family(shrink)


def _seconds(function):
    """One call, after an idle pause and an untimed one."""
    prepare = function.prepare if isinstance(function, InPlace) else lambda: function
    prepare()()
    call = prepare()
    time.sleep(PAUSE)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(arguments=None):
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="ten times smaller matrices")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name contains it")
    options = parser.parse_args(arguments)
    lines = [["operation", "ours", "SciPy's", "times faster", "wanted"]]
    for name, ours, theirs, wanted in rows(10 if options.quick else 1):
        if options.only in name:
            seconds = np.array([[_seconds(ours), _seconds(theirs)] for _ in range(options.rounds)])
            best = [table.duration(s) for s in seconds.min(axis=0)]
            lines.append([name, *best, f"{np.median(seconds[:, 1] / seconds[:, 0]):.1f}x", f"{wanted}x"])
    print(table.aligned(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
