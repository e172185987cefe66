"""Ragged arrays against awkward-array, in one process, on the processor; a line each, with what is wanted.

    python compare_ragged.py [--rounds 5] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. Ten million float64 values in lists of ten on average; of pairs, 5000 items of a
hundred on both sides. awkward's lazy results are packed, as ours are.
"""

import pathlib
import sys

import awkward as ak
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from side_by_side import parser, print_table  # noqa: E402
from spark_csr import Ragged  # noqa: E402
from spark_csr.interop.awkward import to_awkward  # noqa: E402


def lists(count, mean, seed=0):
    """Normal values in lists whose lengths are Poisson's."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.poisson(mean, count))])
    return Ragged(rng.standard_normal(offsets[-1]), offsets)


def ours(value, i, j):
    """A function of a value and its place."""
    return 2 * value + i - j


def theirs(A):
    """The same with awkward."""
    rows = ak.broadcast_arrays(np.arange(len(A)), A)[0]
    return 2 * A + rows - ak.local_index(A)


def softmax(A):
    """Step by step."""
    powers = np.exp(A - ak.max(A, axis=-1, keepdims=True))
    return powers / ak.sum(powers, axis=-1, keepdims=True)


def rows(shrink):
    """(name, ours, awkward's, how many times faster is wanted)."""
    R = lists(1_000_000 // shrink, 10)
    A = to_awkward(R)
    rng = np.random.default_rng(1)
    weights, chosen = rng.random(len(R)), rng.integers(0, len(R), len(R))
    order, largest = R.argsort(), R > 1
    their_order, their_largest = to_awkward(order), to_awkward(largest)
    left, right = (lists(5000 // shrink, 100, seed) for seed in (2, 3))
    sides = [to_awkward(x) for x in (left, right)]
    yield "coordinates", R.coordinates, lambda: (ak.broadcast_arrays(np.arange(len(A)), A)[0], ak.local_index(A)), 3
    yield "map 2 * value + i - j", lambda: R.map(ours), lambda: theirs(A), 3
    yield "R + a value for every list", lambda: R + weights, lambda: A + weights, None
    for name in ("sum", "max", "argmin", "mean"):
        wanted = 3 if name != "mean" else None
        yield f"{name}, innermost", lambda n=name: getattr(R, n)(axis=-1), lambda n=name: getattr(ak, n)(A, axis=-1), wanted
    for name in ("sum", "max", "argmin"):
        yield f"{name}, outermost", lambda n=name: getattr(R, n)(axis=0), lambda n=name: getattr(ak, n)(A, axis=0), 1
    yield "softmax", R.softmax, lambda: softmax(A), 3
    yield "sort", R.sort, lambda: ak.sort(A, axis=-1), None
    yield "argsort", R.argsort, lambda: ak.argsort(A, axis=-1), None
    yield "R[rows], random", lambda: R[chosen], lambda: ak.to_packed(A[chosen]), None
    yield "R[:, :3]", lambda: R[:, :3], lambda: ak.to_packed(A[:, :3]), None
    yield "R[mask]", lambda: R[largest], lambda: ak.to_packed(A[their_largest]), None
    yield "R[R.argsort()]", lambda: R[order], lambda: ak.to_packed(A[their_order]), None
    yield "to_padded", R.to_padded, lambda: ak.to_numpy(ak.fill_none(ak.pad_none(A, int(ak.max(ak.num(A)))), 0.0)), None
    yield "cartesian", lambda: left.cartesian(right), lambda: ak.unzip(ak.cartesian(sides)), 3
    yield "combinations of 2", lambda: left.combinations(2), lambda: ak.unzip(ak.combinations(sides[0], 2)), None


def main(arguments=None):
    """Print the table."""
    options = parser(__doc__).parse_args(arguments)
    print_table(["ragged arrays", "ours", "awkward's"], rows(10 if options.quick else 1), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
