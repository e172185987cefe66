"""A matrix without its zeros, in the memory that it has where nobody else sees that."""

from spark_csr._array import index_dtype
from spark_csr._engine import delay_signals
from spark_csr._operations.form.coordinates import Coordinates
from spark_csr._operations.form.keep import UNWRITTEN, allocate_offsets, move_to_front
from spark_csr._operations.form.record import MATRIX, Csr
from spark_csr._operations.form.shown import Shown
from spark_csr._operations.select.prune import eliminate_zeros, magnitude_test

MOST_MEMORY = 3
"""How many times the memory of its entries a matrix may keep: SciPy keeps twice. Not tuned."""


def drop_zeros(matrix):
    """Let the record of a matrix be without zeros: in the same arrays, if no one else sees them, in one pass.

    Signals, such as Ctrl-C, are handled when the matrix has its new record. Another thread that takes the arrays meanwhile
    keeps them, with entries moved.
    """
    csr = _record_of(matrix)
    if isinstance(csr, Coordinates):
        matrix._csr = csr.without_zeros()
        return
    if not (csr.indices.size and csr.is_seen_only_by(MATRIX)):
        left = eliminate_zeros(csr.lend())
        if left.indices.size < csr.indices.size:
            matrix._csr = left
        return
    indptr = allocate_offsets(csr)
    with delay_signals():
        try:
            move_to_front(csr, *magnitude_test(csr.data, 0), indptr)
        finally:
            _settle(matrix, csr, indptr)
    _tidy_up(matrix, csr)


def _record_of(matrix):
    """Return the record of a matrix, without noting that it is seen where nobody else can see it."""
    return matrix._record if isinstance(matrix._record, Csr) else matrix._held


def _settle(matrix, csr, indptr):
    """Give a matrix the record of what lies in front in the arrays of `csr`, if entries have been moved.

    Another thread may have put `Shown` around the record meanwhile.
    """
    kept = int(indptr[-1])
    if (matrix._record is csr or isinstance(matrix._record, Shown)) and kept not in (UNWRITTEN, csr.indices.size):
        matrix._csr = Csr(indptr, csr.indices[:kept], csr.data[:kept], csr.shape)


def _tidy_up(matrix, csr):
    """Let the new record of a matrix be in other arrays where anybody took the old ones meanwhile, or these are too long."""
    left = _record_of(matrix)
    if left is csr:
        return
    kept = left.indices.size
    if csr.seen_by != MATRIX or kept * MOST_MEMORY < csr.indices.size:
        left = left.copy()
    left.indptr = left.indptr.astype(index_dtype(max(kept, csr.shape[1])), copy=False)
    matrix._csr = left
