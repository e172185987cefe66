"""Prefix scans of the columns of a matrix that lies in memory row by row: one scan of all columns, one behind the other.

Cost: two turns of the matrix. An initial value is the first element of every column.
"""

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.scan import scan


def scan_rows(monoid, dtype, x, out, *, heads=None, initial=None, exclusive=False, reverse=False):
    """Scan the columns of `x`, of two or more columns and one or more rows, into `out`; return the totals."""
    xp, columns = namespace_of(x), x.shape[1]
    from_initial = exclusive and heads is None
    if from_initial:
        first = xp.full((1, columns), monoid.identity_for(dtype) if initial is None else initial, dtype)
        x = xp.concatenate([x, first] if reverse else [first, x])
    turned = xp.ascontiguousarray(x.T)
    marks = xp.zeros(turned.shape, bool)
    if heads is not None:
        marks[:] = heads
    marks[:, 0] = True
    flat, scanned = turned.reshape(-1), xp.empty(turned.size, dtype)
    way = {"heads": marks.reshape(-1), "exclusive": exclusive and not from_initial, "reverse": reverse}
    scan(monoid, dtype, flat.size, ops.element, ops.store, (flat, scanned), xp.empty(1, dtype), **way)
    scanned = scanned.reshape(turned.shape)
    totals = scanned[:, 0 if reverse else -1]
    if from_initial:
        scanned = scanned[:, 1:] if reverse else scanned[:, :-1]
    out[...] = scanned.T
    return totals
