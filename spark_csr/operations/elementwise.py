"""Two matrices of one shape, entry by entry: the union of their patterns, or what both have.

Design: kernels that only move values lay both matrices' values side by side, and an operator of the array library combines
them: every operator and dtype costs no kernel of its own. Sums and differences of large matrices, whose time is that of their
memory, are combined while they are merged, for the dtypes that large matrices mostly have.
"""

import operator

import numpy as np

from spark_csr import ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.merge_rows import cut_rows
from spark_csr.operations import check, convert
from spark_csr.operations.prune import eliminate_zeros
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each

FUSED = {operator.add: ops.plus, operator.sub: ops.minus}
"""What is combined while it is merged."""

FUSED_WHERE_LARGE = {operator.lt: ops.less_than, operator.gt: ops.greater_than, operator.ne: ops.not_equal}
FUSED_WHERE_LARGE |= {np.maximum: ops.maximum, np.minimum: ops.minimum}

TRUTHS = frozenset((ops.less_than, ops.greater_than, ops.not_equal))

FUSED_DTYPES = frozenset(map(np.dtype, ("float32", "float64", "complex128", "int64")))

LARGE = 1 << 20
"""Entries from which it pays to wait for such a kernel to be compiled. Not tuned."""


def union(function, a, b):
    """`function(A, B)` of two matrices of one shape, for a function that gives zero for two zeros.

    Parameters
    ----------
    function : function
        Of two arrays; where a matrix has no entry it is given a 0.
    a, b : Csr
        Values are first made one dtype, `numpy.result_type` of both.

    Returns
    -------
    Csr
        Rows sorted, no entry twice, no zeros (NaN is kept).

    Raises
    ------
    TypeError
        For mixed devices.
    MemoryError
        If there is no room for the result.

    Notes
    -----
    *Cost*: two reads of both patterns, one of the values, one write of the result; one pass more where a result is zero. Of
    matrices that share their pattern: one call of `function`. Operands that are not in canonical format are copied and put in
    order first. *Order*: same bits for any number of threads. *Empty input*: legal.
    """
    a, b = alike(a, b)
    if share_pattern(a, b):
        return _without_zeros(a.with_data(_quietly(function, a.data, b.data)))
    cuts, before, total = _counted(a, b, False)
    if total == a.indices.size == b.indices.size and before.size > 2:
        return _without_zeros(a.with_data(_quietly(function, a.data, b.data)))
    fused = _fused(function, a.data.dtype, total)
    indptr, indices, out, zeros = _united(fused, a, b, cuts, before, total)
    if fused is None:
        return _without_zeros(_canonical(indptr, indices, _quietly(function, *out), a.shape))
    return _without_zeros(_canonical(indptr, indices, out[0], a.shape), to_host_scalar(zeros.sum()))


def _fused(function, dtype, total):
    """The operator to combine with while merging, or None."""
    if dtype not in FUSED_DTYPES or (dtype.kind == "c" and function not in FUSED):
        return None
    return FUSED.get(function) or (FUSED_WHERE_LARGE.get(function) if total >= LARGE else None)


def _united(fused, a, b, cuts, before, total):
    """The union's `indptr` and `indices`, both matrices' values or their combinations, and how many of these are zero."""
    xp, dtype = namespace_of(a.data), a.data.dtype
    indptr, indices = _new_pattern(a.shape, total, xp)
    dtypes = (dtype, dtype) if fused is None else (np.dtype(bool) if fused in TRUTHS else dtype,)
    out = tuple(room(xp, total, kind, f"{total} entries") for kind in dtypes)
    zeros = xp.empty(before.size - 1, np.int64)
    moved = out if fused else tuple(map(by_width, out))
    operands = (_arrays(m, fused is None) for m in (a, b))
    backend_of(indptr).fill_union(fused, *operands, cuts, before, indptr, indices, moved, zeros)
    stop = _end(indptr, before, total)
    return indptr, indices[:stop], tuple(values[:stop] for values in out), zeros


def _end(indptr, before, total):
    """How many entries were written: as many as were counted, but a single tile is not counted first."""
    return total if before.size > 2 else to_host_scalar(indptr[-1])


def intersection(function, a, b):
    """`function(A, B)` where both have an entry, for a function that is zero where one of both is; else as `union`."""
    a, b = alike(a, b)
    if share_pattern(a, b):
        return _without_zeros(a.with_data(_quietly(function, a.data, b.data)))
    cuts, before, total = _counted(a, b, True)
    if total == a.indices.size == b.indices.size and before.size > 2:
        return _without_zeros(a.with_data(_quietly(function, a.data, b.data)))
    xp, dtype = namespace_of(a.data), a.data.dtype
    indptr, indices = _new_pattern(a.shape, total, xp)
    left, right = (room(xp, total, dtype, f"{total} entries") for _ in range(2))
    operands = (_arrays(m, True) for m in (a, b))
    backend_of(indptr).fill_intersection(*operands, cuts, before, indptr, indices, *map(by_width, (left, right)))
    stop = _end(indptr, before, total)
    values = _quietly(function, left[:stop], right[:stop])
    return _without_zeros(_canonical(indptr, indices[:stop], values, a.shape))


def product(a, b):
    """Entry times entry. An infinity or NaN makes a NaN of the zeros it meets: only then the union must be looked at."""
    both = all_finite(a.data) and all_finite(b.data)
    return (intersection if both else union)(operator.mul, a, b)


def all_finite(data):
    """Is there surely no NaN and no infinity? Their sum is none, and such a sum is seldom of others. One host read."""
    if data.dtype.kind not in "fc":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(to_host_scalar(data.sum())))


def mapped(function, csr):
    """`function` of the values, with the same pattern; TypeError where it gives a dtype that no matrix has."""
    data = function(csr.data)
    return csr.with_data(data.astype(check.dtype_of(data, "the result"), copy=False))


def selected(function, csr):
    """`function` of the values of a matrix in canonical format, zeros dropped."""
    return _without_zeros(mapped(function, convert.canonical(csr)))


def complement(csr):
    """True where the matrix has no entry, as entries. *Cost*: writes M*N bytes."""
    stored = csr.with_data(namespace_of(csr.data).ones(csr.data.size, bool))
    return convert.from_dense(~convert.to_dense(stored))


def alike(a, b):
    """Both in canonical format, of one dtype and one width of each index array."""
    same_device(a.data, b.data)
    if a.data.dtype != b.data.dtype:
        dtype = np.result_type(a.data.dtype, b.data.dtype)
        a, b = (m.with_data(m.data.astype(dtype, copy=False)) for m in (a, b))
    a, b = convert.canonical(a), convert.canonical(b)
    if a.indptr.dtype == b.indptr.dtype and a.indices.dtype == b.indices.dtype:
        return a, b
    pointer = np.result_type(a.indptr.dtype, b.indptr.dtype)
    return tuple(Csr(m.indptr.astype(pointer), check.as_index(m.indices, m.shape[1]), m.data, m.shape) for m in (a, b))


def share_pattern(a, b):
    """Have both the same arrays for their patterns?"""
    return a.indptr is b.indptr and a.indices is b.indices


def _arrays(csr, by_bits):
    """What kernels read; of values only their bits."""
    data = as_operand(csr.data)
    return csr.indptr, csr.indices, by_width(data) if by_bits else data


def _counted(a, b, both):
    """The cuts of two patterns into tiles of equal work, the columns of the result before each tile, and in all.

    Of a single tile nothing is counted: the total is what it cannot exceed.
    """
    backend, xp, rows = backend_of(a.data), namespace_of(a.data), a.shape[0]
    sizes = a.indices.size, b.indices.size
    entries = sum(sizes) + rows
    items = backend.merged_items(entries)
    if entries <= items:
        bound = min(sizes) if both else sum(sizes)
        return xp.asarray((0, 0, 0, rows, *sizes)), xp.asarray((0, bound)), bound
    tiles = -(-entries // items)
    patterns = (a.indptr, a.indices), (b.indptr, b.indices)
    cuts, before = xp.empty(3 * tiles + 3, np.int64), xp.empty(tiles + 1, np.int64)
    for_each(tiles + 1, cut_rows, *patterns[0], *patterns[1], rows, items, cuts)
    backend.count_merged(*patterns, cuts, both, before)
    return cuts, before, to_host_scalar(before[-1])


def _new_pattern(shape, total, xp):
    """Room for the pattern of a result with `total` entries."""
    what = f"{total} entries in {shape[0]} rows"
    return room(xp, shape[0] + 1, index_dtype(total), what), room(xp, total, index_dtype(shape[1]), what)


def _canonical(indptr, indices, data, shape):
    """A record known to be in canonical format."""
    return Csr(indptr, indices, data, shape, {convert.has_sorted_columns: True, convert.has_canonical_columns: True})


def _quietly(function, left, right):
    """As SciPy does it: overflow and invalid values are no warning."""
    with np.errstate(all="ignore"):
        return function(left, right)


def _without_zeros(csr, zeros=None):
    """Without entries that are zero, of which the caller may know the number. One host read."""
    if zeros is None:
        xp = namespace_of(csr.data)
        zeros = csr.data.size - to_host_scalar(xp.asarray(xp.count_nonzero(csr.data)))
    return eliminate_zeros(csr) if zeros else csr
