"""The inverse of a matrix, its exponential, and products with the exponential: SciPy's, for CuPy has none of them."""

from spark_csr.linalg.delegate import delegate


def inv(A):
    """Return the inverse of a sparse matrix.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours or SciPy's.

    Returns
    -------
    (n, n) sparse matrix
        In the format of `A`.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        If the matrix is not square.
    RuntimeError
        If the matrix is singular.
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost*: a factorisation, and a solution for each of the n columns. The inverse has few zeros as a rule: use `factorized` if
    only products with it are needed. Source: SciPy's SuperLU.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import inv
    >>> inv(csr_array([[2.0, 0], [1, 4]])).toarray()
    array([[ 0.5  ,  0.   ],
           [-0.125,  0.25 ]])
    """
    return delegate("inv", A, format="csc")


def expm(A):
    """Return the exponential of a matrix.

    Parameters
    ----------
    A : (n, n) sparse matrix or dense array
        Ours or SciPy's.

    Returns
    -------
    (n, n) sparse matrix or array
        In the format of `A`.

    Raises
    ------
    ValueError
        If the matrix is not square.
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost*: up to six products of matrices and a solution for each of the n columns, then a squaring for every doubling of the
    norm. The result has few zeros as a rule: use `expm_multiply` if only products with it are needed. Source: Al-Mohy & Higham,
    *A new scaling and squaring algorithm for the matrix exponential*, 2009.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import expm
    >>> expm(csr_array([[0.0, 1], [0, 0]])).toarray()
    array([[1., 1.],
           [0., 1.]])
    """
    return delegate("expm", A, format="csc")


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):
    """Return `expm(t A) @ B` for one or several `t`, without computing the exponential.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        Ours or SciPy's.
    B : (n,) or (n, k) array_like
        What the exponential is multiplied with.
    start, stop : float, optional
        The first and the last `t`; without them `t` is 1.
    num : int, optional
        How many values of `t`; default: 50.
    endpoint : bool, optional
        Whether `stop` is one of them; default: True.
    traceA : scalar, optional
        The sum of the diagonal; default: computed for a matrix, estimated for an operator.

    Returns
    -------
    (n,) or (n, k) array, or (num, n) or (num, n, k)
        The latter if a `start` is given.

    Raises
    ------
    ValueError
        If shapes do not fit.
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost*: products of the matrix with `B`, their number about proportional to `t` times the norm; they are SciPy's, on one
    core. Source: Al-Mohy & Higham, *Computing the action of the matrix exponential*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import expm_multiply
    >>> expm_multiply(csr_array([[0.0, 1], [0, 0]]), np.array([1.0, 2]))
    array([3., 2.])
    """
    settings = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "traceA": traceA}
    return delegate("expm_multiply", A, B, **settings)
