"""Preparation of a matrix for a solver of eigenvalues or singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._matrix.base import SparseArray
from spark_csr._progress import watch
from spark_csr.linalg.operators import (
    as_matrix,
    aslinearoperator,
    call_library,
    device_of_problem,
    function_of,
    watched_operator,
)
from spark_csr.linalg.shift_invert import add_inverses

if TYPE_CHECKING:
    from spark_csr._types import Progress

DEFAULTS: dict[str, Any] = {"which": "LM", "tol": 0, "mode": "normal", "solver": "arpack", "return_eigenvectors": True}
DEFAULTS |= {"return_singular_vectors": True}


def find_eigenvalues(name: str, A: Any, k: int, M: Any, settings: dict[str, Any], hermitian: bool, progress: Progress) -> Any:
    """Return the result of `eigsh` or `eigs`, with the inverses that SciPy would not make for matrices of this package."""
    A, M = as_matrix(A), as_matrix(M)
    _check_sizes(name, A, k, settings["v0"])
    device = device_of_problem(A, settings["v0"])
    with watch(progress, name, "products") as report:
        if device == "cpu":
            settings = settings | _start(A, settings)
            A, M, settings = add_inverses(A, M, settings, hermitian=hermitian, report=report)
        else:
            A = watched_operator(A, device, report)
        return call_library(function_of(device, name), (A, k), settings | {"M": M}, DEFAULTS)


def find_singular_values(A: Any, k: int, settings: dict[str, Any], progress: Progress) -> Any:
    """Return the result of `svds`."""
    A = as_matrix(A)
    _check_sizes("svds", A, k, settings["v0"])
    device = device_of_problem(A, settings["v0"])
    if device == "cpu":
        settings = settings if settings["rng"] is not None else settings | {"rng": np.random.default_rng(0)}
        A = aslinearoperator(A)  # SciPy, which makes one of a matrix, would multiply column by column
    with watch(progress, "svds", "products") as report:
        return call_library(function_of(device, "svds"), (watched_operator(A, device, report), k), settings, DEFAULTS)


def _start(A, settings):
    """Return a vector to start from that is the same in every run, if the caller chose neither it nor its source."""
    if settings["v0"] is not None or settings["rng"] is not None:
        return {}
    real, imaginary = np.random.default_rng(0).uniform(-1, 1, (2, A.shape[0]))
    return {"v0": (real + 1j * imaginary if A.dtype.kind == "c" else real).astype(A.dtype if A.dtype.kind in "fc" else float)}


def _check_sizes(name, A, k, v0):
    """Check sizes: ARPACK reads as many elements of `v0` as it needs, even beyond its end."""
    n = min(A.shape)
    if v0 is not None and np.shape(v0) not in ((n,), (n, 1)):
        raise ValueError(f"v0 must have shape ({n},), got {np.shape(v0)}")
    dense = {"eigsh": "eigh", "eigs": "eig"}.get(name)
    most = n - (name == "eigs")
    if dense and isinstance(A, SparseArray) and k >= most:
        raise TypeError(
            f"k must be below {most} for a sparse matrix of {n} rows, got {k}: use numpy.linalg.{dense}(A.toarray())"
        )
