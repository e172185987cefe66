"""The inverse of a matrix, its exponential, and products with the exponential. All are SciPy's: CuPy has none of them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, overload

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._matrix.base import as_ours, issparse
from spark_csr.linalg.delegate import delegate
from spark_csr.linalg.operators import solver_dtype

if TYPE_CHECKING:
    from spark_csr._matrix.types import Matrix, MatrixLike, OperatorLike
    from spark_csr._types import Array, ArrayLike, Number


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
    RuntimeError
        If the matrix is singular.

    Notes
    -----
    SciPy computes the inverse. *Cost*: a factorisation, and a solution for each of the n columns. The inverse usually has few
    zeros: use `factorized` if you need only products with the inverse. Source: SciPy's SuperLU.

    Examples
    --------
    >>> from spark_csr import csr_array, linalg
    >>> A = csr_array([[2.0, 0], [1, 4]])
    >>> linalg.inv(A).toarray(), linalg.expm(0 * A).toarray()
    (array([[ 0.5  ,  0.   ],
           [-0.125,  0.25 ]]), array([[1., 0.],
           [0., 1.]]))
    """
    if issparse(A) and A.shape in ((0, 0), (1, 1)):  # SciPy fails for no rows, and returns a vector for one
        matrix = as_ours(A)
        dense = matrix.toarray().astype(solver_dtype(matrix))
        if not to_host_scalar(dense.all()):
            raise RuntimeError("A is singular: A[0, 0] = 0")
        return type(matrix)(1 / dense)
    return delegate("inv", A, format="csc")


@overload
def expm(A: MatrixLike) -> Matrix: ...
@overload
def expm(A: ArrayLike) -> Array: ...
def expm(A: MatrixLike | ArrayLike) -> Matrix | Array:
    """Return the exponential of a matrix, sparse or dense, in its format.

    Parameters, result and exceptions are those of `inv`, but the exponential of a singular matrix exists. See the example of
    `inv`.

    Notes
    -----
    SciPy computes the exponential. *Cost*: up to six products of matrices and a solution for each of the n columns, then one
    squaring for every doubling of the norm. The result usually has few zeros: use `expm_multiply` if you need only products
    with the exponential. *Order*: for 200 rows or more, SciPy estimates norms by `onenormest`; call `numpy.random.seed` first
    for the same bits on every run. Source: Al-Mohy & Higham, *A new scaling and squaring algorithm for the matrix exponential*,
    2009.
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
        The first `t`. Without `start` and `stop`, the only `t` is 1.
    stop : float, optional
        The last `t`; it may be below `start`.
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
        If the shapes do not fit, or if `num` is negative.
    TypeError
        If one of `start` and `stop` is given without the other.

    Notes
    -----
    SciPy computes the result on one core: of several `t` of one sign for the nearest to 0 first, and from there on in equal
    steps. *Cost*: products of the matrix with arrays of the shape of `B`; their number is about proportional to `t` times the
    norm of `A`. *Order*: SciPy estimates norms by `onenormest`; call `numpy.random.seed` first for the same bits on every run.
    For a linear operator give `traceA` too: SciPy estimates the trace with random numbers that no seed sets. Source: Al-Mohy &
    Higham, *Computing the action of the matrix exponential*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, linalg
    >>> linalg.expm_multiply(csr_array([[0.0, 1], [0, 0]]), np.array([1.0, 2]))
    array([3., 2.])
    """
    if start is None and stop is None and num is None and endpoint is None:
        return delegate("expm_multiply", A, B, traceA=traceA)
    if start is None or stop is None:
        raise TypeError(f"start and stop must be given together, got start={start} and stop={stop}")
    times = np.linspace(start, stop, 50 if num is None else operator.index(num), endpoint=endpoint is None or bool(endpoint))
    if not times.size:
        return _grow(A, B, [0.0], traceA)[:0]
    parts = [(np.flatnonzero(side), sign) for side, sign in ((times < 0, -1.0), (times >= 0, 1.0))]
    parts = [(at[np.argsort(abs(times[at]), kind="stable")], sign) for at, sign in parts if at.size]
    found = np.concatenate([_grow(A, B, times[at], traceA, sign) for at, sign in parts])
    return found[np.argsort(np.concatenate([at for at, _ in parts]))]


def _grow(A, B, times, trace, sign=1.0):
    """Return the product for equally spaced times of one sign, from the nearest to 0 on: another order would lose digits.

    SciPy's grids are right where they begin at 0 and ascend.
    """

    def multiply(time, X, **grid):
        return delegate("expm_multiply", time * A, X, **grid, traceA=None if trace is None else time * trace)

    first = multiply(times[0], B)
    if times[0] == times[-1]:
        return np.repeat(first[None], len(times), axis=0)
    return multiply(sign, first, start=0, stop=abs(times[-1] - times[0]), num=len(times), endpoint=True)
