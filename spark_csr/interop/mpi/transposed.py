"""`transposed_rows`: products of the transpose of a matrix that is spread over ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._config import config
from spark_csr.interop.mpi.agreement import check_part
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

        All ranks must call this method, and raise the exceptions of `csr_rows.matmul`. *Cost*: one sum of four numbers over all
        ranks, one product of the transpose of this rank's block, and an exchange in which sums go back where elements came
        from. *Order*: they are added in the order of the ranks.
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
