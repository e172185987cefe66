"""A matrix of PETSc from the rows of every rank."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import to_device
from spark_csr._matrix.csr import csr_array
from spark_csr.interop.mpi.agreement import agree

if TYPE_CHECKING:
    from spark_csr.interop.mpi.rows import csr_rows


def to_petsc(A: csr_rows) -> Any:
    """Copy the rows of every rank into a matrix of PETSc; see `csr_rows.to_petsc`."""
    petsc, sizes, arrays = agree(A.comm, lambda: ({}, _prepare(A)))
    mat = petsc.Mat().createAIJ(size=sizes, csr=arrays, comm=getattr(A.comm, "comm", None))
    mat.assemble()
    return mat


def _prepare(A):
    """Return the library, the sizes of the matrix, and the rows of this rank in dtypes of PETSc."""
    try:
        petsc = importlib.import_module("petsc4py.PETSc")
    except ImportError as error:
        raise ImportError(f"to_petsc needs petsc4py: install it with: pip install petsc petsc4py ({error})") from error
    block = A.block
    indptr, indices, data, columns = (
        to_device(x, "cpu") for x in (block.matrix.indptr, block.matrix.indices, block.matrix.data, block.columns)
    )
    rows = csr_array((data, columns[indices], indptr), shape=(block.matrix.shape[0], A.shape[1]), copy=True)
    rows.sum_duplicates()
    if not np.can_cast(rows.dtype, petsc.ScalarType, "same_kind"):
        raise TypeError(
            f"PETSc was built for {np.dtype(petsc.ScalarType)}, and the matrix has {rows.dtype}: use a PETSc of complex numbers"
        )
    largest = max(int(rows.indptr[-1]), A.shape[1])
    if largest > np.iinfo(petsc.IntType).max:
        raise TypeError(
            f"PETSc was built for indices of {8 * np.dtype(petsc.IntType).itemsize} bits, and {largest} does not fit: build it "
            f"with --with-64-bit-indices"
        )
    local = tuple(int(x[A.comm.rank + 1] - x[A.comm.rank]) for x in (A.offsets, A.column_offsets))
    arrays = rows.indptr.astype(petsc.IntType), rows.indices.astype(petsc.IntType), rows.data.astype(petsc.ScalarType)
    sizes = (local[0], A.shape[0]), (local[1], A.shape[1])
    return petsc, sizes, arrays
