"""Tables of ours beside other libraries, in one process: the same operands, libraries taking turns.

    python table.py spmv|spgemm|matrix|primitives|ragged|graph|networks|backend|gap|segments
                    |directions|constants|busy|jobs|everyday|patched|gpu
                    [--rounds 5] [--most 15] [--size 0.1] [--smoke] [--only PATTERN] [--device cpu|cuda] [--json FILE]

How things are timed is told in `timing.py`, what is timed in `rows`, by whom in `peers`. Numbers are how many times faster ours
is than each library: the median over rounds, and of the least times of all rounds. "of copy" is the share of the bandwidth of a
copy, measured in the same run. `table.py FAMILY --help` tells what a family does, and its own options. NUMBA_NUM_THREADS,
MKL_NUM_THREADS and NUMBA_THREADING_LAYER say how many cores and which threads are measured.
"""

import argparse
import importlib
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

import machine  # noqa: E402
import timing  # noqa: E402
from rows import FAMILIES  # noqa: E402
from spark_csr._cli import gpu, measure  # noqa: E402
from spark_csr._cli.table import align, format_duration  # noqa: E402


def settings(arguments=None):
    """The options of a family, and its module."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("family", choices=FAMILIES)
    wanted = [a for a in (sys.argv[1:] if arguments is None else arguments) if a in FAMILIES][:1]
    module = importlib.import_module(f"rows.{wanted[0]}") if wanted else None
    about = __doc__ if module is None else f"{wanted[0]}: {module.__doc__}"
    parser = argparse.ArgumentParser(description=about, parents=[first], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, help="rounds of rows whose ratios are not clear (default: three times as many)")
    parser.add_argument("--size", type=float, default=1.0, help="operands so many times as large")
    parser.add_argument("--smoke", action="store_true", help="tiny operands, one round: does it run?")
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it is found in")
    parser.add_argument(
        "--beside",
        type=lambda text: text.split(","),
        metavar="LIBRARIES",
        help="only these, as scipy,plain: the threads of some wait busily after a call, which slows what comes next",
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--turn", type=float, default=0.1, help="seconds of a library's turn on a GPU (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, with the machine they were measured on")
    getattr(module, "arguments", lambda parser: None)(parser)
    options = parser.parse_args(arguments)
    options.smoke |= os.environ.get("SPARK_CSR_BENCH") == "smoke"
    if options.smoke:
        options.rounds, options.most, options.size = 1, 1, 1e-3
    options.most = options.most or 3 * options.rounds
    return options, module


def lines(options, module, copy):
    """A line for each row that is asked for, as data."""
    for row in module.rows(options):
        if re.search(options.only, row.name):
            yield timing.line(row, options, copy)


def text(found):
    """The table of lines."""
    libraries = list(dict.fromkeys(library for line in found for library in line["ratios"]))
    on_gpu, moved = any("host_reads" in line for line in found), any("bandwidth" in line for line in found)
    head = ["", "time", *(["call", "host", "host reads"] if on_gpu else []), *(["GB/s", "of copy"] if moved else [])]
    return align([[*head, *libraries, "wanted", ""], *(_cells(line, libraries, on_gpu, moved) for line in found)])


def _cells(line, libraries, on_gpu, moved):
    cells = [line["name"], format_duration(next(iter(line["seconds"].values()))["median"])]
    if on_gpu:
        cells += [format_duration(next(iter(line[way].values()))) for way in ("call", "host")] + [str(line["host_reads"])]
    if moved:
        known = "bandwidth" in line
        cells += [f"{line['bandwidth'] / 1e9:.1f}", f"{line['share_of_copy']:.0%}"] if known else ["-", "-"]
    for library in libraries:
        ratios = line["ratios"].get(library)
        cells.append("{:.2f}x ({:.2f})".format(*ratios.values()) if ratios else "-")
    wanted = f"{line['wanted']:g}x" if line["wanted"] else "-"
    cells.append(wanted + ("" if line.get("reached", True) else " MISSED"))
    return [*cells, f"DIFFERS: {', '.join(line['wrong'])}" if line.get("wrong") else ""]


def summary(found):
    """By library the geometric mean of ratios and the least of them, over all rows."""
    body = []
    for library in dict.fromkeys(library for line in found for library in line["ratios"]):
        ratios = [line["ratios"][library]["median"] for line in found if library in line["ratios"]]
        body.append([library, str(len(ratios)), f"{timing.geometric_mean(ratios):.2f}x", f"{min(ratios):.2f}x"])
    return align([["beside", "rows", "geometric mean", "least"], *body])


def copy_bandwidth(options):
    """Bytes per second of a copy, read and written together, on the device that is measured."""
    megabytes = 8 if options.smoke else 256
    return measure.copy_bandwidth(megabytes) if options.device == "cpu" else gpu.copy_bandwidth(megabytes)


def main(arguments=None):
    """Print the table, and write it where asked; the exit status is 1 if results differ."""
    options, module = settings(arguments)
    copy, found, told = copy_bandwidth(options), [], set()
    for line in lines(options, module, copy):
        found.append(line)
        print(text([line]).splitlines()[1], file=sys.stderr)
        for library, reason in line.get("left_out", {}).items():
            if (library, reason) not in told:
                print(f"  {library} is left out: {reason}", file=sys.stderr)
                told.add((library, reason))
        if options.json:
            machine.write(options.json, options.device, {"family": options.family, "copy_bandwidth": copy, "rows": found})
    print(f"{FAMILIES[options.family]}; a copy runs at {copy / 1e9:.1f} GB/s\n")
    print(text(found), summary(found), sep="\n\n")
    return int(any(line.get("wrong") for line in found))


if __name__ == "__main__":
    sys.exit(main())
