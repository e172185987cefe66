"""Scans, floods, selections, segments, sorts, pairs: NumPy's and CuPy's functions, or what their users write in their place."""

import functools
import importlib
import operator

import numpy as np
from numba import njit

from peers import DIGESTS, calls, peer
from spark_csr import primitives as p
from spark_csr._array import namespace_of
from spark_csr.primitives.sort import gather


def _stable(name):
    return functools.partial(getattr(np, name), kind="stable")


def _of_cupy(name):
    return lambda *operands: getattr(importlib.import_module("cupy"), name)(*operands)


for name, ours in {"sort": p.sort, "argsort": p.argsort}.items():
    calls(name, ours=ours, numpy=_stable(name), cupy=_of_cupy(name), **{"numpy, not stable": getattr(np, name)})


@njit
def _scan(x):
    out, total = np.empty_like(x), x.dtype.type(0)
    for i in range(x.size):
        total += x[i]
        out[i] = total
    return out


calls("inclusive_scan", ours=p.inclusive_scan, plain=_scan, numpy=np.cumsum, cupy=_of_cupy("cumsum"))


@njit
def _selected(x, mask):
    out, size = np.empty_like(x), 0
    for i in range(x.size):
        if mask[i]:
            out[size] = x[i]
            size += 1
    return out[:size].copy()


calls("compact", ours=p.compact, plain=_selected, numpy=operator.getitem, cupy=operator.getitem)


@njit
def _filled(x, valid):
    out, last = np.empty_like(x), x.dtype.type(0)
    for i in range(x.size):
        if valid[i]:
            last = x[i]
        out[i] = last
    return out


def _flood(x, valid):
    """Positions, running maximum, gather. CuPy has no running maximum: a sum of steps, where each position exceeds the last."""
    xp = namespace_of(x)
    at = xp.where(valid, xp.arange(x.size), -1)
    if xp is np:
        at = np.maximum.accumulate(at)
    else:
        found, rank = at[at >= 0], xp.cumsum(at >= 0) - 1
        at = xp.where(rank >= 0, found[rank], -1)
    return xp.where(at >= 0, x[at], 0)


calls("right_flood", ours=p.right_flood, plain=_filled, numpy=_flood, cupy=_flood)


@njit
def sums(x, offsets):
    """Of segments."""
    out = np.zeros(offsets.size - 1, x.dtype)
    for s in range(out.size):
        for i in range(offsets[s], offsets[s + 1]):
            out[s] += x[i]
    return out


def _differences(x, offsets):
    """CuPy has no `reduceat`: a running sum, and differences of it."""
    xp = namespace_of(x)
    return xp.diff(xp.cumsum(x)[offsets[1:] - 1], prepend=0)


def _column_by_column(function):
    """A function of one axis for each column, stacked: what primitives without vectors ask for."""
    return lambda x, *operands: np.stack([function(column, *operands) for column in x.T], axis=1)


def _reduced_rows(x, offsets):
    return np.add.reduceat(x, offsets[:-1], axis=0)


for name, ours, rows, column in (
    ("inclusive_scan", p.inclusive_scan, functools.partial(np.cumsum, axis=0), np.cumsum),
    ("compact", p.compact, operator.getitem, operator.getitem),
    ("take", gather, functools.partial(np.take, axis=0), np.take),
    ("segmented_reduce", p.segmented_reduce, _reduced_rows, _reduced_rows),
):
    calls(f"vectors {name}", ours=ours, numpy=rows, **{"numpy, by columns": _column_by_column(column)})


@peer("segmented_reduce", "numpy")
def reduced_at(x, offsets):
    """`reduceat` knows no empty segments."""
    if (offsets[1:] == offsets[:-1]).any():
        raise NotImplementedError("for segments that hold something only")
    starts = offsets[:-1].astype(np.int64)
    return lambda: np.add.reduceat(x, starts)


calls("segmented_reduce", ours=p.segmented_reduce, plain=sums, cupy=_differences)


def _searched(values, counts):
    """CuPy's `repeat` takes one number or a list from the host: its users search in a running sum instead."""
    xp = namespace_of(values)
    ends = xp.cumsum(counts)
    return values[xp.searchsorted(ends, xp.arange(int(ends[-1])), side="right")]


@njit
def _repeated(values, counts):
    out, at = np.empty(counts.sum(), values.dtype), 0
    for i in range(values.size):
        for _ in range(counts[i]):
            out[at] = values[i]
            at += 1
    return out


calls("repeat", ours=p.repeat, plain=_repeated, numpy=np.repeat, cupy=_searched)


def _runs(x):
    """Comparison of neighbours, `flatnonzero`, differences."""
    xp = namespace_of(x)
    starts = xp.flatnonzero(xp.concatenate([xp.ones(1, bool), x[1:] != x[:-1]]))
    return x[starts], xp.diff(xp.concatenate([starts, xp.asarray([x.size])]))


calls("run_length_encode", ours=p.run_length_encode, numpy=_runs, cupy=_runs)
calls("merge", ours=p.merge, numpy=lambda a, b: np.sort(np.concatenate([a, b]), kind="stable"))
calls("segmented_argsort", ours=p.segmented_argsort)


@peer("segmented_argsort", "numpy")
def lexsorted(x, offsets):
    """By segment and value."""
    ids = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    return lambda: np.lexsort((x, ids))


calls("segment_ids", ours=p.segment_ids)
calls("segmented_sort", ours=p.segmented_sort)
calls("segmented_scan", ours=lambda x, offsets: p.segmented_scan(x, offsets))


def _pairs(first, second):
    """With the parent of every pair, as products are written without a kernel."""
    counts_second = np.diff(second)
    sizes = np.diff(first) * counts_second
    out_offsets = np.concatenate([[0], np.cumsum(sizes)])
    parents = np.repeat(np.arange(sizes.size), sizes)
    row, column = np.divmod(np.arange(out_offsets[-1]) - out_offsets[parents], counts_second[parents])
    return out_offsets, first[parents] + row, second[parents] + column


calls("cartesian_product", ours=p.cartesian_product, numpy=_pairs)


@peer("cartesian_product", "awkward")
def awkward_pairs(first, second):
    ak = importlib.import_module("awkward")
    pair = [ak.unflatten(np.arange(cuts[-1]), np.diff(cuts)) for cuts in (first, second)]
    return lambda: ak.argcartesian(pair)


def _size(library, found):
    """How many pairs: awkward counts from the begin of each list."""
    if library == "awkward":
        return importlib.import_module("awkward").num(found, axis=1).to_numpy().sum()
    return found[1].size


DIGESTS["cartesian_product"] = _size
