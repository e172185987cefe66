"""`A @ B`: a sparse matrix times a sparse matrix."""

from spark_csr import ops
from spark_csr.operations.spgemm_composed import check_product, composed


def spgemm(a, b, ring=ops.PLUS_TIMES, mask=None):
    """The record of `C[i, j] = add over k of multiply(A[i, k], B[k, j])`; rows sorted, no duplicates."""
    check_product(a, b, mask)
    return composed(a, b, ring, mask)
