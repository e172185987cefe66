"""Two matrices of one shape, entry by entry: the union of their patterns, or what both have.

Design: kernels that only move values lay both matrices' values side by side, and an operator of the array library combines
them: every operator and dtype costs no kernel of its own. Sums, differences, extremes, `<`, `>` and `!=` are combined while
they are merged, for the dtypes that matrices mostly have. `A > B` is `B < A`.
"""

import operator

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import count_nonzero, to_host_scalar
from spark_csr._operations.form import convert, dtypes
from spark_csr._operations.form.canonical import sum_before_cast, without_duplicates
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns, inherit_facts
from spark_csr._operations.form.record import Csr
from spark_csr._operations.merge import patterns
from spark_csr._operations.select.prune import eliminate_zeros

SUMS = {operator.add: ops.plus, operator.sub: ops.minus}

FUSED = SUMS | {
    np.maximum: ops.maximum,
    np.minimum: ops.minimum,
    operator.lt: ops.less_than,
    operator.ne: ops.not_equal,
}
"""The operators that are applied while two matrices are merged; to complex numbers, only those of `SUMS`."""

TRUTHS = frozenset((ops.less_than, ops.not_equal))

FUSED_DTYPES = frozenset(map(np.dtype, ("float32", "float64", "complex128", "int64")))


def union(function, a, b):
    """Return `function(A, B)` of two matrices of one shape, for a function that gives zero for two zeros.

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
    a, b = patterns.match_formats(a, b)
    if function is operator.gt:
        function, a, b = operator.lt, b, a
    merge = None if patterns.have_equal_patterns(a, b) else patterns.count_merged(a, b, both=False)
    if merge is None or patterns.have_equal_patterns(a, b, merge):
        return _drop_zeros(a.with_data(_call_quietly(function, a.data, b.data)))
    fused = _fused_operator(function, a.data.dtype)
    indptr, indices, out, zeros = patterns.merge_union(fused, a, b, merge, fused in TRUTHS)
    if fused is None:
        return _drop_zeros(make_canonical(indptr, indices, _call_quietly(function, *out), a.shape), spend=True)
    return _drop_zeros(make_canonical(indptr, indices, out[0], a.shape), _sum_counts(zeros), spend=True)


def intersection(function, a, b):
    """Return `function(A, B)` where both have an entry, for a function that is zero where one of both is; else `union`."""
    a, b = patterns.match_formats(a, b)
    merge = None if patterns.have_equal_patterns(a, b) else patterns.count_merged(a, b, both=True)
    if merge is None or patterns.have_equal_patterns(a, b, merge):
        return _drop_zeros(a.with_data(_call_quietly(function, a.data, b.data)))
    indptr, indices, both = patterns.merge_intersection(a, b, merge)
    return _drop_zeros(make_canonical(indptr, indices, _call_quietly(function, *both), a.shape), spend=True)


def multiply(a, b):
    """Return the elementwise product. An infinity or NaN times a missing zero is NaN: only if there is one, the union is
    needed."""
    both = all_finite(a.data, b.data)
    return (intersection if both else union)(operator.mul, a, b)


def all_finite(*arrays):
    """Return True if finite sums prove that no value is NaN or infinite; False may be a false alarm. A host read of each."""
    with np.errstate(all="ignore"):
        total = sum(to_host_scalar(data.sum()) for data in arrays if data.dtype.kind in "fc")
    return total - total == 0


def map_values(function, csr):
    """Return `function` of the values, with the same pattern; raise TypeError if its dtype is none that a matrix has."""
    data = function(csr.data)
    return csr.with_data(data.astype(dtypes.dtype_of(data, "the result"), copy=False))


def scale(csr, number):
    """Return the values times a number, which may change their dtype."""
    if csr.data.dtype.kind not in "fc":
        csr = sum_before_cast(csr, (csr.data[:0] * number).dtype)
    return map_values(lambda data: data * number, csr)


def divide(dividend, divisor):
    """Return quotients of arrays, or of a number and an array, in the dtype that SciPy's have: that of the dividend times
    reciprocals of the divisor. Such products would be rounded twice, and reciprocals of small numbers are infinite."""
    dtype = np.result_type(dividend.dtype, (1 / divisor[:0]).dtype)
    return dividend.astype(dtype) / divisor


def map_nonzeros(function, csr):
    """Return `function` of the values of a matrix without duplicates, without the zeros."""
    return _drop_zeros(map_values(function, without_duplicates(csr)))


def complement(csr):
    """True where the matrix has no entry, as entries. *Cost*: writes M*N bytes."""
    stored = csr.with_data(csr.xp.ones(csr.data.size, bool))
    return convert.from_dense(~convert.to_dense(stored))


def _sum_counts(counts):
    """Return the sum of some counts. One host read."""
    return to_host_scalar(counts if counts.size == 1 else counts.sum())


def _fused_operator(function, dtype):
    """Return the operator that kernels apply while they merge, or None."""
    if dtype not in FUSED_DTYPES or (dtype.kind == "c" and function not in SUMS):
        return None
    return FUSED.get(function)


def make_canonical(indptr, indices, data, shape):
    """Return a record of new arrays that is known to be in canonical format."""
    return Csr.new(indptr, indices, data, shape, {has_sorted_columns: True, has_canonical_columns: True})


def _call_quietly(function, left, right):
    """Call a function without warnings of overflow and invalid values, as SciPy does."""
    with np.errstate(all="ignore"):
        return function(left, right)


def _drop_zeros(csr, zeros=None, spend=False):
    """Return a matrix without its zeros; the caller may know how many there are. One host read."""
    if zeros is None:
        zeros = csr.data.size - to_host_scalar(csr.xp.asarray(count_nonzero(csr.data)))
    return inherit_facts(csr, eliminate_zeros(csr, spend)) if zeros else csr
