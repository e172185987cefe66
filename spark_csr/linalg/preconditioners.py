"""What stands in for the inverse of a matrix inside a solver."""

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr.linalg.operators import as_matrix
from spark_csr.primitives._check import find_first_true


def inv_diagonal(A):
    """One by every element of the diagonal.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's.

    Returns
    -------
    (n,) array
        Of a floating dtype, where the matrix is.

    Raises
    ------
    ValueError
        If the matrix is not square, or an element of its diagonal is zero: the first is named.

    Notes
    -----
    *Cost*: that of `A.diagonal()`; one host read. *Empty input*: empty.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import inv_diagonal
    >>> inv_diagonal(csr_array([[2.0, 1], [0, 4]]))
    array([0.5 , 0.25])
    """
    A = as_matrix(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    diagonal = A.diagonal()
    at = find_first_true(diagonal == 0)
    if at is not None:
        raise ValueError(f"the diagonal has no inverse: A[{at}, {at}] = {to_host_scalar(diagonal[at])}")
    return 1 / diagonal


class Diagonal:
    """Multiplication with a diagonal matrix, with the products that solvers ask of a linear operator."""

    ndim = 2

    def __init__(self, values):
        self.values, self.dtype, self.shape = values, values.dtype, (values.size, values.size)

    def matvec(self, x):
        """`D @ x`, of a vector or a matrix with a column."""
        return self.values * x if x.ndim == 1 else self.values[:, None] * x

    def rmatvec(self, x):
        """`D.conj().T @ x`."""
        return Diagonal(self.values.conj()).matvec(x)

    matmat, rmatmat = matvec, rmatvec

    def __matmul__(self, x):
        return self.matvec(namespace_of(self.values).asarray(x))

    def __repr__(self):
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with dtype={np.dtype(self.dtype)}>"


def jacobi(A):
    """The preconditioner of Jacobi: division by the diagonal. For `M=` of a solver.

    Parameters, exceptions and cost as in `inv_diagonal`; a product is one pass over a vector.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import cg, jacobi
    >>> A = csr_array([[4.0, 1], [1, 3]])
    >>> x, info = cg(A, np.array([1.0, 2]), M=jacobi(A), rtol=1e-10)
    >>> x.round(6), info
    (array([0.090909, 0.636364]), 0)
    """
    return Diagonal(inv_diagonal(A))
