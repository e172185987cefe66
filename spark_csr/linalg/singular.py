"""Singular values: SciPy's solvers on the cores, CuPy's on a GPU, with products of ours."""

from spark_csr.linalg.spectral import find_singular_values


def svds(
    A,
    k=6,
    ncv=None,
    tol=0,
    which="LM",
    v0=None,
    maxiter=None,
    return_singular_vectors=True,
    solver="arpack",
    rng=None,
    options=None,
    *,
    progress=None,
):
    """`k` singular values and vectors of a matrix.

    Parameters and results are those of `scipy.sparse.linalg.svds`, for every matrix of this package; on a GPU arrays are
    CuPy's, and what `cupyx.scipy.sparse.linalg.svds` does not take is a NotImplementedError. `progress` as in `eigsh`.
    """
    settings = {"ncv": ncv, "tol": tol, "which": which, "v0": v0, "maxiter": maxiter, "solver": solver, "rng": rng}
    settings |= {"options": options, "return_singular_vectors": return_singular_vectors}
    return find_singular_values(A, k, settings, progress)
