"""Solvers, eigenvalues and norms: a number of steps that is the same for all, for one library after the other."""

import importlib

from benchmarks import data
from benchmarks.common import Benchmark

STEPS = 50
LIBRARIES = ["ours", "scipy", "cuda", "cupy"]
MODULES = {
    "ours": "spark_csr.linalg",
    "cuda": "spark_csr.linalg",
    "scipy": "scipy.sparse.linalg",
    "cupy": "cupyx.scipy.sparse.linalg",
}


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
    "fro": lambda linalg, A, b: linalg.norm(A),
    "rows": lambda linalg, A, b: linalg.norm(A, axis=1),
    "1": lambda linalg, A, b: linalg.norm(A, 1),
}


class Solvers(Benchmark):
    """Systems whose matrix is symmetric and positive definite. No tolerance is reached: all take as many steps."""

    param_names = ("matrix", "function", "library")
    params = (["poisson"], list(SOLVERS), LIBRARIES)
    calls = SOLVERS
    track_bandwidth = None  # what solvers move beside the matrix is theirs

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] in ("cuda", "cupy") else "cpu")

    def prepare(self, matrix, function, library):
        A = data.matrix(matrix).to_device(self.device)
        A = A.to_scipy() if library == "scipy" else A.to_cupy() if library == "cupy" else A
        b = self.on_device(data.values(n=A.shape[0]))
        linalg = importlib.import_module(MODULES[library])
        return lambda: self.calls[function](linalg, A, b), A.data.nbytes


class Spectra(Solvers):
    calls = SPECTRA
    params = (["poisson"], list(calls), LIBRARIES)


class Norm(Solvers):
    calls = NORMS
    params = (["poisson"], list(calls), LIBRARIES)
