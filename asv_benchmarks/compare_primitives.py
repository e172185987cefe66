"""The primitives against NumPy and awkward, in one process, on the processor; a line each, with what is wanted.

    python compare_primitives.py [--rounds 5] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. Libraries that are not installed are left out.
"""

import importlib
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from side_by_side import parser, print_table  # noqa: E402
from spark_csr import primitives as p  # noqa: E402
from spark_csr._cli import measure, table  # noqa: E402


def rows(shrink):
    """(name, ours, theirs, how many times faster is wanted)."""
    rng = np.random.default_rng(0)

    def sorts():
        narrow = rng.integers(0, 2**30, 10_000_000 // shrink, np.int32)
        wide = rng.integers(0, 2**62, 10_000_000 // shrink)
        yield "argsort int32", lambda: p.argsort(narrow), lambda: np.argsort(narrow, kind="stable"), 10
        yield "sort int64", lambda: p.sort(wide), lambda: np.sort(wide, kind="stable"), 5

    def streams():
        x = rng.random(20_000_000 // shrink)
        mask = rng.random(x.size) < 0.5
        yield "inclusive_scan float64", lambda: p.inclusive_scan(x), lambda: np.cumsum(x), 3
        yield "compact float64", lambda: p.compact(x, mask), lambda: x[mask], 3
        yield "right_flood float64", lambda: p.right_flood(x, mask), lambda: _flood(x, mask), None
        lengths = rng.poisson(8, 2_000_000 // shrink) + 1  # reduceat knows no empty segments
        offsets = p.offsets_from_counts(lengths)
        items = rng.random(int(offsets[-1]))
        starts = offsets[:-1].astype(np.int64)
        yield "segmented_reduce mean 8", lambda: p.segmented_reduce(items, offsets), lambda: np.add.reduceat(items, starts), 3
        counts = rng.poisson(8, 2_000_000 // shrink)
        values = rng.random(counts.size)
        yield "repeat mean 8", lambda: p.repeat(values, counts), lambda: np.repeat(values, counts), None

    def products():
        left, right = (p.offsets_from_counts(rng.poisson(100, 5000 // shrink)) for _ in range(2))
        try:
            ak = importlib.import_module("awkward")
        except ImportError:
            print("awkward is left out: not installed", file=sys.stderr)
            return
        a, b = (ak.unflatten(np.arange(o[-1]), np.diff(o)) for o in (left, right))
        yield "cartesian_product 50M pairs", lambda: p.cartesian_product(left, right), lambda: ak.argcartesian([a, b]), 4

    for family in (sorts, streams, products):
        yield from family()


def _flood(x, mask):
    """NumPy's way: positions, running maximum, gather."""
    at = np.maximum.accumulate(np.where(mask, np.arange(x.size), -1))
    return np.where(at >= 0, x[at], 0)


def flat(shrink):
    """(name, how many times as long it takes): segments of one item and one segment of all, against the plain scan."""
    x = np.random.default_rng(0).random(20_000_000 // shrink)
    forms = {"segments of 1": np.ones(x.size, bool), "one segment": np.zeros(x.size, bool)}
    functions = [lambda: p.inclusive_scan(x)]
    functions += [lambda flags=flags: p.segmented_scan(x, head_flags=flags) for flags in forms.values()]
    seconds = measure.time_rounds(functions, rounds=5)
    for k, name in enumerate(forms):
        yield f"segmented_scan, {name}, as the plain scan", 1 / measure.speedup(seconds, 0, k + 1)


def main(arguments=None):
    """Print the table."""
    options = parser(__doc__).parse_args(arguments)
    shrink = 10 if options.quick else 1
    print_table(["primitive", "ours", "theirs"], rows(shrink), options)
    if not options.only:
        print()
        ratios = [[name, f"{ratio:.2f}", "at most 1.5"] for name, ratio in flat(shrink)]
        print(table.align([["times as long", "measured", "wanted"], *ratios]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
