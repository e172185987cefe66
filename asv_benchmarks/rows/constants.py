"""The numbers that kernels were tuned with, at half and at twice what they are: the time that an operation takes then.

Workers, and what is kept with a matrix, have the numbers that they were made with, so every time is taken in a process of its
own: the best of its blocks of calls. Processes take turns. A ratio below 1 says that the changed number is better on this
machine; times that differ by less than a tenth say nothing, since the processor may work at one of several speeds.
"""

import dataclasses
import pathlib
import subprocess
import sys

import numpy as np

from benchmarks.constants import CONSTANTS, changed
from spark_csr._cli import measure
from timing import Row, summary

FACTORS = {"ours": 1, "half": 0.5, "twice": 2}


@dataclasses.dataclass
class Changed(Row):
    """An operation with a constant as it is, halved and doubled: `operation` is the name of the constant."""

    def figures(self, options):
        seconds = [[_measured(self.operation, factor) for factor in FACTORS.values()] for _ in range(options.rounds)]
        return summary(FACTORS, np.array(seconds))


def rows(options):
    """A row for each constant; at a small size for the first of them."""
    for constant, (operation, entries) in list(CONSTANTS.items())[: 1 if options.smoke else None]:
        yield Changed(f"{constant}: {operation}, {entries:,} entries", constant, None)


def _measured(constant, factor):
    """The seconds of one call, measured in a process of its own."""
    command = [sys.executable, "-m", "rows.constants", constant, str(factor)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1])
    if done.returncode:
        raise RuntimeError(f"{constant} times {factor}: {done.stderr}")
    return float(done.stdout)


def _measured_here(constant, factor):
    """The same in this process."""
    call, _ = changed(constant, factor)
    call()
    return measure.time_rounds([call], rounds=15, block=0.03).min()


if __name__ == "__main__":
    print(_measured_here(sys.argv[1], float(sys.argv[2])))
