"""A matrix as what a solver multiplies with, and whose solver: SciPy's on the cores, CuPy's on a GPU."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from typing import Any

import numpy as np

from spark_csr._array import device_of, is_array, namespace_for
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr.linalg.blas import on_one_core


def library(device):
    """`scipy.sparse.linalg` or `cupyx.scipy.sparse.linalg`, imported when first asked for."""
    return importlib.import_module("scipy.sparse.linalg" if device == "cpu" else "cupyx.scipy.sparse.linalg")


def function_of(device, name):
    """The function of that name of the library; NotImplementedError where CuPy has none."""
    found = getattr(library(device), name, None)
    if found is None:
        raise NotImplementedError(f"{library(device).__name__} has no {name}: move the matrix with A.to_device('cpu')")
    return found


def as_matrix(A):
    """Sparse matrices as ours; dense ones and operators as they are."""
    return csr_array(A) if issparse(A) and not isinstance(A, SparseArray) else A


def device_of_problem(A, *arrays):
    """Where the matrix is; of an operator, which does not tell, where the first array is."""
    owner = A if isinstance(A, SparseArray) or is_array(A) else next((x for x in arrays if is_array(x)), None)
    if isinstance(owner, SparseArray):
        return owner.device
    return "cpu" if owner is None else device_of(owner)


def as_array_on(x, device, name):
    """Return `x` as an array on `device`: lists are moved there, arrays of another device raise TypeError."""
    if is_array(x) and device_of(x) != device:
        raise TypeError(f"{name} is on {device_of(x)}, the matrix on {device}: move one with A.to_device(...) or cupy.asarray")
    return namespace_for(device).asarray(x)


def solver_dtype(*operands):
    """Return the dtype in which our solvers compute: float64 for integers and bools, at least float32."""
    return np.result_type(*(np.float64 if x.dtype.kind in "biu" else x.dtype for x in operands), np.float32)


def as_operator(A, device):
    """What the library's solvers take: on the cores our matrices as they are, on a GPU wrapped, with values that CuPy knows."""
    A = as_matrix(A)
    if device == "cpu" or A is None or not hasattr(A, "rmatmat"):
        return A
    dtype = solver_dtype(A)
    A = A.astype(dtype, copy=False) if isinstance(A, SparseArray) else A
    products = {name: getattr(A, name) for name in ("matvec", "rmatvec", "matmat", "rmatmat")}
    return library(device).LinearOperator(A.shape, dtype=dtype, **products)


def aslinearoperator(A: Any) -> Any:
    """Return a matrix as a linear operator: SciPy's on the cores, CuPy's on a GPU.

    Parameters
    ----------
    A : sparse matrix, dense array or linear operator
        A matrix of this package, of SciPy or of CuPy; or an object with `shape` and `matvec`.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator or cupyx.scipy.sparse.linalg.LinearOperator
        An operator whose products are those of the matrix; `A` itself if it is an operator already.

    Raises
    ------
    TypeError
        If `A` is none of these.

    Notes
    -----
    *Cost*: none; nothing is copied. Solvers take matrices as they are: an operator is for sums, products and powers of
    operators that are not to be computed.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import aslinearoperator
    >>> A = aslinearoperator(csr_array([[2.0, 0], [1, 4]]))
    >>> (A * A)(np.array([1.0, 1]))
    array([ 4., 22.])
    """
    A = as_matrix(A)
    device = device_of_problem(A)
    return library(device).aslinearoperator(as_operator(A, device))


def count_products(A, device, progress):
    """Return an operator that tells `progress` of every product: how many there have been, and None for a residual norm."""
    A = library(device).aslinearoperator(as_operator(A, device))
    products = 0

    def tell(product):
        def multiply(x):
            nonlocal products
            products += 1
            progress(products, None)
            return product(x)

        return multiply

    named = {name: tell(getattr(A, name)) for name in ("matvec", "rmatvec", "matmat", "rmatmat")}
    return library(device).LinearOperator(A.shape, dtype=A.dtype, **named)


def _same(value, default):
    return value is default or (isinstance(value, (str, int, float)) and value == default)


def call_library(function, arguments, settings, defaults):
    """Call `function` of a library with those settings that are not SciPy's defaults; `tol` is what older ones call `rtol`.

    On the cores BLAS uses no threads meanwhile (see `blas`).

    NotImplementedError for one that it does not have.
    """
    known, on_gpu = inspect.signature(function).parameters, function.__module__.startswith("cupyx")
    given = {name: value for name, value in settings.items() if not _same(value, defaults.get(name))}
    if "rtol" in given and "rtol" not in known:
        given["tol"] = given.pop("rtol")
    for name in given:
        if name not in known:
            place = "on a GPU " if on_gpu else ""
            hint = ": move the matrix with A.to_device('cpu')" if place else f": {function.__module__} has none"
            raise NotImplementedError(f"{function.__name__} {place}takes no {name}{hint}")
    with contextlib.nullcontext() if on_gpu else on_one_core():
        return function(*arguments, **given)
