"""`transposed_rows`: products of the transpose of a matrix that is spread over ranks."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import device_of, is_array
from spark_csr._config import config
from spark_csr.interop.mpi.halo import ReverseHalo

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.interop.mpi.rows import csr_rows


class transposed_rows:
    """The transpose of a `csr_rows`, for products: `A.T @ x`.

    Parameters
    ----------
    A : csr_rows
        The matrix.

    Attributes
    ----------
    T : csr_rows
        The matrix.
    shape : tuple of two ints
        The shape of the transpose.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop import mpi
    >>> A = mpi.csr_rows(poisson((3,)))
    >>> A.T @ A.ones()
    array([1., 0., 1.])
    """

    __array_ufunc__ = None

    def __init__(self, A: csr_rows) -> None:
        self.T = A
        self.shape = A.shape[::-1]

    def __matmul__(self, x: Array) -> Array:
        """Compute this rank's part of the product with a vector, or with a dense matrix of a few columns.

        Notes
        -----
        All ranks must call this method. *Cost*: one product of the transpose of this rank's block, and an exchange in which
        sums go back where elements came from. *Order*: they are added in the order of the ranks.

        Examples
        --------
        >>> from spark_csr.gallery import poisson
        >>> from spark_csr.interop import mpi
        >>> A = mpi.csr_rows(poisson((3,)))
        >>> A.T @ A.ones()
        array([1., 0., 1.])
        """
        A = self.T
        check_part("x", x, A.offsets, A)
        key = np.result_type(A.dtype, x.dtype), x.shape[1:]
        if key not in A._reverse_halos:
            A._reverse_halos[key] = ReverseHalo(A.comm, A.block, A._asked, *key)
        halo = A._reverse_halos[key]
        with config(threads=A.threads):
            A.block.matrix.T.matmul(x, out=halo.sums)
        return halo.deliver()

    def __repr__(self) -> str:
        return f"<transpose of {self.T!r}>"


def check_part(name: str, x: Any, offsets: Array, A: csr_rows, *, optional: bool = False) -> None:
    """Raise an exception on all ranks unless `x` is on each its part of one vector, or of one matrix of a few columns.

    Messages of other dtypes or lengths would be taken for numbers, or waited for. *Cost*: a sum of four numbers over all ranks.
    """
    problem = None if optional and x is None else _find_problem(name, x, offsets, A)
    told = str(problem or x) if problem or x is None else f"{x.dtype} of {x.shape[1] if x.ndim > 1 else 'no'} columns"
    others = None if _tell_the_same(A.comm, told) else A.comm.gather(told)
    if problem is not None:
        raise problem
    if others is not None:
        rank = next(rank for rank, other in enumerate(others) if other != others[0])
        raise ValueError(f"{name} differs between ranks: {others[0]} on rank 0, {others[rank]} on rank {rank}")


def _find_problem(name, x, offsets, A):
    if not is_array(x) or x.ndim not in (1, 2) or device_of(x) != A.device:
        found = f"{type(x).__name__} of shape {x.shape} on {device_of(x)}" if is_array(x) else type(x).__name__
        return TypeError(f"{name} must be this rank's part of a vector, an array on {A.device}, got {found}")
    rank = A.comm.rank
    size = int(offsets[rank + 1] - offsets[rank])
    if x.shape[0] != size:
        return ValueError(f"{name} must have {size} elements on rank {rank}, got shape {x.shape}: give this rank's part alone")
    return None


def _tell_the_same(comm, told):
    """Return, on all ranks alike, whether all tell the same: then two marks of it have no variance."""
    if comm.size == 1:
        return True
    marks = [int.from_bytes(hashlib.sha256(told.encode()).digest()[k : k + 3]) for k in (0, 3)]
    sums = comm.sum(np.array([*marks, *(mark * mark for mark in marks)], np.int64)).tolist()
    return all(comm.size * squares == total * total for total, squares in zip(sums[:2], sums[2:], strict=True))
