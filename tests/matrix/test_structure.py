"""Shapes and diagonals beside SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

import battery
import spark_csr
from spark_csr import csr_array
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.usefixtures("small_tiles")

FORMS = ["csr", "csc", "coo"]
DENSE = np.array([[1.0, 0, 2, 0, 5], [0, 0, 0, 0, 0], [3, 4, 0, 6, 0], [0, 7, 0, 0, 8]])


def both(xp, name, form):
    indptr, indices, data, shape = battery.BATTERY[name]
    S = sp.csr_array((data, indices, indptr), shape=shape).asformat(form, copy=True)
    return battery.build(xp, name).asformat(form, copy=True), S


def same(A, S, to_numpy):
    assert (A.format, A.shape, A.dtype) == (S.format, S.shape, S.dtype)
    np.testing.assert_array_equal(to_numpy(A.toarray()), S.toarray())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", list(battery.BATTERY)[:: 8 if SIMULATED else 1])
def test_every_matrix(xp, to_numpy, name, form):
    A, S = both(xp, name, form)
    rows, columns = A.shape
    for k in {0, 1, -1, columns - 1, 1 - rows, columns, -rows, 99}:
        diagonal = A.diagonal(k)
        assert diagonal.dtype == A.dtype
        np.testing.assert_array_equal(to_numpy(diagonal), S.diagonal(k))
    for order in "CF":
        for shape in ((columns, rows), (1, -1), (-1, 1), (rows * columns,)):
            if rows * columns:
                same(A.reshape(shape, order=order), S.reshape(shape, order=order), to_numpy)
    for got, wanted in zip(A.nonzero(), S.nonzero(), strict=True):
        assert got.dtype == wanted.dtype
    dense, again = S.toarray(), np.zeros(A.shape)
    again[tuple(map(to_numpy, A.nonzero()))] = 1
    np.testing.assert_array_equal(again != 0, _nonzero(name, dense))


def _nonzero(name, dense):
    """Entries of one position may sum to zero: they are not zero themselves."""
    indptr, indices, data, _ = battery.BATTERY[name]
    rows = np.repeat(np.arange(dense.shape[0]), np.diff(indptr))
    found = np.zeros(dense.shape, bool)
    found[rows[data != 0], indices[data != 0]] = True
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(2, 3), (6, 7), (2, 7), (5, 2), (4, 5), (0, 0), (1, 1), (9, 5), (4, 2)])
def test_resize(xp, to_numpy, form, shape):
    for A, S in (
        (getattr(spark_csr, f"{form}_array")(xp.asarray(DENSE)), getattr(sp, f"{form}_array")(DENSE)),
        both(xp, "unsorted", form),
    ):
        assert A.resize(*shape) is None
        S.resize(shape)
        same(A, S, to_numpy)
        A.check_format() if form != "coo" else None


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_resize_between_vectors_and_matrices(xp, to_numpy, form):
    vector = np.array([1.0, 0, 2, 0, 5])
    make, theirs = getattr(spark_csr, f"{form}_array"), getattr(sp, f"{form}_array")
    for dense, shape in ((vector, (3,)), (vector, (7,)), (vector, (2, 3)), (DENSE, (20,)), (DENSE, (8,))):
        A, S = make(xp.asarray(dense)), theirs(dense)
        A.resize(shape)
        S.resize(shape)
        same(A, S, to_numpy)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "values, k",
    [
        (9, 0),
        ([1, 2], 0),
        ([1, 2, 3, 4, 5, 6], 0),
        (0, 0),
        ([1, 2], 1),
        ([1, 2], -1),
        (7, 4),
        ([], 0),
        ([1.5, 0, 2], -2),
        ([5], 1),
    ],
)
def test_setdiag(xp, to_numpy, form, values, k):
    A, S = getattr(spark_csr, f"{form}_array")(xp.asarray(DENSE)), getattr(sp, f"{form}_array")(DENSE)
    assert A.setdiag(values, k) is None
    S.setdiag(values, k)
    same(A, S, to_numpy)
    assert A.nnz == S.nnz


@pytest.mark.parametrize("form", FORMS)
def test_setdiag_casts_to_the_dtype_of_the_matrix(xp, to_numpy, form):
    """Lists and numbers alike: SciPy's coo_array becomes float64, but only for lists."""
    for dtype, values, wanted in ((np.int32, [2.75, -1.5], [2, -1]), (np.int32, 2.75, [2, 2]), (bool, [2.75, 0], [1, 0])):
        A = getattr(spark_csr, f"{form}_array")(xp.asarray(np.eye(2, dtype=dtype)))
        A.setdiag(values)
        assert A.dtype == dtype
        np.testing.assert_array_equal(to_numpy(A.toarray()), np.diag(wanted))


def test_what_shares_its_values_and_what_copies_them(xp):
    """Where entries must be sorted into rows, values are copied; SciPy's share them: see `differences.ELSEWHERE`."""
    rows = spark_csr.csr_array(xp.asarray(DENSE))
    for form, name, call in (
        ("csr", "T", lambda A: A.T),
        ("csr", "reshape", lambda A: A.reshape(5, 4)),
        ("csc", "T", lambda A: A.T),
        ("coo", "reshape", lambda A: A.reshape(5, 4)),
    ):
        A = rows.asformat(form)
        assert xp.may_share_memory(call(A).data, A.data), f"{name} of {form}"
    for form, name, call in (
        ("coo", "T", lambda A: A.T),
        ("coo", "transpose", lambda A: A.transpose(copy=True)),
        ("csc", "reshape", lambda A: A.reshape(5, 4)),
        ("csc", "reshape to a vector", lambda A: A.reshape(-1)),
        ("csr", "reshape by columns", lambda A: A.reshape((5, 4), order="F")),
        ("coo", "reshape by columns", lambda A: A.reshape((5, 4), order="F")),
    ):
        A = rows.asformat(form)
        assert not xp.may_share_memory(call(A).data, A.data), f"{name} of {form}"


def test_reshape_shares_or_copies(xp):
    A = spark_csr.csr_array(xp.asarray(DENSE))
    assert A.reshape(4, 5) is A
    assert A.reshape((4, 5), copy=True) is not A
    assert xp.may_share_memory(A.reshape(2, 10).data, A.data)
    assert not xp.may_share_memory(A.reshape(2, 10, copy=True).data, A.data)
    assert A.reshape(20).shape == (20,)
    assert A.reshape(-1, 2).format == "coo"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda A: A.reshape(3, 3), ValueError, r"size 20 into shape \(3, 3\)"),
        (lambda A: A.reshape(-1, 3), ValueError, r"\(-1, 3\)"),
        (lambda A: A.reshape(-1, -1), ValueError, "one unknown"),
        (lambda A: A.reshape(0, -1), ValueError, r"\(0, -1\)"),
        (lambda A: A.reshape(2, 2, 6), ValueError, r"size 20 into shape \(2, 2, 6\)"),
        (lambda A: A.reshape(2.0, 10), TypeError, "shape must be an integer, got "),
        (lambda A: A.reshape(2, 10, order="K"), ValueError, "'K'"),
        (lambda A: A.reshape(), TypeError, "shape"),
        (lambda A: A.resize(-1, 2), ValueError, "negative"),
        (lambda A: A.resize(2, 2, 2), ValueError, r"\(2, 2, 2\)"),
        (lambda A: A.resize(2.0, 3), TypeError, "shape must be an integer, got "),
        (lambda A: A.setdiag(1, 5), ValueError, "k exceeds array dimensions: got 5"),
        (lambda A: A.setdiag(1, -4), ValueError, "got -4"),
        (lambda A: A.setdiag(np.ones((2, 2))), ValueError, r"\(2, 2\)"),
        (lambda A: A.diagonal(1.0), TypeError, "float"),
    ],
)
def test_refusals(xp, form, call, error, message):
    A = getattr(spark_csr, f"{form}_array")(xp.asarray(DENSE))
    with pytest.raises(error, match=message):
        call(A)


def test_vectors_have_no_diagonals(xp):
    x = spark_csr.coo_array(xp.asarray([1.0, 0, 2]))
    for call in (x.diagonal, lambda: x.setdiag(1)):
        with pytest.raises(ValueError, match="requires two dimensions"):
            call()
    assert [k.tolist() for k in x.nonzero()] == [[0, 2]]


def test_places_beyond_32_bits_and_beyond_63(xp):
    A = spark_csr.csr_array((xp.ones(1), xp.asarray([2**40]), xp.asarray([0, 1])), shape=(1, 2**50))
    assert A.reshape(2**11, 2**39).nonzero()[0].tolist() == [2]
    A = spark_csr.csr_array((xp.ones(1), xp.asarray([2**62]), xp.asarray([0, 1, 1])), shape=(2, 2**62 + 1))
    with pytest.raises(ValueError, match=f"the {2**63 + 2} positions .* cannot be numbered in 64 bits"):
        A.reshape(2**62 + 1, 2)


def test_a_complex_diagonal_is_set():
    A = csr_array(np.eye(2, dtype=complex))
    A.setdiag([1j, 2])
    assert A.toarray().tolist() == [[1j, 0], [0, 2]]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_ravel_and_flatten(xp, to_numpy, form, order):
    dense = np.array([[1.0, 0, 2], [0, 3, -1]])
    A = spark_csr.csr_array(xp.asarray(dense)).asformat(form)
    for x in (A.ravel(order), A.flatten(order=order)):
        np.testing.assert_array_equal(to_numpy(x.toarray()), dense.ravel(order))
    x.data[:] = 0
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_matrix_transpose(xp, to_numpy, form):
    A = csr_array(xp.asarray([[1.0, 0, 2], [0, 3, 0]])).asformat(form)
    assert (type(A.mT), to_numpy(A.mT.toarray()).tolist()) == (type(A.T), [[1, 0], [0, 3], [2, 0]])
    with pytest.raises(ValueError, match="one dimension and no matrix transpose: use A.T"):
        csr_array(xp.asarray([1.0, 2])).mT  # noqa: B018
