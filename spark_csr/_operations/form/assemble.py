"""Coordinates to rows, by a stable radix sort of (row, column)."""

from spark_csr._array import index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns, note_facts
from spark_csr._operations.form.record import Csr
from spark_csr.primitives.sort import gather


def assemble(rows, columns, data, shape):
    """Return the record of entries with these coordinates (of one width), sorted by row and column; equal positions stay in
    their order."""
    xp, n = namespace_of(data), data.size
    indptr, indices = xp.empty(shape[0] + 1, index_dtype(n)), xp.empty(n, index_dtype(shape[1]))
    carried = data.itemsize in (4, 8)
    out = xp.empty(n, data.dtype if carried else index_dtype(n))
    given = data if carried else None
    once = backend_of(data).assemble(rows, columns, given, shape[1], True, indptr, indices, out)
    facts = (has_sorted_columns, has_canonical_columns) if once else (has_sorted_columns,)
    return note_facts(Csr.new(indptr, indices, out if carried else gather(data, out), shape), *facts)
