"""Every function of `linalg` with every dtype of every operand, beside NumPy in 64 bits.

A result is right within the accuracy of the dtypes, or the exception names the dtype. The quick run takes a sample.
"""

import numpy as np
import pytest
import scipy.linalg as dense_linalg

import dtypes
from spark_csr import csr_array, linalg
from spark_csr._array import DTYPES

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.filterwarnings("ignore:The problem size:UserWarning", "ignore:Exited at iteration:UserWarning"),
]

N = 12
KINDS = [str(dtype) for dtype in DTYPES]
FIRST, OTHERS = ("bool", "float16", "complex64"), ("int8",)
"""What the quick run takes of the first operand, and of each other one."""

NARROW = ("float16", "float32", "complex64")


def line(dtype):
    """Symmetric, or Hermitian: tridiagonal, of integers that every dtype holds. Of bools it is not definite, nor singular."""
    upper = np.diag(np.ones(N - 1), 1)
    if np.dtype(dtype).kind == "c":
        upper = upper * 1j
    return (np.diag(np.arange(4.0, N + 4)) + upper + upper.conj().T).astype(dtype)


def definite(dtype):
    """Also positive definite: of bools, the identity."""
    return np.eye(N, dtype=dtype) if dtype == "bool" else line(dtype)


def skewed(dtype):
    """Not symmetric."""
    return (np.diag(np.arange(4.0, N + 4)) + np.diag(np.ones(N - 1), 1)).astype(dtype) + np.diag(np.ones(N - 3), -3).astype(
        dtype
    )


def weights(dtype):
    """A diagonal of ones and twos; of bools, ones."""
    return np.diag(1 + np.arange(N) % 2).astype(dtype)


def vector(dtype):
    values = np.arange(N) % 5
    return (values + 1j if np.dtype(dtype).kind == "c" else values).astype(dtype)


def block(dtype):
    return np.stack([np.roll(vector(dtype), k) for k in (0, 1, 3)], axis=1)


def ramp(dtype):
    """A diagonal, in bools of ones alone."""
    return np.diag(np.arange(1, N + 1)).astype(dtype)


def last(dtype):
    return np.eye(N)[:, -1:].astype(dtype)


def two(dtype):
    """Two vectors to start from."""
    return (np.arange(2 * N).reshape(N, 2) % 5 + np.eye(N)[:, 1:3]).astype(dtype)


def widen(x):
    return x.astype(np.result_type(x.dtype, np.float64))


def solve(A, b):
    return np.linalg.solve(widen(A), widen(b))


def by_size(values):
    return np.sort(abs(np.asarray(values)))


def cosines(x):
    """Of all pairs of rows."""
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return x @ x.T


def solver(name):
    """Settings that let solvers go on to the last digits, and what they return."""

    def call(A, b, M, x0):
        return getattr(linalg, name)(csr_array(A), b, x0=x0, M=csr_array(M), rtol=1e-13 if A.dtype.itemsize > 4 else 1e-7)[0]

    return call


def least_squares(name):
    limits = {"atol": 1e-14, "btol": 1e-14, "conlim": 0}
    return lambda A, b, x0: getattr(linalg, name)(csr_array(A), b, x0=x0, **limits)[0]


def lobpcg(A, X, B, M):
    """Of as many rows as are not solved as a dense problem."""
    return linalg.lobpcg(csr_array(A), X, B=csr_array(B), M=csr_array(M), tol=1e-12, maxiter=200)[0]


def lobpcg_beside(A, X, Y):
    """Beside the eigenvectors of the last elements of a diagonal."""
    return linalg.lobpcg(csr_array(A), X, Y=Y, tol=1e-12, maxiter=200)[0]


def generalized(values):
    """The eigenvalues of a pair of matrices."""
    return lambda A, M, v0=None: values(np.linalg.eigvals(solve(M, A)))


SYSTEM = definite, vector
CASES = {
    "spsolve": (SYSTEM, lambda A, b: linalg.spsolve(csr_array(A), b), solve),
    "spsolve of columns": ((definite, block), lambda A, b: linalg.spsolve(csr_array(A), b), solve),
    "spsolve_triangular": (
        SYSTEM,
        lambda A, b: linalg.spsolve_triangular(csr_array(np.tril(A)), b),
        lambda A, b: solve(np.tril(A), b),
    ),
    "splu": (SYSTEM, lambda A, b: linalg.splu(csr_array(A)).solve(b), solve),
    "spilu": (SYSTEM, lambda A, b: linalg.spilu(csr_array(A), drop_tol=0).solve(b), solve),
    "cholesky": (SYSTEM, lambda A, b: linalg.cholesky(csr_array(A)).solve(b), solve),
    "ldl": (SYSTEM, lambda A, b: linalg.ldl(csr_array(A)).solve(b), solve),
    "qr": (SYSTEM, lambda A, b: linalg.qr(csr_array(A)).solve(b), solve),
    "lstsq": (SYSTEM, lambda A, b: linalg.lstsq(csr_array(A), b)[0], solve),
    "ordering": ((definite,), lambda A: linalg.ordering(csr_array(A), "natural"), lambda A: np.arange(len(A))),
    "factorized": (SYSTEM, lambda A, b: linalg.factorized(csr_array(A))(b), solve),
    "ilu0": (SYSTEM, lambda A, b: linalg.ilu0(csr_array(A)) @ b, solve),
    "ic0": (SYSTEM, lambda A, b: linalg.ic0(csr_array(A)) @ b, solve),
    "jacobi": (SYSTEM, lambda A, b: linalg.jacobi(csr_array(A)) @ b, lambda A, b: widen(b) / widen(A).diagonal()),
    "chebyshev": (
        SYSTEM,
        lambda A, b: linalg.chebyshev(csr_array(A), degree=60, bounds=(0.2, 2)) @ b,
        solve,
    ),
    "scale_rows": (
        SYSTEM,
        lambda A, b: linalg.scale_rows(csr_array(A), b).toarray(),
        lambda A, b: widen(A) * widen(b)[:, None],
    ),
    "scale_columns": (SYSTEM, lambda A, b: linalg.scale_columns(csr_array(A), b).toarray(), lambda A, b: widen(A) * widen(b)),
    "normalize": (
        (definite,),
        lambda A: linalg.normalize(csr_array(A)).toarray(),
        lambda A: widen(A) / np.linalg.norm(widen(A), axis=1)[:, None],
    ),
    "topk_matmul": (
        (definite, weights),
        lambda A, B: linalg.topk_matmul(csr_array(A), csr_array(B), 1).max(axis=1).toarray(),
        lambda A, B: (widen(A) @ widen(B).T).max(axis=1),
    ),
    "knn_graph": (
        (definite,),
        lambda A: linalg.knn_graph(csr_array(A), 2).sum(axis=1),
        lambda A: np.sort(1 - cosines(widen(A)) * (1 - 9 * np.eye(N)), axis=1)[:, :2].sum(axis=1),
    ),
    "inv": ((definite,), lambda A: linalg.inv(csr_array(A)).toarray(), lambda A: np.linalg.inv(widen(A))),
    "inv_diagonal": ((definite,), lambda A: linalg.inv_diagonal(csr_array(A)), lambda A: 1 / widen(A).diagonal()),
    "expm": ((weights,), lambda A: linalg.expm(csr_array(A)).toarray(), lambda A: dense_linalg.expm(widen(A))),
    "expm_multiply": (
        (weights, block),
        lambda A, B: linalg.expm_multiply(csr_array(A), B),
        lambda A, B: dense_linalg.expm(widen(A)) @ widen(B),
    ),
    "expm_multiply of times": (
        (weights, block),
        lambda A, B: linalg.expm_multiply(csr_array(A), B, start=0.5, stop=1, num=2),
        lambda A, B: np.stack([dense_linalg.expm(t * widen(A)) @ widen(B) for t in (0.5, 1)]),
    ),
    **{
        name: ((definite, vector, weights, vector), solver(name), lambda A, b, M, x0: solve(A, b))
        for name in ("cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres")
    },
    "lsqr": ((*SYSTEM, vector), least_squares("lsqr"), lambda A, b, x0: solve(A, b)),
    "lsmr": ((*SYSTEM, vector), least_squares("lsmr"), lambda A, b, x0: solve(A, b)),
    "eigsh": (
        (line, weights, vector),
        lambda A, M, v0: by_size(linalg.eigsh(csr_array(A), 3, M=csr_array(M), v0=v0)[0]),
        generalized(lambda values: by_size(values)[-3:]),
    ),
    "eigsh near a number": (
        (line, weights),
        lambda A, M: np.sort(linalg.eigsh(csr_array(A), 2, M=csr_array(M), sigma=3.3)[0]),
        generalized(lambda values: np.sort(values[np.argsort(abs(values - 3.3))[:2]].real)),
    ),
    "eigs": (
        (skewed, weights, vector),
        lambda A, M, v0: by_size(linalg.eigs(csr_array(A), 3, M=csr_array(M), v0=v0)[0]),
        generalized(lambda values: by_size(values)[-3:]),
    ),
    "eigs near a number": (
        (skewed, weights),
        lambda A, M: by_size(linalg.eigs(csr_array(A), 1, M=csr_array(M), sigma=9.3)[0]),
        generalized(lambda values: by_size(values[np.argsort(abs(values - 9.3))[:1]])),
    ),
    "lobpcg": (
        (line, block, weights, weights),
        lobpcg,
        lambda A, X, B, M: np.sort(np.linalg.eigvals(solve(B, A)).real)[:-4:-1],
    ),
    "lobpcg beside": ((ramp, two, last), lobpcg_beside, lambda A, X, Y: np.sort(np.diag(widen(A)).real)[-2:-4:-1]),
    **{
        f"svds {name}": (
            (skewed, vector),
            lambda A, v0, name=name: np.sort(linalg.svds(csr_array(A), 1 if name == "lobpcg" else 3, v0=v0, solver=name)[1]),
            lambda A, v0, name=name: np.linalg.svd(widen(A))[1][: 1 if name == "lobpcg" else 3][::-1],
        )
        for name in ("arpack", "propack", "lobpcg")
    },
    "onenormest": ((skewed,), lambda A: linalg.onenormest(csr_array(A)), lambda A: np.linalg.norm(widen(A), 1)),
    "aslinearoperator": (SYSTEM, lambda A, b: linalg.aslinearoperator(csr_array(A)) @ b, lambda A, b: widen(A) @ widen(b)),
    **{
        f"norm {order} {axis}": (
            (skewed,),
            lambda A, order=order, axis=axis: linalg.norm(csr_array(A), order, axis),
            lambda A, order=order, axis=axis: np.linalg.norm(widen(A), order, axis),
        )
        for order, axis in ((None, None), (1, None), (2, None), (np.inf, None), (3, 0), (1, 1), (0, 1))
    },
}


def calls():
    """Each operand of each function in each dtype; the others in float64."""
    for name, (operands, *_) in CASES.items():
        for at in range(len(operands)):
            for dtype in KINDS:
                marks = () if dtype in (OTHERS if at else FIRST) else dtypes.RARE
                yield pytest.param(name, at, dtype, id=f"{name}-{at}-{dtype}", marks=marks)


def call(ours, operands):
    """What a function returns, or the message with which it refuses."""
    try:
        return np.asarray(ours(*operands)), ""
    except (TypeError, ValueError, NotImplementedError) as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name, at, dtype", list(calls()))
def test_functions_of_linalg(name, at, dtype):
    makers, ours, theirs = CASES[name]
    operands = [make(dtype if i == at else "float64") for i, make in enumerate(makers)]
    got, refusal = call(ours, operands)
    if got is None:
        assert dtype in refusal
        return
    expected = theirs(*operands)
    assert got.shape == np.shape(expected)
    tolerance = 1e-3 if got.dtype == np.float16 else 2e-4 if dtype in NARROW else 1e-7
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def test_every_function_is_here():
    """`amg` needs PyAMG, and `LinearOperator` is SciPy's."""
    called = {word for name in CASES for word in name.split()}
    assert set(linalg.__all__) - called == {"amg", "LinearOperator"}
