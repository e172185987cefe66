"""`csr_rows`: a matrix whose rows are spread over the ranks of a program, and its products with vectors.

Design: a product is two steps, an exchange and one product of this rank's block, and both are prepared: buffers, requests and
plan are made once for each dtype and number of columns. Cost: they stay with the matrix, which is about one vector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import device_of, is_array, to_device
from spark_csr._config import config
from spark_csr._operations.product.matmul import check_output
from spark_csr._ops import semiring as semiring_of
from spark_csr.interop.mpi.agreement import agree, collect, part_length, tell_part
from spark_csr.interop.mpi.by_mpi import as_communicator, inner
from spark_csr.interop.mpi.by_nccl import NcclCommunicator
from spark_csr.interop.mpi.files import read_rows
from spark_csr.interop.mpi.halo import Halo, ReverseHalo
from spark_csr.interop.mpi.threads import fair_threads
from spark_csr.interop.mpi.transposed import transposed_rows
from spark_csr.partition import HaloPlan, halo_plan, make_block

if TYPE_CHECKING:
    import os

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._ops import SemiringLike
    from spark_csr._types import Array, ArrayLike, DTypeLike
    from spark_csr.interop.mpi.communicator import Communicator


class csr_rows:
    """A matrix whose rows are distributed over the ranks (processes) of an MPI program.

    Rank 0 has the first rows, rank 1 the next ones, and so on. All ranks make the matrix together, and compute each product
    together. Every vector is cut into parts: each rank has the elements that belong to its rows.

    Parameters
    ----------
    rows : (m, n) sparse matrix, str or path
        The rows of this rank, with the columns of the whole matrix; each rank can have another number of rows. Or the folder of
        a matrix that `spark_csr.io.save_blocks` saved: then each rank reads its own rows, with about equally many entries.
    comm : mpi4py.MPI.Comm or Communicator, optional
        The processes that hold the matrix. The default is `MPI.COMM_WORLD`: all processes of the program.
    column_offsets : (ranks + 1,) array_like of int, optional
        The boundaries of the parts of the vectors that the matrix multiplies. The default are the boundaries of the rows of
        each rank; then the matrix must be square.

    Attributes
    ----------
    shape : tuple of two ints
        The shape of the whole matrix.
    offsets, column_offsets : (ranks + 1,) NumPy arrays of int64
        The boundaries of the rows of each rank, and of the parts of the vectors that the matrix multiplies.
    block : Block
        The rows of this rank, with columns that are numbered anew.
    comm : Communicator
        The processes.
    threads : int or None
        The number of threads that this rank uses: `config.threads` if it is set. Otherwise, if several ranks can run on the
        same cores, the number of these cores divided by the number of these ranks, and None if this rank has cores of its own.

    Raises
    ------
    ValueError
        If the ranks have different numbers of columns or dtypes, or if these do not fit the rows or `column_offsets`. All ranks
        raise.
    TypeError
        If `rows` of a rank is not a sparse matrix, or if `comm` is not a communicator.
    FileNotFoundError
        If a block is missing in the folder. If a block is damaged, ValueError is raised. All ranks raise.

    Notes
    -----
    *Cost*: that of `make_block`, and one exchange of the lists of what each rank needs. Every rank must make the same calls in
    the same order. If one rank raises an exception and ends, the others wait for ever, unless you start the program by `mpiexec
    -n 4 python -m mpi4py program.py`, which ends all of them. *Order*: the bits of products depend only on which rows each rank
    has.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop import mpi
    >>> A = mpi.csr_rows(poisson((8,)))  # on one rank: all rows
    >>> A
    <csr_rows of shape (8, 8) and dtype float64: rows 0:8 on rank 0 of 1, 22 entries>
    >>> A @ A.ones()
    array([1., 0., 0., 0., 0., 0., 0., 1.])
    >>> A.matmul(A.ones(), semiring="max_plus").max(), A.dot(A.ones(), A @ A.ones())
    (np.float64(3.0), np.float64(2.0))
    >>> A.gather(A.ones()).size, A.plan()
    (8, <HaloPlan of 1 blocks: 0 messages, 0 elements>)
    """

    __array_ufunc__ = None  # `x @ A` raises TypeError

    def __init__(
        self, rows: MatrixLike | str | os.PathLike[str], comm: Any = None, *, column_offsets: ArrayLike | None = None
    ) -> None:
        self.comm: Communicator = as_communicator(comm)
        matrix, given = read_rows(rows, column_offsets, self.comm)
        self.offsets, self.column_offsets = self._agree(matrix, given)
        self.shape = int(self.offsets[-1]), int(self.column_offsets[-1])
        rank = self.comm.rank
        self.block = make_block(matrix, self.column_offsets, int(self.offsets[rank]), own=rank)
        self._asked = self._ask()
        self._halos: dict[Any, Halo] = {}
        self._reverse_halos: dict[Any, ReverseHalo] = {}
        self.threads = fair_threads(self.comm)

    def _agree(self, matrix, column_offsets):
        """Return the boundaries of rows and of columns, after all ranks know that they fit."""
        given = None if column_offsets is None else column_offsets.tolist()
        ranks = self.comm.gather((matrix.shape, given, matrix.dtype.name, device_of(matrix.data).partition(":")[0]))
        for rank, other in enumerate(ranks):
            if other[0][1] != ranks[0][0][1] or other[1] != ranks[0][1]:
                what = "columns" if other[1] == ranks[0][1] else "column_offsets"
                raise ValueError(f"{what} differ: {_what(what, ranks[0])} on rank 0, {_what(what, other)} on rank {rank}")
        for rank, (_, _, dtype, device) in enumerate(ranks):
            if dtype != ranks[0][2]:
                raise ValueError(f"dtypes differ: {ranks[0][2]} on rank 0, {dtype} on rank {rank}: use rows.astype(dtype)")
            if device != ranks[0][3] and isinstance(self.comm, NcclCommunicator):
                raise TypeError(f"devices differ: {ranks[0][3]} on rank 0, {device} on rank {rank}: NCCL needs cuda on all")
        offsets = np.cumsum([0, *(shape[0] for shape, *_ in ranks)])
        columns = ranks[0][0][1]
        if given is not None:
            if len(given) != len(ranks) + 1 or given[-1] != columns:
                raise ValueError(f"column_offsets must be {len(ranks) + 1} numbers that end at {columns}, got {given}")
            return offsets, column_offsets
        if offsets[-1] != columns:
            raise ValueError(
                f"the ranks have {offsets[-1]} rows together, of {columns} columns: give column_offsets, the parts of the "
                f"vectors that the matrix multiplies"
            )
        return offsets, offsets

    def _ask(self):
        """Return, for each other rank that takes elements of this rank's part of a vector, which they are; None for all."""
        block, rank = self.block, self.comm.rank
        wanted = [block.wanted(j) if j in block.sources and j != rank else () for j in range(self.comm.size)]
        on_host = [w.get() if is_array(w) and not isinstance(w, np.ndarray) else w for w in wanted]
        asked = {i: numbers for i, numbers in enumerate(self.comm.swap(on_host)) if not isinstance(numbers, tuple)}
        xp = block.matrix._csr.xp
        return {i: None if numbers is None else xp.asarray(numbers) for i, numbers in asked.items()}

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.block.matrix.dtype

    @property
    def device(self) -> str:
        """The device of the rows of this rank."""
        return device_of(self.block.columns)

    @property
    def rows(self) -> tuple[int, int]:
        """The first row of this rank, and the row after its last."""
        return self.block.rows

    @property
    def T(self) -> transposed_rows:
        """The transpose, for products: `A.T @ x`."""
        return transposed_rows(self)

    def plan(self) -> HaloPlan:
        """Return the plan of a product: how many elements each rank sends to which other rank.

        Returns
        -------
        HaloPlan
            The plan of one product. Every rank returns the same plan.

        Notes
        -----
        All ranks must call this method.
        """
        return halo_plan(self.comm.gather(self.block.outline()))

    def ones(self, dtype: DTypeLike = np.float64) -> Array:
        """Make this rank's part of a vector of ones that fits the rows.

        Parameters
        ----------
        dtype : dtype, default float64
            The dtype of the elements.

        Returns
        -------
        (m,) array
            A one for each row of this rank, on its device.
        """
        return self.block.matrix._csr.xp.ones(self.block.matrix.shape[0], dtype)

    def gather(self, x: Array) -> Array:
        """Collect all parts of a vector on every rank.

        Parameters
        ----------
        x : (m,) or (m, k) array
            This rank's part of a vector that is spread as the rows of the matrix are, or as its columns.

        Returns
        -------
        NumPy array
            The parts of all ranks, in the order of the ranks.

        Raises
        ------
        ValueError, TypeError
            If `x` on a rank is no array, or has the wrong length, or another dtype or number of columns than on others. All
            ranks raise.

        Notes
        -----
        All ranks must call this method.
        """

        def read():
            told, spread = self._tell_vectors(2, anywhere=True, x=x)
            return told, (spread, to_device(x, "cpu"))

        ranks = collect(self.comm, read)
        _check_spread([spread for spread, _ in ranks])
        return np.concatenate([part for _, part in ranks])

    def dot(self, x: Array, y: Array) -> Any:
        """Compute the inner product of two vectors.

        Parameters, result and exceptions that are not listed are those of `gather`. *Cost*: two sums over all ranks, of which
        the first compares what the ranks were given.

        Parameters
        ----------
        x, y : (m,) arrays
            This rank's parts of the vectors.

        Returns
        -------
        number
            The sum of `x.conj() * y` over all ranks, with the same bits on every rank.
        """

        def read():
            return self._tell_vectors(1, x=x, y=y)

        if np.array_equal(self.offsets, self.column_offsets):
            agree(self.comm, read)
        else:
            _check_spread(collect(self.comm, read))
        return inner(self.comm, (x, y))[0]

    def _tell_vectors(self, axes, *, anywhere=False, **vectors):
        """Return what is told of parts of vectors; then their lengths, and whether these fit the rows, and the columns."""
        spreads = self.offsets, self.column_offsets
        known = self.offsets if np.array_equal(*spreads) else None
        told = {name: tell_part(name, x, known, self, axes=axes, anywhere=anywhere) for name, x in vectors.items()}
        sizes = {name: x.shape[0] for name, x in vectors.items()}
        return told, (sizes, [set(sizes.values()) == {part_length(offsets, self.comm)} for offsets in spreads])

    def matmul(self, x: Array, *, semiring: SemiringLike = "plus_times", out: Array | None = None) -> Array:
        """Compute this rank's part of the product with a vector, or with a dense matrix of a few columns.

        Parameters, result and exceptions that are not listed are those of `spark_csr.csr_array.matmul`. All ranks must call
        this method, and all raise: also if `x` has another dtype or number of columns than on others, or the semiring is not
        the same. *Cost*: one copy of `x`, one sum of four numbers over all ranks, one exchange of halos, and one product of the
        block of this rank.

        Parameters
        ----------
        x : (m,) or (m, k) array
            This rank's part of the vector or matrix, with the elements that `column_offsets` gives to this rank.
        """

        def read():
            told, ring = tell_part("x", x, self.column_offsets, self), semiring_of(semiring)
            if out is not None:
                block = self.block.matrix._csr
                shape, dtype = (block.shape[0], *x.shape[1:]), ring.result_dtype(self.dtype, x.dtype)
                check_output(out, shape, dtype, block)
            return {"x": told, "semiring": ring.name}, ring

        ring = agree(self.comm, read)
        with config(threads=self.threads):
            return self.block.matrix.matmul(self._halo(x.dtype, x.shape[1:]).fetch(x), semiring=ring, out=out)

    def __matmul__(self, x: Array) -> Array:
        """Compute this rank's part of the product with a vector, or with a dense matrix of a few columns: see `matmul`."""
        return self.matmul(x)

    def _halo(self, dtype, width):
        """Return the buffers of products with vectors of a dtype, or matrices of `width`, which are made once."""
        key = np.dtype(dtype), width
        if key not in self._halos:
            self._halos[key] = self._new_halo(dtype, width)
        return self._halos[key]

    def _new_halo(self, dtype, width=()):
        """Return buffers for one caller alone, whose `chunk` no other product changes."""
        return Halo(self.comm, self.block, self._asked, dtype, width)

    def to_petsc(self) -> Any:
        """Copy the matrix into a matrix of PETSc, of which each rank has the same rows.

        Returns
        -------
        petsc4py.PETSc.Mat
            A matrix of type `aij`. Its columns are sorted, and duplicates are summed.

        Raises
        ------
        TypeError
            If PETSc was built without what the matrix needs: complex values, or indices of 64 bits.

        Examples
        --------
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.interop import mpi
        >>> mpi.csr_rows(poisson((3,))).to_petsc()  # doctest: +SKIP
        <petsc4py.PETSc.Mat object at ...>
        """
        from spark_csr.interop.mpi.petsc import to_petsc

        return to_petsc(self)

    def __repr__(self) -> str:
        start, stop = self.rows
        return (
            f"<csr_rows of shape {self.shape} and dtype {self.dtype}: rows {start}:{stop} on rank {self.comm.rank} of "
            f"{self.comm.size}, {self.block.nnz} entries>"
        )


def _check_spread(ranks):
    """Raise ValueError unless vectors are spread as the rows, or as the columns, on all ranks."""
    if not any(all(fits) for fits in zip(*(fits for _, fits in ranks), strict=True)):
        found = ", ".join(f"{sizes} on rank {rank}" for rank, (sizes, _) in enumerate(ranks))
        raise ValueError(f"vectors must be spread as the rows or as the columns on all ranks, got the lengths {found}")


def _what(what, known):
    return known[0][1] if what == "columns" else known[1]
