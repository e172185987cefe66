"""Matrices as operators for a solver, and the library that has the solver: SciPy on the cores, CuPy on a GPU."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import device_of, is_array, namespace_for, refuse_masked
from spark_csr._foreign import at_line_of_user
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr.linalg.blas import on_one_core

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from spark_csr._types import Array


PRODUCTS = "matvec", "rmatvec", "matmat", "rmatmat"


def library(device: str) -> ModuleType:
    """Return `scipy.sparse.linalg` or `cupyx.scipy.sparse.linalg`, imported at the first call."""
    return importlib.import_module("scipy.sparse.linalg" if device == "cpu" else "cupyx.scipy.sparse.linalg")


def function_of(device: str, name: str) -> Callable[..., Any]:
    """Return the function `name` of the library for `device`; raise NotImplementedError if CuPy has none."""
    found = getattr(library(device), name, None)
    if found is None:
        raise NotImplementedError(f"{library(device).__name__} has no {name}: move the matrix with A.to_device('cpu')")
    return at_line_of_user(found)


def as_matrix(A: Any) -> Any:
    """Return a sparse matrix as one of this package; dense arrays and operators as they are."""
    return csr_array(A) if issparse(A) and not isinstance(A, SparseArray) else A


def device_of_problem(A: Any, *arrays: Any) -> str:
    """Return the device of the matrix; for an operator, which has no device, that of the first array."""
    owner = A if isinstance(A, SparseArray) or is_array(A) else next((x for x in arrays if is_array(x)), None)
    if isinstance(owner, SparseArray):
        return owner.device
    return "cpu" if owner is None else device_of(owner)


def as_array_on(x: Any, device: str, name: str) -> Array:
    """Return `x` as an array on `device`: lists are moved there, arrays of another device raise TypeError."""
    refuse_masked(name, x)
    if is_array(x) and device_of(x) != device:
        raise TypeError(
            f"{name} is on {device_of(x)}, but the matrix is on {device}: move one with A.to_device(...) or cupy.asarray"
        )
    array = namespace_for(device).asarray(x)
    refuse_others(name, array)
    return array


def refuse_others(name: str, x: Array) -> None:
    """Raise TypeError for an array that does not hold numbers."""
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name} must hold numbers, got dtype {x.dtype}")


def read_right_sides(b: Any, rows: int) -> np.ndarray:
    """Return the right sides of a factor as an array of so many rows; raise an exception for what is none."""
    refuse_masked("b", b)
    right = np.asarray(b)
    refuse_others("b", right)
    if right.ndim not in (1, 2) or right.shape[0] != rows:
        raise ValueError(f"b must have {rows} rows and at most 2 dims, but its shape is {right.shape}")
    return right


def solver_dtype(*operands: Any) -> np.dtype[Any]:
    """Return the dtype in which solvers compute: float64 for integers and bools, at least float32. What has none, as None, does
    not count.
    """
    given = [x.dtype for x in operands if getattr(x, "dtype", None) is not None]
    return np.result_type(*(np.float64 if dtype.kind in "biu" else dtype for dtype in given), np.float32)


def cast_operand(A: Any, dtype: np.dtype[Any]) -> Any:
    """Return a matrix, an array or a linear operator in the dtype in which a solver computes: it would round vectors to the
    dtype of the operand.
    """
    if A is None or A.dtype == dtype:
        return A
    if hasattr(A, "astype"):
        return A.astype(dtype)
    solvers = library("cpu")
    A = solvers.aslinearoperator(A)
    return solvers.LinearOperator(A.shape, dtype=dtype, **{name: getattr(A, name) for name in PRODUCTS})


def as_operator(A: Any, device: str) -> Any:
    """Return what the solvers of the library take.

    On the cores a matrix of this package is returned as it is. On a GPU it is wrapped, with values of a dtype that CuPy
    supports.
    """
    A = as_matrix(A)
    if device == "cpu" or A is None or not hasattr(A, "rmatmat"):
        return A
    dtype = solver_dtype(A)
    A = A.astype(dtype, copy=False) if isinstance(A, SparseArray) else A
    products = {name: getattr(A, name) for name in PRODUCTS}
    return library(device).LinearOperator(A.shape, dtype=dtype, **products)


def aslinearoperator(A: Any) -> Any:
    """Return a matrix as a linear operator: SciPy's on the cores, CuPy's on a GPU.

    Parameters
    ----------
    A : sparse matrix, dense array or linear operator
        A matrix of this package, of SciPy or of CuPy; or another object with `shape` and `matvec`.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator or cupyx.scipy.sparse.linalg.LinearOperator
        An operator whose products are those of the matrix, which is its attribute `A`; `A` itself if it is an operator already.

    Raises
    ------
    TypeError
        If `A` is none of these.

    Notes
    -----
    *Cost*: none; nothing is copied. Solvers take matrices too. Use an operator if you need products with a sum, a product or a
    power of matrices, and do not want to compute that matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, linalg
    >>> A = linalg.aslinearoperator(csr_array([[2.0, 0], [1, 4]]))
    >>> (A * A)(np.array([1.0, 1]))
    array([ 4., 22.])
    """
    A = as_matrix(A)
    if type(A).__module__.startswith("cupyx."):
        return A
    operator = _linear_operator(A, device_of_problem(A if getattr(A, "_holder", None) is None else A._holder))
    if isinstance(A, SparseArray):
        operator.A = A
    return operator


def _linear_operator(A, device):
    """Return an operator of the library for the device, which multiplies several vectors at once if `A` does."""
    A, solvers = as_operator(A, device), library(device)
    if isinstance(A, solvers.LinearOperator) or not all(hasattr(A, name) for name in (*PRODUCTS, "dtype")):
        return solvers.aslinearoperator(A)
    return solvers.LinearOperator(A.shape, dtype=A.dtype, **{name: getattr(A, name) for name in PRODUCTS})


def watched_operator(A: Any, device: str, report: Callable[[int, None], Any] | None) -> Any:
    """Return what the solvers of the library take; it calls `report`, if any, after every product, as `count_products` does."""
    return as_operator(A, device) if report is None else count_products(A, device, report)


def count_products(A: Any, device: str, report: Callable[[int, None], Any]) -> Any:
    """Return an operator that calls `report` after every product: with the number of products so far, and None."""
    A = _linear_operator(A, device)
    products = 0

    def tell(product):
        def multiply(x):
            nonlocal products
            result = product(x)
            products += 1
            report(products, None)
            return result

        return multiply

    named = {name: tell(getattr(A, name)) for name in PRODUCTS}
    return library(device).LinearOperator(A.shape, dtype=A.dtype, **named)


def _same(value, default):
    return value is default or (isinstance(value, (str, int, float)) and value == default)


def check_limits(**limits: Any) -> None:
    """Raise ValueError for a number of iterations below 1, after which SciPy's solvers fail or report success; None is a
    default."""
    for name, limit in limits.items():
        if isinstance(limit, Real) and not limit >= 1:
            raise ValueError(f"{name} must be at least 1, got {limit}")


def check_tolerances(rtol: Any, atol: Any) -> None:
    """Raise ValueError for tolerances that no residual can be compared with: text, NaN, absolute ones below 0. None is 0."""
    if isinstance(atol, str) or (atol is not None and not atol >= 0):
        raise ValueError(f"atol must be a real, non-negative number, got {atol!r}")
    if isinstance(rtol, str) or (rtol is not None and math.isnan(rtol)):
        raise ValueError(f"rtol must be a real number, got {rtol!r}")


LIMITS = "maxiter", "itmax", "restart", "inner_m"


@functools.cache
def _parameters_of(function):
    return inspect.signature(function).parameters.keys()


def call_library(
    function: Callable[..., Any], arguments: tuple[Any, ...], settings: dict[str, Any], defaults: dict[str, Any]
) -> Any:
    """Call `function` of a library with those settings that differ from SciPy's defaults.

    `rtol` is renamed to `tol` for versions that know it under that name.

    On the cores BLAS uses no threads meanwhile (see `blas`). Raise NotImplementedError for a setting that the function does not
    have.
    """
    check_limits(**{name: settings[name] for name in LIMITS if name in settings})
    known, on_gpu = _parameters_of(inspect.unwrap(function)), function.__module__.startswith("cupyx")
    given = {name: value for name, value in settings.items() if not _same(value, defaults.get(name))}
    if "rtol" in given and "rtol" not in known:
        given["tol"] = given.pop("rtol")
    for name in given:
        if name not in known:
            place = "on a GPU " if on_gpu else ""
            hint = (
                ": move the matrix with A.to_device('cpu')"
                if place
                else f": the installed {function.__module__} has no such parameter"
            )
            raise NotImplementedError(f"{function.__name__} {place}takes no {name}{hint}")
    with contextlib.nullcontext() if on_gpu else on_one_core():
        try:
            return function(*arguments, **given)
        except RuntimeError as error:  # ARPACK's, whose text names a vector that users do not know of
            if not str(error).endswith("Starting vector is zero."):
                raise
            text = "A @ v0 is zero. A matrix of zeros has no other eigenvalues and singular values; else give another v0="
            raise type(error)(-9, {-9: text}) from None
