"""The GPU kernels, checked against SciPy and the processor, and timed against CuPy and a copy on the device.

Run from a source tree on a machine with CuPy and a GPU: `python asv_benchmarks/gpu_check.py`. Ends in a table and writes
`results/gpu-<device>-<date>.json` beside this file. `--dry-run` does the same on the processor with small matrices and SciPy
in CuPy's place, and writes nothing.
"""

import argparse
import datetime
import json
import pathlib
import re
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import scipy.sparse as sp  # noqa: E402

import gpu_graphs  # noqa: E402
import gpu_matrices  # noqa: E402
import gpu_primitives  # noqa: E402
from spark_csr import csr_array, gallery  # noqa: E402
from spark_csr._array import parse_device, to_device  # noqa: E402
from spark_csr.cli import gpu, measure, table  # noqa: E402
from spark_csr.cli.product import agrees, bytes_moved, operand  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
DTYPES = "?bBhHiIqQfdFD"
SEMIRINGS = ("plus_times", "min_plus", "max_plus", "max_times", "any_pair", "or_and")


def battery():
    """Small matrices that break kernels: empty, long, short, skewed, bands."""
    some = np.random.default_rng(1).random((40, 30)) < 0.1
    some[[0, 1, 20, 39]] = False
    yield "no entries", lambda t: csr_array((5, 7), dtype=t)
    yield "1 x N", lambda t: gallery.uniform(1, 5000, 3000, dtype=t)
    yield "N x 1", lambda t: gallery.uniform(5000, 1, 1, dtype=t)
    yield "empty rows", lambda t: csr_array(some.astype(t))
    yield "a million empty rows", lambda t: csr_array((np.ones(2, t), ([3, 999_999], [1, 2])), shape=(1_000_000, 5))
    yield "one dense row", lambda t: gallery.one_dense_row(3000, 70_000, dtype=t)
    yield "band", lambda t: gallery.banded(4000, 33, dtype=t)
    yield "short rows", lambda t: gallery.uniform(30_000, 30_000, 3, dtype=t)
    yield "power law", lambda t: gallery.rmat(12, dtype=t)


def product_checks(device):
    """(name, passed) of `A @ x` for every matrix and dtype, `A @ X` and `A.T @ x` for some dtypes, every semiring."""
    for name, make in battery():
        for code in DTYPES:
            yield f"A @ x, {name}, {np.dtype(code)}", lambda make=make, code=code: _product(make(code), None, device)
        for code in "fdD":
            for columns in (1, 3, 32, 100):
                yield (
                    f"A @ X, {name}, {np.dtype(code)}, {columns} columns",
                    lambda make=make, code=code, columns=columns: _product(make(code), columns, device),
                )
            yield f"A.T @ x, {name}, {np.dtype(code)}", lambda make=make, code=code: _transposed(make(code), device)
        for ring in SEMIRINGS:
            yield f"{ring}, {name}", lambda make=make, ring=ring: _semiring(make("d"), ring, device)


def _product(A, columns, device):
    S, x = A.to_scipy(), operand(A, columns)
    there, x_there = A.to_device(device), to_device(x, device)
    first, again = (to_device(there @ x_there, "cpu") for _ in range(2))
    return agrees(first, S @ x, S, x) and first.tobytes() == again.tobytes()


def _transposed(A, device):
    S = sp.csr_array(A.to_scipy().T)
    x = operand(A.T)
    return agrees(to_device(A.to_device(device).T @ to_device(x, device), "cpu"), S @ x, S, x)


def _semiring(A, ring, device):
    x = operand(A)
    there = to_device(A.to_device(device).matmul(to_device(x, device), semiring=ring), "cpu")
    here = A.matmul(x, semiring=ring)
    return here.dtype == there.dtype and np.allclose(here, there, rtol=1e-12, atol=0, equal_nan=True)


def run_checks(checks, deadline):
    """Run (name, check) pairs until the deadline; returns how many passed, and what failed or raised."""
    passed, failed, left = 0, [], 0
    for name, check in checks:
        if time.monotonic() > deadline:
            left += 1
            continue
        try:
            ok, said = check(), "wrong result"
        except Exception as error:  # one kernel that fails must not hide the others
            ok, said = False, f"{type(error).__name__}: {error}"
        if ok:
            passed += 1
        else:
            failed.append(f"{name}: {said}")
            print(f"FAILED {failed[-1]}", file=sys.stderr)
    return {"passed": passed, "failed": failed, "left_out_for_time": left}


def timed_matrices(small):
    """What is timed: from a product that is all launch cost to one that is all memory."""
    side, scale, rows = (12, 9, 2000) if small else (256, 22, 4_000_000)
    for dtype in ("float64", "float32"):
        yield f"Poisson {side // 2}^3", lambda t=dtype: gallery.poisson((side // 2,) * 3, t)
        yield "Poisson 100^3" if not small else "Poisson 5^3", lambda t=dtype: gallery.poisson((5 if small else 100,) * 3, t)
        yield f"Poisson {side}^3", lambda t=dtype: gallery.poisson((side,) * 3, t)
        yield f"R-MAT scale {scale}", lambda t=dtype: gallery.rmat(scale, dtype=t)
        yield "uniform x 16", lambda t=dtype: gallery.uniform(rows, rows, 16, dtype=t)
        yield "banded x 81", lambda t=dtype: gallery.banded(rows // 6, 81, dtype=t)
        yield "one dense row", lambda t=dtype: gallery.one_dense_row(rows, rows, dtype=t)
    yield "1k rows x 10", lambda: gallery.uniform(1000, 1000, 10)


def timed(name, A, device, copy):
    """Kernel time and time per call of `A @ x`, ours and the reference's, apart."""
    S, x = A.to_scipy(), operand(A)
    there, x_there = A.to_device(device), to_device(x, device)
    right = agrees(to_device(there @ x_there, "cpu"), S @ x, S, x)
    if parse_device(device) is None:
        functions, kernel_rounds = [lambda: A @ x, lambda: S @ x], measure.time_rounds
        call_rounds = kernel_rounds
    else:
        C = there.copy().to_cupy()  # CuPy sorts and merges in place
        functions, kernel_rounds = [lambda: there @ x_there, lambda: C @ x_there], gpu.time_rounds

        def call_rounds(functions):
            return gpu.time_rounds(functions, timer=gpu.call_time)

    kernels, calls = kernel_rounds(functions), call_rounds(functions)
    ours = float(np.median(kernels[:, 0]))
    return {
        "matrix": name,
        "dtype": str(A.dtype),
        "nnz": A.nnz,
        "kernel_s": ours,
        "kernel_s_reference": float(np.median(kernels[:, 1])),
        "call_s": float(np.median(calls[:, 0])),
        "call_s_reference": float(np.median(calls[:, 1])),
        "kernel_speedup": measure.speedup(kernels, 0, 1),
        "call_speedup": measure.speedup(calls, 0, 1),
        "bandwidth": bytes_moved(A) / ours,
        "share_of_copy": bytes_moved(A) / ours / copy,
        "right": right,
    }


def timed_other(name, ours, theirs, moved, device, copy):
    """Time on the device (on the processor: of a call) of ours and the reference's, and ours against a copy."""
    functions = [ours] if theirs is None else [ours, theirs]
    seconds = (measure if parse_device(device) is None else gpu).time_rounds(functions)
    best = float(np.median(seconds[:, 0]))
    against = (
        {} if theirs is None else {"reference_s": float(np.median(seconds[:, 1])), "speedup": measure.speedup(seconds, 0, 1)}
    )
    return {"name": name, "kernel_s": best, "bandwidth": moved / best, "share_of_copy": moved / best / copy, **against}


def others_text(lines, family, reference):
    """The table of the matrices or of the primitives."""
    header = [family, "kernels", reference, "ratio", "GB/s", "of copy"]
    body = [
        [
            r["name"],
            table.duration(r["kernel_s"]),
            table.duration(r["reference_s"]) if "reference_s" in r else "-",
            f"{r['speedup']:.2f}x" if "speedup" in r else "-",
            f"{r['bandwidth'] / 1e9:.0f}",
            f"{r['share_of_copy']:.0%}",
        ]
        for r in lines
    ]
    return table.aligned([header, *body])


def text(lines, reference):
    """The table of the products."""
    header = ["matrix", "dtype", "nnz", "kernel", reference, "ratio", "call", reference, "ratio", "GB/s", "of copy", "check"]
    body = [
        [
            r["matrix"],
            r["dtype"],
            f"{r['nnz']:,}",
            table.duration(r["kernel_s"]),
            table.duration(r["kernel_s_reference"]),
            f"{r['kernel_speedup']:.2f}x",
            table.duration(r["call_s"]),
            table.duration(r["call_s_reference"]),
            f"{r['call_speedup']:.2f}x",
            f"{r['bandwidth'] / 1e9:.0f}",
            f"{r['share_of_copy']:.0%}",
            "ok" if r["right"] else "WRONG",
        ]
        for r in lines
    ]
    return table.aligned([header, *body])


def main(arguments=None):
    """Check, time, print, write. The exit status is 1 if a check failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="on the processor, small, nothing written")
    parser.add_argument("--minutes", type=float, default=8.0, help="stop starting new work after this long")
    options = parser.parse_args(arguments)
    begin, span = time.monotonic(), 60 * options.minutes
    device = "cpu" if options.dry_run else "cuda"
    try:
        parse_device(device)
    except RuntimeError as error:
        print(f"gpu_check: {error}", file=sys.stderr)
        return 2
    name = "processor" if options.dry_run else gpu.device_name()
    copy = measure.copy_bandwidth(8) if options.dry_run else gpu.copy_bandwidth()
    lines = []  # times first: they are what a short loan of a GPU is for
    for title, make in timed_matrices(options.dry_run):
        if time.monotonic() < begin + 0.45 * span:
            lines.append(timed(title, make(), device, copy))
            print(text(lines[-1:], "ref").splitlines()[1], file=sys.stderr)
    others = {}
    for family, module, until in (
        ("matrices", gpu_matrices, 0.55),
        ("primitives", gpu_primitives, 0.62),
        ("graphs", gpu_graphs, 0.75),
    ):
        others[family] = []
        for title, ours, theirs, moved in module.timed(device, options.dry_run):
            if time.monotonic() < begin + until * span:
                others[family].append(timed_other(title, ours, theirs, moved, device, copy))
                print(others_text(others[family][-1:], family, "ref").splitlines()[1], file=sys.stderr)
    deadline = begin + 0.95 * span
    of_matrices = gpu_matrices.checks(device, battery())
    checks = [*gpu_primitives.checks(device), *gpu_graphs.checks(device), *of_matrices, *product_checks(device)]
    if options.dry_run:
        checks = checks[::40]
    found = run_checks(checks, deadline)
    print(f"{name}: a copy runs at {copy / 1e9:.0f} GB/s (read and written together)\n")
    print(text(lines, "SciPy" if options.dry_run else "CuPy"))
    print()
    for family, timings in others.items():
        print(others_text(timings, family, "the host's" if options.dry_run else "CuPy"), end="\n\n")
    print(f"{found['passed']} checks passed, {len(found['failed'])} failed, {found['left_out_for_time']} left out for time")
    if not options.dry_run:
        RESULTS.mkdir(exist_ok=True)
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        path = RESULTS / f"gpu-{slug}-{datetime.date.today():%Y-%m-%d}.json"
        figures = {"device": name, "copy_bandwidth": copy, "products": lines, **others, "checks": found}
        path.write_text(json.dumps(figures, indent=1) + "\n")
        print(f"written: {path}")
    return 0 if not found["failed"] and all(r["right"] for r in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
