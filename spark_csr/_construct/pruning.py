"""Drop small entries of matrices, and empty rows or columns."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING

from spark_csr._array import same_device
from spark_csr._matrix.base import SparseArray, rows_of
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import build, check
from spark_csr._operations.select import prune as operations
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from spark_csr._matrix.types import Matrix, MatrixLike
    from spark_csr._types import Array


def prune(
    A: Matrix,
    threshold: float | None = None,
    *,
    topk: int | None = None,
    mask: Array | MatrixLike | None = None,
    keep_diagonal: bool = False,
) -> csr_array:
    """Select entries by magnitude, by rank in their row, or by a mask, and return a matrix of these.

    Parameters
    ----------
    A : csr_array, csc_array or coo_array
        The matrix. It is not changed.
    threshold : float, optional
        Select entries with `abs(a) > threshold`, and NaN. The comparison is made in the dtype of the magnitudes, as NumPy
        compares with Python numbers. The default is 0 if neither `topk` nor `mask` is given; otherwise entries of any magnitude
        are selected.
    topk : int, optional
        Select the `topk` entries of largest magnitude in every row. Of entries of equal magnitude, those in lower columns are
        selected first. NaN counts as larger than every number.
    mask : (nnz,) bool array, or sparse matrix of the shape of `A`, optional
        Select entries for which the array is True, or at whose position the sparse matrix has an entry, of any value. The
        elements of the array are in the order of the entries of `A.tocsr()`.
    keep_diagonal : bool
        If True, also select all entries on the diagonal, whatever the conditions.

    Returns
    -------
    csr_array
        A matrix of the dtype and shape of `A`. Its entries meet all given conditions, or lie on the diagonal if `keep_diagonal`
        is True. They are in the order of `A.tocsr()`.

    Raises
    ------
    ValueError
        If `threshold` is negative or NaN, `topk` is negative, or `mask` has another length or shape.
    TypeError
        If `A` is not a matrix of this package, `threshold` is not a real number, `topk` is not an integer, `mask` is not
        bool, or devices are mixed.

    Notes
    -----
    *Cost*: With a threshold alone, the function reads the data twice and the indices once, and writes what it selects; on a GPU
    it makes three launches and one host read. Other conditions are first written to one byte for each entry: `topk` costs a
    `segmented_topk`, and a sparse mask costs a binary search for each entry. *Order*: The order is kept (the selection is
    stable), and the result is the same in every run. *Duplicates*: Entries of one position are judged one by one: call
    `A.sum_duplicates()` first to judge their sums. *Empty input*: The result has no entries.

    Examples
    --------
    >>> from spark_csr import csr_array, prune
    >>> A = csr_array([[0.5, 0.1, 3], [0.2, -4, 0]])
    >>> prune(A, 0.2).toarray()
    array([[ 0.5,  0. ,  3. ],
           [ 0. , -4. ,  0. ]])
    >>> prune(A, topk=1, keep_diagonal=True).toarray()
    array([[ 0.5,  0. ,  3. ],
           [ 0. , -4. ,  0. ]])
    """
    csr = _record_of(A)
    if threshold is not None:
        threshold = _threshold(threshold)
    if topk is not None:
        topk = count_of("topk", topk)
    if mask is not None:
        mask = _mask(mask, csr)
    return csr_array._of(operations.prune(csr, threshold, topk, mask, bool(keep_diagonal)))


def drop_empty_rows(A: Matrix) -> tuple[csr_array, Array]:
    """Return a matrix without the rows that have no entries, and the numbers of the rows that are left.

    Parameters
    ----------
    A : csr_array, csc_array or coo_array
        The matrix. It is not changed.

    Returns
    -------
    B : csr_array
        The matrix of the other rows, with arrays of its own.
    kept : (B.shape[0],) array of int32 (int64 for 2**31 rows and more)
        Row `i` of `B` is row `kept[i]` of `A`.

    Notes
    -----
    *Cost*: The function makes two passes over `indptr`, copies the rest, and on a GPU makes one host read. Rows of explicit
    zeros are not empty: use `prune(A)` first to drop these. *Order*: The order is kept. *Empty input*: Matrices without rows,
    columns or entries are allowed.

    Examples
    --------
    >>> from spark_csr import csr_array, drop_empty_columns, drop_empty_rows
    >>> A = csr_array([[0, 1, 0], [0, 0, 0], [2, 3, 0]])
    >>> B, kept = drop_empty_rows(A)
    >>> B.toarray(), kept, drop_empty_columns(A)[1]
    (array([[0, 1, 0],
           [2, 3, 0]]), array([0, 2], dtype=int32), array([0, 1], dtype=int32))
    """
    dropped, kept = operations.drop_empty(_record_of(A), 0)
    return csr_array._of(dropped), kept


def drop_empty_columns(A: Matrix) -> tuple[csr_array, Array]:
    """Return a matrix without the columns that have no entries, and the numbers of the columns that are left.

    Parameters, result and exceptions are those of `drop_empty_rows`: column `j` of the result is column `kept[j]` of `A`.
    *Cost*: the function makes two passes over the indices and a scan of a flag for each column, copies the rest, and on a GPU
    makes one host read. See the example of `drop_empty_rows`.
    """
    dropped, kept = operations.drop_empty(_record_of(A), 1)
    return csr_array._of(dropped), kept


def _record_of(A):
    if not isinstance(A, SparseArray):
        given = check.type_and_library_of(A)
        raise TypeError(f"A must be a csr_array, csc_array or coo_array of spark_csr, got {given}: use csr_array(A)")
    return rows_of(A)


def _threshold(threshold):
    """Return an int if the threshold is integral, so that wide integers compare exactly; infinity if no dtype reaches it."""
    if not isinstance(threshold, numbers.Real):
        raise TypeError(f"threshold must be a real number, got {threshold!r}")
    if not threshold >= 0:
        raise ValueError(f"threshold must be 0 or above, got {threshold}")
    try:
        as_float = float(threshold)
    except OverflowError:
        return math.inf
    return int(threshold) if math.isfinite(as_float) and threshold == int(threshold) else as_float


def _mask(mask, csr):
    if not hasattr(mask, "tocsr"):
        return operations.as_entry_mask(build.as_array(mask, "mask", None), csr)
    record = _record_of(mask if isinstance(mask, SparseArray) else csr_array(mask))
    same_device(csr.data, record.data)
    if record.shape != csr.shape:
        raise ValueError(f"mask must have the shape of the matrix, {csr.shape}, got {record.shape}")
    return record
