"""Solvers, eigenvalues and norms: SciPy's functions, and CuPy's; nearest rows, beside those who find them."""

import functools
import importlib

import numpy as np

from peers import DIGESTS, OURS, calls, given, peer
from spark_csr import csr_array, prune
from spark_csr.linalg import knn_graph, normalize, topk_matmul

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
DIRECT = {
    "spsolve": lambda linalg, A, b: linalg.spsolve(A, b),
}


def _prepared(function, library, *operands):
    linalg = importlib.import_module("spark_csr.linalg" if library in OURS else MODULES[library])
    return functools.partial(function, linalg, *(given(x, library) for x in operands))


for name, function in {**SOLVERS, **SPECTRA, **NORMS, **TRIANGLES, **DIRECT}.items():
    for library in (*OURS, *MODULES):
        peer(name, library)(functools.partial(_prepared, function, library))


K = 10
"""Neighbours of each row."""


@functools.cache
def texts(rows, words=20):
    """Texts as rows of length 1: about so many words, their frequencies by Zipf's law, their weights by rarity."""
    rng, vocabulary = np.random.default_rng(0), max(rows, 1000)
    chances = 1 / np.arange(1.0, vocabulary + 1)
    lengths = rng.poisson(words, rows)
    j = rng.choice(vocabulary, lengths.sum(), p=chances / chances.sum())
    A = csr_array((np.ones(j.size), (np.repeat(np.arange(rows), lengths), j)), shape=(rows, vocabulary))
    often = np.bincount(A.indices, minlength=vocabulary)
    A.data *= np.where(often < rows / 5, np.log((1 + rows) / (1 + often)), 0)[A.indices]
    A.eliminate_zeros()
    return normalize(A)


calls("similar rows", ours=lambda A: topk_matmul(A, A, K, threshold=0), plain=lambda A: prune(A @ A.T, topk=K))


@peer("similar rows", "sparse_dot_topn")
def similar_by_sparse_dot_topn(A):
    multiply = importlib.import_module("sparse_dot_topn").sp_matmul_topn
    A = A.to_scipy(copy=True, matrix=True)
    return lambda: multiply(A, A.T.tocsr(), K, threshold=0, n_threads=2)


DIGESTS["similar rows"] = lambda library, found: np.asarray(found.sum(axis=1)).ravel()  # of equal ones any may be chosen

calls("neighbours by cosine", ours=lambda A: knn_graph(A, K))


@peer("neighbours by cosine", "sklearn")
def neighbours_by_sklearn(A):
    find = importlib.import_module("sklearn.neighbors").kneighbors_graph
    A = A.to_scipy()
    return lambda: find(A, K, mode="distance", metric="cosine", include_self=False)


DIGESTS["neighbours by cosine"] = DIGESTS["similar rows"]
