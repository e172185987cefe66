"""`A @ x` and `A @ X` against SciPy, plain Numba, MKL and GraphBLAS, in one process, on the processor.

Libraries take turns in rounds. Each timed block comes after an idle pause and an untimed call, for other libraries' threads
keep spinning after their calls. A ratio is the median over rounds of `their time / our time` within a round, so a
disturbance that lasts longer than a round meets both. Where the ratios of a matrix are not clear yet, up to `--most` rounds
are made. Every result is checked against SciPy's.

    python compare.py [--rounds 5] [--most 15] [--quick] [--only TEXT] [--json FILE] [--matrices FOLDER]
                      [--columns 1,4,8] [--order C|F] [--transposed]

Without `--columns` each matrix is multiplied with a vector, and with 32 columns if it is large. `--transposed` is `A.T @ x`.
`--matrices`: a folder of real matrices, files of `scipy.sparse.save_npz`. NUMBA_NUM_THREADS, MKL_NUM_THREADS and
NUMBA_THREADING_LAYER say how many cores and which threads are measured.
"""

import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from benchmarks import irregular, peers  # noqa: E402
from side_by_side import parser  # noqa: E402
from spark_csr import gallery  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402
from spark_csr._cli.time_product import agree, bytes_moved, make_operand  # noqa: E402

LIBRARIES = {
    "SciPy": peers.scipy,
    "plain Numba": peers.plain,
    "MKL": peers.mkl,
    "inspected": peers.mkl_inspected,
    "GraphBLAS": peers.graphblas,
}
VECTORS = "plain Numba", "GraphBLAS"
"""Left out of products with several columns. The result of GraphBLAS is a sparse matrix, and the gigabytes that it hands back
slow down whoever comes next."""


def matrices(quick, folder=None):
    """(name, maker) pairs: large ones of every kind, irregular ones, real ones, then small ones from 100 nonzeros up."""
    shrink = 10 if quick else 1
    side = 46 if quick else 100
    yield f"Poisson {side}^3", lambda t: gallery.poisson((side,) * 3, t)
    yield "R-MAT", lambda t: gallery.rmat(14 if quick else 18, dtype=t)
    yield "uniform x 10", lambda t: gallery.uniform(200_000 // shrink, 200_000 // shrink, 10, dtype=t)
    yield "uniform x 16", lambda t: gallery.uniform(1_000_000 // shrink, 1_000_000 // shrink, 16, dtype=t)
    yield "banded x 9", lambda t: gallery.banded(1_000_000 // shrink, 9, dtype=t)
    yield "one dense row", lambda t: gallery.one_dense_row(1_000_000 // shrink, 1_000_000 // shrink, dtype=t)
    yield from irregular.generated(shrink)
    yield from irregular.from_folder(folder)
    for rows in (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000):
        yield f"uniform {rows}^2 x 10", lambda t, rows=rows: gallery.uniform(rows, rows, 10, dtype=t)
    for rows, band in ((1_000, 1), (20_000, 1), (10_000, 3), (3_000, 11), (200, 199)):
        yield f"banded {rows} x {band}", lambda t, rows=rows, band=band: gallery.banded(rows, band, dtype=t)
    for side2 in (10, 30, 100, 300):
        yield f"Poisson {side2}^2", lambda t, side2=side2: gallery.poisson((side2,) * 2, t)


PAUSE = 0.25  # seconds: MKL's threads spin for 0.2 s after a call and would slow down whoever comes next


def compared(name, A, columns, read, options):
    """One line: our time, bandwidth, and how many times faster than each library that is installed."""
    left = A.T if options.transposed else A
    x = np.asarray(make_operand(left, columns), order=options.order)
    S = left.to_scipy()
    expected = S @ x
    functions, names = [peers.ours(left, x)], []
    for library, adapter in LIBRARIES.items():
        if columns and library in VECTORS:
            continue
        try:
            functions.append(adapter(left, x))
            names.append(library)
        except NotImplementedError as error:
            print(f"{library} is left out: {error}", file=sys.stderr)
    right = [agree(peers.as_numpy(f()), expected, S.tocsr(), x) for f in functions]
    for library, ok in zip(["spark_csr", *names], right, strict=True):
        if not ok:
            print(f"WRONG: {library} on {name} {A.dtype}", file=sys.stderr)
    seconds = measure.time_rounds(functions, rounds=options.rounds, pause=PAUSE, most=options.most)
    ours = float(seconds[:, 0].min())  # the bandwidth it is held against is a best, too
    bandwidth = bytes_moved(A, columns or 1) / ours
    return {
        "matrix": name + (".T" if options.transposed else ""),
        "dtype": str(A.dtype),
        "nnz": A.nnz,
        "columns": columns or 1,
        "order": options.order,
        "rounds": len(seconds),
        "seconds": ours,
        "bandwidth": bandwidth,
        "share_of_read": bandwidth / read,
        "ratios": {library: measure.speedup(seconds, 0, k + 1) for k, library in enumerate(names)},
        "right": right[0],
    }


def geometric_mean(values):
    values = list(values)
    return float(np.exp(np.mean(np.log(values)))) if values else float("nan")


def better_of(line):
    """Our time against the better of MKL and GraphBLAS; None where neither is installed."""
    found = [ratio for library, ratio in line["ratios"].items() if library in ("MKL", "GraphBLAS")]
    return min(found) if found else None


def text(lines):
    """The table."""
    header = ["matrix", "dtype", "nnz", "columns", "time", "GB/s", "of read", *LIBRARIES]
    body = [
        [
            line["matrix"],
            line["dtype"],
            f"{line['nnz']:,}",
            f"{line['columns']} {line['order']}" if line["columns"] > 1 else "1",
            table.format_duration(line["seconds"]),
            f"{line['bandwidth'] / 1e9:.1f}",
            f"{line['share_of_read']:.0%}",
            *(f"{line['ratios'][library]:.2f}x" if library in line["ratios"] else "-" for library in LIBRARIES),
        ]
        for line in lines
    ]
    return table.align([header, *body])


def summary(lines):
    """What the project promises of itself, and what was measured."""
    vectors, blocks = [r for r in lines if r["columns"] == 1], [r for r in lines if r["columns"] > 1]
    large = [r for r in vectors if r["nnz"] > 1_000_000 and r["matrix"].startswith(("Poisson", "R-MAT", "uniform"))]
    middle = [ratio for r in vectors if r["nnz"] > 100_000 and (ratio := better_of(r)) is not None]
    grid = [r["share_of_read"] for r in large if r["matrix"].startswith("Poisson")]
    block = [r["ratios"]["MKL"] for r in blocks if "MKL" in r["ratios"]]
    facts = [
        ("vs SciPy above 1M nonzeros, geometric mean", [geometric_mean(r["ratios"]["SciPy"] for r in large)], 1.8),
        ("vs SciPy, least of all sizes", [r["ratios"]["SciPy"] for r in vectors], 1.0),
        ("vs plain Numba, least of all sizes", [r["ratios"]["plain Numba"] for r in vectors], 0.95),
        ("vs better of MKL and GraphBLAS above 100k nonzeros, geometric mean", [geometric_mean(middle)], 1.15),
        ("vs better of MKL and GraphBLAS above 100k nonzeros, least", middle, 0.9),
        ("share of read bandwidth on 3-D Poisson, least of dtypes", grid, 0.85),
        ("A @ X vs MKL, geometric mean", [geometric_mean(block)], 1.15),
        ("A @ X vs MKL, least", block, 1.0),
        ("A @ X vs SciPy, least", [r["ratios"]["SciPy"] for r in blocks], 1.0),
    ]
    rows = [["", "measured", "wanted"]]
    rows += [[name, f"{min(values):.2f}" if values else "-", f"{wanted:.2f}"] for name, values, wanted in facts]
    return table.align(rows)


def main(arguments=None):
    """Print both tables; the exit status is 1 if one of our results was wrong."""
    taken = parser(__doc__, smaller="ten times smaller matrices", named="matrices whose name contains it")
    taken.add_argument("--most", type=int, default=15, help="rounds for matrices whose ratios are not clear")
    taken.add_argument("--matrices", metavar="FOLDER", help="real matrices, as .npz files")
    taken.add_argument(
        "--columns", type=lambda text: [int(part) for part in text.split(",")], help="1,4,8: of these only; 1 is a vector"
    )
    taken.add_argument("--order", choices="CF", default="C", help="the order of X in memory")
    taken.add_argument("--transposed", action="store_true", help="multiply with A.T")
    taken.add_argument("--json", metavar="FILE", help="write the lines there too")
    options = taken.parse_args(arguments)
    read = measure.read_bandwidth()
    lines = []
    for name, make in matrices(options.quick, options.matrices):
        if options.only not in name:
            continue
        for dtype in (np.float64, np.float32):
            A = make(dtype)
            for columns in options.columns or ([1, 32] if A.nnz > 1_000_000 else [1]):
                lines.append(compared(name, A, None if columns == 1 else columns, read, options))
                print(text(lines[-1:]).splitlines()[1], file=sys.stderr)
    print(f"read bandwidth {read / 1e9:.1f} GB/s; a ratio is their time by ours, the median over rounds\n")
    print(text(lines))
    print()
    print(summary(lines))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"read_bandwidth": read, "lines": lines}, indent=1))
    return 0 if all(line["right"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
