"""Every benchmark once, in one process, with the first of its parameters: does it run?

    python smoke.py

asv starts a process for every benchmark and parameter, which takes minutes. What needs a GPU or a library that is missing is
skipped, as asv skips it.
"""

import importlib
import inspect
import itertools
import os
import pkgutil
import sys
import traceback

os.environ["SPARK_CSR_BENCH"] = "smoke"

import benchmarks


def cases():
    """(name, class, parameters) of everything that asv would time."""
    for found in pkgutil.iter_modules(benchmarks.__path__):
        module = importlib.import_module(f"benchmarks.{found.name}")
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__ and not inspect.isabstract(kind) and hasattr(kind, "time_call"):
                for parameters in itertools.product(*kind.params):
                    yield f"{found.name}.{name}{parameters}", kind, parameters


def run(kind, parameters):
    """Time once what a benchmark times."""
    benchmark = kind()
    try:
        benchmark.setup(*parameters)
    except NotImplementedError as reason:
        return f"skipped: {reason}"
    benchmark.time_call(*parameters)
    getattr(benchmark, "teardown", lambda *_: None)(*parameters)
    return "ran"


def main():
    """A line for each; the number of those that failed."""
    failed = 0
    for name, kind, parameters in cases():
        try:
            print(name, run(kind, parameters))
        except Exception:
            failed += 1
            print(name, "failed", traceback.format_exc(), sep="\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
