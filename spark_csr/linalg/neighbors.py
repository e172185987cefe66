"""The largest entries of every row of a product, and the nearest rows of a matrix."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr._array import namespace_of, same_device
from spark_csr._matrix.base import issparse, rows_of
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.product.topk import topk_of_product
from spark_csr.linalg import near_one
from spark_csr.linalg.norms import norm
from spark_csr.linalg.scaling import normalize
from spark_csr.primitives._check import count_of
from spark_csr.primitives.segmented import dtype_of_means

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike

PIECE = 1 << 22
"""Entries of two rows each that are subtracted at once. Not tuned."""


def topk_matmul(A: MatrixLike, B: MatrixLike, k: int, *, threshold: float | None = None) -> csr_array:
    """Return the `k` largest entries of every row of `A @ B.T`, without computing a matrix of all entries.

    With rows of length one, the entries of `A @ B.T` are cosines: the function finds for every row of `A` the `k` rows of `B`
    that are most like it.

    Parameters
    ----------
    A : (m, n) sparse matrix
        One vector in every row. Matrices of this package and of SciPy or CuPy are allowed; dtypes are real.
    B : (p, n) sparse matrix
        The vectors that those of `A` are multiplied with, in its rows.
    k : int
        The largest number of entries of a row of the result.
    threshold : float, optional
        Select entries that are larger than this number only. Integers are compared exactly, and floats in the dtype of the
        result. By default entries of any value are selected.

    Returns
    -------
    (m, p) csr_array
        The selected entries, in the dtype of `A @ B.T`, and with the same bits if `A` and `B` are canonical. Rows are sorted by
        column. A row has fewer than `k` entries where the product has fewer.

    Raises
    ------
    ValueError
        If `A` and `B` have different numbers of columns, `k` is negative, or `threshold` is NaN.
    TypeError
        If an operand is no sparse matrix or is complex, `k` is not an integer, `threshold` is not a real number, or devices are
        mixed.
    MemoryError
        If `k` entries for every row do not fit into memory.

    See Also
    --------
    knn_graph : The nearest rows of a matrix.
    spark_csr.prune : Select the entries of largest magnitude of a matrix that exists.

    Notes
    -----
    *Order*: Entries are compared by value, not by magnitude; of equal ones, those in lower columns are selected first, and NaN
    count as smaller than every number. The result has the same bits in every run. *Entries that are zero* are never selected,
    as `A @ B.T` does not store them. *Cost*: On the cores all products are computed once. Each core needs scratch memory for
    one row of p elements, and the function allocates `k` elements for every row, as far as it has products. On a GPU, products
    of some rows at a time are computed, within `config.spgemm_memory`, and their largest entries selected by
    `spark_csr.primitives.segmented_topk`. `B` is transposed, if it is not a `csc_array`. *Source*: The accumulator is that of
    Gustavson (1978); that of every row is read through a heap of `k` elements.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import knn_graph, topk_matmul
    >>> A = csr_array([[1.0, 0, 2], [0, 3, 1]])
    >>> B = csr_array([[1.0, 1, 0], [0, 0, 4], [2, 0, 1]])
    >>> (A @ B.T).toarray()
    array([[1., 8., 4.],
           [3., 4., 1.]])
    >>> topk_matmul(A, B, 2).toarray()
    array([[0., 8., 4.],
           [3., 4., 0.]])
    >>> topk_matmul(A, B, 2, threshold=3).toarray()
    array([[0., 8., 4.],
           [0., 4., 0.]])
    >>> knn_graph(B, 1, metric="euclidean").toarray().round(2)
    array([[0.  , 0.  , 1.73],
           [0.  , 0.  , 3.61],
           [1.73, 0.  , 0.  ]])
    """
    a, bt, k = _rows_of("A", A), _rows_of("B", B, by_column=True), count_of("k", k)
    same_device(a.data, bt.data)
    if a.shape[1] != bt.shape[0]:
        raise ValueError(f"A and B must have the same number of columns, got shapes {a.shape} and {bt.shape[::-1]}")
    if threshold is not None:
        threshold = _as_number(threshold)
    return csr_array._of(topk_of_product(a, bt, k, threshold))


def knn_graph(
    A: MatrixLike,
    k: int,
    *,
    metric: Literal["cosine", "euclidean"] = "cosine",
    mode: Literal["distance", "connectivity"] = "distance",
    include_self: bool = False,
) -> csr_array:
    """Return the graph of the `k` nearest neighbours of every row of a matrix.

    Parameters, result and exceptions that are not listed are those of `topk_matmul`; values are finite. See the example of
    `topk_matmul`.

    Parameters
    ----------
    k : int
        The number of neighbours of every row, at most the number of other rows.
    metric : {"cosine", "euclidean"}, default "cosine"
        The distance of two rows: 1 less the cosine of their angle, or the length of their difference. A row of zeros has cosine
        0 with every row.
    mode : {"distance", "connectivity"}, default "distance"
        The values of the entries: distances, or ones.
    include_self : bool, default False
        Whether a row may be a neighbour of itself.

    Returns
    -------
    (n, n) csr_array
        Row `i` has `k` entries, at the numbers of the nearest rows, sorted by column. The dtype is float32 for a matrix of
        float32, else float64 (float16 for float16). Distances that are 0 are entries too.

    Notes
    -----
    *Order*: Of rows at equal distance, those of lower numbers are neighbours. *Accuracy*: Rows are compared by products of
    their normalised or scaled values, as `sklearn.neighbors.kneighbors_graph` compares them with ``algorithm="brute"``: rows
    whose squared distances differ by less than the rounding of their squared lengths may be exchanged. Euclidean distances are
    then computed from differences of rows, without this error. *Cost*: As `topk_matmul`, and on the cores one packed comparison
    for several of the n x n pairs. On a GPU, some rows of a dense n x n matrix at a time.
    """
    rows, k = csr_array._of(_rows_of("A", A)), count_of("k", k)
    for name, value, allowed in (("metric", metric, ("cosine", "euclidean")), ("mode", mode, ("distance", "connectivity"))):
        if value not in allowed:
            raise ValueError(f"{name} must be {allowed[0]!r} or {allowed[1]!r}, got {value!r}")
    n, xp = rows.shape[0], namespace_of(rows.data)
    include_self = bool(include_self)
    others = max(n - (not include_self), 0)
    if k > others:
        raise ValueError(f"k must be at most {others}, the number of rows to choose from, got {k}")
    rows = rows.astype(dtype_of_means(rows.dtype))
    if not bool(xp.isfinite(rows.data).all()):
        raise ValueError("A must have finite values only, got infinity or NaN")
    dtype = np.result_type(rows.dtype, np.float32)
    scaled, penalties = rows.astype(dtype), xp.zeros(n, dtype)
    if metric == "cosine":
        scaled = normalize(scaled)
    else:
        scaled = near_one.scale(csr_array._of(canonical(scaled._csr)), near_one.of_vector(scaled.data))
        penalties = scaled.power(2).sum(axis=1).astype(dtype) / 2
    csr = scaled._csr
    found = topk_of_product(csr, rows_of(scaled, by_column=True), k, penalties=penalties, apart=not include_self)
    if mode == "connectivity":
        data = xp.ones(found.indices.size, rows.dtype)
    elif metric == "cosine":
        data = (1 - found.data).clip(0, 2)
    else:
        data = _distances(rows, found)
    with np.errstate(over="ignore"):
        return csr_array._of(Csr(found.indptr, found.indices, data.astype(rows.dtype, copy=False), (n, n)))


def _as_number(threshold):
    """Return a threshold as a number of Python's; an infinite one if no float is as large."""
    if not isinstance(threshold, numbers.Real):
        raise TypeError(f"threshold must be a real number, got {threshold!r}")
    number = threshold.item() if isinstance(threshold, np.generic) else threshold
    if number != number:
        raise ValueError("threshold must not be NaN")
    try:
        float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    return number


def _rows_of(name: str, A: Any, by_column: bool = False) -> Any:
    """Return the record of a real matrix by its rows, or of its transpose."""
    if not issparse(A) or len(A.shape) != 2:
        raise TypeError(f"{name} must be a sparse matrix of two dimensions, got {type(A).__name__}: use csr_array({name})")
    csr = rows_of(A, by_column)
    if csr.data.dtype.kind == "c":
        raise TypeError(f"{name} has dtype {csr.data.dtype}, whose values have no order")
    return csr


def _distances(rows: csr_array, found: Csr) -> Any:
    """Return the Euclidean distance of the rows at every entry."""
    xp, i, j = found.xp, found.plan(rows_of_entries), found.indices
    step = max(1, int(PIECE * rows.shape[0] // (2 * rows.nnz + 1)))
    parts = [norm(rows[i[at : at + step]] - rows[j[at : at + step]], axis=1) for at in range(0, found.indices.size, step)]
    return xp.concatenate(parts) if parts else xp.zeros(0, rows.dtype)
