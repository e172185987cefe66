"""Factorisations that solve many systems with one matrix: SciPy's SuperLU, and CuPy's form of it on a GPU."""

from spark_csr.linalg.delegate import delegate


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    """Factorise a square sparse matrix into triangles, `Pr A Pc = L U`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's.
    permc_spec : {"NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD"}, optional
        How to order the columns so that the factors stay sparse; default: "COLAMD".
    diag_pivot_thresh : float, optional
        Take the element of the diagonal for pivot if its absolute value is at least this share of the largest in the column.
    relax, panel_size : int, optional
        SuperLU's sizes of supernodes and panels.
    options : dict, optional
        SuperLU's further options, such as `{"SymmetricMode": True}`.

    Returns
    -------
    scipy.sparse.linalg.SuperLU
        With `solve(b, trans)`, `perm_r`, `perm_c`, and the factors `L` and `U`, which are SciPy's matrices. On a GPU CuPy's
        object of that name.

    Raises
    ------
    ValueError
        If the matrix is not square.
    RuntimeError
        If the matrix is singular.

    Notes
    -----
    *Cost*: the arithmetic and memory of the factors, on one core (on a GPU too: only `solve` runs there). A `csc_array` is not
    copied; from another format the matrix is converted first, in parallel. Source: Demmel et al., *A supernodal approach to
    sparse partial pivoting*, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import splu
    >>> splu(csr_array([[4.0, 1], [0, 2]])).solve(np.array([6.0, 4]))
    array([1., 2.])
    """
    settings = {"permc_spec": permc_spec, "diag_pivot_thresh": diag_pivot_thresh, "relax": relax, "panel_size": panel_size}
    return delegate("splu", A, format="csc", **settings, options=options)


def spilu(
    A,
    drop_tol=None,
    fill_factor=None,
    drop_rule=None,
    permc_spec=None,
    diag_pivot_thresh=None,
    relax=None,
    panel_size=None,
    options=None,
):
    """Factorise a square sparse matrix approximately: small elements of the factors are dropped.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's.
    drop_tol : float, optional
        Below which share of its column an element is dropped; default: 1e-4.
    fill_factor : float, optional
        How many times the entries of the matrix the factors may have; default: 10.
    drop_rule : str, optional
        SuperLU's rules, separated by commas; default: "basic,area".
    permc_spec, diag_pivot_thresh, relax, panel_size, options
        As in `splu`.

    Returns
    -------
    scipy.sparse.linalg.SuperLU
        As of `splu`. `LinearOperator(A.shape, ilu.solve)` is a preconditioner for `M=` of a solver.

    Raises
    ------
    ValueError
        If the matrix is not square.
    RuntimeError
        If a pivot is zero.

    Notes
    -----
    *Cost*: as `splu`, with the memory that `fill_factor` allows. Source: Li & Shao, *A supernodal approach to incomplete LU
    factorization with partial pivoting*, ACM TOMS 37, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import LinearOperator
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.linalg import gmres, spilu
    >>> A = poisson((30, 30))
    >>> M = LinearOperator(A.shape, spilu(A).solve)
    >>> gmres(A, np.ones(900), M=M)[1]
    0
    """
    settings = {"drop_tol": drop_tol, "fill_factor": fill_factor, "drop_rule": drop_rule, "permc_spec": permc_spec}
    settings |= {"diag_pivot_thresh": diag_pivot_thresh, "relax": relax, "panel_size": panel_size, "options": options}
    return delegate("spilu", A, format="csc", **settings)


def factorized(A):
    """Return a function that solves `A x = b` for one right side after another.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Ours, SciPy's or CuPy's.

    Returns
    -------
    solve : function
        `solve(b)` is `x`, for an array of shape (n,) where the matrix is.

    Raises
    ------
    ValueError
        If the matrix is not square.
    RuntimeError
        If the matrix is singular.

    Notes
    -----
    *Cost*: as `splu`; of a call one pass over the factors. Source: as `splu`, or UMFPACK where `scikits.umfpack` is installed.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import factorized
    >>> solve = factorized(csr_array([[4.0, 1], [0, 2]]))
    >>> solve(np.array([6.0, 4])), solve(np.array([4.0, 0]))
    (array([1., 2.]), array([1., 0.]))
    """
    return delegate("factorized", A, format="csc")
