"""Matrices without their small entries, and without their empty rows or columns."""

import math
import numbers
import operator

from spark_csr._array import same_device
from spark_csr._matrix.base import SparseArray, rows_of
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import build
from spark_csr._operations.select import prune as operations


def prune(A, threshold=None, *, topk=None, mask=None, keep_diagonal=False):
    """A new matrix without small entries, or with the largest ones of every row.

    Parameters
    ----------
    A : csr_array or csc_array
    threshold : float, optional
        Keep entries with `abs(a) > threshold`, compared in the dtype of the magnitudes as NumPy does with Python numbers, and
        NaN. Default: 0 where no other condition is given, else no condition.
    topk : int, optional
        Keep the `topk` entries of the largest magnitude of every row, of equal ones those of lower columns; NaN count as
        the largest.
    mask : (nnz,) bool array or sparse matrix of the shape of `A`, optional
        Keep the entries where it is true, or at whose position it stores an entry (of any value). Those of an array are in the
        order of `A.tocsr()`.
    keep_diagonal : bool
        Keep entries on the diagonal whatever their value.

    Returns
    -------
    csr_array
        Of the dtype and shape of `A`; entries meet all conditions given, and are in their old order. `A` is not changed.

    Raises
    ------
    ValueError
        If `threshold` is negative or NaN, `topk` is negative, or `mask` has another length or shape.
    TypeError
        If `A` is not a matrix of this package, `threshold` is not a real number, `topk` is not an integer, `mask` is not
        bool, or for mixed devices.

    Notes
    -----
    *Cost*: for a threshold alone, two reads of the data and one of the indices, and one write of what is kept; five launches
    on a GPU and one host read. Other conditions are noted first, in a byte for each entry: `topk` costs a
    `segmented_topk`, a sparse mask a binary search for each entry. *Order*: kept (stable), same result every run.
    *Entries of one position* are judged one by one: use `A.sum_duplicates()` first to judge their sums. *Empty input*: empty.

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
        topk = operator.index(topk)
        if topk < 0:
            raise ValueError(f"topk must be 0 or above, got {topk}")
    if mask is not None:
        mask = _mask(mask, csr)
    return csr_array._of(operations.prune(csr, threshold, topk, mask, bool(keep_diagonal)))


def drop_empty_rows(A):
    """The matrix without the rows that store nothing, and which rows are left.

    Parameters
    ----------
    A : csr_array or csc_array

    Returns
    -------
    B : csr_array
        With arrays of its own.
    kept : (B.shape[0],) array of int32 (int64 for 2**31 rows and more)
        Row `i` of `B` is row `kept[i]` of `A`.

    Raises
    ------
    TypeError
        If `A` is not a matrix of this package.

    Notes
    -----
    *Cost*: two passes over `indptr` and a copy of the rest; one host read. Rows of explicit zeros are not empty: use
    `prune(A)` first. *Order*: kept. *Empty input*: legal.

    Examples
    --------
    >>> from spark_csr import csr_array, drop_empty_rows
    >>> B, kept = drop_empty_rows(csr_array([[0, 1], [0, 0], [2, 0]]))
    >>> B.toarray(), kept
    (array([[0, 1],
           [2, 0]]), array([0, 2], dtype=int32))
    """
    dropped, kept = operations.drop_empty(_record_of(A), 0)
    return csr_array._of(dropped), kept


def drop_empty_columns(A):
    """The matrix without the columns that store nothing, and which columns are left.

    Parameters and errors as of `drop_empty_rows`.

    Returns
    -------
    B : csr_array
        With arrays of its own.
    kept : (B.shape[1],) array of int32 (int64 for 2**31 columns and more)
        Column `j` of `B` is column `kept[j]` of `A`.

    Notes
    -----
    *Cost*: two passes over the indices, a scan of a flag for each column, and a copy of the rest; one host read. Columns of
    explicit zeros are not empty. *Order*: kept. *Empty input*: legal.

    Examples
    --------
    >>> from spark_csr import csr_array, drop_empty_columns
    >>> B, kept = drop_empty_columns(csr_array([[0, 0, 1], [2, 0, 0]]))
    >>> B.toarray(), kept
    (array([[0, 1],
           [2, 0]]), array([0, 2], dtype=int32))
    """
    dropped, kept = operations.drop_empty(_record_of(A), 1)
    return csr_array._of(dropped), kept


def _record_of(A):
    if not isinstance(A, SparseArray):
        raise TypeError(f"a csr_array is needed, got {type(A).__name__}: use csr_array(A)")
    return rows_of(A)


def _threshold(threshold):
    """An int where it is one, so that wide integers compare exactly; infinity for what no dtype reaches."""
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
