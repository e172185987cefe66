"""`cupyx.scipy.sparse.linalg`, as far as this package calls it: CuPy's signatures and checks, and NumPy's dense solvers.

Signatures are those of v14.2, in the files _iterative.py, _solve.py, _eigen.py, _lobpcg.py and _interface.py of
cupyx/scipy/sparse/linalg; `tests/test_cupy_rules.py` compares them with CuPy's where there is a GPU. A solver multiplies the
operator that it is given with the identity, so it needs the products that CuPy's needs, and no iterations.
"""

import sys

import numpy as np

from .array import ndarray
from .errors import unknown
from .sparse import issparse


class LinearOperator:
    """As `_CustomLinearOperator`: _interface.py:261."""

    ndim = 2

    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        self.shape, self._products = tuple(shape), (matvec, rmatvec, matmat, rmatmat)
        self.dtype = _cupy().zeros(0, dtype).dtype if dtype is not None else self.matvec(_cupy().zeros(shape[1])).dtype

    def _vector(self, which, x, size, result):
        if x.shape not in ((size,), (size, 1)):
            raise ValueError("dimension mismatch")
        if self._products[which] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._products[which](x).reshape(result if x.ndim == 1 else (result, 1))

    def _vectors(self, which, X, size):
        if X.ndim != 2:
            raise ValueError(f"expected 2-d ndarray or matrix, not {X.ndim}-d")
        if X.shape[0] != size:
            raise ValueError(f"dimension mismatch: {self.shape!r}, {X.shape!r}")
        if self._products[which] is None:
            raise unknown("LinearOperator without products with several vectors")
        return self._products[which](X)

    def matvec(self, x):
        """The product with a vector."""
        return self._vector(0, x, self.shape[1], self.shape[0])

    def rmatvec(self, x):
        """That of the adjoint."""
        return self._vector(1, x, self.shape[0], self.shape[1])

    def matmat(self, X):
        """The product with several vectors."""
        return self._vectors(2, X, self.shape[1])

    def rmatmat(self, X):
        """That of the adjoint."""
        return self._vectors(3, X, self.shape[0])

    def dot(self, x):
        """The product with one or several vectors; CuPy also makes operators of sums and products of operators."""
        if not isinstance(x, ndarray):
            raise unknown("sums, products and multiples of operators")
        return self.matvec(x) if x.ndim == 1 or x.shape[1] == 1 else self.matmat(x)

    __matmul__ = __mul__ = __call__ = dot


def _cupy():
    return sys.modules["cupy"]


def aslinearoperator(A):
    """An operator of an array, a matrix or an operator: _interface.py:534."""
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, ndarray):
        return LinearOperator(A.shape, A.__matmul__, A.conj().T.__matmul__, A.__matmul__, A.dtype, A.conj().T.__matmul__)
    raise unknown(f"aslinearoperator({type(A).__name__})")


def _dense(A):
    """The matrix of an operator, on the host."""
    if issparse(A):
        return A.get().toarray()
    if A.dtype.char not in "fdFD":  # _iterative.py:430, _eigen.py:62
        raise TypeError(f"unsupported dtype (actual: {A.dtype})")
    return aslinearoperator(A).matmat(_cupy().asarray(np.eye(A.shape[1], dtype=A.dtype))).get()


def _solved(A, b, x0=None, M=None, callback=None):
    """The solution and 0: _iterative.py:404, _make_system."""
    A, n = aslinearoperator(A), A.shape[0]
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    for name, x in {"b": b, "x0": x0}.items():
        if x is not None and x.shape not in ((n,), (n, 1)):
            raise ValueError(f"{name} has incompatible dimensions")
    if M is not None and aslinearoperator(M).matvec(b.astype(A.dtype).ravel()).shape != (n,):
        raise ValueError("matrix and preconditioner have different shapes")
    x = _cupy().asarray(np.linalg.solve(_dense(A), b.get().astype(A.dtype).ravel()))
    if callback is not None:
        callback(x)
    return x, 0


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """_iterative.py:14."""
    return _solved(A, b, x0, M, callback)


def cgs(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """_iterative.py:197."""
    return _solved(A, b, x0, M, callback)


def minres(A, b, x0=None, shift=0.0, tol=1e-5, maxiter=None, M=None, callback=None, check=False):
    """_solve.py:806."""
    return _solved(A, b, x0, M, callback)


def lsmr(A, b, x0=None, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None):
    """_solve.py:91."""
    A, b = _dense(A), b.get()
    x = np.linalg.lstsq(A, b.squeeze())[0]
    norms = [float(np.linalg.norm(y)) for y in (b - A @ x, A.conj().T @ (b - A @ x), A)]
    return _cupy().asarray(x), 1, 1, *norms, float(np.linalg.cond(A)), float(np.linalg.norm(x))


def _eigenpairs(A, k, which):
    w, v = np.linalg.eigh(A)
    order = {"LM": np.argsort(abs(w))[-k:], "LA": np.arange(w.size)[-k:], "SA": np.arange(k)}[which]
    return w[np.sort(order)], v[:, np.sort(order)]


def eigsh(a, k=6, *, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True):
    """_eigen.py:14."""
    if which not in ("LM", "LA", "SA"):
        raise ValueError(f"which must be 'LM','LA'or'SA' (actual: {which})")
    if not 0 < k < a.shape[0]:
        raise ValueError(f"k must be smaller than n (actual: {k})")
    w, v = map(_cupy().asarray, _eigenpairs(_dense(a), k, which))
    return (w, v) if return_eigenvectors else w


def svds(a, k=6, *, ncv=None, tol=0, which="LM", maxiter=None, return_singular_vectors=True):
    """_eigen.py:337."""
    if which != "LM":
        raise ValueError(f"which must be 'LM' (actual: {which})")
    u, s, v = np.linalg.svd(_dense(a), full_matrices=False)
    found = [_cupy().asarray(x) for x in (u[:, k - 1 :: -1], s[k - 1 :: -1], v[k - 1 :: -1])]
    return tuple(found) if return_singular_vectors else found[1]


def lobpcg(
    A,
    X,
    B=None,
    M=None,
    Y=None,
    tol=None,
    maxiter=None,
    largest=True,
    verbosityLevel=0,
    retLambdaHistory=False,
    retResidualNormsHistory=False,
):
    """_lobpcg.py:185."""
    if B is not None or Y is not None:
        raise unknown("lobpcg with B or Y")
    w, v = _eigenpairs(_dense(A), X.shape[1], "LA" if largest else "SA")
    order = slice(None, None, -1 if largest else 1)
    return _cupy().asarray(w[order]), _cupy().asarray(v[:, order])


def _checked_matrix(A):
    """_solve.py:489 and 678."""
    if not issparse(A):
        raise TypeError("A must be cupyx.scipy.sparse.spmatrix")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix (A.shape: {A.shape})")
    if A.dtype.char not in "fdFD":
        raise TypeError(f"Invalid dtype (actual: {A.dtype})")
    return _dense(A)


def spsolve(A, b):
    """_solve.py:489; another format than CSR is a warning there."""
    if not isinstance(b, ndarray):
        raise TypeError("b must be cupy.ndarray")
    if A.format != "csr":
        raise unknown("spsolve of a matrix that is no csr_matrix")
    return _cupy().asarray(np.linalg.solve(_checked_matrix(A), b.get().astype(A.dtype)))


class SuperLU:
    """As `SuperLU`: _solve.py:539."""

    def __init__(self, dense):
        self.shape, self._dense = dense.shape, dense

    def solve(self, rhs, trans="N"):
        """_solve.py:575."""
        dense = {"N": self._dense, "T": self._dense.T, "H": self._dense.conj().T}[trans]
        return _cupy().asarray(np.linalg.solve(dense, rhs.get().astype(dense.dtype)))


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options={}):  # noqa: B006
    """_solve.py:678."""
    return SuperLU(_checked_matrix(A))


def spilu(
    A,
    drop_tol=None,
    fill_factor=None,
    drop_rule=None,
    permc_spec=None,
    diag_pivot_thresh=None,
    relax=None,
    panel_size=None,
    options={},  # noqa: B006
):
    """_solve.py:721."""
    return SuperLU(_checked_matrix(A))


def factorized(A):
    """_solve.py:656."""
    return SuperLU(_checked_matrix(A)).solve


SOLVERS = (cg, cgs, minres, lsmr, eigsh, svds, lobpcg, spsolve, splu, spilu, factorized)
NAMES = {function.__name__: function for function in (*SOLVERS, LinearOperator, aslinearoperator, SuperLU)}
NAMES |= dict.fromkeys(("bicg", "eigs", "expm", "expm_multiply", "inv", "lgmres", "onenormest"))
"""The names of the module. CuPy has none of those that are None."""

for _function in NAMES.values():
    if _function is not None:
        _function.__module__ = "cupyx.scipy.sparse.linalg"
