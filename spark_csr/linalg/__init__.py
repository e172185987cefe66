"""Norms, solvers and eigenvalues of sparse matrices, with the signatures of `scipy.sparse.linalg`.

On the cores solvers are SciPy's, on a GPU CuPy's, both fed with products of ours. Ours are those that CuPy lacks or gets wrong:

- `bicgstab`: CuPy has it since version 14 only;
- `gmres`: CuPy's takes `x0` for the unpreconditioned guess, and divides by zero where a cycle finds the solution early;
- `lsqr`: CuPy's is a direct solver, for square matrices and without damping;
- `norm`: by reductions, so that sums are the same bits every run.

Matrices are ours, SciPy's or CuPy's, dense arrays, or linear operators; nothing of SciPy is imported before a solver is called.
"""

from spark_csr import absent
from spark_csr.linalg.eigen import eigsh, lobpcg, svds
from spark_csr.linalg.least_squares import lsqr
from spark_csr.linalg.norms import norm
from spark_csr.linalg.preconditioners import inv_diagonal, jacobi
from spark_csr.linalg.solvers import bicgstab, cg, gmres, minres

__all__ = [
    "bicgstab",
    "cg",
    "eigsh",
    "gmres",
    "inv_diagonal",
    "jacobi",
    "lobpcg",
    "lsqr",
    "minres",
    "norm",
    "svds",
]


def __getattr__(name):
    raise absent.refuse(__name__, name, absent.LINALG)
