"""The command line: `info`, `demo`, `bench`, `run`, `compile` and `cache`.

Each command has a file of its own. The other files measure, draw and print.

The exit status is 0 on success, 1 if a product disagrees with SciPy's, and 2 for bad input, which one line describes.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import TYPE_CHECKING

from spark_csr._cli.errors import CommandError
from spark_csr._config import config
from spark_csr._version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

DTYPES = ("float32", "float64", "complex64", "complex128", "int32", "int64")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, of the arguments given or of the process, and return its exit status."""
    options = parser().parse_args(arguments)
    command = importlib.import_module(f"spark_csr._cli.{options.command}")
    if options.command == "run":  # what the program raises is not ours
        return command.run(options)
    try:
        with config(verbose=False):  # commands report themselves what they wait for
            return command.run(options)
    except CommandError as error:
        print(f"spark_csr {options.command}: error: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"spark_csr {options.command}: error: not enough memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has closed the pipe: nothing more can be printed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def parser():
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m spark_csr", description="Sparse matrices in CSR format, on processor cores and GPUs."
    )
    top.add_argument("--version", action="version", version=f"spark_csr {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="{info,demo,bench,run,compile,cache}")

    commands.add_parser("info", help="show versions, devices, threads and the measured memory bandwidth")

    demo = commands.add_parser("demo", help="check and time A @ x on generated matrices, beside SciPy")
    demo.add_argument(
        "--size", choices=("small", "medium", "large"), default="medium", help="the size of the matrices (default: medium)"
    )
    demo.add_argument("--plot", metavar="FILE", help="also draw the table, as .png, .pdf or .svg; needs matplotlib")
    _add_common_options(demo, "float64", "float64")

    bench = commands.add_parser("bench", help="check and time A @ x on your own matrices, or over sizes, beside SciPy")
    bench.add_argument(
        "files", nargs="*", metavar="FILE", help="a matrix as .mtx, .mtx.gz, .mtx.bz2 or .npz (default: generated ones)"
    )
    bench.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    bench.add_argument(
        "--plot",
        metavar="PICTURE",
        help="also draw the table, as .png, .pdf or .svg; needs matplotlib (default without FILE: spark_csr_bench.png)",
    )
    _add_common_options(bench, None, "as in the file")

    running = commands.add_parser(
        "run", help="run a program whose SciPy computes on all cores", prefix_chars="+", add_help=False
    )
    running.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM", help="a script, or -m and a module, and then its arguments"
    )

    compiling = commands.add_parser("compile", help="compile kernels before they are needed")
    which = compiling.add_mutually_exclusive_group()
    which.add_argument("--everyday", action="store_true", help="compile for float64 and float32 with 32-bit indices (default)")
    which.add_argument("--all", action="store_true", help=f"compile for {', '.join(DTYPES)} with indices of 32 and 64 bits")
    compiling.add_argument(
        "--dtype", action="append", choices=DTYPES, help="compile for this dtype of values only; may be repeated"
    )
    compiling.add_argument(
        "--jobs", type=_at_least_one, metavar="N", help="the number of processes (default: one for each core)"
    )
    compiling.add_argument(
        "--copy-to", metavar="FOLDER", help="also copy the kernels into FOLDER, for SPARK_CSR_CACHE_DIR of other machines"
    )

    cache = commands.add_parser("cache", help="show where compiled kernels are kept, how many there are, and their size")
    cache.add_argument("--clear", action="store_true", help="remove the kernels that are kept; in a shared folder only yours")
    return top


def _at_least_one(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def _add_common_options(command, dtype, said):
    command.add_argument("--device", default="cpu", help="the device: cpu, cuda or cuda:<number> (default: cpu)")
    command.add_argument("--dtype", choices=DTYPES, default=dtype, help=f"the dtype of the values (default: {said})")
