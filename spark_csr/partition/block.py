"""`Block`: rows of a matrix whose columns are numbered anew, as those that these rows need.

Design: the vector that a matrix multiplies is cut into chunks. A block takes from each chunk the elements that it needs, in
the order of the columns, so a local number grows with the column and rows keep the order of their entries. If it needs more
than half of a chunk it takes the whole chunk: nothing has to be picked out then, and the chunk that lies beside the block is
used where it is. PETSc's `MPIAIJ` and Trilinos' column maps renumber columns too. Cost: a whole chunk brings columns without
entries.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spark_csr._array import as_operand, device_of, index_dtype, namespace_of, to_host_list
from spark_csr._engine import njit
from spark_csr._matrix.base import SparseArray, rows_of
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.record import Csr
from spark_csr.partition.balance import as_offsets
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike

WHOLE = 0.5
"""From which share of a chunk on the whole chunk is sent. Poisson and R-MAT, two workers of one machine, 2026-11."""

SPARSE = 8
"""For more columns than this for each entry, the needed columns are sorted; else they are flagged. Not tuned."""


class Outline(NamedTuple):
    """The sizes of a block, and how many elements it takes from which chunks: a few numbers in place of its arrays.

    Parameters
    ----------
    rows : tuple of two ints
        The first row of the block, and the row after its last.
    nnz : int
        The number of its entries.
    nbytes : int
        The bytes of its arrays.
    sources : tuple of ints
        The numbers of the chunks from which the block takes elements, in ascending order.
    counts : tuple of ints
        How many elements it takes from each of these chunks.
    whole : tuple of bools
        For each of these chunks, whether it takes the whole chunk.

    Examples
    --------
    >>> from spark_csr import gallery, partition
    >>> partition.split(gallery.poisson((8,)), [0, 4, 8])[0].outline()
    Outline(rows=(0, 4), nnz=11, nbytes=172, sources=(0, 1), counts=(4, 1), whole=(True, False))
    """

    rows: tuple[int, int]
    nnz: int
    nbytes: int
    sources: tuple[int, ...]
    counts: tuple[int, ...]
    whole: tuple[bool, ...]


class Block:
    """Rows of a matrix, with the columns that they need.

    `make_block` and `split` make blocks. A block knows what it takes from which chunk of the vector. It knows nothing of other
    blocks. A block can be pickled; with protocol 5, its arrays are not copied.

    Parameters
    ----------
    matrix : csr_array
        The rows. Column `k` of this matrix stands for column `columns[k]` of the whole matrix.
    columns : 1-D array of int
        The columns of the whole matrix for which the block takes elements of a vector, in ascending order, on the device of
        `matrix`.
    offsets : array_like of int
        The boundaries of the chunks of the vector: chunk `j` holds the elements `offsets[j]:offsets[j + 1]`.
    rows : tuple of two ints
        The first row of the block in the whole matrix, and the row after its last.

    Attributes
    ----------
    sources : tuple of ints
        The chunks that the block takes elements of, in ascending order.
    cuts : tuple of ints
        The elements from chunk `sources[k]` belong to the columns `cuts[k]:cuts[k + 1]` of `matrix`.

    Raises
    ------
    ValueError
        If the numbers of columns or of rows differ from those of `matrix`, or if `offsets` decrease or do not begin at 0.

    Examples
    --------
    >>> from spark_csr import gallery, partition
    >>> block = partition.split(gallery.poisson((8,)), [0, 4, 8])[1]
    >>> block
    <Block of rows 4:8, 11 entries, 5 of 8 columns, from chunks 0 (1 element) and 1 (whole)>
    >>> block.columns
    array([3, 4, 5, 6, 7], dtype=int32)
    >>> block.matrix.toarray()
    array([[-1.,  2., -1.,  0.,  0.],
           [ 0., -1.,  2., -1.,  0.],
           [ 0.,  0., -1.,  2., -1.],
           [ 0.,  0.,  0., -1.,  2.]])
    >>> block.wanted(0), block.size_of(1), block.outline().counts
    (array([3], dtype=int32), 4, (1, 4))
    """

    __slots__ = ("columns", "cuts", "matrix", "offsets", "rows", "sources")

    matrix: csr_array
    columns: Array
    offsets: Array
    rows: tuple[int, int]
    sources: tuple[int, ...]
    cuts: tuple[int, ...]

    def __init__(self, matrix: csr_array, columns: Array, offsets: ArrayLike, rows: tuple[int, int]) -> None:
        self.matrix, self.columns, self.rows = matrix, columns, (int(rows[0]), int(rows[1]))
        self.offsets = as_offsets("offsets", offsets)
        if matrix.shape != (self.rows[1] - self.rows[0], columns.size):
            raise ValueError(
                f"matrix must have a row for each of rows {self.rows[0]}:{self.rows[1]} and a column for each of the "
                f"{columns.size} columns, got shape {matrix.shape}"
            )
        cuts = to_host_list(namespace_of(columns).searchsorted(columns, _like(columns, self.offsets)))
        self.sources = tuple(j for j in range(len(cuts) - 1) if cuts[j] < cuts[j + 1])
        self.cuts = (0, *(cuts[j + 1] for j in self.sources))

    def __reduce__(self) -> tuple[Any, ...]:
        return Block, (self.matrix, self.columns, self.offsets, self.rows)

    @property
    def device(self) -> str:
        """The device of the arrays: "cpu", or "cuda:0" with the number of the GPU."""
        return device_of(self.columns)

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return self.matrix.nnz

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays of the matrix and of `columns`."""
        return int(self.matrix.nbytes + self.columns.nbytes)

    @property
    def _holder(self):
        return self.columns

    def size_of(self, source: int) -> int:
        """Return how many elements a chunk has.

        Parameters
        ----------
        source : int
            The number of the chunk.

        Returns
        -------
        int
            The difference of its boundaries.
        """
        return int(self.offsets[source + 1] - self.offsets[source])

    def wanted(self, source: int) -> Array | None:
        """Return which elements of a chunk the block takes.

        Parameters
        ----------
        source : int
            The number of the chunk, one of `sources`.

        Returns
        -------
        1-D array of int32 (int64 for chunks of 2**31 elements and more), or None
            The positions of the elements in the chunk, ascending and distinct; None if the block takes the whole chunk.

        Raises
        ------
        ValueError
            If the block takes nothing from that chunk.

        Notes
        -----
        *Cost*: one pass over the elements that are taken, at each call; nothing for a whole chunk.
        """
        if source not in self.sources:
            raise ValueError(f"rows {self.rows[0]}:{self.rows[1]} take nothing of chunk {source}: use one of {self.sources}")
        k = self.sources.index(source)
        start, stop = self.cuts[k], self.cuts[k + 1]
        size = self.size_of(source)
        if stop - start == size:
            return None
        return (self.columns[start:stop] - int(self.offsets[source])).astype(index_dtype(size))

    def outline(self) -> Outline:
        """Return the sizes of the block, and how many elements it takes from which chunks.

        Returns
        -------
        Outline
            A few numbers, from which `halo_plan` makes the plan of all blocks.
        """
        counts = tuple(stop - start for start, stop in itertools.pairwise(self.cuts))
        whole = tuple(count == self.size_of(j) for j, count in zip(self.sources, counts, strict=True))
        return Outline(self.rows, self.nnz, self.nbytes, self.sources, counts, whole)

    def __repr__(self) -> str:
        outline = self.outline()
        parts = [
            f"{j} ({'whole' if whole else f'{count} element' + 's' * (count != 1)})"
            for j, count, whole in zip(outline.sources, outline.counts, outline.whole, strict=True)
        ]
        shown = parts if len(parts) < 5 else [*parts[:3], f"{len(parts) - 3} more"]
        chunks = " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]])) or "none"
        return (
            f"<Block of rows {self.rows[0]}:{self.rows[1]}, {self.nnz} entries, {self.columns.size} of {self.offsets[-1]} "
            f"columns, from chunks {chunks}>"
        )


def _like(x, offsets):
    """Return offsets in an array beside `x`, in its dtype if they fit."""
    return namespace_of(x).asarray(offsets.astype(np.result_type(x.dtype, index_dtype(int(offsets[-1])))))


def make_block(
    rows: MatrixLike, offsets: ArrayLike, first_row: int = 0, *, own: int | None = None, whole: float = WHOLE
) -> Block:
    """Make a block of some rows of a matrix.

    See the example of `spark_csr.partition`.

    Parameters
    ----------
    rows : (m, n) sparse matrix
        The rows, with the columns of the whole matrix. It is not changed.
    offsets : (chunks + 1,) array_like of int
        The boundaries of the chunks of the vector that the matrix multiplies, from 0 to n.
    first_row : int, default 0
        The number of the first of these rows in the whole matrix.
    own : int, optional
        The number of the chunk that lies beside the block, in the same process. The block takes the whole of this chunk.
    whole : float, default 0.5
        If the rows need more than this part of the elements of a chunk, the block takes the whole chunk.

    Returns
    -------
    Block
        The rows, with columns that are numbered anew, on the device of `rows`. The values are shared with `rows`.

    Raises
    ------
    ValueError
        If `offsets` decrease, or do not begin at 0 and end at the number of columns, or if there is no chunk `own`.
    TypeError
        If `rows` is no sparse matrix.

    Notes
    -----
    *Cost*: two passes over the indices, and two passes over arrays with a byte and an index for each column of the whole
    matrix. If the matrix has more than 8 columns for each entry of the rows, one sort of the indices and one bisection for each
    index instead. *Order*: entries keep their order, and duplicates are kept. *Empty input*: rows without entries take nothing
    but the chunk `own`.
    """
    if not isinstance(rows, SparseArray) and not hasattr(rows, "tocsr"):
        raise TypeError(f"rows must be a sparse matrix, got {type(rows).__name__}: use csr_array(...)")
    csr = rows_of(rows)
    bounds = as_offsets("offsets", offsets, csr.shape[1])
    if own is not None and not 0 <= own < bounds.size - 1:
        raise ValueError(f"own must be one of the {bounds.size - 1} chunks, got {own}")
    columns, local = _renumber(csr, bounds, own, whole)
    indptr = csr.indptr.astype(index_dtype(max(local.size, columns.size)))
    matrix = csr_array._of(Csr(indptr, local, csr.share().data, (csr.shape[0], columns.size)))
    return Block(matrix, columns, bounds, (first_row, first_row + csr.shape[0]))


def _renumber(csr, offsets, own, whole):
    """Return the columns to take, in ascending order, and the local number of the column of every entry."""
    xp, indices, width = csr.xp, csr.indices, csr.shape[1]
    is_sparse = width > SPARSE * indices.size
    needed = xp.unique(indices) if is_sparse else xp.flatnonzero(flag_columns(csr, width))
    columns = complete_chunks(needed, offsets, own, whole).astype(indices.dtype, copy=False)
    dtype = index_dtype(columns.size)
    if is_sparse:
        return columns, xp.searchsorted(columns, indices).astype(dtype, copy=False)
    number = xp.empty(width, dtype)
    number[columns] = xp.arange(columns.size, dtype=dtype)
    return columns, gather(number, as_operand(indices))


def flag_columns(csr, width):
    """Return for each of `width` columns whether it has an entry."""
    flags = csr.xp.zeros(width, bool)
    for_each(csr.indices.size, _mark, as_operand(csr.indices), flags.view(np.uint8))
    return flags


def complete_chunks(needed, offsets, own, whole):
    """Return the columns to take, in ascending order: those that are needed, and all of chunks that are taken whole."""
    xp = namespace_of(needed)
    at = to_host_list(xp.searchsorted(needed, _like(needed, offsets)))
    complete = [j for j in range(len(at) - 1) if j == own or at[j + 1] - at[j] > whole * (offsets[j + 1] - offsets[j])]
    parts, done = [], 0
    for j in complete:
        parts += [needed[done : at[j]], xp.arange(int(offsets[j]), int(offsets[j + 1]), dtype=needed.dtype)]
        done = at[j + 1]
    return xp.concatenate([*parts, needed[done:]])


@njit
def _mark(i, indices, flags):
    """Flag the column of an entry. Threads that flag one column store the same value."""
    flags[indices[i]] = np.uint8(1)


def split(A: MatrixLike, offsets: ArrayLike, column_offsets: ArrayLike | None = None, *, whole: float = WHOLE) -> list[Block]:
    """Split a matrix into blocks of rows.

    Parameters, result and exceptions that are not listed are those of `make_block`.

    Parameters
    ----------
    A : (m, n) sparse matrix
        The matrix. It is not changed.
    offsets : (blocks + 1,) array_like of int
        Block `i` has the rows `offsets[i]:offsets[i + 1]`, as `balanced_offsets` chooses them.
    column_offsets : (chunks + 1,) array_like of int, optional
        The boundaries of the chunks of the vector that the matrix multiplies. By default those of the rows, and chunk `i` lies
        beside block `i`, which takes it whole. The matrix must be square then.

    Returns
    -------
    list of Block
        The blocks, in the order of the rows, on the device of the matrix.

    Notes
    -----
    *Cost*: a copy of the rows, and that of `make_block` for each block. *Empty input*: blocks without rows are allowed.

    Examples
    --------
    >>> from spark_csr import gallery, partition
    >>> A = gallery.poisson((8,))
    >>> partition.split(A, partition.balanced_offsets(A.indptr, 2))
    [<Block of rows 0:4, 11 entries, 5 of 8 columns, from chunks 0 (whole) and 1 (1 element)>, \
<Block of rows 4:8, 11 entries, 5 of 8 columns, from chunks 0 (1 element) and 1 (whole)>]
    """
    if not isinstance(A, SparseArray) and not hasattr(A, "tocsr"):
        raise TypeError(f"A must be a sparse matrix, got {type(A).__name__}: use csr_array(...)")
    matrix = csr_array(A)
    bounds = as_offsets("offsets", offsets, matrix.shape[0])
    if column_offsets is None and matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of shape {matrix.shape} is not square: give column_offsets, the chunks of the vector")
    chunks: Any = bounds if column_offsets is None else as_offsets("column_offsets", column_offsets, matrix.shape[1])
    cuts: Sequence[int] = bounds.tolist()
    return [
        make_block(matrix[a:b], chunks, a, own=i if column_offsets is None else None, whole=whole)
        for i, (a, b) in enumerate(itertools.pairwise(cuts))
    ]
