"""What is left to SciPy on the cores and to CuPy on a GPU: they take matrices of this package, and give right results."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from spark_csr import csc_array, csr_array, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")

N = 30
S = sp.csr_array(sp.diags_array([-np.ones(N - 1), np.linspace(3, 9, N), -np.ones(N - 1)], offsets=[-1, 0, 1]))
B = np.random.default_rng(1).random(N)
X = sla.spsolve(S.tocsc(), B)
TALL = sp.csr_array(np.random.default_rng(2).random((N, 7)))
LARGEST = np.sort(np.linalg.eigvalsh(S.toarray()))[-3:]
START = np.random.default_rng(3).random((N, 3))


def lobpcg(A, xp):
    """SciPy warns where it does not reach its tolerance, which is far below what is asked for here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return linalg.lobpcg(A, xp.asarray(START), maxiter=200)[0]


CALLS = {
    "cg": (lambda A, b, xp: linalg.cg(A, b, rtol=1e-12)[0], X),
    "cg, x0": (lambda A, b, xp: linalg.cg(A, b, xp.ones(N), rtol=1e-12)[0], X),
    "cg, M": (lambda A, b, xp: linalg.cg(A, b, rtol=1e-12, M=linalg.jacobi(A))[0], X),
    "cg, progress": (lambda A, b, xp: linalg.cg(A, b, rtol=1e-12, progress=lambda *_: None)[0], X),
    "cg, an operator": (lambda A, b, xp: linalg.cg(linalg.aslinearoperator(A), b, rtol=1e-12)[0], X),
    "cgs": (lambda A, b, xp: linalg.cgs(A, b, rtol=1e-12)[0], X),
    "minres": (lambda A, b, xp: linalg.minres(A, b, rtol=1e-12)[0], X),
    "bicgstab": (lambda A, b, xp: linalg.bicgstab(A, b, rtol=1e-12)[0], X),
    "gmres": (lambda A, b, xp: linalg.gmres(A, b, rtol=1e-12)[0], X),
    "lsmr": (lambda A, b, xp: linalg.lsmr(A, b, atol=1e-12, btol=1e-12)[0], X),
    "lsmr, tall": (lambda A, b, xp: linalg.lsmr(A @ tall(A), b, atol=1e-12, btol=1e-12)[0], None),
    "lsqr": (lambda A, b, xp: linalg.lsqr(A, b, atol=1e-12, btol=1e-12)[0], X),
    "spsolve": (lambda A, b, xp: linalg.spsolve(A, b), X),
    "spsolve, columns": (lambda A, b, xp: linalg.spsolve(A, xp.stack([b, 2 * b], axis=1)), np.stack([X, 2 * X], 1)),
    "splu": (lambda A, b, xp: linalg.splu(csc_array(A)).solve(b), X),
    "spilu": (lambda A, b, xp: linalg.spilu(csc_array(A), drop_tol=1e-12).solve(b), X),
    "factorized": (lambda A, b, xp: linalg.factorized(csc_array(A))(b), X),
    "eigsh": (lambda A, b, xp: xp.sort(linalg.eigsh(A, 3, return_eigenvectors=False)), LARGEST),
    "eigsh, vectors": (lambda A, b, xp: xp.sort(linalg.eigsh(A, 3)[0]), LARGEST),
    "eigsh, progress": (lambda A, b, xp: xp.sort(linalg.eigsh(A, 3, progress=lambda *_: None)[0]), LARGEST),
    "svds": (lambda A, b, xp: xp.sort(linalg.svds(A, 3)[1]), LARGEST),
    "lobpcg": (lambda A, b, xp: xp.sort(lobpcg(A, xp)), LARGEST),
    "aslinearoperator": (lambda A, b, xp: linalg.aslinearoperator(A) @ b, S @ B),
}
NOT_ON_A_GPU = {
    "bicg": lambda A, b: linalg.bicg(A, b),
    "lgmres": lambda A, b: linalg.lgmres(A, b),
    "eigs": lambda A, b: linalg.eigs(A, 2),
    "inv": lambda A, b: linalg.inv(A),
    "expm": lambda A, b: linalg.expm(A),
    "expm_multiply": lambda A, b: linalg.expm_multiply(A, b),
    "onenormest": lambda A, b: linalg.onenormest(A),
    "eigsh, sigma": lambda A, b: linalg.eigsh(A, 2, sigma=1.0),
    "svds, propack": lambda A, b: linalg.svds(A, 2, solver="propack"),
    "spsolve, permc_spec": lambda A, b: linalg.spsolve(A, b, permc_spec="NATURAL"),
}


def tall(A):
    """A tall matrix where another is."""
    return csr_array(TALL).to_device(A.device)


@pytest.mark.parametrize("name", CALLS)
def test_the_library_of_the_device_computes(xp, to_numpy, name):
    call, expected = CALLS[name]
    A, b = csr_array(S).to_device("cpu" if xp is np else "cuda"), xp.asarray(B)
    expected = np.linalg.lstsq((S @ TALL).toarray(), B)[0] if expected is None else expected
    found = call(A, b, xp)
    assert isinstance(found, xp.ndarray)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", NOT_ON_A_GPU)
def test_what_cupy_does_not_have_is_refused(xp, name):
    if xp is np:
        pytest.skip("on a GPU only")
    with pytest.raises(NotImplementedError, match=r"A\.to_device\('cpu'\)"):
        NOT_ON_A_GPU[name](csr_array(S).to_device("cuda"), xp.asarray(B))


def test_a_right_hand_side_of_another_device(xp):
    if xp is np:
        pytest.skip("on a GPU only")
    with pytest.raises(TypeError, match="b is on cpu, but the matrix is on cuda:0"):
        linalg.cg(csr_array(S).to_device("cuda"), B)
