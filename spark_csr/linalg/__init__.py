"""Norms, solvers, factorisations, eigenvalues and functions of sparse matrices, with the signatures of `scipy.sparse.linalg`.

On the cores these are SciPy's, on a GPU CuPy's, with products of ours where they only multiply. A function that takes a matrix
apart gets it as the library's, around the same memory, and a sparse result comes back as ours (see `delegate`). `eigsh` and
`eigs` near a number get an inverse from here (see `shift_invert`). Ours are those that CuPy lacks or gets wrong:

- `bicgstab`: CuPy has it since version 14 only;
- `gmres`: CuPy's takes `x0` for the unpreconditioned guess, and divides by zero where a cycle finds the solution early;
- `lsqr`: CuPy's is a direct solver, for square matrices and without damping;
- `norm`: by reductions, so that sums are the same bits every run;
- `spsolve_triangular`: by levels, in parallel, without copies of the matrix.

Preconditioners, for `M=` of a solver, are `jacobi`, `ilu0`, `ic0`, `chebyshev` and `amg`, which calls PyAMG.
Matrices are ours, SciPy's or CuPy's, dense arrays, or linear operators; nothing of SciPy is imported before a solver is called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spark_csr import _absent
from spark_csr._current_device import functions_on_their_device
from spark_csr.linalg.blocks import lobpcg
from spark_csr.linalg.direct import spsolve, spsolve_triangular
from spark_csr.linalg.eigen import eigsh
from spark_csr.linalg.eigen_general import eigs
from spark_csr.linalg.estimates import onenormest
from spark_csr.linalg.factors import factorized, spilu, splu
from spark_csr.linalg.functions import expm, expm_multiply, inv
from spark_csr.linalg.incomplete import ic0, ilu0
from spark_csr.linalg.least_squares import lsmr, lsqr
from spark_csr.linalg.multigrid import amg
from spark_csr.linalg.norms import norm
from spark_csr.linalg.operators import aslinearoperator
from spark_csr.linalg.other_solvers import bicg, cgs, lgmres
from spark_csr.linalg.polynomial import chebyshev
from spark_csr.linalg.preconditioners import inv_diagonal, jacobi
from spark_csr.linalg.singular import svds
from spark_csr.linalg.solvers import bicgstab, cg, gmres, minres

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

__all__ = [
    "LinearOperator",
    "amg",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "chebyshev",
    "eigs",
    "eigsh",
    "expm",
    "expm_multiply",
    "factorized",
    "gmres",
    "ic0",
    "ilu0",
    "inv",
    "inv_diagonal",
    "jacobi",
    "lgmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "minres",
    "norm",
    "onenormest",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
]

functions_on_their_device(globals(), [name for name in __all__ if name != "LinearOperator"])


def __getattr__(name: str) -> Any:
    if name == "LinearOperator":  # SciPy's own class, so that its solvers know its instances
        return importlib.import_module("scipy.sparse.linalg").LinearOperator
    raise _absent.refuse(__name__, name, _absent.LINALG)


def __dir__() -> list[str]:
    return __all__
