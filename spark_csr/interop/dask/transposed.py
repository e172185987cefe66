"""`TransposedBlocks`: the transpose of a matrix in blocks of rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import tokenize

from spark_csr._construct import hstack
from spark_csr._matrix.csr import csr_array
from spark_csr.interop.dask import halo, tasks
from spark_csr.interop.dask.graphs import make_graph

if TYPE_CHECKING:
    from spark_csr.interop.dask.blocks import csr_blocks


class TransposedBlocks:
    """The transpose of a matrix in blocks of rows: `A.T`. It uses the blocks of the matrix itself.

    Parameters
    ----------
    matrix : csr_blocks
        The matrix itself.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.dask import from_csr
    >>> A = from_csr(csr_array([[1, 2, 0], [0, 0, 3]]), blocks=2)
    >>> (A.T @ np.array([10, 1])).compute()
    array([10, 20,  3])
    """

    ndim = 2
    __array_ufunc__ = None

    def __init__(self, matrix: csr_blocks) -> None:
        self.T = matrix
        self.shape, self.chunks, self.dtype = matrix.shape[::-1], matrix.chunks[::-1], matrix.dtype

    def __matmul__(self, other: Any) -> Any:
        """Multiply with an array of Dask or NumPy of one or two axes; for other blocks, make the blocks of the transpose."""
        if isinstance(other, (type(self.T), TransposedBlocks)):
            return self.to_blocks() @ (other.to_blocks() if isinstance(other, TransposedBlocks) else other)
        return halo.multiply_transposed(self.T, other)

    def __rmatmul__(self, other: Any) -> Any:
        """Multiply an array of one or two axes with the transpose."""
        return other @ self.to_blocks() if isinstance(other, type(self.T)) else (self.T @ other.T).T

    def to_blocks(self) -> csr_blocks:
        """Make the transpose in blocks of its own rows.

        Returns
        -------
        csr_blocks
            The transpose. Its blocks have as many rows as the chunks `chunks[1]` of the matrix have elements.

        Notes
        -----
        *Cost*: every block is cut by columns, and all parts are sent. There is one task for each pair of a block and a chunk
        from which it takes elements.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> from spark_csr.interop.dask import from_csr
        >>> from_csr(csr_array([[1, 2, 0], [0, 0, 3]]), blocks=2).T.to_blocks().compute().toarray()
        array([[1, 0],
               [2, 0],
               [0, 3]])
        """
        matrix = self.T
        layer = "transpose-" + tokenize(matrix.name)
        piece, made = "piece-" + layer, {}
        square, columns = matrix._is_square(), matrix.offsets[1].tolist()
        coming: dict[int, list[Any]] = {j: [] for j in range(len(self.chunks[0]))}
        for i, (outline, block) in enumerate(zip(matrix.plan.outlines, matrix._blocks.keys, strict=True)):
            for j in outline.sources:
                call = partial(tasks.columns_of_block, start=columns[j], stop=columns[j + 1])
                made[piece, i, j] = (call, block)
                coming[j].append((i, (piece, i, j)))
        rows = matrix.offsets[0]
        for j, pieces in coming.items():
            shape = (self.chunks[0][j], self.shape[1])
            call = partial(
                _join_columns,
                at=[(int(rows[i]), int(rows[i + 1])) for i, _ in pieces],
                dtype=self.dtype,
                offsets=rows,
                first_row=columns[j],
                own=j if square else None,
                shape=shape,
            )
            made[layer, j] = (call, [key for _, key in pieces])
        graph = make_graph(layer, made, [matrix], matrix._homes, {layer: 1 if square else None, piece: 1})
        blocks = type(matrix._blocks)(graph, layer, [(layer, j) for j in coming])
        return type(matrix)(blocks, self.chunks, self.dtype, matrix._homes if square else None)

    def __repr__(self) -> str:
        return f"<transpose of {self.T!r}>"


@tasks.with_threads_of_worker
def _join_columns(pieces, at, dtype, offsets, first_row, own, shape):
    """Return the block of rows whose columns are in pieces, each with the columns at which it begins and ends."""
    found, done = [], 0
    for piece, (start, stop) in zip(pieces, at, strict=True):
        if done < start:
            found.append(csr_array((shape[0], start - done), dtype=dtype))
        found.append(piece)
        done = stop
    if done < shape[1] or not found:
        found.append(csr_array((shape[0], shape[1] - done), dtype=dtype))
    rows = found[0] if len(found) == 1 else hstack(found, format="csr")
    return tasks.make_block(rows, np.asarray(offsets), first_row, own, shape)
