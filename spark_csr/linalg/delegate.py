"""Calls of functions of SciPy and CuPy that work on the entries of a sparse matrix; solvers only multiply with it.

Design: there is one rule for all of them. A sparse matrix of any library is passed as a matrix of the library that computes, in
the format that the function works on and around the same memory (`to_scipy`, `to_cupy`). A sparse result is returned as a
matrix of this package, in the format of the first matrix, or as one of SciPy's old classes if all matrices are of such.
Everything else is passed and returned as it is. Cost: a conversion where the format is another one.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from spark_csr._foreign import wait_for
from spark_csr._matrix.base import SparseArray, are_old, as_old, as_ours, issparse
from spark_csr.linalg.operators import as_array_on, call_library, device_of_problem, function_of, solver_dtype

LONG = 20_000
"""Entries of a matrix from which on functions of SciPy may take so long that Ctrl-C would wait. Not tuned."""

DEFAULTS: dict[str, Any] = {"use_umfpack": True, "lower": True, "t": 2, "itmax": 5}
DEFAULTS |= dict.fromkeys(("overwrite_A", "overwrite_b", "unit_diagonal", "compute_v", "compute_w"), False)
"""The defaults of settings other than None."""


def to_library(A: Any, device: str, format: str = "csr") -> Any:
    """Return a sparse matrix as one of the library for `device`: in its own format, or as CSC if `format` is "csc", and in the
    dtype in which solvers compute.

    Anything else is returned as it is.
    """
    if not issparse(A):
        return A
    A = as_ours(A)
    if A.device != device:
        raise TypeError(f"one matrix is on {A.device} and another on {device}: move one with A.to_device(...)")
    if A.ndim == 2 and (format == "csc" or A.format == "coo"):
        A = A.asformat(format)
    halves = device == "cpu" and A.dtype == np.float16  # SuperLU of float32 takes no right sides of float64
    A = A.astype(np.float64 if halves else solver_dtype(A), copy=False)
    return A.to_scipy() if device == "cpu" else A.to_cupy()


def from_library(found: Any, like: Any) -> Any:
    """Return a sparse result as a matrix of this package, in the format of `like`; anything else as it is."""
    if not issparse(found):
        return found
    return as_ours(found).asformat(like.format if issparse(like) else None)


def delegate(name: str, A: Any, *arrays: Any, format: str = "csr", **settings: Any) -> Any:
    """Return the result of the library's function `name` for a matrix, arrays or further matrices, and settings."""
    keeps_old = are_old((A, *arrays))
    A = as_ours(A) if issparse(A) else A
    device = device_of_problem(A, *arrays)
    if isinstance(A, SparseArray):
        arrays = tuple(to_library(x, device, "csc") if issparse(x) else as_array_on(x, device, "b") for x in arrays)
    operands = to_library(A, device, format), *arrays
    is_long = device == "cpu" and getattr(A, "nnz", 0) >= LONG
    call = functools.partial(wait_for, call_library) if is_long else call_library
    found = from_library(call(function_of(device, name), operands, settings, DEFAULTS), A)
    return as_old(found) if keeps_old else found
