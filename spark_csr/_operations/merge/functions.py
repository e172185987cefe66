"""Users' functions of entries: of the row, the column and the value of each, or of the values of two matrices."""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand
from spark_csr._engine import inline
from spark_csr._engine.holes import call
from spark_csr._operations.form.canonical import without_duplicates
from spark_csr._operations.form.record import tiles
from spark_csr._operations.merge import patterns
from spark_csr._operations.merge.elementwise import make_canonical
from spark_csr.primitives._calls import INT64, check_state, compile_test, infer_dtype
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import as_storable


def _visit(operands, item, row, rank):
    operands[0][item] = call(np.int64(row), np.int64(operands[1][item]), operands[2][item], *operands[3:])


def _visit_transposed(operands, item, row, rank):
    operands[0][item] = call(np.int64(operands[1][item]), np.int64(row), operands[2][item], *operands[3:])


@functools.cache
def _make_visit(func, transposed):
    return inline(_visit_transposed if transposed else _visit, call=func)


def call_for_entries(func, csr, arrays, transposed, tests=False):
    """Return the record without duplicates, and `func(row, column, value, *arrays)` of each of its entries.

    Of a record that holds the transpose, rows and columns are exchanged. If `tests`, results are bools as bytes.
    """
    csr = without_duplicates(csr)
    data = as_operand(as_storable(csr.data))
    named = {"row": INT64, "column": INT64, "value": data.dtype}
    check_state(arrays, data, "arrays")
    func = compile_test(func, named, arrays, tests=tests, name="arrays")
    example = lambda: data.size and (0, 0, data[0])  # noqa: E731
    out = csr.xp.empty(data.size, np.uint8 if tests else infer_dtype(func, named, arrays, example))
    if out.size:
        operands = out, csr.indices, data, *arrays
        csr.backend.visit_items(_make_visit(func, transposed), csr.plan(tiles), csr.indptr, operands, calls_user=True)
    return csr, out


def _take_either(i, of_a, of_b, a, b, out):
    """Combine the values at a position, or take that of the only matrix that has one: entries are counted from 1."""
    at, other = np.uint64(of_a[i]), np.uint64(of_b[i])
    if at == 0:
        out[i] = b[other - 1]
    elif other == 0:
        out[i] = a[at - 1]
    else:
        out[i] = call(a[at - 1], b[other - 1])


def _take_both(i, a, b, out):
    out[i] = call(a[i], b[i])


@functools.cache
def _make_body(body, func):
    return inline(body, call=func)


def _compile(func, dtype):
    """Return a function of two values of a dtype as kernels call it, and the dtype of its results: of a monoid, the same."""
    if isinstance(func, (str, ops.Monoid)):
        monoid = ops.monoid(func)
        monoid.identity_for(dtype)  # says why, if the operator has no meaning for the dtype
        return compile_test(monoid.op, {"a": dtype, "b": dtype}, (), tests=False), dtype
    func = compile_test(func, {"a": dtype, "b": dtype}, (), tests=False)
    return func, infer_dtype(func, {"a": dtype, "b": dtype}, (), lambda: (dtype.type(1), dtype.type(1)))


def combine(func, a, b, both):
    """Return the record of `func(x, y)` where both matrices have entries; unless `both`, of the others as they are too.

    Results that are zero stay.
    """
    a, b = patterns.match_formats(a, b)
    given = a.data.dtype
    a, b = (m.with_data(as_operand(as_storable(m.data))) for m in (a, b))
    func, dtype = _compile(func, a.data.dtype)
    merge = patterns.count_merged(a, b, both=both)
    if both:
        indptr, indices, operands = patterns.merge_intersection(a, b, merge)
        body = _take_both
    else:
        numbered = (m.with_data(m.xp.arange(1, m.data.size + 1, dtype=np.int64)) for m in (a, b))
        indptr, indices, places, _ = patterns.merge_union(None, *numbered, merge)
        operands, dtype, body = (*places, a.data, b.data), np.result_type(dtype, a.data.dtype), _take_either
    out = a.xp.empty(indices.size, dtype)
    for_each(out.size, _make_body(body, func), *operands, out)
    keeps_dtype = given == np.float16 and dtype == np.float32
    return make_canonical(indptr, indices, out.astype(given) if keeps_dtype else out, a.shape)
