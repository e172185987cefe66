"""Solvers, eigenvalues and norms: SciPy's functions, and CuPy's."""

import functools
import importlib

from peers import OURS, given, peer

STEPS = 50
MODULES = {"scipy": "scipy.sparse.linalg", "cupy": "cupyx.scipy.sparse.linalg"}

SOLVERS = {
    "cg": lambda linalg, A, b: linalg.cg(A, b, rtol=0, atol=0, maxiter=STEPS),
    "minres": lambda linalg, A, b: linalg.minres(A, b, rtol=0, maxiter=STEPS),
    "bicgstab": lambda linalg, A, b: linalg.bicgstab(A, b, rtol=0, atol=0, maxiter=STEPS),
    "gmres": lambda linalg, A, b: linalg.gmres(A, b, rtol=0, atol=0, restart=10, maxiter=STEPS // 10),
    "lsqr": lambda linalg, A, b: linalg.lsqr(A, b, atol=0, btol=0, conlim=0, iter_lim=STEPS),
}
SPECTRA = {
    "eigsh": lambda linalg, A, b: linalg.eigsh(A, k=3, which="LA", v0=b, tol=1e-2, maxiter=20 * b.size),
    "svds": lambda linalg, A, b: linalg.svds(A, k=3, tol=1e-2),
}
NORMS = {
    "norm": lambda linalg, A, b: linalg.norm(A),
    "norm of rows": lambda linalg, A, b: linalg.norm(A, axis=1),
    "norm 1": lambda linalg, A, b: linalg.norm(A, 1),
}
TRIANGLES = {
    "spsolve_triangular": lambda linalg, L, b: linalg.spsolve_triangular(L, b),
    "spsolve_triangular, upper": lambda linalg, U, b: linalg.spsolve_triangular(U, b, lower=False),
}


def _prepared(function, library, *operands):
    linalg = importlib.import_module("spark_csr.linalg" if library in OURS else MODULES[library])
    return functools.partial(function, linalg, *(given(x, library) for x in operands))


for name, function in {**SOLVERS, **SPECTRA, **NORMS, **TRIANGLES}.items():
    for library in (*OURS, *MODULES):
        peer(name, library)(functools.partial(_prepared, function, library))
