"""Assemble matrices from blocks.

Design: the blocks of all constructors become bands (`_operations.compose.stack`), so each entry is copied once, whatever is
beside it. Blocks that are all stored by columns are joined by columns: there, blocks above each other take the part of blocks
beside each other.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr._array import namespace_of, same_device
from spark_csr._construct._operands import are_all_by_column, is_matrix, read_matrix, wrap
from spark_csr._matrix.base import issparse
from spark_csr._operations.compose.stack import dense_diagonal, stack
from spark_csr._operations.form import build, convert, dtypes
from spark_csr._operations.form.canonical import sum_before_cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike, DTypeLike, Number


@overload
def hstack(
    blocks: Sequence[MatrixLike | ArrayLike], format: None = ..., dtype: DTypeLike | None = ...
) -> csr_array | csc_array: ...
@overload
def hstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["csr"], dtype: DTypeLike | None = ...) -> csr_array: ...
@overload
def hstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["csc"], dtype: DTypeLike | None = ...) -> csc_array: ...
@overload
def hstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["coo"], dtype: DTypeLike | None = ...) -> coo_array: ...
@overload
def hstack(blocks: Sequence[MatrixLike | ArrayLike], format: str | None, dtype: DTypeLike | None = ...) -> Any: ...
def hstack(blocks: Sequence[MatrixLike | ArrayLike], format: str | None = None, dtype: DTypeLike | None = None) -> Any:
    """Stack matrices horizontally, beside each other.

    Parameters
    ----------
    blocks : sequence of sparse or dense matrices
        The matrices, on one device and with equally many rows. A vector counts as one row.
    format : str, optional
        A format as `csr_array.asformat` takes it. The default is "csc" if all blocks are in that format, else "csr".
    dtype : dtype, optional
        The dtype of the result. The default is `numpy.result_type` of the blocks.

    Returns
    -------
    csr_array or csc_array
        A matrix with all entries of the blocks, including those that are zero. Of `csr_matrix` and other old classes of SciPy
        only, the result is of such a class too.

    Raises
    ------
    ValueError
        If there are no blocks, their shapes do not fit (the message names the first block that does not), or the format is
        unknown.
    TypeError
        If devices are mixed, or a dtype is not supported.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    See Also
    --------
    vstack : Stack matrices vertically.
    block_array : Join rows of blocks.

    Notes
    -----
    *Cost*: The function reads the blocks once and writes the result once; scratch memory is one number for each entry. *Order*:
    Entries of a row are in the order of the blocks, and the result has the same bits in every run. *Empty input*: Blocks
    without rows, columns or entries are allowed.

    Examples
    --------
    >>> from spark_csr import csr_array, hstack, vstack
    >>> hstack([csr_array([[1, 2], [3, 4]]), [[5], [6]]]).toarray()
    array([[1, 2, 5],
           [3, 4, 6]])
    >>> vstack([csr_array([[1, 2]]), [[5, 6]]]).toarray()
    array([[1, 2],
           [5, 6]])
    """
    return _build_blocks([_list_blocks(blocks)], format, dtype)


@overload
def vstack(
    blocks: Sequence[MatrixLike | ArrayLike], format: None = ..., dtype: DTypeLike | None = ...
) -> csr_array | csc_array: ...
@overload
def vstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["csr"], dtype: DTypeLike | None = ...) -> csr_array: ...
@overload
def vstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["csc"], dtype: DTypeLike | None = ...) -> csc_array: ...
@overload
def vstack(blocks: Sequence[MatrixLike | ArrayLike], format: Literal["coo"], dtype: DTypeLike | None = ...) -> coo_array: ...
@overload
def vstack(blocks: Sequence[MatrixLike | ArrayLike], format: str | None, dtype: DTypeLike | None = ...) -> Any: ...
def vstack(blocks: Sequence[MatrixLike | ArrayLike], format: str | None = None, dtype: DTypeLike | None = None) -> Any:
    """Stack matrices vertically, above each other.

    Parameters, result and exceptions are those of `hstack`, but all blocks have equally many columns. *Cost*: the blocks are
    read once and the result is written once. *Order*: the entries of a row keep their order. See the example of `hstack`.
    """
    return _build_blocks([[block] for block in _list_blocks(blocks)], format, dtype)


@overload
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: None = ..., dtype: DTypeLike | None = ...
) -> csr_array | csc_array: ...
@overload
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: Literal["csr"], dtype: DTypeLike | None = ...
) -> csr_array: ...
@overload
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: Literal["csc"], dtype: DTypeLike | None = ...
) -> csc_array: ...
@overload
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: Literal["coo"], dtype: DTypeLike | None = ...
) -> coo_array: ...
@overload
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: str | None, dtype: DTypeLike | None = ...
) -> Any: ...
def block_array(
    blocks: Sequence[Sequence[MatrixLike | ArrayLike | None]], *, format: str | None = None, dtype: DTypeLike | None = None
) -> Any:
    """Join rows of blocks into one matrix.

    Parameters, result and exceptions that are not listed are those of `hstack`. Scratch memory is one number for each entry,
    and none for a row of blocks with one matrix in it.

    Parameters
    ----------
    blocks : sequence of sequences of sparse or dense matrices
        The rows of blocks, with equally many blocks in each row, all on one device. None is a block without entries; the other
        blocks in its row and column determine its size, which is 0 if there are none.

    Examples
    --------
    >>> from spark_csr import block_array, block_diag, csr_array
    >>> A, B = csr_array([[1, 2], [3, 4]]), csr_array([[5]])
    >>> block_array([[A, None], [None, B]]).toarray()
    array([[1, 2, 0],
           [3, 4, 0],
           [0, 0, 5]])
    >>> (block_diag([A, 5]) != block_array([[A, None], [None, B]])).nnz
    0
    """
    rows = [_list_blocks(row) for row in _list_blocks(blocks)]
    return _build_blocks(rows, format, dtype, keeps_old=False)


@overload
def block_diag(
    mats: Sequence[MatrixLike | ArrayLike | Number], format: Literal["coo"] | None = ..., dtype: DTypeLike | None = ...
) -> coo_array: ...
@overload
def block_diag(
    mats: Sequence[MatrixLike | ArrayLike | Number], format: Literal["csr"], dtype: DTypeLike | None = ...
) -> csr_array: ...
@overload
def block_diag(
    mats: Sequence[MatrixLike | ArrayLike | Number], format: Literal["csc"], dtype: DTypeLike | None = ...
) -> csc_array: ...
@overload
def block_diag(mats: Sequence[MatrixLike | ArrayLike | Number], format: str | None, dtype: DTypeLike | None = ...) -> Any: ...
def block_diag(
    mats: Sequence[MatrixLike | ArrayLike | Number], format: str | None = None, dtype: DTypeLike | None = None
) -> Any:
    """Join matrices along the diagonal.

    Parameters, result and exceptions that are not listed are those of `hstack`. Zeros of dense blocks are not stored. See the
    example of `block_array`.

    Parameters
    ----------
    mats : sequence of sparse or dense matrices or numbers
        The blocks on the diagonal, on one device. A vector counts as one row, and a number as a matrix of one position.
    format : str, optional
        As for `hstack`, but the default is "coo", as in SciPy.
    """
    mats = _list_blocks(mats)
    flipped = are_all_by_column(mats)
    records = [csr for sparse, blocks in itertools.groupby(mats, issparse) for csr in _records(sparse, blocks, flipped)]
    *starts, columns = itertools.accumulate((csr.shape[1] for csr in records), initial=0)
    bands = [(csr.shape[0], [(start, csr)]) for start, csr in zip(starts, records, strict=True)]
    return _build(bands, columns, format or "coo", dtype, flipped, mats)


def _records(sparse, blocks, flipped):
    """Return the records of blocks on the diagonal; dense blocks that follow each other give one record."""
    if sparse:
        return [read_matrix(block, flipped)[0] for block in blocks]
    dense = [build.as_dense(block if is_matrix(block) else [[block]]) for block in blocks]
    return [dense_diagonal([x if x.ndim == 2 else x[None] for x in dense])]


def _list_blocks(blocks):
    """Return a list of blocks; raise ValueError if there are none, or if `blocks` is not a sequence of blocks."""
    if not isinstance(blocks, (list, tuple)) and getattr(blocks, "dtype", None) != object:
        raise ValueError(f"blocks must be a list of matrices (for block_array, of such lists), got {type(blocks).__name__}")
    if not len(blocks):
        raise ValueError("blocks must hold at least one matrix, got an empty list")
    return list(blocks)


def _build_blocks(rows, format, dtype, keeps_old=True):
    """Return the matrix of rows of blocks, of an old class of SciPy if all are of such and `keeps_old`."""
    if len(set(map(len, rows))) > 1:
        raise ValueError(f"rows of blocks must be equally long, got {', '.join(str(len(row)) for row in rows)} blocks")
    blocks = [block for row in rows for block in row]
    for block in blocks:
        if block is not None and not is_matrix(block):
            raise ValueError(f"blocks must be matrices or None, got {block!r}: write a number as [[number]]")
    flipped = are_all_by_column(blocks)
    grid = [[None if block is None else read_matrix(block, flipped)[0] for block in row] for row in rows]
    heights, widths = _find_sizes(grid, flipped)
    if flipped:
        grid, heights, widths = list(zip(*grid, strict=True)), widths, heights
    *starts, columns = itertools.accumulate(widths, initial=0)
    bands = [
        (height, [(start, csr) for start, csr in zip(starts, row, strict=True) if csr is not None])
        for height, row in zip(heights, grid, strict=True)
    ]
    return _build(bands, columns, format, dtype, flipped, blocks if keeps_old else ())


def _find_sizes(grid, flipped):
    """Return the heights of the rows of blocks and the widths of the columns of blocks, each from its first block."""
    said = [None] * len(grid), [None] * len(grid[0])
    for i, row in enumerate(grid):
        for j, csr in enumerate(row):
            if csr is None:
                continue
            shape = csr.shape[::-1] if flipped else csr.shape
            for sizes, at, size, noun in zip(said, (i, j), shape, ("rows", "columns"), strict=True):
                sizes[at] = size if sizes[at] is None else sizes[at]
                if size != sizes[at]:
                    needed = f"but it needs {sizes[at]} {noun}"
                    raise ValueError(f"blocks have incompatible sizes: block ({i}, {j}) has shape {shape}, {needed}")
    return [[size or 0 for size in sizes] for sizes in said]


def _build(bands, columns, format, dtype, flipped, like):
    """Return the matrix made of the bands, see `wrap`."""
    arrays = [csr.data for _, blocks in bands for _, csr in blocks]
    dtype = None if dtype is None else dtypes.check_dtype(dtype)
    if not arrays:
        csr = convert.empty((sum(height for height, _ in bands), columns), dtype or np.dtype(np.float64), np)
    else:
        same_device(*arrays)
        dtype = dtype or np.result_type(*(x.dtype for x in arrays))
        bands = [(height, [(start, sum_before_cast(csr, dtype)) for start, csr in blocks]) for height, blocks in bands]
        csr = stack(bands, columns, dtype, namespace_of(*arrays))
    return wrap(csr, format, by_column=flipped, like=like)
