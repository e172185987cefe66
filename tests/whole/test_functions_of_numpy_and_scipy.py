"""Functions of NumPy and SciPy that are given our matrices: the right result, or the sentence that says what to give them."""

import io
import operator
import re

import numpy as np
import pytest
import scipy.io
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse import csgraph

import spark_csr
from spark_csr._array import SIMULATED

SENTENCE = (
    r"not a dense array: use A\.to_\w+\(\) for a matrix of \w+ that shares the values, or A\.toarray\(\) for a dense copy"
)

DENSE = np.array([[1.0, 0, 2], [0, 3, 0], [-1, 0, 0.5]])
X = np.array([1.0, 10, 100])

PLAIN = """sin cbrt abs absolute negative positive square isnan sum mean std var max min amax nanmin argmax any all
    count_nonzero transpose ravel diagonal trace real imag round around nonzero where shape ndim iscomplexobj copy zeros_like"""

RIGHT = {
    **{f"np.{name}": lambda A, x, name=name: getattr(np, name)(A) for name in PLAIN.split()},
    "np.result_type": lambda A, x: np.dtype(np.result_type(A, np.float32)).num,
    "np.conj": lambda A, x: np.conj(A),
    "np.modf": lambda A, x: np.modf(A),
    "np.add": lambda A, x: np.add(A, A),
    "np.add of an array": lambda A, x: np.add(A, x),
    "np.subtract from an array": lambda A, x: np.subtract(x, A),
    "np.multiply": lambda A, x: np.multiply(A, 2),
    "np.multiply by an array": lambda A, x: np.multiply(x, A),
    "np.divide": lambda A, x: np.divide(A, 2.0),
    "np.power": lambda A, x: np.power(A, 2),
    "np.maximum": lambda A, x: np.maximum(A, 0),
    "np.less": lambda A, x: np.less(x, A),
    "np.matmul": lambda A, x: np.matmul(A, x),
    "np.matmul with a list": lambda A, x: np.matmul(A, x.tolist()),
    "np.matmul of a list": lambda A, x: np.matmul(x.tolist(), A),
    "np.dot": lambda A, x: np.dot(A, x),
    "np.dot of an array": lambda A, x: np.dot(x, A),
    "np.dot of a number": lambda A, x: np.dot(2, A),
    "np.dot of matrices": lambda A, x: np.dot(A, A),
    "x @ A": lambda A, x: x @ A,
    "np.float64(2) * A": lambda A, x: np.float64(2) * A,
    "np.sum, axis=0": lambda A, x: np.sum(A, axis=0),
    "np.sum, axis=1, keepdims": lambda A, x: np.sum(A, 1, keepdims=True),
    "np.max, keepdims": lambda A, x: np.max(A, axis=0, keepdims=True),
    "np.argmin, keepdims": lambda A, x: np.argmin(A, axis=1, keepdims=True),
    "np.mean, keepdims": lambda A, x: np.mean(A, keepdims=True),
    "np.std, ddof": lambda A, x: np.std(A, axis=1, ddof=1),
    "np.all, axis": lambda A, x: np.all(A, axis=1),
    "np.reshape": lambda A, x: np.reshape(A, (1, 9)),
    "np.ravel, order": lambda A, x: np.ravel(A, "F"),
    "np.concatenate": lambda A, x: np.concatenate([A, A]),
    "np.concatenate, axis=1": lambda A, x: np.concatenate((A, A), axis=1),
    "np.concatenate vectors": lambda A, x: np.concatenate([np.ravel(A), np.ravel(A)]),
    "np.hstack": lambda A, x: np.hstack([A, A]),
    "np.vstack": lambda A, x: np.vstack([A, x]),
    "np.kron": lambda A, x: np.kron(A, A),
    "np.array_equal": lambda A, x: (np.array_equal(A, A), np.array_equal(A, x)),
    "np.take": lambda A, x: np.take(A, np.array([2, 0, 2]), axis=0),
    "np.take, axis=-1": lambda A, x: np.take(A, np.array([1, 0]), axis=-1),
    "np.take of all": lambda A, x: np.take(A, np.array([8, 0, 4])),
    "np.tensordot": lambda A, x: np.tensordot(A, x, 1),
    "np.tensordot, axes": lambda A, x: np.tensordot(A, A, ((0,), (1,))),
    "np.tensordot, first axes": lambda A, x: np.tensordot(A, x, (0, 0)),
    "np.tensordot of an array": lambda A, x: np.tensordot(x, A, (0, -2)),
    "np.tensordot of all": lambda A, x: np.tensordot(A, A + A),
    "np.tensordot of all, crossed": lambda A, x: np.tensordot(A, A, ((0, 1), (1, 0))),
    "np.clip": lambda A, x: np.clip(A, -0.5, 1.5),
    "np.clip above": lambda A, x: np.clip(A, None, 0),
    "np.clip by name": lambda A, x: np.clip(A, a_min=0, a_max=1),
    "np.diagonal, axes": lambda A, x: np.diagonal(A, 1, 1, 0),
    "np.zeros_like, shape": lambda A, x: np.zeros_like(A, shape=(2, 4)),
    "np.zeros_like, no axes": lambda A, x: np.zeros_like(A, shape=()),
    "np.ones_like": lambda A, x: np.ones_like(A),
    "np.ones_like, shape": lambda A, x: np.ones_like(A, np.int64, shape=(1, 2)),
    "np.ones_like, no axes": lambda A, x: np.ones_like(A, shape=()),
    "np.broadcast_to": lambda A, x: np.broadcast_to(np.zeros_like(A, shape=1), (2, 3)),
    "np.can_cast": lambda A, x: np.can_cast(A.dtype, np.float32),
    "np.linalg.norm": lambda A, x: np.linalg.norm(A),
    "np.linalg.norm, axis": lambda A, x: np.linalg.norm(A, 1, axis=0),
}

NOT_DEFINED = "asarray array cumsum sort unique argsort nan_to_num"

REFUSED = {
    **{f"np.{name}": lambda A, x, name=name: getattr(np, name)(A) for name in NOT_DEFINED.split()},
    "np.linalg.inv": lambda A, x: np.linalg.inv(A),
    "np.fft.fft": lambda A, x: np.fft.fft(A),
    "np.asarray(float)": lambda A, x: np.asarray(A, float),
    "np.array of two": lambda A, x: np.array([A, A]),
    "np.tril": lambda A, x: np.tril(A),
    "np.where": lambda A, x: np.where(x > 1, A, 0),
    "np.isclose": lambda A, x: np.isclose(A, A),
    "np.add.reduce": lambda A, x: np.add.reduce(A),
    "np.hypot": lambda A, x: np.hypot(A, A),
    "np.power of a number": lambda A, x: np.power(2.0, A),
    "np.divide of a number": lambda A, x: np.float64(2) / A,
    "np.clip by arrays": lambda A, x: np.clip(A, -x, x),
    "np.broadcast_to": lambda A, x: np.broadcast_to(A, (2, 3, 3)),
    "np.einsum": lambda A, x: np.einsum("ij,j", A, x),
}

WITH_OTHER_WORDS = {
    "makes missing elements nonzero": lambda A, x: np.clip(A, 1, 2),
    "does not map 0 to 0": lambda A, x: np.cos(A),
    "takes no out=": lambda A, x: np.add(A, A, out=np.empty(A.shape)),
    "takes no where=": lambda A, x: np.add(A, A, where=np.ones(A.shape, bool)),
    "takes no dtype=": lambda A, x: np.sin(A, dtype=np.float32),
    "takes no initial=": lambda A, x: np.sum(A, initial=1),
    "takes no mode=": lambda A, x: np.take(A, [0], mode="wrap"),
    "as its first argument only": lambda A, x: np.sum(DENSE, axis=0, out=A),
    "takes no more than a, offset": lambda A, x: np.trace(A, 0, 0, 1),
}


def plain(result):
    """The result as dense arrays on the host."""
    if isinstance(result, tuple):
        return [plain(x) for x in result]
    result = result.toarray() if hasattr(result, "toarray") else result
    return result.get() if hasattr(result, "get") else result


def matrices(xp):
    for form in (spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array):
        yield form(xp.asarray(DENSE))


@pytest.mark.parametrize("name", RIGHT)
def test_right(xp, name):
    call = RIGHT[name]
    expected = plain(call(DENSE, X))
    for A in matrices(xp):
        got = plain(call(A, xp.asarray(X)))
        np.testing.assert_equal(np.shape(got), np.shape(expected))
        np.testing.assert_allclose(got, expected, rtol=1e-13) if "result_type" not in name else np.testing.assert_equal(
            got, expected
        )


@pytest.mark.parametrize("name", REFUSED)
def test_refused(xp, name):
    for A in matrices(xp):
        with pytest.raises(TypeError, match=SENTENCE):
            REFUSED[name](A, xp.asarray(X))


@pytest.mark.parametrize("words", WITH_OTHER_WORDS)
def test_refused_by_name(xp, words):
    for A in matrices(xp):
        with pytest.raises(TypeError, match=words):
            WITH_OTHER_WORDS[words](A, xp.asarray(X))


def test_comparisons_and_differences_that_numpy_refuses(xp):
    """`A != B` of different shapes is True, as SciPy's; a function of NumPy has no such result."""
    for A in matrices(xp):
        for function in (np.equal, np.not_equal):
            with pytest.raises(ValueError, match=r"cannot compare operands of shapes \(3, 3\) and \(2, 3\)"):
                function(A, A[:2])
        bools = A != 0
        for other in (bools, bools.toarray(), True):
            with pytest.raises(TypeError, match="subtract is not defined for bools: use A != B"):
                np.subtract(bools, other)


def test_operators_write_into_arrays_on_their_left(cpu_only):
    A = spark_csr.csr_array(DENSE)
    for change in (operator.iadd, operator.isub, operator.imul, operator.imatmul):
        x, expected = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
        expected = change(expected, DENSE)
        assert change(x, A) is x
        np.testing.assert_allclose(x, expected)


RIGHT_OF_SCIPY = {
    "S @ A": lambda S, A: S @ A,
    "S * A": lambda S, A: S * A,
    "S + A": lambda S, A: S + A,
    "S - A": lambda S, A: S - A,
    "S / A": lambda S, A: np.nan_to_num(S / A),
    "S != A": lambda S, A: S != A,
    "S < A": lambda S, A: S < A,
    "S.dot(A)": lambda S, A: S.tocsr().dot(A),
    "aslinearoperator": lambda S, A: sp.linalg.aslinearoperator(A) @ X,
    "cg": lambda S, A: sp.linalg.cg(A.T @ A, X, rtol=1e-12)[0].round(6),
}

TAKEN_BY_SCIPY = {
    "kron": lambda S, A: sp.kron(S, A),
    "find": lambda S, A: sp.find(A),
    **{
        f"{form}_{kind}": lambda S, A, name=f"{form}_{kind}": getattr(sp, name)(A)
        for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
        for kind in ("array", "matrix")
    },
    "dot of a coo_array": lambda S, A: S.tocoo().dot(A),
    "multiply": lambda S, A: S.multiply(A),
    "maximum": lambda S, A: S.maximum(A),
    "assignment": lambda S, A: [T := S.copy(), T.__setitem__(slice(1, 3), A[:2])][0],
    "assignment to lil": lambda S, A: [T := S.tolil(), T.__setitem__(slice(1, 3), A[:2])][0],
    "spsolve": lambda S, A: sp.linalg.spsolve(A, X),
    "splu": lambda S, A: sp.linalg.splu(A).solve(X),
    "factorized": lambda S, A: sp.linalg.factorized(A)(X),
    "expm": lambda S, A: sp.linalg.expm(A),
    "norm": lambda S, A: sp.linalg.norm(A),
    "connected_components": lambda S, A: csgraph.connected_components(A),
    "dijkstra": lambda S, A: csgraph.dijkstra(abs(A)),
    "minimum_spanning_tree": lambda S, A: csgraph.minimum_spanning_tree(A),
    "savemat": lambda S, A: [file := io.BytesIO(), scipy.io.savemat(file, {"A": A}), scipy.io.loadmat(file)["A"]][2],
}
"""By versions of SciPy whose `issparse` can be told of other classes."""

REFUSED_BY_SCIPY = {  # these would make old matrices of ours, whose `*` is the matrix product
    "vstack": lambda S, A: sp.vstack([S, A]),
    "hstack": lambda S, A: sp.hstack([A, S]),
    "block_array": lambda S, A: sp.block_array([[S, A]]),
    "mmwrite": lambda S, A: scipy.io.mmwrite(io.BytesIO(), A),
}


@pytest.mark.skipif(SIMULATED, reason="SciPy's functions")
@pytest.mark.parametrize("name", RIGHT_OF_SCIPY)
def test_scipy_is_right(name):
    S = sp.csr_array(DENSE)
    expected = plain(RIGHT_OF_SCIPY[name](S, S))
    for scipys in (sp.csr_array, sp.csc_array, sp.coo_array):
        for A in matrices(np):
            found = RIGHT_OF_SCIPY[name](scipys(DENSE), A)
            np.testing.assert_allclose(plain(found), expected)
            assert not isinstance(found, sp.spmatrix)


@pytest.mark.skipif(SIMULATED, reason="SciPy's functions")
@pytest.mark.parametrize("name", TAKEN_BY_SCIPY)
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning", "ignore:`tril`|The default:DeprecationWarning")
def test_scipy_takes(name):
    S = sp.csr_array(DENSE)
    expected = plain(TAKEN_BY_SCIPY[name](S, S))
    for A in matrices(np):
        if not sp.issparse(A):
            pytest.skip("SciPy cannot be told of other classes")
        got = plain(TAKEN_BY_SCIPY[name](S, A))
        for x, y in zip(got, expected, strict=True) if isinstance(got, list) else [(got, expected)]:
            np.testing.assert_allclose(x, y, rtol=1e-12)


@pytest.mark.skipif(SIMULATED, reason="SciPy's functions")
@pytest.mark.parametrize("name", REFUSED_BY_SCIPY)
def test_scipy_refuses(name):
    for A in matrices(np):
        with pytest.raises((TypeError, ValueError)) as refusal:
            REFUSED_BY_SCIPY[name](sp.csr_array(DENSE), A)
        reasons = [str(refusal.value), str(refusal.value.__cause__)]  # constructors of SciPy's add a message of their own
        assert any(re.search(SENTENCE, reason) for reason in reasons)


def test_what_scipy_cannot_have(xp):
    """Private attributes of SciPy's classes are those of a matrix of SciPy; there are none on a GPU, and no others."""
    A = spark_csr.csr_array(xp.asarray(DENSE))
    with pytest.raises(AttributeError, match="'csr_array' object has no attribute '_nothing'"):
        A._nothing  # noqa: B018
    if A.device != "cpu":
        with pytest.raises(AttributeError, match=r"this matrix is on cuda:0: use A\.to_scipy\(\)"):
            A._getnnz  # noqa: B018


def test_axes_that_a_matrix_does_not_have(cpu_only):
    A = spark_csr.csr_array(DENSE)
    with pytest.raises(ValueError, match="axis1 and axis2 must be the two axes of the matrix, got 1 and -1"):
        np.diagonal(A, 0, 1, -1)
    assert np.array_equal(np.tensordot(A, A, 0).toarray(), np.tensordot(A.toarray(), A.toarray(), 0))
