"""The inverse of a matrix, its exponential, and products with the exponential. All are SciPy's: CuPy has none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from spark_csr.linalg.delegate import delegate

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Matrix, MatrixLike, Number, OperatorLike


def inv(A: MatrixLike) -> Matrix:
    """Return the inverse of a sparse matrix.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package or SciPy.

    Returns
    -------
    (n, n) sparse matrix
        The inverse, in the format of `A`.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        If the matrix is not square.
    RuntimeError
        If the matrix is singular.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    SciPy computes the inverse. *Cost*: a factorisation, and a solution for each of the n columns. The inverse usually has few
    zeros: use `factorized` if you need only products with the inverse. Source: SciPy's SuperLU.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import inv
    >>> inv(csr_array([[2.0, 0], [1, 4]])).toarray()
    array([[ 0.5  ,  0.   ],
           [-0.125,  0.25 ]])
    """
    return delegate("inv", A, format="csc")


@overload
def expm(A: MatrixLike) -> Matrix: ...
@overload
def expm(A: ArrayLike) -> Array: ...
def expm(A: MatrixLike | ArrayLike) -> Matrix | Array:
    """Return the exponential of a matrix.

    Parameters
    ----------
    A : (n, n) sparse matrix or dense array
        A matrix of this package or SciPy.

    Returns
    -------
    (n, n) sparse matrix or array
        The exponential, in the format of `A`.

    Raises
    ------
    ValueError
        If the matrix is not square.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    SciPy computes the exponential. *Cost*: up to six products of matrices and a solution for each of the n columns, then one
    squaring for every doubling of the norm. The result usually has few zeros: use `expm_multiply` if you need only products
    with the exponential. *Order*: for 200 rows or more, SciPy estimates norms by `onenormest`; call `numpy.random.seed` first
    for the same bits on every run. Source: Al-Mohy & Higham, *A new scaling and squaring algorithm for the matrix exponential*,
    2009.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import expm
    >>> expm(csr_array([[0.0, 1], [0, 0]])).toarray()
    array([[1., 1.],
           [0., 1.]])
    """
    return delegate("expm", A, format="csc")


def expm_multiply(
    A: OperatorLike,
    B: ArrayLike,
    start: float | None = None,
    stop: float | None = None,
    num: int | None = None,
    endpoint: bool | None = None,
    traceA: Number | None = None,
) -> Array:
    """Return `expm(t A) @ B` for one or several `t`, without computing the exponential.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        A matrix of this package or SciPy.
    B : (n,) or (n, k) array_like
        The vector or matrix to multiply with the exponential.
    start : float, optional
        The first `t`. Without `start`, the only `t` is 1.
    stop : float, optional
        The last `t`.
    num : int, optional
        The number of values of `t`. Default: 50.
    endpoint : bool, optional
        Whether `stop` is one of the values. Default: True.
    traceA : scalar, optional
        The sum of the diagonal. Default: computed for a matrix, estimated for an operator.

    Returns
    -------
    (n,) or (n, k) array, or (num, n) or (num, n, k) array
        The product; if `start` is given, one product for each `t`, along the first axis.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    SciPy computes the result on one core. *Cost*: products of the matrix with arrays of the shape of `B`; their number is about
    proportional to `t` times the norm of `A`. *Order*: SciPy estimates norms by `onenormest`; call `numpy.random.seed` first
    for the same bits on every run. For a linear operator give `traceA` too: SciPy estimates the trace with random numbers that
    no seed sets. Source: Al-Mohy & Higham, *Computing the action of the matrix exponential*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import expm_multiply
    >>> expm_multiply(csr_array([[0.0, 1], [0, 0]]), np.array([1.0, 2]))
    array([3., 2.])
    """
    settings: dict[str, Any] = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "traceA": traceA}
    return delegate("expm_multiply", A, B, **settings)
