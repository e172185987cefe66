"""The GPU kernels, checked against SciPy and the processor, and timed against CuPy and a copy on the device.

Run from a source tree on a machine with CuPy and a GPU: `python asv_benchmarks/gpu_check.py`. First everything is checked, then
timed, with as many calls as fit. The figures of every family are written as it ends, to `results/gpu-<device>-<date>.json`
beside this file. It ends by itself within `--seconds`, whatever a kernel does.

`--dry-run` goes through all of it with small matrices on a stand-in for CuPy, whose kernels the processor executes (see
`tests/ptx`), and writes nothing; where numba-cuda or a C++ compiler is missing, on the processor with SciPy in CuPy's place.
`--compile FOLDER` does so too, and puts the kernels that were launched into FOLDER, compiled for `--capability`. No GPU is
needed for that. On the machine with the GPU, with the same versions of Python, Numba and numba-cuda,
`SPARK_CSR_CACHE_DIR=FOLDER` saves the time of compiling.
"""

import argparse
import datetime
import importlib
import json
import os
import pathlib
import re
import sys
import threading
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import scipy.sparse as sp  # noqa: E402

import gpu_graphs  # noqa: E402
import gpu_matrices  # noqa: E402
import gpu_primitives  # noqa: E402
from spark_csr import csr_array, gallery  # noqa: E402
from spark_csr._array import parse_device, to_device  # noqa: E402
from spark_csr._cli import gpu, measure, table  # noqa: E402
from spark_csr._cli.time_product import agree, bytes_moved, make_operand  # noqa: E402

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
    S, x = A.to_scipy(), make_operand(A, columns)
    there, x_there = A.to_device(device), to_device(x, device)
    first, again = (to_device(there @ x_there, "cpu") for _ in range(2))
    return agree(first, S @ x, S, x) and first.tobytes() == again.tobytes()


def _transposed(A, device):
    S = sp.csr_array(A.to_scipy().T)
    x = make_operand(A.T)
    return agree(to_device(A.to_device(device).T @ to_device(x, device), "cpu"), S @ x, S, x)


def _semiring(A, ring, device):
    x = make_operand(A)
    there = to_device(A.to_device(device).matmul(to_device(x, device), semiring=ring), "cpu")
    here = A.matmul(x, semiring=ring)
    return here.dtype == there.dtype and np.allclose(here, there, rtol=1e-12, atol=0, equal_nan=True)


def run_checks(checks, deadline, every=1):
    """Run (name, check) pairs until the deadline, or each `every`th; returns how many passed, and what failed or raised."""
    passed, failed, left = 0, [], 0
    for k, (name, check) in enumerate(checks):
        if k % every:
            continue
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


WRONG = " (WRONG RESULT)"
"""Stands behind the name of a large product that does not agree with SciPy's."""


def products(device, small):
    """(name, ours, CuPy's or SciPy's, bytes that must move) of `A @ x`, a line each; each is compared with SciPy's first."""
    for title, make in timed_matrices(small):
        A = make()
        S, here = A.to_scipy(), make_operand(A)
        there, x = A.to_device(device), to_device(here, device)
        title += f", {A.dtype}" + ("" if agree(to_device(there @ x, "cpu"), S @ here, S, here) else WRONG)
        peer = S if parse_device(device) is None else there.copy().to_cupy()  # CuPy sorts and merges in place
        yield title, lambda A=there, x=x: A @ x, lambda S=peer, x=x: S @ x, bytes_moved(A)


FAMILIES = {
    "products": (products, product_checks),
    "matrices": (gpu_matrices.timed, lambda device: gpu_matrices.checks(device, battery())),
    "primitives": (gpu_primitives.timed, gpu_primitives.checks),
    "graphs": (gpu_graphs.timed, gpu_graphs.checks),
}


def host_reads(function):
    """How often a call waits for values of the device."""
    modules = [module for name, module in sys.modules.items() if name.startswith("spark_csr.")]
    places = [(module, name) for module in modules for name in ("to_host_scalar", "to_host_list") if hasattr(module, name)]
    reads, kept = [], [(module, name, getattr(module, name)) for module, name in places]
    for module, name, read in kept:
        setattr(module, name, lambda x, read=read: (reads.append(x), read(x))[1])
    try:
        function()
    finally:
        for module, name, read in kept:
            setattr(module, name, read)
    return len(reads)


def timed(name, ours, theirs, moved, copy, rounds):
    """One line of figures. Of functions that read values of the device the time of a call is all that can be told."""
    line = {"name": name, "host_reads": host_reads(ours)}
    if theirs is not None:
        try:
            theirs()
        except Exception as error:  # ours is timed alone
            line["reference_refused"], theirs = f"{type(error).__name__}: {error}", None
    functions = [ours] if theirs is None else [ours, theirs]
    calls = rounds(functions, gpu.call_time)
    device = None if line["host_reads"] else rounds(functions, gpu.kernel_time)
    for label, seconds in (("call", calls), ("device", device)):
        if seconds is not None:
            line[f"{label}_s"] = float(np.median(seconds[:, 0]))
            if theirs is not None:
                line[f"{label}_s_reference"] = float(np.median(seconds[:, 1]))
                line[f"{label}_speedup"] = measure.speedup(seconds, 0, 1)
    best = line["call_s"] if device is None else line["device_s"]
    return line | {"bandwidth": moved / best, "share_of_copy": moved / best / copy}


def text(lines, family, reference):
    """The table of a family."""
    header = [family, "device", reference, "ratio", "call", reference, "ratio", "host reads", "GB/s", "of copy"]
    body = []
    for line in lines:
        row = [line["name"]]
        for label in ("device", "call"):
            row += [
                table.format_duration(line[f"{label}_s"]) if f"{label}_s" in line else "-",
                table.format_duration(line[f"{label}_s_reference"]) if f"{label}_s_reference" in line else "-",
                f"{line[f'{label}_speedup']:.2f}x" if f"{label}_speedup" in line else "-",
            ]
        row += [str(line["host_reads"]), f"{line['bandwidth'] / 1e9:.0f}", f"{line['share_of_copy']:.0%}"]
        body.append(row)
    return table.align([header, *body])


class Report:
    """What was found so far; written whenever a family ends."""

    def __init__(self, name, reference, path):
        self.figures = {"device": name, "reference": reference, "checks": {}, "times": {}, "finished": False}
        self.path = path

    def write(self):
        """Write what there is, whole: a reader finds the old file or the new one."""
        if self.path is not None:
            self.path.parent.mkdir(exist_ok=True)
            unfinished = self.path.with_suffix(".tmp")
            unfinished.write_text(json.dumps(self.figures, indent=1) + "\n")
            unfinished.replace(self.path)

    def show(self):
        """Print the tables."""
        for family, lines in self.figures["times"].items():
            print(text(lines, family, self.figures["reference"]), end="\n\n")
        for family, found in self.figures["checks"].items():
            left = f", {found['left_out_for_time']} left out for time" if found["left_out_for_time"] else ""
            print(f"{family}: {found['passed']} checks passed, {len(found['failed'])} failed{left}")

    @property
    def failed(self):
        checks, times = self.figures["checks"].values(), self.figures["times"].values()
        return any(found["failed"] for found in checks) or any(
            line["name"].endswith(WRONG) for lines in times for line in lines
        )


def end_in_time(report, seconds):
    """End the process, with what was found, where a kernel or a compiler holds it longer than that."""

    def end():
        report.write()
        report.show()
        print(f"gpu_check: ended after {seconds:.0f} s in the midst of a call", file=sys.stderr, flush=True)
        sys.stdout.flush()
        os._exit(3)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    return timer


def check_all(report, device, small, begin, seconds):
    """Check every family; each may take as long as the times before it left of its share."""
    for k, (family, (_, checks)) in enumerate(FAMILIES.items()):
        deadline = begin + seconds * (k + 1) / len(FAMILIES)
        report.figures["checks"][family] = run_checks(checks(device), deadline, every=40 if small else 1)
        report.write()


def time_all(report, device, small, copy, begin, seconds):
    """Time every family until its share of the time is over."""

    def rounds(functions, timer):
        if parse_device(device) is None:
            return measure.time_rounds(functions)
        return gpu.time_rounds(functions, rounds=1 if small else 5, timer=timer, seconds=0.001 if small else 0.1)

    for k, (family, (timings, _)) in enumerate(FAMILIES.items()):
        lines = report.figures["times"][family] = []
        deadline = begin + seconds * (k + 1) / len(FAMILIES)
        for name, ours, theirs, moved in timings(device, small):
            if time.monotonic() > deadline:
                break
            try:
                lines.append(timed(name, ours, theirs, moved, copy, rounds))
            except Exception as error:  # what fails was said by the checks
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            print(text(lines[-1:], family, "reference").splitlines()[1], file=sys.stderr)
        report.write()


def stand_in():
    """Put the stand-in for CuPy in its place; whether it can execute kernels."""
    try:
        importlib.import_module("numba_cuda")
        available = importlib.import_module("ptx").available()
    except ImportError:
        return False
    if available:
        importlib.import_module("ptx_mode").prepare()
    return available


class Recorder:
    """The kernels that are launched, and what their arguments are."""

    def __init__(self):
        self.compiler = importlib.import_module("spark_csr._cuda.compile")
        self.launch = importlib.import_module("spark_csr._cuda.launch")
        self.found, self.cubin_of = {}, self.launch.cubin_of
        self.launch.cubin_of = self._record

    def _record(self, function, types, threads, capability, **options):
        self.found[function, types, threads] = None
        return self.cubin_of(function, types, threads, capability, **options)

    def compile(self, folder, capability, assemble, versions):
        """Compile all of them for a capability and put them into a folder."""
        kept = self.compiler._kept
        self.compiler.assemble, kept.VERSIONS = assemble, versions
        kept.folders = lambda: (pathlib.Path(folder).absolute() / "kernels",)
        for function, types, threads in self.found:
            self.cubin_of(function, types, threads, capability)
        return len(self.found)


def _path(device):
    """The file for the figures of a device, of today."""
    slug = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    return RESULTS / f"gpu-{slug}-{datetime.date.today():%Y-%m-%d}.json"


def main(arguments=None):
    """Check, time, write, print. The exit status is 1 if a check failed, 2 without a GPU, 3 if it did not end by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="small, without a GPU, nothing written")
    parser.add_argument("--compile", metavar="FOLDER", help="a dry run that puts compiled kernels into a folder")
    parser.add_argument("--capability", default="9.0", help="of the GPU to compile for (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=540, help="end within so many seconds (default: %(default)s)")
    options = parser.parse_args(arguments)
    small, begin = options.dry_run or bool(options.compile), time.monotonic()
    recorder = None
    if options.compile:
        compiler = importlib.import_module("spark_csr._cuda.compile")
        real = compiler.assemble, compiler._kept.VERSIONS
        recorder = Recorder()
    device = "cpu" if small and not stand_in() else "cuda"
    if options.compile and device == "cpu":
        print("gpu_check: --compile needs numba-cuda and a C++ compiler", file=sys.stderr)
        return 2
    try:
        parse_device(device)
    except RuntimeError as error:
        print(f"gpu_check: {error}", file=sys.stderr)
        return 2
    name = "processor" if device == "cpu" else gpu.device_name()
    path = (
        None if small else RESULTS / f"gpu-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}-{datetime.date.today()}.json"
    )
    report = Report(name, "SciPy" if device == "cpu" else "CuPy", path)
    timer = end_in_time(report, options.seconds)
    check_all(report, device, small, begin, 0.5 * options.seconds)
    copy = measure.copy_bandwidth(8) if device == "cpu" else gpu.copy_bandwidth(8 if small else 1024)
    report.figures["copy_bandwidth"] = copy
    now = time.monotonic()
    time_all(report, device, small, copy, now, 0.85 * options.seconds - (now - begin))
    report.figures["finished"] = True
    report.write()
    timer.cancel()
    print(f"{name}: a copy runs at {copy / 1e9:.0f} GB/s (read and written together)\n")
    report.show()
    if report.path is not None:
        print(f"written: {report.path}")
    if recorder is not None:
        capability = tuple(int(part) for part in options.capability.split("."))
        print(f"{recorder.compile(options.compile, capability, *real)} kernels are in {options.compile}")
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
