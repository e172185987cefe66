"""The rows of the tables on a GPU: checked against SciPy, NumPy or the processor, then timed beside CuPy and a copy there.

Run from a source tree on a machine with CuPy and a GPU: `python asv_benchmarks/gpu_check.py`. First every row is checked at a
small size, then all are timed, with as many calls as fit. What was found of a family is written as it ends, to the file
`results/gpu-<device>-<date>.json` beside this one. It ends by itself within `--seconds`, whatever a kernel does. More is tested
by `python -m pytest`, and `table.py --device cuda` times any row.

`--dry-run` goes through all of it at the small size on a stand-in for CuPy, whose kernels the processor executes (see
`tests/ptx`), and writes nothing; where numba-cuda or a C++ compiler is missing, on the processor, without a stand-in.
`--compile FOLDER` does so too, and puts the kernels that were launched into FOLDER, compiled for `--capability`. No GPU is
needed for that. On the machine with the GPU, with the same versions of Python, Numba and numba-cuda,
`SPARK_CSR_CACHE_DIR=FOLDER` saves the time of compiling.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import re
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "asv_benchmarks")]

import machine  # noqa: E402
import peers  # noqa: E402
import table  # noqa: E402
import timing  # noqa: E402
from gpu_dry_run import Recorder, stand_in  # noqa: E402
from peers.results import alike  # noqa: E402
from spark_csr._array import parse_device  # noqa: E402
from spark_csr._cli import gpu  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results"

FAMILIES = {
    "spmv": (4, "^(Poisson .*3,|R-MAT|uniform x 16|banded x 81|one dense row|uniform 1000.2)"),
    "matrix": (1, "^(COO to CSR, 10 a row|tocsc, 16|prune|(sum|max) rows, 16M|A . B, 16M)"),
    "spgemm": (1, "^(uniform .* x 10$|R-MAT|Poisson)"),
    "primitives": (5, ""),
    "graph": (16, "^(R-MAT|grid)"),
}
"""The families, how many times as large as on the processor their operands are, and the rows that are taken."""

LONG = "^uniform 10000 x 10$"
"""The rows that a dry run does not time: an interpreter takes ten seconds for a call."""

REFERENCES = "scipy", "numpy", "ours"


def options_of(family, device, small):
    """The options and the module of a family, as `table.py` takes them."""
    size, only = FAMILIES[family]
    return table.settings([family, "--only", only, "--device", device, *(["--smoke"] if small else ["--size", str(size)])])


def is_right(row, device):
    """Whether ours on a device gives what SciPy or NumPy gives, or the processor where these have no such operation."""
    operands = row.operands()
    found = peers.prepared(row.operation, "ours" if device == "cpu" else "cuda", *operands)()
    reference = next(x for x in REFERENCES if x in peers.OPERATIONS[row.operation] and x not in row.without)
    return alike(row.operation, found, reference, peers.prepared(row.operation, reference, *operands)())


def checked(family, device, deadline):
    """How many rows of a family passed at the small size, which failed or raised, and how many there was no time for."""
    options, module = options_of(family, device, small=True)
    found = {"passed": 0, "failed": [], "left_out_for_time": 0}
    for row in module.rows(options):
        if not re.search(options.only, row.name):
            continue
        if time.monotonic() > deadline:
            found["left_out_for_time"] += 1
            continue
        try:
            right, said = is_right(row, device), "wrong result"
        except Exception as error:  # one kernel that fails must not hide the others
            right, said = False, f"{type(error).__name__}: {error}"
        if right:
            found["passed"] += 1
        else:
            found["failed"].append(f"{row.name}: {said}")
            print(f"FAILED {found['failed'][-1]}", file=sys.stderr)
    return found


def timed(family, device, small, copy, deadline, lines):
    """Add the lines of a family until its share of the time is over."""
    options, module = options_of(family, device, small)
    for row in module.rows(options):
        if time.monotonic() > deadline:
            break
        if re.search(options.only, row.name) and not (small and re.search(LONG, row.name)):
            try:
                lines.append(timing.line(row, options, copy))
            except Exception as error:  # what fails was said by the checks
                print(f"{row.name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            print(table.text(lines[-1:]).splitlines()[1], file=sys.stderr)


class Report:
    """What was found so far; written whenever a family ends."""

    def __init__(self, device, path):
        self.device, self.path = device, path
        self.figures = {"checks": {}, "rows": {}, "finished": False}

    def write(self):
        """Write what there is."""
        if self.path is not None:
            machine.write(self.path, self.device, self.figures)

    def show(self):
        """Print the tables."""
        for family, lines in self.figures["rows"].items():
            if lines:
                print(family, table.text(lines), sep="\n", end="\n\n")
        for family, found in self.figures["checks"].items():
            left = f", {found['left_out_for_time']} left out for time" if found["left_out_for_time"] else ""
            print(f"{family}: {found['passed']} checks passed, {len(found['failed'])} failed{left}")

    @property
    def failed(self):
        """Whether any result was wrong."""
        checks, rows = self.figures["checks"].values(), self.figures["rows"].values()
        return any(found["failed"] for found in checks) or any(line["wrong"] for lines in rows for line in lines)


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


def run(report, device, small, seconds):
    """Check all families in a third of the time, then time them; each may take what those before it left of its share."""
    begin, copy = time.monotonic(), table.copy_bandwidth(argparse.Namespace(smoke=small, device=device))
    report.figures["copy_bandwidth"] = copy
    for k, family in enumerate(FAMILIES, 1):
        report.figures["checks"][family] = checked(family, device, begin + seconds / 3 * k / len(FAMILIES))
        report.write()
    now = time.monotonic()
    left = 0.85 * seconds - (now - begin)
    for k, family in enumerate(FAMILIES, 1):
        timed(family, device, small, copy, now + left * k / len(FAMILIES), report.figures["rows"].setdefault(family, []))
        report.write()
    report.figures["finished"] = True
    report.write()


def main(arguments=None):
    """Check, time, write, print. The exit status is 1 if a result was wrong, 2 without a GPU, 3 if it did not end by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="small, without a GPU, nothing written")
    parser.add_argument("--compile", metavar="FOLDER", help="a dry run that puts compiled kernels into a folder")
    parser.add_argument("--capability", default="9.0", help="of the GPU to compile for (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=540, help="end within so many seconds (default: %(default)s)")
    options = parser.parse_args(arguments)
    small, recorder = options.dry_run or bool(options.compile), None
    if options.compile:
        compiler = importlib.import_module("spark_csr._cuda.compile")
        real = compiler.assemble, compiler.ptx_of, compiler._kept.VERSIONS
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
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    report = Report(device, None if small else RESULTS / f"gpu-{slug}-{datetime.date.today()}.json")
    timer = end_in_time(report, options.seconds)
    run(report, device, small, options.seconds)
    timer.cancel()
    print(f"{name}: a copy runs at {report.figures['copy_bandwidth'] / 1e9:.0f} GB/s (read and written together)\n")
    report.show()
    if report.path is not None:
        print(f"written: {report.path}")
    if recorder is not None:
        capability = tuple(int(part) for part in options.capability.split("."))
        print(f"{recorder.compile(options.compile, capability, *real)} kernels are in {options.compile}")
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
