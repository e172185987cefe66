"""Matrices put together of others.

Design: the blocks of all constructors become bands (`_operations.compose.stack`), so each entry is copied once, whatever it
stands beside. Blocks that are all stored by columns are put together by columns: then what lies above each other is what lies
beside each other by rows.
"""

import itertools

import numpy as np

from spark_csr._array import namespace_of, same_device
from spark_csr._construct._operands import are_all_by_column, is_matrix, read_matrix, wrap
from spark_csr._matrix.base import issparse
from spark_csr._operations.compose.stack import dense_diagonal, stack
from spark_csr._operations.form import build, convert, dtypes
from spark_csr._operations.form.canonical import sum_before_cast


def hstack(blocks, format=None, dtype=None):
    """Matrices beside each other.

    Parameters
    ----------
    blocks : sequence of sparse or dense matrices
        On one device, with equally many rows. A vector counts as one row.
    format : str, optional
        As `csr_array.asformat` takes it; default: "csc" where all blocks are in that format, else "csr".
    dtype : dtype, optional
        Default: `numpy.result_type` of the blocks.

    Returns
    -------
    csr_array or csc_array
        All that the blocks store, zeros among it.

    Raises
    ------
    ValueError
        If there are no blocks, their shapes do not fit (the first that does not is named), or the format is unknown.
    TypeError
        For mixed devices and unsupported dtypes.
    MemoryError
        If there is no room for the result: named with its size.

    Notes
    -----
    *Cost*: one read of the blocks, one write of the result, and one number per entry in between. Same bits every run. *Order*:
    in each row as in the blocks. *Empty input*: blocks without rows, columns or entries are legal.

    Examples
    --------
    >>> from spark_csr import csr_array, hstack
    >>> hstack([csr_array([[1, 2], [3, 4]]), [[5], [6]]]).toarray()
    array([[1, 2, 5],
           [3, 4, 6]])
    """
    return _build_blocks([_list_blocks(blocks)], format, dtype)


def vstack(blocks, format=None, dtype=None):
    """Matrices above each other, with equally many columns; otherwise as `hstack`.

    *Cost*: one read of the blocks, one write of the result.

    Examples
    --------
    >>> from spark_csr import csr_array, vstack
    >>> vstack([csr_array([[1, 2], [3, 4]]), [[5, 6]]]).toarray()
    array([[1, 2],
           [3, 4],
           [5, 6]])
    """
    return _build_blocks([[block] for block in _list_blocks(blocks)], format, dtype)


def block_array(blocks, *, format=None, dtype=None):
    """A matrix of rows of blocks.

    Parameters
    ----------
    blocks : sequence of sequences of sparse or dense matrices
        As many in each row; None stands for a block without entries, whose size the others in its row and column say, or else
        is 0.
    format, dtype
        As in `hstack`.

    Returns
    -------
    csr_array or csc_array

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `hstack`; ValueError also for rows of different length.

    Notes
    -----
    As `hstack`; a row of blocks with one matrix in it needs nothing in between.

    Examples
    --------
    >>> from spark_csr import block_array, csr_array
    >>> A, B = csr_array([[1, 2], [3, 4]]), csr_array([[5]])
    >>> block_array([[A, None], [None, B]]).toarray()
    array([[1, 2, 0],
           [3, 4, 0],
           [0, 0, 5]])
    """
    rows = [_list_blocks(row) for row in _list_blocks(blocks)]
    return _build_blocks(rows, format, dtype)


def block_diag(mats, format=None, dtype=None):
    """Matrices along the diagonal.

    Parameters
    ----------
    mats : sequence of sparse or dense matrices or numbers
        On one device. A vector counts as one row, a number as a matrix of one position.
    format, dtype
        As in `hstack`.

    Returns
    -------
    csr_array or csc_array
        Zeros of dense blocks are not stored.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `hstack`.

    Notes
    -----
    *Cost*: one read of the blocks, one write of the result. *Empty input*: blocks without rows, columns or entries are legal.

    Examples
    --------
    >>> from spark_csr import block_diag, csr_array
    >>> block_diag([csr_array([[1, 2]]), 3]).toarray()
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    mats = _list_blocks(mats)
    flipped = are_all_by_column(mats)
    records = [csr for sparse, blocks in itertools.groupby(mats, issparse) for csr in _records(sparse, blocks, flipped)]
    *starts, columns = itertools.accumulate((csr.shape[1] for csr in records), initial=0)
    bands = [(csr.shape[0], [(start, csr)]) for start, csr in zip(starts, records, strict=True)]
    return _build(bands, columns, format, dtype, flipped)


def _records(sparse, blocks, flipped):
    """The records of blocks on the diagonal: one of all dense ones that follow each other."""
    if sparse:
        return [read_matrix(block, flipped)[0] for block in blocks]
    dense = [build.as_dense(block if is_matrix(block) else [[block]]) for block in blocks]
    return [dense_diagonal([x if x.ndim == 2 else x[None] for x in dense])]


def _list_blocks(blocks):
    """Return a list of blocks; raise ValueError if there are none, or if it is no sequence of blocks."""
    if not isinstance(blocks, (list, tuple)) and getattr(blocks, "dtype", None) != object:
        raise ValueError(f"blocks must be a list of matrices (of block_array: of lists of them), got {type(blocks).__name__}")
    if not len(blocks):
        raise ValueError("blocks must hold a matrix, got none")
    return list(blocks)


def _build_blocks(rows, format, dtype):
    """Return the matrix of rows of blocks."""
    if len(set(map(len, rows))) > 1:
        raise ValueError(f"rows of blocks must be equally long, got {', '.join(str(len(row)) for row in rows)} blocks")
    for block in (block for row in rows for block in row):
        if block is not None and not is_matrix(block):
            raise ValueError(f"blocks must be matrices or None, got {block!r}: a number has no shape")
    flipped = are_all_by_column([block for row in rows for block in row])
    grid = [[None if block is None else read_matrix(block, flipped)[0] for block in row] for row in rows]
    heights, widths = _find_sizes(grid, flipped)
    if flipped:
        grid, heights, widths = list(zip(*grid, strict=True)), widths, heights
    *starts, columns = itertools.accumulate(widths, initial=0)
    bands = [
        (height, [(start, csr) for start, csr in zip(starts, row, strict=True) if csr is not None])
        for height, row in zip(heights, grid, strict=True)
    ]
    return _build(bands, columns, format, dtype, flipped)


def _find_sizes(grid, flipped):
    """Return the heights of the rows of blocks and the widths of the columns of blocks, each from the first block there."""
    said = [None] * len(grid), [None] * len(grid[0])
    for i, row in enumerate(grid):
        for j, csr in enumerate(row):
            if csr is None:
                continue
            shape = csr.shape[::-1] if flipped else csr.shape
            for sizes, at, size, noun in zip(said, (i, j), shape, ("rows", "columns"), strict=True):
                sizes[at] = size if sizes[at] is None else sizes[at]
                if size != sizes[at]:
                    needed = f"{sizes[at]} {noun} are needed"
                    raise ValueError(f"blocks have incompatible sizes: block ({i}, {j}) has shape {shape}, {needed}")
    return [[size or 0 for size in sizes] for sizes in said]


def _build(bands, columns, format, dtype, flipped):
    """Return the matrix around what the bands make."""
    arrays = [csr.data for _, blocks in bands for _, csr in blocks]
    dtype = None if dtype is None else dtypes.check_dtype(dtype)
    if not arrays:
        csr = convert.empty((sum(height for height, _ in bands), columns), dtype or np.dtype(np.float64), np)
    else:
        same_device(*arrays)
        dtype = dtype or np.result_type(*(x.dtype for x in arrays))
        bands = [(height, [(start, sum_before_cast(csr, dtype)) for start, csr in blocks]) for height, blocks in bands]
        csr = stack(bands, columns, dtype, namespace_of(*arrays))
    return wrap(csr, format, by_column=flipped)
