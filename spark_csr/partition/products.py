"""Products of blocks: what one worker does in each step of a product, and all steps in one process.

An engine calls `pack` where a chunk is, sends what it returns, and calls `multiply` where a block is; or it calls
`multiply_transposed` there, sends the parts back, and calls `add_parts` where a chunk is. Nothing here writes into its
arguments.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spark_csr._array import is_array, namespace_of
from spark_csr._construct.stack import vstack
from spark_csr._matrix.csr import csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._ops import SemiringLike
    from spark_csr._types import Array
    from spark_csr.partition.block import Block


@overload
def pack(chunk: Array, wanted: Array | None) -> Array: ...
@overload
def pack(chunk: csr_array, wanted: Array | None) -> csr_array: ...
def pack(chunk: Any, wanted: Array | None) -> Any:
    """Pick what a block takes from one chunk.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    chunk : (n,) or (n, k) array, or csr_array of n rows
        Elements of a vector, or rows of a matrix.
    wanted : 1-D array of int or None
        What `Block.wanted` returns.

    Returns
    -------
    array or csr_array
        The elements or rows; `chunk` itself if `wanted` is None.
    """
    return chunk if wanted is None else chunk[wanted]


def gather(block: Block, chunks: Sequence[Array | csr_array]) -> list[Any]:
    """Pick what a block takes from all chunks.

    Parameters, result and exceptions that are not listed are those of `multiply`. ValueError is raised if the number of chunks
    or the length of one of them does not fit `block.offsets`. See the example of `spark_csr.partition`.

    Parameters
    ----------
    chunks : sequence of arrays or csr_arrays
        All chunks of a vector, of a matrix of several columns, or of the rows of a sparse matrix.

    Returns
    -------
    list of arrays or csr_arrays
        What the block takes from each chunk of `block.sources`; one empty part if it takes nothing.
    """
    if len(chunks) != block.offsets.size - 1:
        raise ValueError(f"the vector must be in {block.offsets.size - 1} chunks, got {len(chunks)}")
    for j in block.sources:
        if chunks[j].shape[0] != block.size_of(j):
            raise ValueError(f"chunk {j} must have length {block.size_of(j)}, got shape {chunks[j].shape}")
    return [pack(chunks[j], block.wanted(j)) for j in block.sources] or [chunks[0][:0]]


def multiply(
    block: Block, parts: Sequence[Any], *, semiring: SemiringLike = "plus_times", mask: MatrixLike | None = None
) -> Any:
    """Multiply a block with the parts of a vector or a matrix that it takes.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    block : Block
        The block.
    parts : sequence of arrays or csr_arrays
        What the block takes from each chunk of `block.sources`, as `gather` returns it. For a block that takes nothing, give
        one empty part, such as `chunks[0][:0]`: the product has its dtype and number of columns.
    semiring : str or Semiring, default "plus_times"
        The operators that add and multiply: see `csr_array.matmul`.
    mask : sparse matrix, optional
        For sparse parts. It has the rows of the block; the product is computed only at positions where it has entries.

    Returns
    -------
    (m,) or (m, k) array or csr_array
        The rows of the product that belong to the rows of the block.

    Raises
    ------
    ValueError
        If the parts do not fit the block, or if there are none.

    Notes
    -----
    *Cost*: one product of the matrix of the block. Several parts are copied into one array first. *Order*: the bits depend only
    on the rows of the block.
    """
    if not parts:
        raise ValueError(
            f"rows {block.rows[0]}:{block.rows[1]} take nothing of any chunk: give an empty part, as chunks[0][:0], so that "
            f"the dtype and the number of columns of the product are known"
        )
    operand = parts[0] if len(parts) == 1 else _join(parts)
    _refuse_stacks(operand)
    if operand.shape[0] != block.columns.size:
        raise ValueError(f"the parts must have {block.columns.size} elements or rows together, got {operand.shape[0]}")
    return block.matrix.matmul(operand, semiring=semiring, mask=mask)


def _refuse_stacks(x):
    """Raise ValueError for an operand of more than two axes: chunks are cut along the first axis, which `@` leaves as it is."""
    if np.ndim(x) > 2:
        raise ValueError(
            f"a block is multiplied by vectors and matrices, got shape {x.shape}: give one matrix of a stack at a time"
        )


def _join(parts):
    if is_array(parts[0]):
        return namespace_of(*parts).concatenate(parts)
    return vstack(parts, format="csr")


def multiply_transposed(block: Block, x: Array) -> list[Array]:
    """Multiply the transpose of a block with the part of a vector that belongs to its rows.

    Parameters, result and exceptions that are not listed are those of `multiply`. *Cost*: one product of the matrix of the
    block; the returned arrays are slices of one array. See the example of `spark_csr.partition`.

    Parameters
    ----------
    x : (m,) or (m, k) array
        An element, or a row of a matrix, for each row of the block.

    Returns
    -------
    list of arrays
        What the block contributes to each chunk of `block.sources`: sums for the elements `block.wanted(source)`.
    """
    _refuse_stacks(x)
    sums = block.matrix.T @ x
    return [sums[start:stop] for start, stop in itertools.pairwise(block.cuts)]


def add_parts(size: int, parts: Sequence[Array], wanted: Sequence[Array | None], like: Array) -> Array:
    """Add what blocks contribute to one chunk of a transposed product, in the order of the blocks.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    size : int
        The number of elements of the chunk.
    parts : sequence of arrays
        What each block contributes, in the order of the blocks.
    wanted : sequence of arrays or None
        For which elements: what `Block.wanted` returns.
    like : array
        If no block contributes to the chunk, the result has the dtype, the device and the number of columns of this array:
        give any part, or `x`.

    Returns
    -------
    (size,) or (size, k) array
        The sums.

    Raises
    ------
    ValueError
        If a part does not fit what is wanted.

    Notes
    -----
    *Cost*: one pass over the parts and the result. *Order*: the bits depend on the blocks and their order, and neither on the
    number of workers nor on which part arrived first. *Empty input*: zeros.
    """
    dtype = np.result_type(*(part.dtype for part in parts)) if parts else like.dtype
    total = namespace_of(like).zeros((size, *like.shape[1:]), dtype)
    for part, numbers in zip(parts, wanted, strict=True):
        if part.shape[0] != (size if numbers is None else numbers.size):
            raise ValueError(f"a part of {part.shape[0]} elements was given for {size if numbers is None else numbers.size}")
        if numbers is None:
            total += part
        else:
            total[numbers] += part  # they are distinct
    return total


def matmul(blocks: Sequence[Block], chunks: Sequence[Any], *, semiring: SemiringLike = "plus_times") -> list[Any]:
    """Compute the product of all blocks in this process, block by block. Compare the results of other programs with it.

    Parameters, result and exceptions that are not listed are those of `multiply`. MPI and Dask compute the same bits with the
    same blocks, on any number of processes. See the example of `spark_csr.partition`.

    Parameters
    ----------
    blocks : sequence of Block
        All blocks of a matrix A.
    chunks : sequence of arrays or csr_arrays
        The chunks of a vector x, of a dense matrix X, or the blocks of rows of a sparse matrix B, as `csr_array`.

    Returns
    -------
    list of arrays or csr_arrays
        For each block, its rows of `A @ x`, `A @ X` or `A @ B`.
    """
    return [multiply(block, gather(block, chunks), semiring=semiring) for block in blocks]


def rmatmul(blocks: Sequence[Block], chunks: Sequence[Array]) -> list[Array]:
    """Compute the product of the transpose in this process, from all blocks. Compare the results of other programs with it.

    Parameters, result and exceptions that are not listed are those of `multiply`. Contributions are added in the order of the
    blocks. MPI and Dask compute the same bits with the same blocks, on any number of processes. See the example of
    `spark_csr.partition`.

    Parameters
    ----------
    blocks : sequence of Block
        All blocks of a matrix A.
    chunks : sequence of arrays
        The elements of a vector x, or the rows of a dense matrix X, that belong to the rows of each block.

    Returns
    -------
    list of arrays
        The chunks of `A.T @ x` or `A.T @ X`, cut where `Block.offsets` say.
    """
    contributions = [multiply_transposed(block, x) for block, x in zip(blocks, chunks, strict=True)]
    sums = []
    for j in range(blocks[0].offsets.size - 1):
        coming = [(i, block.sources.index(j)) for i, block in enumerate(blocks) if j in block.sources]
        parts = [contributions[i][k] for i, k in coming]
        like = parts[0] if parts else (blocks[0].matrix.T @ chunks[0])[:0]
        sums.append(add_parts(blocks[0].size_of(j), parts, [blocks[i].wanted(j) for i, _ in coming], like))
    return sums
