"""One process of a stage: `python work.py STAGE [--dry-run] [--only PATTERN] ...`, started by `gpu_run.py`, or by hand.

A stage is a module of this folder with a function `items(options)`, which yields a name and a function. The function returns
facts, a dictionary, or None. It raises NotImplementedError for what cannot be done here, and anything else where something is
wrong; or "failed" among the facts says what is.
"""

import argparse
import faulthandler
import importlib
import os
import pathlib
import re
import signal
import sys
import time
import traceback
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]


def take(items, only=""):
    """Take items that have no result yet, and report each."""
    from gpu import watch

    known = watch.done()
    for name, function in items:
        if name in known or not re.search(only, name):
            continue
        watch.report(begin=name)
        print(f"--- {name}", flush=True)
        start, facts, outcome, why = time.perf_counter(), {}, "passed", ""
        try:
            facts = function() or {}
            if "failed" in facts:
                outcome, why = "failed", facts.pop("failed")
        except NotImplementedError as error:
            outcome, why = "skipped", str(error)
        except Exception as error:
            outcome, why = "failed", f"{type(error).__name__}: {error}\n{traceback.format_exc()[-2500:]}"
        lost = watch.device_is_lost()
        if lost:
            outcome, why = watch.LOST_DEVICE, f"{lost}\n{why}"
        watch.report(item=name, outcome=outcome, seconds=round(time.perf_counter() - start, 3), why=why, **facts)
        print(f"    {outcome} {why}", flush=True)
        if lost:
            sys.stdout.flush()
            os._exit(watch.LOST)


def settings(arguments=None):
    """The options of a stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage")
    parser.add_argument("--dry-run", action="store_true", help="on the stand-in for CuPy, at small sizes")
    parser.add_argument("--small", action="store_true", help="at small sizes")
    parser.add_argument("--size", type=float, default=1.0, help="operands of the rows so many times as large")
    parser.add_argument("--only", default="", metavar="PATTERN", help="items whose name it is found in")
    parser.add_argument("--beside", metavar="LIBRARIES", help="of rows that are timed")
    parser.add_argument("--no-pool", action="store_true", help="every array in memory of its own, for compute-sanitizer")
    options = parser.parse_args(arguments)
    options.small |= options.dry_run
    return options


def main(arguments=None):
    """Take all items of a stage."""
    sys.path[:1] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "asv_benchmarks")]  # not the folder of the stages
    faulthandler.enable()
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, all_threads=True)
    warnings.simplefilter("default")
    options = settings(arguments)
    if options.dry_run:
        from gpu.stand_in import stand_in

        if not stand_in():
            sys.exit("numba-cuda and a C++ compiler are needed: pip install -e '.[test]' 'numba-cuda[cu13]'")
    elif options.no_pool:
        importlib.import_module("cupy").cuda.set_allocator(None)
    take(importlib.import_module(f"gpu.{options.stage}").items(options), options.only)


if __name__ == "__main__":
    main()
