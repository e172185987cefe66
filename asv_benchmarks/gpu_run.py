"""All that a GPU is asked for, in one command that ends in time: checks first, then times, tables last.

    python asv_benchmarks/gpu_run.py [STAGE ...] [--seconds 590] [--out FOLDER] [--size 1.0] [--only PATTERN]
    python asv_benchmarks/gpu_run.py --dry-run [STAGE ...]
    python asv_benchmarks/gpu_run.py --record FOLDER [--capabilities 8.0,9.0] [STAGE ...]

It needs a source tree, and a machine with CuPy and a GPU. Stages are taken in this order, by default the first six:

  environment   device, driver, versions; do the compilers make a kernel that the driver takes?
  smoke         a step for each kind of kernel, beside NumPy and SciPy; where the first product fails, nothing else is tried
  tests         the tests that need a GPU, in several processes
  check         rows of the tables at a small size, beside SciPy, NumPy or the cores
  timed         rows of the family `gpu`, timed beside cuSPARSE and CUB through CuPy, and PyTorch
  cub           the same rows beside CUB through `cuda.compute`, where the package cuda-cccl[cu13] is installed
  counters      Nsight Compute: hardware counters beside `results/gpu-counts.json`
  memcheck, racecheck, initcheck   compute-sanitizer on the smoke's primitives, at small sizes
  repeat        the calls of `gpu_counts.py` a hundred times: the same bits?
  everyday      the calls whose kernels `python -m spark_csr compile` compiles

What is found is added to `results.jsonl` in FOLDER as it is found; `tables.txt` holds the tables, `logs` what the processes
printed. A stage ends at its share of the time. A kernel that hangs, a process that crashes and a device that is lost cost the
item that ran (see `gpu/watch.py`). The exit status is 1 if anything failed, 2 without a GPU, 3 if the first product failed.

`--dry-run` needs no GPU: a stand-in for CuPy executes compiled kernels (see `tests/ptx`), at small sizes. `--record` is a dry
run without a limit of time that puts all kernels that are launched into FOLDER, compiled for the capabilities that are given;
it takes all tests. On a machine with such a GPU, `SPARK_CSR_CACHE_DIR=FOLDER` saves compiling them, also with other versions of
Numba, as long as the version of Python is the same. `tar -cJf kernels.tar.xz -C FOLDER .` makes a tenth of their size.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from gpu import counters, tables, tests, watch  # noqa: E402
from gpu.smoke import ESSENTIAL  # noqa: E402

FIRST = {"environment": 3, "smoke": 9, "tests": 18, "check": 7, "timed": 19, "cub": 4}
"""The stages that are taken by default, and their shares of the time."""

SECOND = {"counters": 6, "memcheck": 4, "racecheck": 4, "initcheck": 3, "repeat": 5, "everyday": 5}
STAGES = FIRST | SECOND


class Run:
    """The stages that were asked for, and what was found."""

    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out)
        self.logs = self.out / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.lines = []

    def keep(self, line):
        """Write a line, and say what did not pass."""
        self.lines.append(line)
        with open(self.out / "results.jsonl", "a") as results:
            results.write(json.dumps(line, default=str) + "\n")
        if line.get("outcome", "passed") not in ("passed", "skipped"):
            print(f"{line['stage']}: {line['item']}: {line['outcome']}: {line['why'][:300]}", file=sys.stderr, flush=True)

    def of(self, stage):
        """The lines of a stage."""
        return [line for line in self.lines if line["stage"] == stage]

    def works(self, stage):
        """The processes of a stage."""
        options = self.options
        if stage == "tests":
            return tests.works(options.processes, options.dry_run, bool(options.record), self.logs)
        name, more, before = {"cub": "timed", **dict.fromkeys(tables.SANITIZERS, "smoke")}.get(stage, stage), [], []
        if stage == "cub":
            more = ["--beside", "cuda.compute"]
        if stage in tables.SANITIZERS:
            more = ["--small", "--no-pool", "--only", options.only or "^(?!tensors|whole|captured)"]
            before = ["compute-sanitizer", "--tool", stage, "--error-exitcode", "9", "--target-processes", "all"]
        elif options.only:
            more += ["--only", options.only]
        if stage == "counters":
            before = counters.command(str(self.out / counters.LOG))
        before = [] if options.dry_run else before
        command = [*before, sys.executable, str(ROOT / "asv_benchmarks" / "gpu" / "work.py"), name, "--size", str(options.size)]
        patience = 900 if options.dry_run else 60 if stage == "smoke" else 150
        more += ["--dry-run"] if options.dry_run else []
        return [watch.Work(stage, command + more, patience=patience, folder=self.logs)]

    def take(self, deadlines):
        """Take all stages; return the exit status."""
        for stage, deadline in deadlines.items():
            start = time.monotonic()
            tool = {"counters": "ncu", **dict.fromkeys(tables.SANITIZERS, "compute-sanitizer")}.get(stage)
            if tool and not self.options.dry_run and shutil.which(tool) is None:
                self.keep({"stage": stage, "left_out": f"there is no {tool}", "of": stage})
                continue
            watch.watch(self.works(stage), deadline, self.keep, self.options.processes if stage == "tests" else 1)
            self.keep({"stage": stage, "took": round(time.monotonic() - start, 1)})
            self.write()
            if stage == "smoke" and any(x.get("item") == ESSENTIAL and x["outcome"] != "passed" for x in self.of(stage)):
                print(f"gpu_run: the {ESSENTIAL} failed, so nothing else is tried", file=sys.stderr)
                return 3
        return int(any(x.get("outcome", "passed") not in ("passed", "skipped") for x in self.lines))

    def write(self):
        """Write the tables."""
        (self.out / "tables.txt").write_text(tables.text(self.lines, self.out))


def settings(arguments):
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", metavar="STAGE", choices=[*STAGES, []], help=f"of {', '.join(STAGES)}")
    parser.add_argument("--seconds", type=float, default=590, help="end within so many seconds (default: %(default)g)")
    parser.add_argument(
        "--out", metavar="FOLDER", help="for what is found (default: a new one in asv_benchmarks/results, or none if dry)"
    )
    parser.add_argument("--size", type=float, default=1.0, help="operands that are timed so many times as large")
    parser.add_argument("--only", default="", metavar="PATTERN", help="items whose name it is found in, but for tests")
    parser.add_argument("--processes", type=int, help="for tests (default: one for each core but three, at most 13)")
    parser.add_argument("--dry-run", action="store_true", help="small, without a GPU")
    parser.add_argument("--record", metavar="FOLDER", help="a dry run that puts compiled kernels into a folder")
    parser.add_argument("--capabilities", default="9.0", help="of the GPUs to record for (default: %(default)s)")
    options = parser.parse_args(arguments)
    options.dry_run |= bool(options.record)
    options.stages = [stage for stage in STAGES if stage in (options.stages or FIRST)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    options.processes = options.processes or max(1, min(cores if options.dry_run else cores - 3, 13))
    return options


def deadlines(options, begin):
    """The time by which each stage must end; a stage may take what those before it left. Those of a dry run need no shares."""
    whole, spent, found = sum(STAGES[stage] for stage in options.stages), 0, {}
    seconds = float("inf") if options.record else 0.98 * options.seconds
    for stage in options.stages:
        spent += STAGES[stage]
        found[stage] = begin + seconds * (1 if options.dry_run else spent / whole)
    return found


def prepare(options, folder):
    """Set what the processes find in their environment; return what is missing, or None."""
    paths = [str(ROOT), str(ROOT / "tests"), str(ROOT / "asv_benchmarks"), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if options.dry_run:
        os.environ["SPARK_CSR_PTX"] = "1"
    if options.record:  # what is kept already would not be compiled
        os.environ["SPARK_CSR_CACHE_DIR"] = folder
        os.environ["SPARK_CSR_PTX_RECORD"] = str(pathlib.Path(options.record).absolute())
        os.environ["SPARK_CSR_PTX_CAPABILITIES"] = options.capabilities
    sys.path.insert(1, str(ROOT / "tests"))
    if options.dry_run:
        import ptx

        there = importlib.util.find_spec("numba_cuda") is not None and ptx.available()
        return None if there else "numba-cuda and a C++ compiler are needed: pip install -e '.[test]' 'numba-cuda[cu13]'"
    from spark_csr._array import parse_device

    try:
        parse_device("cuda")
    except RuntimeError as error:
        return str(error)
    return None


def main(arguments=None):
    """Take the stages, write, print."""
    begin, options = time.monotonic(), settings(arguments)
    with tempfile.TemporaryDirectory() as folder:
        missing = prepare(options, folder)
        if missing:
            print(f"gpu_run: {missing}", file=sys.stderr)
            return 2
        name = f"gpu-{datetime.datetime.now():%Y-%m-%d-%H%M}"
        options.out = options.out or (folder if options.dry_run else ROOT / "asv_benchmarks" / "results" / name)
        run = Run(options)
        status = run.take(deadlines(options, begin))
        run.write()
        print(tables.text(run.lines, run.out))
        print(f"gpu_run: {time.monotonic() - begin:.0f} s" + ("" if str(run.out) == folder else f"; written: {run.out}"))
        if options.record:
            print(f"{len(list(pathlib.Path(options.record).glob('kernels/*')))} kernels are in {options.record}")
    return status


if __name__ == "__main__":
    sys.exit(main())
