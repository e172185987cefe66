"""Primitives on arrays of ten and twenty million items, beside NumPy's and CuPy's."""

import functools

import numpy as np

from rows import once, sized
from spark_csr import primitives as p
from timing import Row


def rows(options):
    """Sorts, streams, segments, pairs."""
    size = functools.partial(sized, options)
    for name, dtype in {"int32": np.int32, "int64": np.int64, "float32": np.float32}.items():
        keys = once(lambda dtype=dtype: (_keys(size(10_000_000), dtype),))
        yield Row(f"argsort {name}", "argsort", keys, 10 if name == "int32" else None, _read_twice, without=NOT_STABLE)
        yield Row(f"sort {name}", "sort", keys, 5 if name == "int64" else None, _read_twice, without=NOT_STABLE)

    @once
    def stream():
        rng = np.random.default_rng(0)
        x, mask = rng.random(size(20_000_000)), rng.random(size(20_000_000)) < 0.5
        mask[0] = True  # before the first valid item there is nothing to compare
        return x, mask

    yield Row("inclusive_scan float64", "inclusive_scan", lambda: stream()[:1], 3, _read_twice)
    yield Row("compact float64, half kept", "compact", stream, 3, lambda x, mask: 9 * x.size + 8 * int(mask.sum()))
    yield Row("right_flood float64", "right_flood", stream, None, lambda x, mask: 17 * x.size)
    for mean in (8, 1000):

        @once
        def segments(mean=mean):
            rng = np.random.default_rng(0)
            lengths = rng.poisson(mean, size(16_000_000 // mean)) + 1  # reduceat knows no empty segments
            offsets = p.offsets_from_counts(lengths)
            return rng.random(int(offsets[-1])), offsets

        moved = lambda x, offsets: x.nbytes + 12 * offsets.size  # noqa: E731
        yield Row(f"segmented_reduce, {mean} each", "segmented_reduce", segments, 3 if mean == 8 else None, moved)

    @once
    def counted():
        rng = np.random.default_rng(0)
        counts = rng.poisson(8, size(2_000_000)).astype(np.int32)
        return rng.random(counts.size), counts

    yield Row("repeat, 8 each", "repeat", counted, None, lambda x, counts: 12 * x.size + 8 * int(counts.sum()))
    pairs = once(lambda: tuple(p.offsets_from_counts(np.random.default_rng(k).poisson(100, size(5000))) for k in range(2)))
    moved = lambda left, right: 8 * int((np.diff(left).astype(np.int64) * np.diff(right)).sum())  # noqa: E731
    yield Row("cartesian_product, 50M pairs", "cartesian_product", pairs, 4, moved, ("awkward",))


NOT_STABLE = ("numpy, not stable",)


def _keys(n, dtype):
    rng = np.random.default_rng(0)
    return rng.random(n).astype(dtype) if dtype == np.float32 else rng.integers(0, 2 ** (8 * dtype().itemsize - 2), n, dtype)


def _read_twice(x):
    return 2 * x.nbytes
