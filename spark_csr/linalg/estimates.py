"""Estimates of a norm from products alone: SciPy's, with products of ours."""

from spark_csr.linalg.operators import as_matrix, as_operator, call_library, device_of_problem, function_of


def onenormest(A, t=2, itmax=5, compute_v=False, compute_w=False):
    """Estimate the 1-norm of a matrix from below by products with it and with its transpose.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        Ours or SciPy's.
    t : int
        How many vectors are multiplied at once: more are more accurate.
    itmax : int
        The most iterations.
    compute_v, compute_w : bool
        Whether to return these vectors.

    Returns
    -------
    est : float
        At most the norm, and in most cases equal to it.
    v : (n,) array, if `compute_v`
        With `norm(A @ v, 1) == est * norm(v, 1)`.
    w : (n,) array, if `compute_w`
        `A @ v`.

    Raises
    ------
    ValueError
        If the matrix is not square.
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost*: about four products with blocks of `t` vectors; they are ours. `norm(A, 1)` of a sparse matrix is exact and takes
    one pass: this function is for operators, such as products and powers that are not computed. NumPy's global random state
    chooses the first vectors. Source: Higham & Tisseur, *A block algorithm for matrix 1-norm estimation*, 2000.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import onenormest
    >>> float(onenormest(csr_array([[1.0, 0, 0], [5, 8, 2], [0, -1, 0]])))
    9.0
    """
    A = as_matrix(A)
    device = device_of_problem(A)
    settings = {"t": t, "itmax": itmax, "compute_v": compute_v, "compute_w": compute_w}
    return call_library(function_of(device, "onenormest"), (as_operator(A, device),), settings, {"t": 2, "itmax": 5})
