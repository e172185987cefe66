"""The inverses that `eigsh` and `eigs` need for eigenvalues near a number, and for a second matrix.

Design: SciPy factorises matrices of its own classes only. For any other it solves each system by GMRES to the last bit: for the
Laplacian of 100 x 100 points, four eigenvalues near 0 took 9.5 s instead of 0.2 s, and near 0.01 more than a minute (two cores,
2026-11). So the factorisation is made here, and passed to SciPy by its parameters `OPinv` and `Minv`. Cost: the factors. Dense
arrays and operators are left to SciPy: it factorises the former, and of the latter only products are known.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spark_csr._array import complex_of
from spark_csr._foreign import wait_for
from spark_csr._matrix.base import issparse
from spark_csr.linalg.delegate import to_library
from spark_csr.linalg.operators import library, watched_operator

if TYPE_CHECKING:
    from collections.abc import Callable


def add_inverses(
    A: Any, M: Any, settings: dict[str, Any], *, hermitian: bool, report: Callable[[int, None], Any] | None = None
) -> tuple[Any, Any, dict[str, Any]]:
    """Return `A`, `M` and the settings, with `OPinv` if there is a `sigma`, else with `Minv` if there is an `M`.

    An inverse that is given is kept; none is made where a matrix is not sparse. `report` is called after each product with
    `OPinv`, and without a `sigma` after each product with `A`.
    """
    sigma = settings["sigma"]
    name, matrices = ("Minv", [M]) if sigma is None else ("OPinv", [A, M])
    operator, known = settings[name], all(x is None or issparse(x) for x in matrices)
    if operator is None and not known:
        return to_library(A, "cpu"), to_library(M, "cpu"), settings
    if sigma is None:
        operator = invert(M, True, "M") if operator is None and M is not None else operator
        return watched_operator(A, "cpu", report), M, settings | {name: operator}
    operator = invert_shifted(A, M, sigma, hermitian) if operator is None else operator
    return A, M, settings | {name: watched_operator(operator, "cpu", report)}


def invert_shifted(A: Any, M: Any, sigma: complex, hermitian: bool) -> Any:
    """Return the operator `(A - sigma M)**-1`; without `M`, the identity takes its place."""
    if sigma == 0:
        return invert(A, hermitian, "A")
    other = importlib.import_module("scipy.sparse").eye_array(A.shape[0]) if M is None else to_library(M, "cpu")
    return invert(to_library(A, "cpu") - sigma * other, hermitian, f"A - {sigma} {'I' if M is None else 'M'}")


def invert(A: Any, hermitian: bool, name: str) -> Any:
    """Return the operator that solves with the factors of a sparse matrix; raise RuntimeError if it is singular."""
    linalg = library("cpu")
    A, real = to_library(A, "cpu"), A.dtype.kind != "c"
    # The rows of a symmetric matrix are its columns.
    columns = A.T if hermitian and real and A.format == "csr" else A.tocsc()
    try:
        factors = wait_for(linalg.splu, columns)
    except RuntimeError as error:
        hint = "M must have an inverse if no sigma is given" if name == "M" else "sigma is an eigenvalue, so change it a little"
        raise RuntimeError(f"{name} is singular: {hint} ({error})") from error

    def solve(x):
        x = x.ravel()
        if real and x.dtype.kind == "c":
            return complex_of(solve(x.real), solve(x.imag))
        return factors.solve(x.astype(columns.dtype, copy=False))

    return linalg.LinearOperator(A.shape, matvec=solve, dtype=A.dtype)
