"""`D @ A` and `A @ D` for a diagonal matrix D: rows or columns are multiplied by numbers, and the pattern stays."""

from spark_csr._array import to_host_scalar
from spark_csr._operations.form.canonical import canonical, has_duplicates
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.scale import scale_entries
from spark_csr._operations.select.prune import eliminate_zeros


def is_diagonal(csr):
    """Return whether the entries of a square matrix are those of its diagonal, one in each row. A plan; one host read."""
    rows, entries = csr.shape[0], csr.indices.size
    if not entries or not rows == csr.shape[1] == entries:
        return False
    counted = csr.xp.arange(rows + 1, dtype=csr.indptr.dtype)
    found = (csr.indptr == counted).all() & (csr.indices == counted[:-1]).all()
    return bool(to_host_scalar(found))


def multiply_by_diagonal(a, b, result):
    """Return the record of `A @ B` if one operand is a diagonal, as `spgemm` would; None if none is, or a position of the other
    has several entries.

    Cost: a read of the values and their rows or columns, one write of the values; the rows of entries are found once and kept.
    """
    on_left = a.plan(is_diagonal)
    if not (on_left or b.plan(is_diagonal)):
        return None
    factors, other = (a.data, b) if on_left else (b.data, a)
    if other.plan(has_duplicates):
        return None
    rows = canonical(other)
    ids = rows.plan(rows_of_entries) if on_left else rows.indices
    out = rows.with_data(scale_entries(rows.data, factors, ids))
    if not to_host_scalar((out.data != 0).all()):
        out = eliminate_zeros(out)
    return out.as_dtype(result)
