"""Least squares: SciPy's solver on the cores; ours on a GPU, and where somebody asks how far it is."""

from spark_csr._array import namespace_for
from spark_csr.linalg import bidiagonal
from spark_csr.linalg.operators import as_matrix, computed_dtype, device_of_problem, library, on_device
from spark_csr.methods.base import SparseArray


def lsqr(
    A,
    b,
    damp=0.0,
    atol=1e-6,
    btol=1e-6,
    conlim=1e8,
    iter_lim=None,
    show=False,
    calc_var=False,
    x0=None,
    *,
    progress=None,
):
    """The least-squares solution of `A x = b`, or of the damped problem, for a matrix of any shape.

    Parameters and results are those of `scipy.sparse.linalg.lsqr`; `progress(iteration, residual_norm)` is called after every
    iteration and costs nothing. SciPy's on the cores; ours (see `bidiagonal`) on a GPU and where `progress` is given, with
    `show` for SciPy's alone.
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    b = on_device(b, device, "b")
    if device == "cpu" and progress is None:
        given = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "iter_lim": iter_lim}
        return library(device).lsqr(A, b, **given, show=show, calc_var=calc_var, x0=x0)
    if b.size != A.shape[0] or b.ndim > 2:
        raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
    dtype = computed_dtype(A, b)
    b, xp = b.astype(dtype).ravel(), namespace_for(device)
    x = xp.zeros(A.shape[1], dtype) if x0 is None else on_device(x0, device, "x0").astype(dtype).ravel()
    adjoint = A.rmatvec if isinstance(A, SparseArray) or hasattr(A, "rmatvec") else lambda y: A.conj().T @ y
    limits = 1e-6 if atol is None else atol, 1e-6 if btol is None else btol, conlim or 0.0
    iterations = 2 * A.shape[1] if iter_lim is None else iter_lim
    return bidiagonal.lsqr(lambda v: A @ v, adjoint, b, x, damp, *limits, iterations, calc_var, progress)
