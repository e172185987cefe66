"""The command line: `info`, `demo`, `bench` and `cache`. One file per command; what they share is measured, drawn and
printed here.

Exit status: 0 if all is well, 1 if a product disagrees with SciPy's, 2 for bad input (one line says which).
"""

import argparse
import importlib
import os
import sys

from spark_csr.cli.errors import CommandError

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
    command = importlib.import_module(f"spark_csr.cli.{options.command}")
    try:
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
    commands = top.add_subparsers(dest="command", required=True, metavar="{info,demo,bench,cache}")

    commands.add_parser("info", help="versions, devices, threads, measured memory bandwidth")

    demo = commands.add_parser("demo", help="A @ x on generated matrices, checked and timed against SciPy")
    demo.add_argument(
        "--size", choices=("small", "medium", "large"), default="medium", help="of the matrices (default: medium)"
    )
    demo.add_argument("--plot", metavar="FILE", help="also draw the table: .png, .pdf or .svg; needs matplotlib")
    _common(demo, "float64", "float64")

    bench = commands.add_parser("bench", help="the same on your own matrices")
    bench.add_argument("files", nargs="+", metavar="FILE", help=".mtx, .mtx.gz, .mtx.bz2 or .npz")
    bench.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    _common(bench, None, "as in the file")

    cache = commands.add_parser("cache", help="where compiled kernels are kept, how many, and how large")
    cache.add_argument("--clear", action="store_true", help="remove the kernels of this version")
    return top


def _common(command, dtype, said):
    command.add_argument("--device", default="cpu", help="cpu, cuda or cuda:<number> (default: cpu)")
    command.add_argument("--dtype", choices=DTYPES, default=dtype, help=f"of the values (default: {said})")
