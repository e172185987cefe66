"""Graphs as `scipy.sparse.csgraph` takes them."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._matrix.base import FORMATS, SparseArray, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import sum_duplicates_wide
from spark_csr._scipys import take_ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._matrix.types import MatrixLike

FEW = 10_000
"""Entries of a matrix of SciPy up to which SciPy computes, whose functions start sooner. A matrix of this package would have to
be converted, which takes as long as a search. With 10,000 entries, components take 0.1 ms here and in SciPy, and distances from
one vertex 0.11 and 0.15 ms (two busy cores of an AMD EPYC, family 25 model 17, 26 November 2026)."""


def scipys(name: str) -> Callable[..., Any]:
    """Return SciPy's own function of `scipy.sparse.csgraph`, even if it is patched, as one that takes our matrices."""
    function = getattr(importlib.import_module("scipy.sparse.csgraph"), name)
    return take_ours(inspect.unwrap(function), __package__)


def is_ours(csgraph: Any) -> bool:
    """Return whether a graph is a square sparse matrix of real numbers, of this package or of more than a few entries."""
    if not issparse(csgraph) or getattr(csgraph, "format", None) not in FORMATS:
        return False
    if csgraph.nnz <= FEW and not isinstance(csgraph, SparseArray):
        return False
    is_square = csgraph.ndim == 2 and csgraph.shape[0] == csgraph.shape[1]
    return is_square and csgraph.dtype.kind in "biuf" and csgraph.dtype.itemsize <= 8


def in_c_order(csgraph: Any) -> Any:
    """Return a dense graph as an array in C order, for SciPy's method of Floyd and Warshall returns any other one unchanged.

    Sparse graphs are returned as they are.
    """
    is_dense = isinstance(csgraph, (list, tuple)) or (hasattr(csgraph, "__array__") and not hasattr(csgraph, "to_scipy_sparse"))
    return np.asanyarray(csgraph, order="C") if is_dense and not issparse(csgraph) else csgraph


def read(csgraph: MatrixLike) -> csr_array:
    """Return a sparse matrix by rows on the cores.

    As in SciPy, duplicates are summed in coordinates, and in all matrices of another dtype than float64, to which SciPy casts.
    """
    is_read = type(csgraph) is csr_array and csgraph.device == "cpu"
    A: csr_array = csgraph if is_read else csr_array(csgraph, device="cpu")  # type: ignore[assignment]
    return A if A.dtype == np.float64 else csr_array._of(sum_duplicates_wide(A._csr, np.float64))
