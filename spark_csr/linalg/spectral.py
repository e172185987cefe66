"""Preparation of a matrix for a solver of eigenvalues or singular values."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_array, namespace_for
from spark_csr._matrix.base import SparseArray
from spark_csr._progress import watch
from spark_csr.linalg import near_one
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    aslinearoperator,
    call_library,
    cast_operand,
    device_of_problem,
    function_of,
    solver_dtype,
    watched_operator,
)
from spark_csr.linalg.shift_invert import add_inverses
from spark_csr.primitives._check import integer

if TYPE_CHECKING:
    from spark_csr._types import Progress

DEFAULTS: dict[str, Any] = {"which": "LM", "tol": 0, "mode": "normal", "solver": "arpack", "return_eigenvectors": True}
DEFAULTS |= {"return_singular_vectors": True}


def find_eigenvalues(name: str, A: Any, k: int, M: Any, settings: dict[str, Any], hermitian: bool, progress: Progress) -> Any:
    """Return the result of `eigsh` or `eigs`, with the inverses that SciPy would not make for matrices of this package."""
    A, M = as_matrix(A), as_matrix(M)
    _check_sizes(name, A, k, settings["v0"])
    device = device_of_problem(A, settings["v0"])
    of_matrix = _find_scale(A, settings, device)
    with watch(progress, name, "products") as report:
        if device == "cpu":
            dtype = solver_dtype(A, M)
            A, M = cast_operand(A, dtype), cast_operand(M, dtype)
            settings = settings | _start(A, settings)
            A, M, settings = add_inverses(A, M, settings, hermitian=hermitian, report=report)
        else:
            A = watched_operator(A, device, report)
        A, settings = near_one.scale(A, of_matrix), settings | {"sigma": near_one.scale(settings["sigma"], of_matrix), "M": M}
        if of_matrix != 1 and settings.get("OPinv") is not None:
            settings["OPinv"] = near_one.scale(aslinearoperator(settings["OPinv"]), 1 / of_matrix)
        try:
            found = call_library(function_of(device, name), (A, k), settings, DEFAULTS)
        except RuntimeError as error:  # what was found until then
            if hasattr(error, "eigenvalues"):
                error.eigenvalues = error.eigenvalues / of_matrix
            raise
    return (found[0] / of_matrix, *found[1:]) if isinstance(found, tuple) else found / of_matrix


def _find_scale(A, settings, device):
    """Return the power of two that a matrix is multiplied by: ARPACK compares with numbers near one.

    An operator that is given with `OPinv` may have no products, and is not scaled.
    """
    if settings.get("OPinv") is not None and not (hasattr(A, "tocsr") or is_array(A)):
        return 1.0
    n, start = A.shape[-1], settings["v0"]
    if np.shape(start) not in ((n,), (n, 1)):
        start = namespace_for(device).asarray(np.random.default_rng(0).uniform(-1, 1, n))
    return near_one.of_operator(A, as_array_on(start, device, "v0"))


def find_singular_values(A: Any, k: int, settings: dict[str, Any], progress: Progress) -> Any:
    """Return the result of `svds`."""
    A = as_matrix(A)
    _check_sizes("svds", A, k, settings["v0"], settings["solver"] == "propack")
    device = device_of_problem(A, settings["v0"])
    if device == "cpu":
        A = aslinearoperator(cast_operand(A, solver_dtype(A)))  # SciPy's own operator would multiply column by column
        given = {} if settings["v0"] is None else _start(A, settings)
        settings = {"rng": np.random.default_rng(0)} | {name: x for name, x in settings.items() if x is not None} | given
    of_matrix = _find_scale(A, settings | {"v0": None}, device)
    A = near_one.scale(A, of_matrix)
    with watch(progress, "svds", "products") as report:
        A = watched_operator(A, device, report)
        solve = functools.partial(call_library, function_of(device, "svds"), defaults=DEFAULTS)
        if device == "cpu" and settings["solver"] == "propack":
            found = _find_by_propack(solve, A, k, settings)
        else:
            found = solve((A, k), settings)
    return (found[0], found[1] / of_matrix, found[2]) if isinstance(found, tuple) else found / of_matrix


def _find_by_propack(solve, A, k, settings):
    """Return singular values, which PROPACK invents beyond the rank and among the smallest, from its right singular vectors.

    PROPACK finds the smallest ones more often if there are fewer rows than columns, so a matrix with more rows is transposed.
    If it invents some nevertheless, a LinAlgError is raised.
    """
    smallest, wanted = settings.get("which") == "SM", settings.get("return_singular_vectors")
    is_turned = smallest and A.shape[0] > A.shape[1]
    if is_turned:
        v0 = settings.get("v0")
        A, settings = A.H, settings if v0 is None else settings | {"v0": A.rmatvec(v0)}
    u, s, vh = _refine(A, solve((A, k), settings | {"return_singular_vectors": True})[2])
    if smallest:
        error = abs(A.rmatmat(u) - vh.conj().T * s).max()
        if not error <= np.sqrt(np.finfo(s.dtype).eps) * max(s.max(), 1):  # the matrix is scaled near 1
            raise np.linalg.LinAlgError("PROPACK did not find the smallest singular values: use solver='arpack', or another v0")
    u, vh = (vh.conj().T, u.conj().T) if is_turned else (u, vh)
    return (u if wanted != "vh" else None, s, vh if wanted != "u" else None) if wanted else s


def _refine(A, vh):
    """Return the singular values and vectors of a matrix within the space of the right singular vectors `vh`, in ascending
    order.
    """
    basis = np.linalg.qr(vh.conj().T)[0]
    u, s, inner = np.linalg.svd(A.matmat(basis), full_matrices=False)
    return u[:, ::-1], s[::-1], inner[::-1] @ basis.conj().T


def _start(A, settings):
    """Return the vector to start from, in the dtype of the matrix; by default one that is the same in every run."""
    if settings["v0"] is not None:
        return {"v0": np.asarray(settings["v0"]).astype(A.dtype, casting="same_kind", copy=False)}
    if settings["rng"] is not None:
        return {}
    real, imaginary = np.random.default_rng(0).uniform(-1, 1, (2, A.shape[0]))
    return {"v0": (real + 1j * imaginary if A.dtype.kind == "c" else real).astype(A.dtype)}


def _check_sizes(name, A, k, v0, starts_in_rows=False):
    """Check sizes: ARPACK reads as many elements of `v0` as it needs, even beyond its end, and `k=2.0` ends SciPy's process."""
    integer("k", k)
    n = A.shape[0] if starts_in_rows else min(A.shape)
    if v0 is not None and np.shape(v0) not in ((n,), (n, 1)):
        raise ValueError(f"v0 must have shape ({n},), got {np.shape(v0)}")
    dense = {"eigsh": "eigh", "eigs": "eig"}.get(name)
    most = n - (name == "eigs")
    if dense and isinstance(A, SparseArray) and k >= most:
        raise TypeError(
            f"k must be below {most} for a sparse matrix of {n} rows, got {k}: use numpy.linalg.{dense}(A.toarray())"
        )
