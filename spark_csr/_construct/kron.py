"""The Kronecker product of matrices."""

from spark_csr._construct._operands import read_matrix, wrap
from spark_csr._operations.compose.kron import kron as kron_of_records


def kron(A, B, format=None):
    """The Kronecker product: a copy of `B` in place of every entry of `A`, times that entry.

    Parameters
    ----------
    A, B : sparse or dense matrices
        On one device, of shapes (m, n) and (p, q). A vector counts as one row; of two vectors the product is one.
    format : str, optional
        As `csr_array.asformat` takes it; default: "csr".

    Returns
    -------
    (m*p, n*q) csr_array
        Of dtype `numpy.result_type(A, B)`. Entry `(i*p + k, j*q + l)` is `A[i, j] * B[k, l]`. Only products of stored entries
        are stored; rows are sorted where those of `A` and `B` are.

    Raises
    ------
    ValueError
        If the format is unknown, or the shape reaches 2**63.
    TypeError
        For mixed devices and unsupported dtypes.
    MemoryError
        If there is no room for the product: named with its size.

    Notes
    -----
    *Cost*: writes the result once, and reads `A` and `B` as often as they stay in the caches; no sort. Same bits every run.
    *Empty input*: legal.

    Examples
    --------
    >>> from spark_csr import kron
    >>> kron([[1, 0], [0, 10]], [[1, 2], [3, 4]]).toarray()
    array([[ 1,  2,  0,  0],
           [ 3,  4,  0,  0],
           [ 0,  0, 10, 20],
           [ 0,  0, 30, 40]])
    """
    (left, left_ndim), (right, right_ndim) = read_matrix(A), read_matrix(B)
    return wrap(kron_of_records(left, right), format, max(left_ndim, right_ndim))
