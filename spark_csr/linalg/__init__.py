"""Norms, solvers, factorisations, eigenvalues and functions of sparse matrices, with the signatures of `scipy.sparse.linalg`.

Most functions call SciPy's function of the same name on the cores, and CuPy's on a GPU. A solver that only multiplies with the
matrix uses the products of this package. A function that reads the entries of the matrix gets a matrix of SciPy or CuPy that
shares the memory of yours, and a sparse result is converted to a matrix of this package. Of this package itself are `norm`,
`spsolve_triangular`, the preconditioners, the functions that scale, and those of the largest entries of products; `cg` and long
vectors in `gmres` on the cores; on a GPU `bicgstab` and `gmres`, which CuPy lacks or gets wrong, and `lsqr`, as everywhere with
`progress`. `amg` calls PyAMG. All other public names of `scipy.sparse.linalg`, such as `matrix_power` and
`ArpackNoConvergence`, are here too and are SciPy's. (SciPy's `qmr` and `tfqmr` report success for a wrong `x` where `b` is
about 1e-160 or smaller, and SciPy 1.17's `tfqmr` also where it is given a preconditioner `M`: use `bicgstab`.)

On the cores only, `cholesky` and `ldl` factorise symmetric matrices in an order of `ordering`; `spsolve` and `factorized` use
the former where a large matrix is symmetric. `qr` factorises matrices of any shape, and `lstsq` solves least squares with it.

A matrix can be a matrix of this package, of SciPy or of CuPy, a dense array or a linear operator, as the function says. All
functions raise ValueError if shapes do not fit, also of a matrix that must be square, TypeError if operands are on different
devices, and NotImplementedError on a GPU for a function or a parameter that CuPy does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._current_device import functions_on_their_device
from spark_csr._scipys import find_name, names_of
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
from spark_csr.linalg.neighbors import knn_graph, topk_matmul
from spark_csr.linalg.norms import norm
from spark_csr.linalg.operators import aslinearoperator
from spark_csr.linalg.orderings import ordering
from spark_csr.linalg.orthogonal import lstsq, qr
from spark_csr.linalg.other_solvers import bicg, cgs, lgmres
from spark_csr.linalg.polynomial import chebyshev
from spark_csr.linalg.preconditioners import inv_diagonal, jacobi
from spark_csr.linalg.scaling import normalize, scale_columns, scale_rows
from spark_csr.linalg.singular import svds
from spark_csr.linalg.solvers import bicgstab, cg, gmres, minres
from spark_csr.linalg.symmetric import cholesky, ldl

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
    "cholesky",
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
    "knn_graph",
    "ldl",
    "lgmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "lstsq",
    "minres",
    "norm",
    "normalize",
    "onenormest",
    "ordering",
    "qr",
    "scale_columns",
    "scale_rows",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "topk_matmul",
]

functions_on_their_device(globals(), [name for name in __all__ if name != "LinearOperator"])


def __getattr__(name: str) -> Any:
    return find_name(__name__, "scipy.sparse.linalg", name)


def __dir__() -> list[str]:
    return sorted({*__all__, *names_of("scipy.sparse.linalg")})
