"""Further iterations for systems with any square matrix, with products of ours; `bicgstab` and `gmres` are in `solvers`.

Parameters that all of them share, and what they return and raise, are described once, in `cg`.
"""

from spark_csr.linalg.systems import solve


def cgs(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, progress=None):
    """Solve `A x = b` for any square matrix by squared conjugate gradients.

    Parameters
    ----------
    A, b, x0, rtol, atol, maxiter, M, callback, progress
        As in `cg`.

    Returns
    -------
    x, info
        As of `cg`.

    Notes
    -----
    *Cost* of an iteration: two products, none with the transpose. SciPy's on the cores, CuPy's on a GPU.
    Source: Sonneveld, 1989.
    """
    return solve("cgs", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def bicg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, progress=None):
    """Solve `A x = b` for any square matrix by biconjugate gradients.

    Parameters
    ----------
    A, b, x0, rtol, atol, maxiter, M, callback, progress
        As in `cg`; operators need `rmatvec`.

    Returns
    -------
    x, info
        As of `cg`.

    Raises
    ------
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost* of an iteration: a product with the matrix and one with its adjoint. SciPy's. Source: Fletcher, 1976.
    """
    return solve("bicg", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def lgmres(
    A,
    b,
    x0=None,
    *,
    rtol=1e-5,
    atol=0.0,
    maxiter=1000,
    M=None,
    callback=None,
    inner_m=30,
    outer_k=3,
    outer_v=None,
    store_outer_Av=True,
    prepend_outer_v=False,
    progress=None,
):
    """Solve `A x = b` for any square matrix by `gmres` that remembers the corrections of earlier cycles.

    Parameters
    ----------
    A, b, x0, rtol, atol, maxiter, M, callback, progress
        As in `cg`; `maxiter` counts cycles.
    inner_m, outer_k : int
        Steps of a cycle, and corrections that are remembered.
    outer_v, store_outer_Av, prepend_outer_v
        A list of vectors that is used and added to, for a row of similar systems; see SciPy.

    Returns
    -------
    x, info
        As of `cg`.

    Raises
    ------
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost* of a cycle: `inner_m` products. SciPy's. Source: Baker, Jessup & Manteuffel, 2005.
    """
    settings = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "inner_m": inner_m, "outer_k": outer_k, "outer_v": outer_v}
    settings |= {"store_outer_Av": store_outer_Av, "prepend_outer_v": prepend_outer_v}
    return solve("lgmres", A, b, x0, M, callback, progress, **settings)
