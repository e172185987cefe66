"""`csr_blocks`: a matrix in blocks of rows on Dask's workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.base import DaskMethodsMixin, tokenize

from spark_csr._matrix.csr import csr_array
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.describe import Description
from spark_csr.interop.dask.elementwise import Arithmetic
from spark_csr.interop.dask.graphs import choose_homes, fuse, make_layer, persist, recipes
from spark_csr.interop.dask.halo import Products
from spark_csr.interop.dask.plan import Plan, make_plan
from spark_csr.interop.dask.reductions import Reductions
from spark_csr.interop.dask.rows import Rows
from spark_csr.interop.dask.transposed import TransposedBlocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import DTypeLike


class csr_blocks(Arithmetic, Products, Reductions, Rows, DaskMethodsMixin):
    """A matrix in blocks of rows, for products that are repeated. A task makes each block; vectors are plain arrays of Dask.

    `from_csr`, `from_delayed`, `from_dask`, `from_files`, `from_coo`, `from_parquet` and `open_blocks` make such matrices.
    Block `i` of a square matrix has chunk `i` of every vector beside it, on its worker. Nothing is computed before a result is
    asked for, with one exception: before the first product, all blocks are made once, to find out which elements of a vector
    each block needs.

    Parameters
    ----------
    blocks : Tasks
        The tasks that make the blocks.
    chunks : tuple of two tuples of ints
        The number of rows of each block, and the lengths of the chunks of a vector that the matrix multiplies.
    dtype : dtype
        The dtype of the values.
    homes : list of str, optional
        The worker of each block.
    plan : Plan, optional
        Which elements of a vector each block needs, if that is known.
    kept : bool, default False
        Whether the blocks are in memory.

    Attributes
    ----------
    shape : tuple of two ints
        The shape of the whole matrix.

    Notes
    -----
    A product sends to each block only those elements of other chunks that the block needs. On a cluster, `persist` gives every
    block a worker, and later tasks run where their block is. If a worker is lost, other workers make its blocks again. *Order*:
    contributions of blocks are added in the order of the blocks, so results have the same bits for the same blocks, on any
    number of workers.

    Examples
    --------
    >>> import dask.array as da
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_csr
    >>> A = from_csr(poisson((30, 30)), blocks=3)
    >>> A
    <csr_blocks of dtype 'float64', shape (900, 900), in 3 blocks of rows>
    >>> y = A @ da.ones(900, chunks=300)
    >>> y.sum().compute()
    np.float64(120.0)
    >>> B = A.repartition([400, 500]).astype("f4").persist()
    >>> B.to_dask_array().chunks, B.place(da.ones(900, chunks=300)).chunks
    (((400, 500), (900,)), ((400, 500),))
    >>> [float(x) for x in (A.sum(), A.max(), A.min(), A.diagonal().sum())]
    [120.0, 4.0, -1.0, 3600.0]
    """

    ndim = 2
    __array_ufunc__ = None  # `x @ A` asks A
    __hash__ = object.__hash__

    def __init__(
        self, blocks: Any, chunks: Any, dtype: DTypeLike, homes: Any = None, plan: Plan | None = None, kept: bool = False
    ) -> None:
        self._blocks = blocks if kept else fuse(blocks)
        self._homes, self._plan, self._kept = homes, plan, kept
        self.chunks = tuple(tuple(map(int, lengths)) for lengths in chunks)
        self.shape = tuple(map(sum, self.chunks))
        self.dtype = np.dtype(dtype)

    def __dask_graph__(self) -> Any:
        return self._blocks.graph

    def __dask_keys__(self) -> list[Any]:
        return self._blocks.keys

    def __dask_layers__(self) -> tuple[str, ...]:
        return self._blocks.__dask_layers__()

    def __dask_tokenize__(self) -> Any:
        return self.name, self.chunks

    def __dask_postcompute__(self) -> Any:
        return _join, ()

    def __dask_postpersist__(self) -> Any:
        return _rebuild, (self,)

    __dask_scheduler__ = staticmethod(da.Array.__dask_scheduler__)
    __dask_optimize__ = staticmethod(da.Array.__dask_optimize__)

    @property
    def name(self) -> str:
        """The first part of the keys of the blocks."""
        return self._blocks.layer

    @property
    def numblocks(self) -> tuple[int, int]:
        """The number of blocks, and the number of chunks of a vector that the matrix multiplies."""
        return len(self.chunks[0]), len(self.chunks[1])

    @property
    def plan(self) -> Plan:
        """Which elements of a vector each block needs. The first time, all blocks are made once."""
        if self._plan is None:
            self._plan = make_plan(self)
        return self._plan

    @property
    def nnz(self) -> int:
        """The number of entries. The first time, all blocks are made once."""
        return sum(outline.nnz for outline in self.plan.outlines)

    @property
    def offsets(self) -> tuple[Any, Any]:
        """The boundaries of the blocks, and those of the chunks of a vector that the matrix multiplies."""
        rows_, columns = (np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]) for lengths in self.chunks)
        return rows_, columns

    @property
    def T(self) -> TransposedBlocks:
        """The transpose. `A.T @ x` uses the blocks of this matrix; `A.T.to_blocks()` makes a matrix in blocks of its rows."""
        return TransposedBlocks(self)

    def _is_square(self) -> bool:
        return self.chunks[0] == self.chunks[1]

    def _read_once(self) -> list[Any]:
        """Return the keys of the blocks; recipes if nobody keeps them, for tasks that are the only ones to use a block."""
        return self._blocks.keys if self._kept else recipes(self._blocks)

    def _own(self, i: int) -> int | None:
        """Return the chunk of a vector that lies beside a block."""
        return i if self._is_square() else None

    def _like(self, layer: str, made: Any, others: Sequence[Any] = (), **changes: Any) -> csr_blocks:
        """Return a matrix whose blocks are made by one task each, where the blocks of this one are."""
        blocks = make_layer(layer, made, (self, *others), self._homes)
        options = {"chunks": self.chunks, "dtype": self.dtype, "homes": self._homes, **changes}
        return csr_blocks(blocks, **options)

    def persist(self, **kwargs: Any) -> csr_blocks:
        """Make the blocks, and keep them in the memory of the workers.

        Parameters
        ----------
        **kwargs
            Not accepted: TypeError is raised. Other collections of Dask take options here.

        Returns
        -------
        csr_blocks
            The matrix. Its blocks are on workers, or will be soon: Dask may still be making them.

        Notes
        -----
        On a cluster, neighbouring blocks go to the same worker, and a lost block is made again. If the blocks of this matrix
        are kept in memory themselves, drop your references to it once the result replaces it: as long as there is one, both
        matrices stay in memory.
        """
        if kwargs:
            raise TypeError(f"persist takes no {next(iter(kwargs))}=: choose a cluster with dask.distributed.Client")
        homes = choose_homes(self.numblocks[0])
        (blocks,) = persist(fuse(self._blocks, homes))
        kept = csr_blocks(blocks, self.chunks, self.dtype, homes, self._plan, kept=True)
        _ = kept.plan
        return kept

    def describe(self) -> Description:
        """Return the sizes of the blocks, and what a product sends. The first time, all blocks are made once.

        Returns
        -------
        Description
            A tuple with names, such as `tasks_per_product`. `print` shows it as a table.

        Examples
        --------
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.interop.dask import from_csr
        >>> print(from_csr(poisson((60, 60)), blocks=2).describe())
        matrix               (3600, 3600), float64
        blocks               2, of 1800 to 1800 rows
        entries              17760, at most 8880 in a block
        bytes                242_408, at most 121_204 in a block
        messages             2; a block receives at most 60 elements
        bytes of a product   960
        tasks of a product   4
        """
        return Description.of(self)

    def to_dask_array(self) -> da.Array:
        """Return an array of Dask whose chunks are the rows of the blocks, as a `csr_array` of all columns each.

        Returns
        -------
        dask.array.Array
            The matrix. Nothing has been computed.
        """
        layer = "rows-" + tokenize(self.name)
        made = {(layer, i, 0): (tasks.rows_of_block, key) for i, key in enumerate(self._blocks.keys)}
        graph = make_layer(layer, made, [self], self._homes).graph
        meta = csr_array((0, 0), dtype=self.dtype)
        return da.Array(graph, layer, (self.chunks[0], (self.shape[1],)), dtype=self.dtype, meta=meta)

    def __repr__(self) -> str:
        count = len(self.chunks[0])
        return f"<csr_blocks of dtype '{self.dtype}', shape {self.shape}, in {count} block{'s' * (count != 1)} of rows>"


def _join(blocks):
    """Return the whole matrix, in arrays of its own."""
    whole = tasks.stack(*map(tasks.rows_of_block, blocks))
    return whole.copy() if len(blocks) == 1 else whole


def _rebuild(graph, matrix, rename=None):
    """Return a matrix around blocks that Dask has computed in place."""
    blocks = type(matrix._blocks)(graph, matrix.name, matrix._blocks.keys)
    return csr_blocks(blocks, matrix.chunks, matrix.dtype, matrix._homes, matrix._plan, kept=True)
