"""Factorisations that solve many systems with one matrix: SciPy's SuperLU, and CuPy's form of it on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr.linalg import cudss
from spark_csr.linalg.delegate import delegate
from spark_csr.linalg.symmetric import factor_if_definite

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array


def splu(
    A: MatrixLike,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Factorise a square sparse matrix: `Pr A Pc = L U`, with triangular `L` and `U` and permutations `Pr` and `Pc`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package, SciPy or CuPy.
    permc_spec : {"NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD"}, optional
        How to order the columns so that the factors stay sparse. Default: "COLAMD".
    diag_pivot_thresh : float, optional
        Take the element of the diagonal as pivot if its absolute value is at least this fraction of the largest in the column.
        Default: SuperLU's.
    relax : int, optional
        The degree to which SuperLU joins supernodes. Default: SuperLU's.
    panel_size : int, optional
        The number of columns in SuperLU's panels. Default: SuperLU's.
    options : dict, optional
        Further options of SuperLU, such as `{"SymmetricMode": True}`.

    Returns
    -------
    scipy.sparse.linalg.SuperLU
        The factors, an object with `solve(b, trans)`, `perm_r`, `perm_c`, and the triangles `L` and `U`, which are matrices of
        SciPy. On a GPU, CuPy's object of the same name.

    Raises
    ------
    RuntimeError
        If the matrix is singular.

    Notes
    -----
    The factorisation is SciPy's. *Cost*: the arithmetic and memory of the factors, on one core. A matrix on a GPU is factorised
    on one core too; only `solve` runs on the GPU. A `csc_array` is not copied; a matrix in another format is first converted to
    CSC, in parallel. Source: Demmel et al., *A supernodal approach to sparse partial pivoting*, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, linalg
    >>> A, b = csr_array([[4.0, 1], [0, 2]]), np.array([6.0, 4])
    >>> linalg.splu(A).solve(b), linalg.factorized(A)(b), linalg.spsolve(A, b)
    (array([1., 2.]), array([1., 2.]), array([1., 2.]))
    >>> linalg.spsolve_triangular(A, b, lower=False)
    array([1., 2.])
    """
    ordering = {"permc_spec": permc_spec, "diag_pivot_thresh": diag_pivot_thresh, "relax": relax, "panel_size": panel_size}
    return delegate("splu", A, format="csc", **ordering, options=options)


def spilu(
    A: MatrixLike,
    drop_tol: float | None = None,
    fill_factor: float | None = None,
    drop_rule: str | None = None,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Factorise a square sparse matrix approximately, by dropping small elements of the factors.

    Parameters, result and exceptions that are not listed are those of `splu`; RuntimeError is raised if a pivot is zero.
    `LinearOperator(A.shape, ilu.solve)` is a preconditioner for the parameter `M` of a solver.

    Parameters
    ----------
    drop_tol : float, optional
        Drop elements whose absolute value is below this fraction of the norm of their column. Default: 1e-4.
    fill_factor : float, optional
        The largest number of entries of the factors, as a multiple of the entries of the matrix. Default: 10.
    drop_rule : str, optional
        The names of SuperLU's rules for dropping, separated by commas. Default: "basic,area".

    Notes
    -----
    The factorisation is SciPy's. *Cost*: that of `splu`, with the memory that `fill_factor` allows. Source: Li & Shao, *A
    supernodal approach to incomplete LU factorization with partial pivoting*, ACM TOMS 37, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import LinearOperator
    >>> from spark_csr import gallery, linalg
    >>> A = gallery.poisson((30, 30))
    >>> M = LinearOperator(A.shape, linalg.spilu(A).solve)
    >>> linalg.gmres(A, np.ones(900), M=M)[1]
    0
    """
    dropping = {"drop_tol": drop_tol, "fill_factor": fill_factor, "drop_rule": drop_rule}
    ordering = {"permc_spec": permc_spec, "diag_pivot_thresh": diag_pivot_thresh, "relax": relax, "panel_size": panel_size}
    return delegate("spilu", A, format="csc", **dropping, **ordering, options=options)


def factorized(A: MatrixLike) -> Callable[[Array], Array]:
    """Return a function that solves `A x = b` for one right-hand side after another.

    Parameters, result and exceptions that are not listed are those of `splu`. The result is a function: `solve(b)` returns `x`
    for an array of shape (n,) on the device of the matrix. See the example of `splu`.

    Notes
    -----
    On the cores, a symmetric matrix of 2000 rows or more with a positive diagonal is factorised by `cholesky`, if its pivots
    are above zero. Else the factorisation is that of `splu`, or UMFPACK's if `scikits.umfpack` is installed. On a GPU it is
    cuDSS's where `spsolve` uses that; the function that is returned holds the memory of its factors. *Cost*: that of the
    factorisation; each call of `solve` takes one or two passes over the factors, for every right side.
    """
    found = factor_if_definite(A)
    solve = found.solve if found is not None else cudss.factor(A)
    return solve if solve is not None else delegate("factorized", A, format="csc")
