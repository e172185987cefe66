"""`Description`: the sizes of blocks, and what a product sends."""

from __future__ import annotations

from typing import Any, NamedTuple


class Description(NamedTuple):
    """The sizes of the blocks of a matrix, and what a product with a vector sends.

    Parameters
    ----------
    shape : tuple of two ints
        The shape of the matrix.
    dtype : str
        The dtype of the values.
    rows : tuple of ints
        The number of rows of each block.
    nnz : tuple of ints
        The number of entries of each block.
    nbytes : tuple of ints
        The bytes of the arrays of each block.
    halo : tuple of ints
        For each block, the number of elements that it takes from chunks beside other blocks.
    messages : int
        The number of messages of a product.
    bytes_per_product : int
        The bytes of all messages of `A @ x`, and also of `A.T @ x`, if every block is on a worker of its own.
    tasks_per_product : int
        The number of tasks of `A @ x`.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_csr
    >>> from_csr(poisson((60, 60)), blocks=2).describe().halo
    (60, 60)
    """

    shape: tuple[int, int]
    dtype: str
    rows: tuple[int, ...]
    nnz: tuple[int, ...]
    nbytes: tuple[int, ...]
    halo: tuple[int, ...]
    messages: int
    bytes_per_product: int
    tasks_per_product: int

    @classmethod
    def of(cls, matrix: Any) -> Description:
        """Return the description of a matrix in blocks.

        Parameters
        ----------
        matrix : csr_blocks
            The matrix.

        Returns
        -------
        Description
            Its numbers.

        Examples
        --------
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.interop.dask import from_csr
        >>> type(from_csr(poisson((60, 60)), blocks=2).describe()).of(from_csr(poisson((9,)), blocks=3)).rows
        (3, 3, 3)
        """
        outlines, halo = matrix.plan.outlines, matrix.plan.halo
        return cls(
            matrix.shape,
            str(matrix.dtype),
            matrix.chunks[0],
            tuple(outline.nnz for outline in outlines),
            tuple(outline.nbytes for outline in outlines),
            tuple(halo.received()),
            len(halo.messages),
            halo.nbytes(matrix.dtype.itemsize),
            len(outlines) + len(matrix.plan.wanted),
        )

    def __str__(self) -> str:
        rows = {
            "matrix": f"{self.shape}, {self.dtype}",
            "blocks": f"{len(self.rows)}, of {min(self.rows)} to {max(self.rows)} rows",
            "entries": f"{sum(self.nnz)}, at most {max(self.nnz)} in a block",
            "bytes": f"{sum(self.nbytes):_}, at most {max(self.nbytes):_} in a block",
            "messages": f"{self.messages}; a block receives at most {max(self.halo)} elements",
            "bytes of a product": f"{self.bytes_per_product:_}",
            "tasks of a product": f"{self.tasks_per_product}",
        }
        return "\n".join(f"{name:20} {text}" for name, text in rows.items())
