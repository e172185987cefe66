"""What the comparison scripts share: their options, and ours beside another library's, a line each.

A row is (name, ours, theirs, how many times faster is wanted); ours and theirs are functions, or methods `InPlace`.
"""

import argparse
import time

import numpy as np

from spark_csr._cli import measure, table

PAUSE = 0.05


class InPlace:
    """A method that changes a matrix: called on a copy each time, and timed without the copying."""

    def __init__(self, matrix, method):
        self.matrix, self.method = matrix, method

    def prepare(self):
        return getattr(self.matrix.copy(), self.method)


def parser(doc, rounds=5, smaller="ten times smaller arrays", named="lines whose name contains it"):
    """The options that all of them take."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=rounds)
    options.add_argument("--quick", action="store_true", help=smaller)
    options.add_argument("--only", default="", metavar="TEXT", help=named)
    return options


def print_table(head, rows, options):
    """Time the rows that are asked for, and print a line for each."""
    lines = [[*head, "times faster", "wanted"]]
    for name, ours, theirs, wanted in rows:
        if options.only in name:
            seconds = _timed(ours, theirs, options.rounds)
            best = [table.format_duration(s) for s in seconds.min(axis=0)]
            lines.append([name, *best, f"{measure.speedup(seconds, 0, 1):.2f}x", f"{wanted}x" if wanted else "-"])
    print(table.align(lines))


def _timed(ours, theirs, rounds):
    """Seconds of both, a row for each round."""
    if isinstance(theirs, InPlace):
        prepare = ours.prepare if isinstance(ours, InPlace) else lambda: ours
        return np.array([[_seconds(prepare), _seconds(theirs.prepare)] for _ in range(rounds)])
    return measure.time_rounds([ours, theirs], rounds=rounds, pause=PAUSE, most=3 * rounds)


def _seconds(prepare):
    """One call of what is prepared anew, after an idle pause and an untimed one."""
    prepare()()
    call = prepare()
    time.sleep(PAUSE)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
