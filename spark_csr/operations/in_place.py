"""A matrix without its zeros in the memory that it has: where nobody else sees it, and whatever is raised meanwhile."""

import functools
import sys

import numpy as np

from spark_csr._array import index_dtype
from spark_csr.operations.keep import UNWRITTEN, move_to_front, owns_entries, unwritten_offsets
from spark_csr.operations.prune import eliminate_zeros, larger
from spark_csr.operations.record import Csr


def _references(holder, name):
    return sys.getrefcount(getattr(holder, name))


_ONE = _references(Csr(object(), None, None, None), "indptr")


def is_alone(matrix):
    """Whether no reference but `matrix._csr` leads to the arrays of the entries: what is done in place may be done in them.

    Views, buffers and tensors of other libraries hold a reference each. True for this moment: another thread may come.
    """
    if _references(matrix, "_csr") > _ONE:
        return False
    return (_references(matrix._csr, "indices"), _references(matrix._csr, "data")) == (_ONE, _ONE)


def drop_zeros(matrix):
    """Let `matrix._csr` be without zeros: in the same arrays, if nobody else sees them, in one pass.

    An exception, as Ctrl-C makes one, may come when entries were moved: the matrix then gets its new record all the same. Who
    took the old arrays in the meantime, in another thread, keeps them, with entries moved.
    """
    if not (matrix.nnz and is_alone(matrix) and owns_entries(matrix._csr)):
        matrix._csr = eliminate_zeros(matrix._csr)
        return
    indptr = unwritten_offsets(matrix._csr)
    try:
        try:
            move_to_front(matrix._csr, *larger(matrix._csr.data, 0), indptr)
        finally:
            _settle(matrix, indptr)
    except BaseException:
        _settle(matrix, indptr)  # what was raised may have been raised in there
        raise


_resize = functools.partial(np.ndarray.resize, refcheck=False)


def _settle(matrix, indptr):
    """Give a matrix the record of what lies in front, unless it has it.

    Python looks for signals after calls from its own code: none comes between the new record and the end of the last call,
    which runs in C alone.
    """
    kept = int(indptr[-1])
    if kept in (UNWRITTEN, matrix.nnz):
        return
    old = matrix._csr if is_alone(matrix) else matrix._csr.copy()
    csr = Csr(indptr.astype(index_dtype(kept), copy=False), old.indices, old.data, old.shape)
    shortened = map(_resize, (csr.indices, csr.data), (kept, kept))
    matrix._csr = csr
    tuple(shortened)
