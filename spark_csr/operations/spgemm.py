"""Interim."""

from spark_csr import ops
from spark_csr.operations import convert


def spgemm(a, b, ring=ops.PLUS_TIMES, mask=None):
    """Interim."""
    from scipy.sparse import csr_array

    c = csr_array((a.data, a.indices, a.indptr), shape=a.shape) @ csr_array((b.data, b.indices, b.indptr), shape=b.shape)
    c.sort_indices()
    return convert.from_arrays(c.indptr, c.indices, c.data, c.shape)
