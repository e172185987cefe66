"""The command line: `info`, `demo`, `bench`, `compile` and `cache`.

One file for each command; what they share is measured, drawn and printed here.

Exit status: 0 if all is well, 1 if a product disagrees with SciPy's, 2 for bad input (one line says which).
"""

import argparse
import importlib
import os
import sys

from spark_csr._cli.errors import CommandError
from spark_csr._config import config
from spark_csr._version import __version__

DTYPES = ("float32", "float64", "complex64", "complex128", "int32", "int64")


def main(arguments=None):
    """Run one command.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.

    Returns
    -------
    int
        The exit status.
    """
    options = parser().parse_args(arguments)
    command = importlib.import_module(f"spark_csr._cli.{options.command}")
    try:
        with config(verbose=False):  # commands say themselves what they wait for
            return command.run(options)
    except CommandError as error:
        print(f"spark_csr {options.command}: error: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"spark_csr {options.command}: error: not enough memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe left; nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def parser():
    """The parser of all commands."""
    top = argparse.ArgumentParser(prog="python -m spark_csr", description="Sparse matrices in CSR form, on cores and GPUs.")
    top.add_argument("--version", action="version", version=f"spark_csr {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="{info,demo,bench,compile,cache}")

    commands.add_parser("info", help="versions, devices, threads, measured memory bandwidth")

    demo = commands.add_parser("demo", help="A @ x on generated matrices, checked and timed against SciPy")
    demo.add_argument(
        "--size", choices=("small", "medium", "large"), default="medium", help="of the matrices (default: medium)"
    )
    demo.add_argument("--plot", metavar="FILE", help="also draw the table: .png, .pdf or .svg; needs matplotlib")
    _add_common_options(demo, "float64", "float64")

    bench = commands.add_parser("bench", help="the same on your own matrices")
    bench.add_argument("files", nargs="+", metavar="FILE", help=".mtx, .mtx.gz, .mtx.bz2 or .npz")
    bench.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    _add_common_options(bench, None, "as in the file")

    compiling = commands.add_parser("compile", help="compile kernels before they are needed")
    which = compiling.add_mutually_exclusive_group()
    which.add_argument("--everyday", action="store_true", help="for float64 and float32 with 32-bit indices (default)")
    which.add_argument("--all", action="store_true", help=f"for {', '.join(DTYPES)} with indices of 32 and 64 bits")
    compiling.add_argument("--dtype", action="append", choices=DTYPES, help="for this dtype of values alone; may be repeated")
    compiling.add_argument("--jobs", type=_at_least_one, metavar="N", help="how many processes (default: one for each core)")

    cache = commands.add_parser("cache", help="where compiled kernels are kept, how many, and how large")
    cache.add_argument("--clear", action="store_true", help="remove the kernels that are kept")
    return top


def _at_least_one(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def _add_common_options(command, dtype, said):
    command.add_argument("--device", default="cpu", help="cpu, cuda or cuda:<number> (default: cpu)")
    command.add_argument("--dtype", choices=DTYPES, default=dtype, help=f"of the values (default: {said})")
