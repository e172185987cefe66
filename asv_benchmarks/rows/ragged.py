"""Ragged arrays: ten million values in lists of ten on average; of pairs, 5000 items of a hundred on both sides.

awkward's lazy results are packed, as ours are. No list is empty: of such the least value is nothing, which awkward leaves out.
"""

import functools
import importlib.util

import numpy as np

from rows import once, sized
from spark_csr import Ragged
from timing import Row


def lists(count, mean, seed=0):
    """Normal values in lists whose lengths are one more than Poisson's."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(1 + rng.poisson(mean - 1, count))])
    return Ragged(rng.standard_normal(offsets[-1]), offsets)


def rows(options):
    """A row for each method, and for kinds of keys."""
    size = functools.partial(sized, options)
    R = once(lambda: lists(size(1_000_000), 10))
    one = lambda: (R(),)  # noqa: E731
    yield Row("coordinates", "ragged coordinates", one, 3)
    yield Row("map 2 * value + i - j", "ragged map", one, 3)
    yield Row("R + a value for every list", "ragged add per item", lambda: (R(), np.random.default_rng(1).random(len(R()))))
    for name in ("sum", "max", "argmin", "mean"):
        yield Row(f"{name}, innermost", f"ragged {name} inner", one, 3 if name != "mean" else None)
    for name in ("sum", "max", "argmin"):
        yield Row(f"{name}, outermost", f"ragged {name} outer", one, 1)
    yield Row("cumsum, innermost", "ragged cumsum", one, 3)
    yield Row("softmax", "ragged softmax", one, 3)
    for name in ("sort", "argsort", "topk", "to_padded"):
        yield Row(name, f"ragged {name}", one)
    keys = {
        "R[rows], random": lambda: np.random.default_rng(1).integers(0, len(R()), len(R())),
        "R[:, :3]": lambda: (slice(None), slice(3)),
        "R[mask]": lambda: R() > 1,
        "R[R.argsort()]": lambda: R().argsort(),
    }
    for name, key in keys.items():
        yield Row(name, "R[key]", lambda key=key: (R(), key()))
    yield Row("pick", "ragged pick", lambda: (R(), R().argmin(axis=-1)), 3)
    yield Row("np.where(mask, R, 0)", "ragged where", lambda: (R(), R() > 1), 3)
    if options.device == "cpu" and importlib.util.find_spec("pyarrow"):
        yield Row("to_arrow", "ragged to Arrow", one, 1)
        yield Row("from_arrow", "ragged from Arrow", one, 1)
    sides = once(lambda: tuple(lists(size(5000), 100, seed) for seed in (2, 3)))
    yield Row("cartesian", "ragged cartesian", sides, 3)
    yield Row("combinations of 2", "ragged combinations", lambda: sides()[:1])
