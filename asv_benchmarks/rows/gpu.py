"""What a GPU is bought for: products with matrices of eight kinds, conversions, primitives, and graphs.

Operands are larger than the second cache. `--size` multiplies their sizes, but for the matrices that measure launches.
"""

import functools

import numpy as np

from peers.on_gpu import LIMIT
from rows import graph, once, scaled, sized
from rows.irregular import of_lengths
from spark_csr import gallery
from spark_csr._cli.time_product import bytes_moved, make_operand
from timing import Row

CIRCUIT_LONG = 10_000
"""Entries of the few long rows of a matrix as those of circuits, where there are as many columns."""


def rows(options):
    """Products, conversions, primitives, graphs."""
    size = functools.partial(sized, options)
    for family in (products, squares, conversions, scans, sorts, segments):
        yield from family(size, options)
    yield from graphs(options)


def matrices(size, options):
    """(name, maker) pairs; the maker takes no dtype."""
    side, n = size(160, 3), size(1_500_000)
    yield f"Poisson {side}^3", lambda: gallery.poisson((side,) * 3)
    yield "uniform x 16", lambda: gallery.uniform(n, n, 16)
    yield "power law", lambda: _of_lengths(size(3_000_000), lambda rng, n: np.minimum(rng.zipf(2.1, n), n // 8))
    yield "elasticity, 81 a row", lambda: gallery.banded(size(300_000), 81)
    yield "one dense row", lambda: gallery.one_dense_row(2 * n, 2 * n)
    yield "1 to 4 a row", lambda: _of_lengths(size(8_000_000), lambda rng, n: rng.integers(1, 5, n), 1000)
    yield "circuit", lambda: _of_lengths(size(3_000_000), _circuit, 1000)
    yield "R-MAT", lambda: gallery.rmat(scaled(options, 20))


def _of_lengths(n, lengths, band=None):
    return of_lengths(lengths(np.random.default_rng(3), n), n, np.float64, min(band, n) if band else None)


def _circuit(rng, n):
    lengths = rng.integers(2, 8, n)
    lengths[rng.integers(0, n, max(1, n // 100_000))] = min(CIRCUIT_LONG, n // 2)
    return lengths


def products(size, options):
    """`A @ x` in both dtypes, then `A @ X`; `A @ x` of a matrix that is so small that launches are what it costs."""
    for name, make in matrices(size, options):
        kept = once(make)
        for dtype in (np.float64, np.float32):
            yield _product(f"A @ x, {name}, {np.dtype(dtype)}", kept, dtype)
    side, n = size(100, 3), size(500_000)
    two = {"Poisson": lambda: gallery.poisson((side,) * 3), "uniform x 16": lambda: gallery.uniform(n, n, 16)}
    for name, make in two.items():
        kept = once(make)
        for columns in (4, 32, 64):
            yield _product(f"A @ X, {name}, {columns} columns, float64", kept, np.float64, columns)
    yield _product("A @ x, 1000 rows x 10, float64", lambda: gallery.uniform(1000, 1000, 10), np.float64)


def _product(name, make, dtype, columns=None):
    def operands():
        A = make().astype(dtype)
        return A, make_operand(A, columns)

    return Row(name, "A @ x", operands, 1.0, lambda A, x: bytes_moved(A, columns or 1))


def squares(size, options):
    """`A @ A` of four patterns."""
    side, n = size(80, 3), size(200_000)
    for name, make in {
        "Poisson": lambda: gallery.poisson((side,) * 3),
        "uniform x 10": lambda: gallery.uniform(n, n, 10),
        "banded x 9": lambda: gallery.banded(5 * n, 9),
        "R-MAT": lambda: gallery.rmat(scaled(options, 15)),
    }.items():
        yield Row(f"A @ A, {name}, float64", "A @ A", lambda make=make: (make(), False), 1.0)


def conversions(size, options):
    """Coordinates in no order to rows; rows to columns."""

    def drawn():
        rng, n, entries = np.random.default_rng(0), size(2_000_000), size(30_000_000)
        i, j = (rng.integers(0, n, entries, np.int32) for _ in range(2))
        return rng.random(entries), i, j, (n, n)

    n = size(1_500_000)
    yield Row("COO to CSR, 15 a row, float64", "COO to CSR", drawn, 1.0, lambda data, *_: 32 * data.size)
    yield Row("transpose, uniform x 16, float64", "transpose", lambda: (gallery.uniform(n, n, 16),), 1.0, lambda A: 24 * A.nnz)


def scans(size, options):
    """Of whole arrays and of segments; selection."""
    n = size(1 << 28)
    for dtype in (np.int32, np.int64, np.float64):
        moved = lambda x: x.nbytes + x.size * 8  # noqa: E731
        yield Row(f"inclusive_scan, 2^28 {np.dtype(dtype)}", "inclusive_scan", lambda t=dtype: (_numbers(n, t, 9),), 1.0, moved)
    yield Row(
        "segmented_scan, 30 each, float64",
        "segmented_scan",
        lambda: _segments(n // 4, 30),
        None,
        lambda x, offsets: 2 * x.nbytes + offsets.nbytes,
    )

    def selected():
        x = _numbers(n // 2, np.float64)
        return x, x < LIMIT

    moved = lambda x, mask: mask.size + 8 * (x.size + int(mask.sum()))  # noqa: E731
    yield Row("compact, 2^27 float64, 30 %", "compact", selected, 1.0, moved)


def sorts(size, options):
    """Keys of four and eight bytes; pairs."""
    n = size(1 << 28)
    for dtype, count in ((np.uint32, n), (np.uint64, n // 2)):
        name = f"sort, 2^{28 - (dtype is np.uint64)} {np.dtype(dtype)}"
        yield Row(name, "sort", lambda t=dtype, k=count: (_numbers(k, t),), 1.0, lambda x: 2 * x.nbytes)

    def pairs():
        return _numbers(n // 2, np.uint32), np.arange(n // 2, dtype=np.uint32)

    yield Row("sort_by_key, 2^27 uint32, uint32", "sort_by_key", pairs, 1.0, lambda keys, values: 4 * keys.nbytes)


def segments(size, options):
    """Sums of short, long and few huge segments."""
    n = size(1 << 27)
    for name, length in {"10 each": 10, "10,000 each": 10_000, "8 in all": n // 8}.items():
        operands = functools.partial(_segments, n, max(1, min(length, n // 2)))
        moved = lambda x, offsets: x.nbytes + 2 * offsets.nbytes  # noqa: E731
        yield Row(f"segmented_reduce, 2^27 float64, {name}", "segmented_reduce", operands, 1.0, moved, without=("cupy",))


def _numbers(n, dtype, most=None):
    rng, kind = np.random.default_rng(4), np.dtype(dtype)
    return rng.random(n, dtype=kind) if kind.kind == "f" else rng.integers(0, most or np.iinfo(kind).max, n, dtype=kind)


def _segments(items, mean):
    """Segments of lengths from 1 to twice the mean."""
    lengths = np.random.default_rng(6).integers(1, 2 * mean, max(1, items // mean))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return np.random.default_rng(5).random(offsets[-1]), offsets


def graphs(options):
    """Algorithms on an R-MAT graph; `--size 4` makes scale 24 of scale 22."""
    scale = scaled(options, 22)
    forms = once(functools.partial(graph.forms, lambda: gallery.rmat(scale), None))
    for algorithm in ("bfs", "sssp", "pagerank", "weak components"):
        yield Row(f"{algorithm}, R-MAT {scale}", algorithm, forms, None, graph.moved, without=("networkx", "graphblas"))
