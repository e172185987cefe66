"""How fast are segmented primitives when segments are short, and when they are long? Drawn as a picture.

    python segment_sweep.py [--items 4194304] [--device cpu] [--plot sweep.png]

Segments of 1, 4, 16, ... items up to all of them; throughput in items per second. Flat lines are what is wanted. Needs
matplotlib for `--plot`.
"""

import argparse
import importlib
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from spark_csr import primitives as p  # noqa: E402
from spark_csr._cli import gpu, measure, table  # noqa: E402

PRIMITIVES = {
    "segment_ids": lambda x, offsets, counts: p.segment_ids(offsets),
    "segmented_scan": lambda x, offsets, counts: p.segmented_scan(x, offsets),
    "segmented_reduce": lambda x, offsets, counts: p.segmented_reduce(x, offsets),
    "right_flood": lambda x, offsets, counts: p.right_flood(x, x < 0.1, offsets=offsets),
    "repeat": lambda x, offsets, counts: p.repeat(x[: counts.size], counts),
    "segmented_sort": lambda x, offsets, counts: p.segmented_sort(x, offsets),
}


def sweep(items, device):
    """Segment lengths, and for each primitive its items per second at each of them."""
    xp = np if device == "cpu" else gpu.cupy_module()
    x = xp.asarray(np.random.default_rng(0).random(items))
    lengths = [1]
    while lengths[-1] * 4 < items:
        lengths.append(lengths[-1] * 4)
    lengths.append(items)
    time_rounds = measure.time_rounds if device == "cpu" else gpu.time_rounds
    found = {name: [] for name in PRIMITIVES}
    for length in lengths:
        offsets = xp.minimum(xp.arange(-(-items // length) + 1) * length, items).astype(np.int32)
        counts = xp.diff(offsets)
        functions = [lambda f=f, offsets=offsets, counts=counts: f(x, offsets, counts) for f in PRIMITIVES.values()]
        seconds = time_rounds(functions, rounds=3)
        for name, best in zip(PRIMITIVES, seconds.min(axis=0), strict=True):
            found[name].append(items / float(best))
        print(f"segments of {length:,}", file=sys.stderr)
    return lengths, found


def draw(path, lengths, found):
    """One line for each primitive, both axes logarithmic."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    plt = importlib.import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for name, speeds in found.items():
        axes.loglog(lengths, speeds, marker="o", label=name)
    axes.set(xlabel="items of a segment", ylabel="items per second", title=f"{lengths[-1]:,} float64 items")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main(arguments=None):
    """Print the table, and draw it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1 << 22)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args(arguments)
    lengths, found = sweep(options.items, options.device)
    lines = [["items of a segment", *found]]
    lines += [[f"{length:,}", *(f"{s[k] / 1e6:,.0f} M/s" for s in found.values())] for k, length in enumerate(lengths)]
    print(table.align(lines))
    if options.plot:
        draw(options.plot, lengths, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
