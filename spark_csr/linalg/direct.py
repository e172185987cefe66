"""Systems of equations solved without iteration: SciPy's SuperLU on the cores, CuPy's solvers on a GPU."""

from spark_csr._matrix.base import issparse
from spark_csr.linalg.delegate import delegate


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    """Solve `A x = b` for a square sparse matrix by a factorisation.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's.
    b : (n,) or (n, k) array_like or (n, k) sparse matrix
        The right sides, on the device of the matrix; on a GPU dense.
    permc_spec : {"NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD"}, optional
        How to order the columns so that the factors stay sparse; default: "COLAMD".
    use_umfpack : bool
        Use UMFPACK where `scikits.umfpack` is installed and `b` is one vector.

    Returns
    -------
    x : (n,) or (n, k) array, or (n, k) sparse matrix
        One vector for a `b` of shape (n,) or (n, 1). Sparse, in the format of `A`, for a sparse `b` of several columns.

    Raises
    ------
    ValueError
        If the matrix is not square, or `b` does not have its number of rows.
    TypeError
        If `A` and `b` are on different devices.
    NotImplementedError
        On a GPU, for a parameter that `cupyx.scipy.sparse.linalg.spsolve` does not take.

    Warns
    -----
    scipy.sparse.linalg.MatrixRankWarning
        If the matrix is singular; `x` is then NaN.

    Notes
    -----
    *Cost*: the arithmetic and memory of the factors, which fill in: use `cg` or `gmres` with a preconditioner where these do
    not fit. The matrix is not copied if it is a `csr_array` or `csc_array` with ascending columns. On one core.
    Source: SciPy's SuperLU, Demmel et al., *A supernodal approach to sparse partial pivoting*, 1999; on a GPU cuSOLVER.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import spsolve
    >>> spsolve(csr_array([[4.0, 1], [0, 2]]), np.array([6.0, 4]))
    array([1., 2.])
    """
    return delegate("spsolve", A, b, format="csc" if issparse(b) else "csr", permc_spec=permc_spec, use_umfpack=use_umfpack)


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """Solve `A x = b` for a triangular sparse matrix by substitution.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's, without entries on the other side of the diagonal.
    b : (n,) or (n, k) array_like
        The right sides, on the device of the matrix.
    lower : bool
        Whether the entries lie below the diagonal, not above it.
    overwrite_A, overwrite_b : bool
        Allow that the values of the matrix, or those of `b`, are changed.
    unit_diagonal : bool
        Take every element of the diagonal as 1, whatever is stored.

    Returns
    -------
    x : (n,) or (n, k) array
        Where the matrix is.

    Raises
    ------
    numpy.linalg.LinAlgError
        If an element of the diagonal is zero.
    ValueError
        If shapes do not fit.
    TypeError
        If `A` and `b` are on different devices.

    Notes
    -----
    *Cost*: one pass over the entries for every right side, on one core, and a copy of the matrix. Source: SciPy's SuperLU; on a
    GPU cuSPARSE.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import spsolve_triangular
    >>> spsolve_triangular(csr_array([[2.0, 0], [1, 4]]), np.array([2.0, 9]))
    array([1., 2.])
    """
    settings = {"lower": lower, "overwrite_A": overwrite_A, "overwrite_b": overwrite_b, "unit_diagonal": unit_diagonal}
    return delegate("spsolve_triangular", A, b, **settings)
