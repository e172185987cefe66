"""Solve systems of equations without iteration: on the cores by Cholesky or SciPy's SuperLU, on a GPU by cuDSS or CuPy's
solvers; triangular systems by our own substitution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import contiguous, index_dtype, overlaps, to_host_scalar
from spark_csr._matrix.base import as_ours, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import sort_indices, sum_duplicates
from spark_csr._operations.form.dtypes import check_dtype
from spark_csr._operations.form.facts import has_sorted_columns
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.select.triangle import triangle
from spark_csr._operations.triangular.levels import find_sides
from spark_csr._operations.triangular.substitute import find_zero_pivot, substitute
from spark_csr.linalg import cudss
from spark_csr.linalg.delegate import delegate
from spark_csr.linalg.operators import as_array_on, solver_dtype
from spark_csr.linalg.symmetric import factor_if_definite
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike


def spsolve(A: MatrixLike, b: MatrixLike | ArrayLike, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solve `A x = b` for a square sparse matrix by a factorisation of the matrix.

    Parameters, result and exceptions that are not listed are those of `splu`. See the example of `splu`.

    Parameters
    ----------
    b : (n,) or (n, k) array_like or (n, k) sparse matrix
        The right sides, on the device of the matrix. On a GPU they must be dense.
    permc_spec : {"NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD"}, optional
        How to order the columns so that the factors of LU stay sparse; default: "COLAMD". If it is given, LU is used.
    use_umfpack : bool
        If True, the default, LU uses UMFPACK if `scikits.umfpack` is installed and `b` is one vector.

    Returns
    -------
    x : (n,) or (n, k) array, or (n, k) sparse matrix
        The solution. It is one vector for a `b` of shape (n,) or (n, 1), and a sparse matrix in the format of `A` for a sparse
        `b` of several columns.

    Warns
    -----
    scipy.sparse.linalg.MatrixRankWarning
        If the matrix is singular; `x` is then NaN.

    Notes
    -----
    On the cores, a symmetric matrix of 2000 rows or more with a positive diagonal is factorised by `cholesky`, on all cores, if
    `b` is dense. LU, on one core, takes its place if a pivot is not above zero, or close to it. On a GPU, cuDSS factorises the
    matrix if nvmath-python is installed: as a symmetric or Hermitian one if it is so exactly. Else, and if cuDSS replaced a
    pivot that was too small, CuPy's function computes, by a QR of cuSOLVER; `splu` is CuPy's always. *Cost*: the arithmetic and
    memory of the factors, which usually have more entries than the matrix. If the factors do not fit into memory, use `cg` or
    `gmres` with a preconditioner. For LU, a canonical `csr_array` or `csc_array` is not copied. Source: SciPy's SuperLU, Demmel
    et al., *A supernodal approach to sparse partial pivoting*, 1999; on a GPU, NVIDIA's cuDSS and cuSOLVER.
    """
    if permc_spec is None and issparse(A) and not issparse(b):
        matrix: Any = as_ours(A)
        right = as_array_on(b, matrix.device, "b")
        fits = right.ndim in (1, 2) and right.shape[0] == matrix.shape[0] and right.dtype.kind in "biufc"
        found = factor_if_definite(matrix, solver_dtype(matrix, right.real)) if fits else None
        if found is not None:
            return found.solve(right.ravel() if right.shape[1:] == (1,) else right)
        x = cudss.factor_and_solve(matrix, right) if fits else None
        if x is not None:
            return x
    return delegate("spsolve", A, b, format="csc" if issparse(b) else "csr", permc_spec=permc_spec, use_umfpack=use_umfpack)


def spsolve_triangular(
    A: MatrixLike | ArrayLike,
    b: ArrayLike,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve `A x = b` for a triangular matrix by substitution.

    See the example of `splu`.

    Parameters
    ----------
    A : (n, n) sparse matrix or array_like
        A triangular matrix of this package, of SciPy or of CuPy. On the other side of the diagonal it may have entries whose
        value is 0.
    b : (n,) or (n, k) array_like
        The right sides, on the device of the matrix.
    lower : bool
        True for a lower triangle, False for an upper one.
    overwrite_A : bool
        Ignored, since the matrix is never changed. It exists because SciPy's function has it.
    overwrite_b : bool
        True to compute the solution in the memory of `b`, which is possible if `b` is an array in C order of the dtype of the
        result.
    unit_diagonal : bool
        True to take every element of the diagonal as 1, and ignore what is stored there.

    Returns
    -------
    x : (n,) or (n, k) array
        The solution, of the shape of `b`, on the device of the matrix. Its dtype is what `numpy.promote_types` gives for those
        of `A` and `b` and float32: float64 for integers of 32 and 64 bits, for example.

    Raises
    ------
    numpy.linalg.LinAlgError
        If an element of the diagonal is zero, or an element on the other side is not zero. The message names the first one.
    ValueError
        If `A` is not square, if `b` and `A` differ in their number of rows, or if `b` has more than two dimensions.
    TypeError
        If `A` and `b` are on different devices, or `b` is a sparse matrix.

    Notes
    -----
    *Cost*: one pass over the entries for every right side. The rows are divided into levels: rows of one level do not depend on
    each other. A GPU solves the rows of each level in parallel. The cores do so only if at least half of the rows are in levels
    of many thousands of rows; otherwise one core solves all rows in order. The first call stores with the matrix what depends
    on the pattern: the positions of the diagonal, the levels, and the order of the entries by row and column unless they are
    stored in this order. If there are duplicates, every call sums them in a copy and computes all of this again for the copy:
    call `A.sum_duplicates()` first to avoid that. *Order*: the same bits for every number of threads. *Empty input*: an empty
    array.
    Source: Anderson & Saad, *Solving sparse triangular linear systems on parallel computers*, 1989.
    """
    matrix: Any = as_ours(A) if issparse(A) else csr_array(A)
    csr = _read_triangle(matrix, lower, unit_diagonal)
    if issparse(b):
        raise TypeError("b is a sparse matrix, but a solution is dense: give b.toarray()")
    right = as_array_on(b, matrix.device, "b")
    if right.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {right.shape}.")
    if right.shape[0] != matrix.shape[0]:
        raise ValueError(
            "The size of the dimensions of A must be equal to the size of the first dimension of b but the shape of A is "
            f"{matrix.shape} and the shape of b is {right.shape}."
        )
    dtype = check_dtype(np.promote_types(np.promote_types(matrix.dtype, np.float32), right.dtype), "x")
    csr = csr.as_dtype(dtype)
    x = contiguous(right, dtype)
    if overlaps(x, right) and not (overwrite_b and getattr(x.flags, "writeable", True)):
        x = x.copy()
    return substitute(csr, x, not lower, unit_diagonal)


def _transposed_entries(csr):
    """Return the pattern of the transpose, whose values are the positions of its entries in `csr`; a `plan`."""
    return transpose(_number_entries(csr))


def _sorted_entries(csr):
    """Return the pattern with every row sorted, whose values are the positions of its entries in `csr`; a `plan`."""
    return sort_indices(_number_entries(csr))


def _number_entries(csr):
    return csr.with_data(csr.xp.arange(csr.indices.size, dtype=index_dtype(csr.indices.size)))


def _read_triangle(A, lower, unit):
    """Return the canonical record of the rows of a matrix that is triangular and, unless `unit`, not singular."""
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {A.shape}.")
    csr = A._csr
    if A._transposed or not csr.plan(has_sorted_columns):
        entries = csr.plan(_transposed_entries if A._transposed else _sorted_entries)
        csr = entries.with_data(gather(csr.data, entries.data))
    if csr.data.dtype == np.float16:
        csr = csr.as_dtype(np.float32)
    csr = sum_duplicates(csr)
    sides = csr.plan(find_sides)
    other = sides.right if lower else sides.left
    if other is not None:
        _check_other_side(csr, lower)
    if not unit:
        before = csr.shape[0] if sides.missing is None else sides.missing
        at = find_zero_pivot(csr, before)
        at = sides.missing if at is None else at
        if at is not None:
            raise np.linalg.LinAlgError(
                f"A is singular: zero entry on diagonal, A[{at}, {at}] = 0. "
                "Give unit_diagonal=True if ones on the diagonal are not stored."
            )
    return csr


def _check_other_side(csr, lower):
    """Raise LinAlgError for the first element on the other side of the diagonal that is not zero."""
    other = triangle(csr, 1 if lower else -1, lower)
    at = find_first_true(other.data != 0)
    if at is not None:
        row, column = to_host_scalar(other.plan(rows_of_entries)[at]), to_host_scalar(other.indices[at])
        name, function = ("lower", "tril") if lower else ("upper", "triu")
        raise np.linalg.LinAlgError(
            f"A is not {name} triangular: A[{row}, {column}] = {to_host_scalar(other.data[at])}. Use spark_csr.{function}(A)."
        )
