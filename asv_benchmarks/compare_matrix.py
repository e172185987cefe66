"""What one does with matrices, against SciPy, in one process, on the processor; a line each, with what is wanted.

    python compare_matrix.py [--rounds 5] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. What is done in place is timed on fresh copies, and without these.
"""

import argparse
import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from matrix_rows import FAMILIES, InPlace  # noqa: E402
from spark_csr.cli import measure, table  # noqa: E402

PAUSE = 0.05


def timed(ours, theirs, rounds):
    """Seconds of both, a row for each round."""
    if isinstance(theirs, InPlace):
        prepare = ours.prepare if isinstance(ours, InPlace) else lambda: ours
        return np.array([[_seconds(prepare), _seconds(theirs.prepare)] for _ in range(rounds)])
    return measure.time_rounds([ours, theirs], rounds=rounds, pause=PAUSE)


def _seconds(prepare):
    """One call of what is prepared anew, after an idle pause and an untimed one."""
    prepare()()
    call = prepare()
    time.sleep(PAUSE)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(arguments=None):
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="ten times smaller matrices")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name contains it")
    options = parser.parse_args(arguments)
    lines = [["operation", "ours", "SciPy's", "times faster", "wanted"]]
    for family in FAMILIES:
        for name, ours, theirs, wanted in family(10 if options.quick else 1):
            if options.only in name:
                seconds = timed(ours, theirs, options.rounds)
                best = [table.duration(s) for s in seconds.min(axis=0)]
                lines.append([name, *best, f"{measure.speedup(seconds, 0, 1):.2f}x", f"{wanted}x" if wanted else "-"])
                print(f"{name}: {lines[-1][3]}", file=sys.stderr)
    print(table.aligned(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
