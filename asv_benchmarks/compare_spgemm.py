"""Products of sparse matrices against SciPy, MKL and GraphBLAS, in one process, on the processor; a line each.

    python compare_spgemm.py [--rounds 3] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. Every result is compared with SciPy's first. Our rows come out sorted, those of
SciPy and MKL do not. Graphs are read from the folder that SPARK_CSR_DATA names, where there is one.
"""

import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from benchmarks import spgemm as peers  # noqa: E402
from side_by_side import parser  # noqa: E402
from spark_csr import csr_array, gallery, load_npz  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402

LIBRARIES = {"SciPy": peers.scipy, "MKL": peers.mkl, "GraphBLAS": peers.graphblas}
GRAPHS = ("ego-twitter", "soc-slashdot0902")
PAUSE = 0.25  # seconds: MKL's threads spin for 0.2 s after a call


def products(shrink):
    """(name, maker, masked, how many times faster than the better of SciPy and MKL is wanted)."""
    side = 60 if shrink == 1 else 28
    rows = 200_000 // shrink
    yield f"uniform {rows:,} x 10", lambda: gallery.uniform(rows, rows, 10, dtype=np.float64), False, 1.3
    folder = pathlib.Path(os.environ.get("SPARK_CSR_DATA", ROOT.parent / "shared" / "data"))
    for name in GRAPHS:
        path = folder / f"{name}.npz"
        if path.exists() and shrink == 1:
            yield name, lambda path=path: csr_array(load_npz(path), dtype=np.float64), False, 1.3
    yield "R-MAT, masked by itself", lambda: peers.graph(gallery.rmat(15 if shrink == 1 else 12)), True, None
    yield f"Poisson {side}^3", lambda: gallery.poisson((side,) * 3, np.float64), False, 1.0
    for n in (10, 100, 1000, 10_000):
        wanted = 1.0 if n == 1000 else None
        yield f"uniform {n} x {min(n, 10)}", lambda n=n: gallery.uniform(n, n, min(n, 10), dtype=np.float64), False, wanted


def is_right(got, expected):
    """The pattern of SciPy's result, and its values but for rounding."""
    same = np.array_equal(got.indptr, expected.indptr) and np.array_equal(got.indices, expected.indices)
    return same and np.allclose(got.data, expected.data, rtol=1e-12, atol=0)


def compared(name, A, masked, rounds):
    """Our time, and how many times faster it is than each library that is installed; None for one that fails."""
    expected = peers.scipy(A, masked)().tocsr()
    expected.sort_indices()
    ours = peers.ours(A, masked)
    if not is_right(ours(), expected):
        print(f"WRONG: {name}", file=sys.stderr)
    functions, names = [ours], []
    for library, adapter in LIBRARIES.items():
        try:
            function = adapter(A, masked)
            function()
        except (NotImplementedError, ValueError) as error:
            print(f"{library} is left out of {name}: {error}", file=sys.stderr)
            continue
        functions.append(function)
        names.append(library)
    seconds = measure.time_rounds(functions, rounds=rounds, pause=PAUSE)
    return float(seconds[:, 0].min()), {n: measure.speedup(seconds, 0, k + 1) for k, n in enumerate(names)}


def main(arguments=None):
    """Print the table."""
    options = parser(__doc__, rounds=3, smaller="smaller matrices").parse_args(arguments)
    lines = [["A @ A", "nnz", "time", *LIBRARIES, "wanted of the first two"]]
    for name, make, masked, wanted in products(10 if options.quick else 1):
        if options.only in name:
            A = make()
            seconds, ratios = compared(name, A, masked, options.rounds)
            cells = [f"{ratios[n]:.2f}x" if n in ratios else "-" for n in LIBRARIES]
            lines.append([name, f"{A.nnz:,}", table.format_duration(seconds), *cells, f"{wanted}x" if wanted else "-"])
    print(table.align(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
