"""`csc_array` as it is made: by columns."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import Semiring, csc_array, csr_array

DATA, INDICES, INDPTR = np.array([1.0, 2, 3]), np.array([0, 1, 1]), np.array([0, 2, 3, 3])


@pytest.mark.parametrize("shape", [None, (2, 3), [4, 3]])
def test_three_arrays_are_columns(xp, to_numpy, shape):
    arrays = DATA, INDICES, INDPTR
    ours = csc_array(tuple(map(xp.asarray, arrays)), shape=shape)
    theirs = sp.csc_array(arrays, shape=shape)
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(to_numpy(ours.toarray()), theirs.toarray())
    assert [to_numpy(x).tolist() for x in (ours.indices, ours.indptr)] == [[0, 1, 1], [0, 2, 3, 3]]


def test_its_own_arrays_make_it_again(xp, to_numpy):
    A = csc_array(xp.asarray([[1.0, 0, 2], [0, 3, 0]]))
    again = csc_array((A.data, A.indices, A.indptr), shape=A.shape)
    np.testing.assert_array_equal(to_numpy(again.toarray()), to_numpy(A.toarray()))


def test_coordinates_need_no_offsets_of_rows(xp, to_numpy):
    """Of 2**40 rows these would fill any memory; a matrix by rows says so."""
    row, column = [2**40 - 1, 5, 5], [1, 2, 2]
    coordinates = xp.asarray([7.0, 1, 2]), (xp.asarray(row), xp.asarray(column))
    A = csc_array(coordinates, shape=(2**40, 4))
    assert [to_numpy(x).tolist() for x in (A.indptr, A.indices, A.data)] == [[0, 0, 1, 2, 2], [2**40 - 1, 5], [7, 3]]
    assert csc_array(coordinates, shape=(2**40, 4), dtype=np.int32).data.dtype == np.int32
    with pytest.raises(
        MemoryError, match="the offsets of 1,099,511,627,776 rows need 4,096.0 GiB, and .* are available: use coo"
    ):
        csr_array(coordinates, shape=(2**40, 4))
    with pytest.raises(ValueError, match="csc_array needs two dimensions, got shape"):
        csc_array((xp.asarray([7.0]), (xp.asarray([3]),)), shape=(9,))


def test_coordinates_of_scipy(cpu_only):
    S = sp.coo_array((DATA, ([2, 0, 2], [1, 0, 1])), shape=(3, 2))
    for given in ({}, {"dtype": np.float32}, {"shape": (3, 2)}):
        A = csc_array(S, **given)
        assert A.dtype == given.get("dtype", np.float64)
        np.testing.assert_array_equal(A.toarray(), S.toarray())
    with pytest.raises(ValueError, match="inconsistent shapes"):
        csc_array(S, shape=(2, 3))


def test_another_one_is_shared(xp, to_numpy):
    A = csc_array(xp.asarray([[1.0, 0, 2], [0, 3, 0]]))
    B = csc_array(A)
    B.data[0] = 7
    assert to_numpy(A.data)[0] == 7
    C = csc_array(A, shape=(2, 3), dtype="float32", copy=True)
    assert (C.shape, C.dtype) == ((2, 3), np.float32)
    np.testing.assert_array_equal(to_numpy(C.toarray()), to_numpy(A.toarray()))
    with pytest.raises(ValueError, match=r"inconsistent shapes: shape \(3, 2\) was asked for, .* has shape \(2, 3\)"):
        csc_array(A, shape=(3, 2))


def test_canonical_arrays_are_shared_with_scipy(cpu_only):
    S = sp.csc_array(np.array([[1.0, 0, 2], [0, 3, 0]]))
    A = csc_array(S, shape=(2, 3))
    assert all(np.shares_memory(mine, theirs) for mine, theirs in [(A.data, S.data), (A._csr.indices, S.indices)])
    assert np.shares_memory(A.to_scipy().data, S.data)
    assert not np.shares_memory(csc_array(S, copy=True).data, S.data)
    np.testing.assert_array_equal(A.toarray(), S.toarray())
    with pytest.raises(ValueError, match=r"inconsistent shapes: shape \(3, 2\) was asked for, .* has shape \(2, 3\)"):
        csc_array(S, shape=(3, 2))


def test_duplicates_of_scipy_are_copied(cpu_only):
    """SciPy sums them in place where it only reads."""
    S = sp.csc_array((np.array([1.0, 2, 3]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    A, wanted = csc_array(S), S.toarray()
    S.sum_duplicates()
    np.testing.assert_array_equal(A.toarray(), wanted)
    assert A.nnz == 3


@pytest.mark.parametrize("shape", [(2, 2), (1, 3)])
def test_arrays_that_do_not_fit_the_shape(shape):
    with pytest.raises(ValueError, match="indptr must have|must lie in"):
        csc_array((DATA, INDICES, INDPTR), shape=shape)


def first_less_half(a, x):
    return a - x / 2


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("left", ["csr", "csc", "coo"])
@pytest.mark.parametrize("right", ["csr", "csc", "coo"])
def test_semirings_multiply_in_the_order_of_the_operands(xp, to_numpy, left, right, masked):
    """The product of a `csc_array` is that of the transposes, whose factors are exchanged."""
    ring = Semiring("sum", first_less_half)
    A, B = np.array([[1.0, 2, 0], [0, 3, 0]]), np.array([[5.0, 0], [11, 13], [0, 1]])
    expected = np.zeros((2, 2))
    for i, j, k in np.ndindex(2, 3, 2):
        if A[i, j] and B[j, k]:
            expected[i, k] += A[i, j] - B[j, k] / 2
    factors = [csr_array(xp.asarray(x)).asformat(form) for x, form in ((A, left), (B, right))]
    mask = csr_array(xp.asarray(np.array([[1, 0], [0, 1]]))) if masked else None
    C = factors[0].matmul(factors[1], semiring=ring, mask=mask)
    np.testing.assert_array_equal(to_numpy(C.toarray()), expected * np.eye(2) if masked else expected)
