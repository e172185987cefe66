"""The numbers that kernels were tuned with, at half and at twice what they are: the time that an operation takes then.

    python compare_constants.py [--rounds 3] [--only TEXT]

A kernel has its numbers compiled in, so every time is taken in a process of its own: the best of its blocks of calls. Processes
take turns, and the best over rounds counts, since the processor may work at one of several speeds. A time below 1 says that the
changed number is better on this machine; times that differ by less than a tenth say nothing.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from benchmarks.constants import CONSTANTS, changed  # noqa: E402
from side_by_side import parser  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402

FACTORS = 0.5, 1, 2


def measured(constant, factor):
    """Return the seconds of one call, measured in a process of its own."""
    command = [sys.executable, __file__, "--time", constant, str(factor)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{constant} times {factor}: {done.stderr}")
    return float(done.stdout)


def time_here(constant, factor):
    """Return the seconds of one call in this process, the constant multiplied by `factor`."""
    call, _ = changed(constant, factor)
    call()
    return measure.time_rounds([call], rounds=15, block=0.03).min()


def main(arguments=None):
    """Print the table."""
    taken = parser(__doc__, rounds=3, named="constants whose name contains it")
    taken.add_argument("--time", nargs=2, metavar=("CONSTANT", "FACTOR"), help="print the seconds of one of them")
    options = taken.parse_args(arguments)
    if options.time:
        print(time_here(options.time[0], float(options.time[1])))
        return 0
    lines = [["constant", "operation", "entries", "time", "half", "twice"]]
    for constant, (operation, entries) in CONSTANTS.items():
        if options.only in constant:
            rounds = [[measured(constant, factor) for factor in FACTORS] for _ in range(options.rounds)]
            half, one, twice = (min(column) for column in zip(*rounds, strict=True))
            numbers = f"{entries:,}", table.format_duration(one), f"{half / one:.2f}", f"{twice / one:.2f}"
            lines.append([constant, operation, *numbers])
            print(*lines[-1], file=sys.stderr)
    print(table.align(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
