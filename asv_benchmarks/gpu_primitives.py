"""What `gpu_check.py` checks and times of the primitives: the device against the processor, and against CuPy."""

import numpy as np
from numba import njit

from spark_csr import primitives as p
from spark_csr._array import namespace_for, to_device

SIZES = (0, 1, 31, 1000, 3_000_001)


@njit
def _half(v):
    return v / 2


def checks(device):
    """(name, check) pairs; a check returns whether the device has the processor's result."""
    rng = np.random.default_rng(2)
    for n in SIZES:
        for family in (_scans, _floods, _selections, _segmented_sorts):
            for name, function, *arguments in family(rng, n):
                yield f"{name}, n={n}", _same(function, device, *arguments)
    for n in (0, 1, 31, 1000, 300_001):
        for name, function, *arguments in (*_sorts(rng, n), *_tuples(rng, n)):
            yield f"{name}, n={n}", _same(function, device, *arguments)


def _cuts(rng, n):
    """Offsets of segments of seven elements on average, some of them empty, and of a few long ones."""
    for many in (n // 7, 3):
        yield np.concatenate([[0], np.sort(rng.integers(0, n + 1, many)), [n]])


def _scans(rng, n):
    numbers, floats = rng.integers(-100, 100, n), rng.random(n)
    yield "inclusive_scan of floats", p.inclusive_scan, floats
    for op in ("sum", "max", "min"):
        yield f"inclusive_scan {op}", p.inclusive_scan, numbers, op
        yield f"exclusive_scan {op}", p.exclusive_scan, numbers, op
        yield f"inclusive_scan {op} in reverse", lambda x, op=op: p.inclusive_scan(x, op, reverse=True), numbers
        for cuts in _cuts(rng, n):
            yield f"segmented_scan {op}", lambda x, cuts, op=op: p.segmented_scan(x, cuts, op=op), numbers, cuts
            yield f"segmented_reduce {op}", p.segmented_reduce, numbers, cuts, op
    for cuts in _cuts(rng, n):
        yield "segmented_reduce of floats", p.segmented_reduce, floats, cuts
        yield "segment_ids", p.segment_ids, cuts
        yield "load_balance_search", p.load_balance_search, cuts
        yield "head_flags_from_offsets", p.head_flags_from_offsets, cuts
        yield "offsets_from_segment_ids", p.offsets_from_segment_ids, p.segment_ids(cuts), cuts.size - 1


def _floods(rng, n):
    floats, flags = rng.random(n), rng.random(n) < 0.01
    yield "right_flood", p.right_flood, floats, flags
    yield "left_flood", p.left_flood, floats, flags
    found = p.right_flood(floats, flags, return_index=True)[1]
    yield "right_flood with index", lambda x, valid: p.right_flood(x, valid, limit=50, return_index=True), floats, flags
    yield "right_flood_vjp", p.right_flood_vjp, floats, found
    yield "flood_by_reduce_deduce", p.flood_by_reduce_deduce, flags
    for cuts in _cuts(rng, n):
        yield "right_flood in segments", lambda x, valid, cuts: p.right_flood(x, valid, offsets=cuts), floats, flags, cuts


def _selections(rng, n):
    floats, flags, counts = rng.random(n), rng.random(n) < 0.4, rng.integers(0, 5, n)
    yield "compact", p.compact, floats, flags
    yield "compact with index", lambda x, mask: p.compact(x, mask, return_index=True), floats, flags
    yield "compact in place", lambda x, mask: p.compact(x, mask, layout="sparse", fill_value=-1), floats, flags
    yield "map_where", lambda x, mask: p.map_where(_half, x, mask), floats, flags
    yield "partition", lambda *arguments: p.partition(*arguments)[0], floats, flags
    yield "allocate", lambda counts: p.allocate(counts)[0], counts
    yield "repeat", p.repeat, floats, counts
    yield "run_length_encode", p.run_length_encode, np.repeat(floats, counts)


def _segmented_sorts(rng, n):
    for dtype in (np.int32, np.float64, np.float16):
        x = rng.integers(-50, 50, n).astype(dtype)
        for cuts in _cuts(rng, n):
            yield f"segmented_sort {x.dtype}", p.segmented_sort, x, cuts
            yield f"segmented_argsort {x.dtype}", p.segmented_argsort, x, cuts
            yield f"segmented_topk {x.dtype}", p.segmented_topk, x, cuts, 3


def _sorts(rng, n):
    for dtype in (np.uint8, np.int32, np.int64, np.float32, np.float64):
        x, values = rng.integers(-99, 99, n).astype(dtype), rng.random(n)
        for algorithm in ("radix", "merge"):
            yield f"argsort {algorithm} {x.dtype}", lambda x, a=algorithm: p.argsort(x, algorithm=a), x
        for algorithm in ("radix", "merge", "bitonic"):
            yield f"sort {algorithm} {x.dtype}", lambda x, a=algorithm: p.sort(x, algorithm=a), x
        yield f"sort_by_key {x.dtype}", p.sort_by_key, x, values
        yield f"merge {x.dtype}", lambda a, b: p.merge(a, b, return_index=True), np.sort(x), np.sort(x[: n // 3])
        yield f"is_bitonic {x.dtype}", p.is_bitonic, np.sort(x)
    short = rng.integers(0, 99, min(n, 3000))
    yield "sort odd_even", lambda x: p.sort(x, algorithm="odd_even"), short
    yield "sort_by_bits", p.sort_by_bits, short


def _tuples(rng, n):
    left, right = (np.concatenate([[0], np.cumsum(rng.poisson(9, n // 50))]) for _ in range(2))
    yield "cartesian_product", p.cartesian_product, left, right
    yield "cartesian_product of three", p.cartesian_product, left, right, left
    yield "combinations", p.combinations, left, 2
    yield "permutations", p.permutations, left


def _same(function, device, *arguments):
    def parts(result):
        return result if isinstance(result, tuple) else (result,)

    def check():
        here = parts(function(*arguments))
        moved = [to_device(value, device) if isinstance(value, np.ndarray) else value for value in arguments]
        there = [to_device(part, "cpu") if hasattr(part, "dtype") else part for part in parts(function(*moved))]
        return len(here) == len(there) and all(map(_agree, here, there))

    return check


def _agree(here, there):
    """Floats that were added may differ in their last bits; all else is the same."""
    here, there = np.asarray(here), np.asarray(there)
    exact = here.dtype.kind != "f"
    return here.dtype == there.dtype and (np.array_equal(here, there) if exact else np.allclose(here, there, rtol=1e-9, atol=0))


def timed(device, small):
    """(name, ours, the array library's, bytes that must move), a line each."""
    xp = namespace_for(device)
    n = 20_000 if small else 100_000_000
    rng = np.random.default_rng(0)
    x, mask = (to_device(drawn, device) for drawn in (rng.random(n), rng.random(n) < 0.5))
    yield "inclusive_scan float64", lambda: p.inclusive_scan(x), lambda: xp.cumsum(x), 16 * n
    size = int(mask.sum())
    yield "compact float64, half kept", lambda: p.compact(x, mask), lambda: x[mask], 9 * n + 8 * size
    yield "right_flood float64", lambda: p.right_flood(x, mask), lambda: _flood(xp, x, mask), 17 * n
    for mean in (8, 1000):
        offsets = xp.arange(0, n + 1, mean, dtype=xp.int32)
        reduced = _peer_reduce(xp, x, offsets)
        yield f"segmented_reduce, {mean} each", lambda o=offsets: p.segmented_reduce(x, o), reduced, 8 * n + 12 * n // mean
    values, counts = x[: n // 8], to_device(rng.integers(0, 17, n // 8, dtype=np.int32), device)
    total = int(counts.sum())
    yield "repeat, 8 on average", lambda: p.repeat(values, counts), _peer_repeat(xp, values, counts), 12 * n // 8 + 8 * total
    for dtype in (np.int32, np.int64, np.float32):
        keys = (x[: n // 4] * 2**30).astype(dtype)
        moved = 2 * keys.nbytes
        yield f"sort {keys.dtype}", lambda k=keys: p.sort(k), lambda k=keys: xp.sort(k), moved
        yield f"argsort {keys.dtype}", lambda k=keys: p.argsort(k), lambda k=keys: xp.argsort(k), moved + 4 * keys.size
    left, right = (p.offsets_from_counts(to_device(rng.integers(50, 150, max(n // 20_000, 1)), device)) for _ in range(2))
    pairs = int(p.cartesian_product(left, right)[0][-1])
    yield "cartesian_product", lambda: p.cartesian_product(left, right), None, 8 * pairs


def _flood(xp, x, mask):
    """The array library's way: positions, running maximum, gather."""
    at = (xp.maximum.accumulate if xp is np else _running_maximum(xp))(xp.where(mask, xp.arange(x.size), -1))
    return xp.where(at >= 0, x[at], 0)


def _running_maximum(xp):
    """CuPy has none: a sum of steps, where every position is larger than those before it."""

    def run(at):
        found = at[at >= 0]
        rank = xp.cumsum(at >= 0) - 1
        return xp.where(rank >= 0, found[rank], -1)

    return run


def _peer_reduce(xp, x, offsets):
    """NumPy's `reduceat`; CuPy has none: a running sum, and differences of it."""
    if xp is np:
        starts = offsets[:-1].astype(np.int64)
        return lambda: np.add.reduceat(x, starts)

    def run():
        running = xp.cumsum(x)
        return xp.diff(running[offsets[1:] - 1], prepend=0)

    return run


def _peer_repeat(xp, values, counts):
    """CuPy's `repeat` takes one number or a list from the host: its users search in a running sum instead."""
    if xp is np:
        return lambda: np.repeat(values, counts)

    def run():
        ends = xp.cumsum(counts)
        return values[xp.searchsorted(ends, xp.arange(int(ends[-1])), side="right")]

    return run
