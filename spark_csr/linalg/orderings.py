"""Orders of elimination, in which the factors of a matrix have few entries."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import one_thread_is_fast, refuse_masked
from spark_csr._dispatch import backend_of
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import canonical
from spark_csr.linalg.preconditioners import square

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike

METHODS = "nd", "amd", "rcm", "natural"


def ordering(A: MatrixLike, method: str = "nd") -> Array:
    """Return a permutation of rows and columns with which a factor of a matrix has few entries.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package or of SciPy, on the cores. Only the pattern is read; unless it is symmetric, the pattern of
        ``A + A.T`` is ordered.
    method : {"nd", "amd", "rcm", "natural"}
        "nd": nested dissection, for large meshes above all; "amd": approximate minimum degree, which is faster and good for
        small or irregular patterns; "rcm": reverse Cuthill-McKee, which makes the band narrow; "natural": no other order.

    Returns
    -------
    perm : (n,) int32 array
        The rows in their new order: factorise ``A[perm][:, perm]``.

    Raises
    ------
    ValueError
        If the matrix is not square, or there is no such method.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    Rows with more than ``10 * sqrt(n)`` entries are put last by "nd" and "amd". *Cost*: "nd": some passes over the pattern for
    every halving, parts in parallel; the others: one core. *Order*: the same permutation on every run. *Empty input*: an empty
    array. Source: Karypis & Kumar, *A fast and high quality multilevel scheme for partitioning irregular graphs*, 1998;
    Amestoy, Davis & Duff, *An approximate minimum degree ordering algorithm*, 1996; "rcm" is SciPy's.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.linalg import cholesky, ordering
    >>> A = poisson((20, 20))
    >>> perm = ordering(A, "amd")
    >>> cholesky(A, perm).nnz < cholesky(A, "natural").nnz
    True
    """
    csr = canonical(square(A)._csr)
    refuse_gpu(csr)
    ones = csr.with_data(np.ones(csr.indices.size, np.int8))
    backend = backend_of(ones.data)
    row, _ = backend.find_asymmetry(*pattern_of(ones), ones.data)
    if row >= 0:
        pattern = csr_array((ones.data, ones.indices, ones.indptr), shape=ones.shape)
        ones = canonical((pattern + pattern.T)._csr)
    return order_symmetric(ones, method)


def refuse_gpu(csr: Any) -> None:
    """Raise NotImplementedError for a record that is on a GPU."""
    if not one_thread_is_fast(csr.indptr):
        raise NotImplementedError(
            "orders, and factors other than LU, are for the cores: use A.to_device('cpu') or splu, or lsqr"
        )


def pattern_of(csr: Any) -> tuple[Array, Array]:
    """Return copies of the pattern of a record in the dtypes of the kernels; raise ValueError if they are too narrow."""
    if max(csr.shape) >= 2**31:
        raise ValueError(f"the matrix has {max(csr.shape):,} rows or columns, but at most {2**31 - 1:,} can be ordered")
    return csr.indptr.astype(np.int64), csr.indices.astype(np.int32)


def read_permutation(order: ArrayLike, n: int) -> Array:
    """Return an order of elimination as an int32 array; raise ValueError if it is no permutation of `range(n)`."""
    refuse_masked("ordering", order)
    perm = np.asarray(order)
    if perm.shape != (n,) or (n and perm.dtype.kind not in "iu") or not np.array_equal(np.sort(perm), np.arange(n)):
        raise ValueError(f"ordering must be a name or a permutation of range({n}), got an array of shape {perm.shape}")
    return perm.astype(np.int32)


def order_symmetric(csr: Any, method: str) -> Array:
    """Return the permutation for a canonical record of a symmetric pattern."""
    n = csr.shape[0]
    if method not in METHODS:
        raise ValueError(f"the ordering must be one of {', '.join(METHODS)} or a permutation, got {method!r}")
    if method == "natural" or n == 0:
        return np.arange(n, dtype=np.int32)
    indptr, indices = pattern_of(csr)
    if method == "rcm":
        matrix = importlib.import_module("scipy.sparse").csr_array((np.ones(indices.size, np.int8), indices, indptr), (n, n))
        return importlib.import_module("scipy.sparse.csgraph").reverse_cuthill_mckee(matrix, True).astype(np.int32)
    lengths = np.diff(indptr)
    dense = lengths > max(16, 10 * n**0.5)
    rows = np.repeat(np.arange(n, dtype=np.int32), lengths)
    kept = (rows != indices) & ~dense[rows] & ~dense[indices]
    number = np.cumsum(~dense, dtype=np.int32) - 1
    counts = np.bincount(rows[kept], minlength=n)[~dense]
    offsets, others = np.concatenate([[0], np.cumsum(counts)]), np.flatnonzero(~dense).astype(np.int32)
    order, backend = np.empty(others.size, np.int32), backend_of(indices)
    (backend.amd if method == "amd" else backend.dissect)(offsets, number[indices[kept]], order)
    return np.concatenate([others[order], np.flatnonzero(dense).astype(np.int32)])
