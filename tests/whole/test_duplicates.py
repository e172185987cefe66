"""Entries of one position in narrow dtypes: whatever one does with the matrix, one does with what `toarray` shows.

Products and sums take the entries one by one, in the dtype of the result; see matrix/test_reductions.py for sums.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
import spark_csr
from spark_csr import csr_array
from spark_csr.linalg import norm

FORMATS = ["csr", "csc", "coo"]

DATA = {
    "bool": np.array([True, True, True, False, True, True]),
    "int8": np.array([127, 2, 5, -5, 3, 1], np.int8),  # their sums: -127, 0, 3, 1
    "uint8": np.array([255, 1, 200, 100, 3, 1], np.uint8),
    "int64": np.array([2**62, 2**62, 5, -5, 3, 1]),
}
INDICES, INDPTR = np.array([0, 0, 2, 2, 1, 2]), np.array([0, 2, 5, 5, 6])

OTHER = np.array([[1.5, 0, 2], [0, -3, 0.5], [2, 0, 0], [0, 4, 300]])


def matrix(xp, dtype, form="csr"):
    """Of two rows with entries that share a position, an empty row and one without any."""
    A = csr_array((xp.asarray(DATA[dtype]), xp.asarray(INDICES), xp.asarray(INDPTR)), shape=(4, 3))
    return A.asformat(form)


OPERATIONS = {
    "+ dense": lambda A, other: A + other,
    "dense +": lambda A, other: other + A,
    "- dense": lambda A, other: A - other,
    "* dense": lambda A, other: A * other,
    "* row": lambda A, other: A * other[1],
    "* column": lambda A, other: A * other[:, :1],
    "/ dense": lambda A, other: A / (other + 0.25),
    "* number": lambda A, other: A * 2.5,
    "* wide number": lambda A, other: A * np.int32(1000),
    "/ number": lambda A, other: A / 2,
    "maximum of number": lambda A, other: np.maximum(A, 1.5) if isinstance(A, np.ndarray) else A.maximum(1.5),
    "minimum of number": lambda A, other: np.minimum(A, 1.5) if isinstance(A, np.ndarray) else A.minimum(1.5),
    "< number": lambda A, other: A < 1.5,
    "!= number": lambda A, other: A != 0,
    "astype": lambda A, other: A.astype(np.float32),
    "astype(bool)": lambda A, other: A.astype(bool),
    "astype(int16)": lambda A, other: A.astype(np.int16),
    "max": lambda A, other: A.max(),
    "argmin": lambda A, other: A.argmin(),
    "nonzero": lambda A, other: A.nonzero(),
    "diagonal": lambda A, other: A.diagonal() * 2.5,
    "square": lambda A, other: A.power(2) if not isinstance(A, np.ndarray) else A**2,
    "sqrt": lambda A, other: np.sqrt(abs(A)) if A.dtype != bool else A.astype(bool),
}

WITH_MATRICES = {
    "+": lambda A, B: A + B,
    "-": lambda A, B: A - B,
    "*": lambda A, B: A.multiply(B) if hasattr(A, "nnz") else A * B,
    "* of one row": lambda A, B: A * B[[0]],
    "maximum": lambda A, B: A.maximum(B) if hasattr(A, "nnz") else np.maximum(A, B),
    "<": lambda A, B: A < B,
    "!=": lambda A, B: A != B,
}

CONSTRUCTORS = {
    "hstack": lambda lib, A, B: lib.hstack([A, B]),
    "vstack": lambda lib, A, B: lib.vstack([A, B]),
    "kron": lambda lib, A, B: lib.kron(A, B),
    "kron of it": lambda lib, A, B: lib.kron(B, A),
}


def dense_of(x, to_numpy):
    if isinstance(x, tuple):
        return [to_numpy(k) for k in x]
    return to_numpy(x.toarray() if hasattr(x, "nnz") else x)


def same(got, wanted, name, to_numpy):
    np.testing.assert_allclose(dense_of(got, to_numpy), wanted, rtol=1e-6, atol=0, err_msg=name)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", dtypes.some(DATA, ["bool", "int8"]))
def test_operations_are_those_of_the_dense_matrix(xp, to_numpy, dtype, form):
    dense = to_numpy(matrix(xp, dtype).toarray())
    for name, operation in OPERATIONS.items():
        A = matrix(xp, dtype, form)
        assert A.nnz == 6
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            got, wanted = operation(A, xp.asarray(OTHER)), operation(dense, OTHER)
        same(got, wanted, name, to_numpy)


@pytest.mark.parametrize("dtype", dtypes.some(DATA, ["bool", "int8"]))
def test_operations_with_matrices_are_those_of_the_dense_ones(xp, to_numpy, dtype):
    dense = to_numpy(matrix(xp, dtype).toarray())
    for name, operation in WITH_MATRICES.items():
        got = operation(matrix(xp, dtype), csr_array(xp.asarray(OTHER)))
        same(got, operation(dense, OTHER), name, to_numpy)
    same(csr_array(xp.asarray(OTHER)) * matrix(xp, dtype), OTHER * dense, "on the right", to_numpy)
    np_of = {"hstack": np.hstack, "vstack": np.vstack}
    for name, make in CONSTRUCTORS.items():
        B = OTHER if name in np_of else OTHER[:2]
        got = make(spark_csr, matrix(xp, dtype), csr_array(xp.asarray(B)))
        wanted = np_of[name]([dense, B]) if name in np_of else make(np, dense, B)
        same(got, wanted, name, to_numpy)
    same(csr_array(matrix(xp, dtype), dtype=float), dense.astype(float), "csr_array(A, dtype)", to_numpy)


@pytest.mark.parametrize("dtype", ["bool", "int8"])
def test_a_matrix_of_one_element(xp, to_numpy, dtype):
    data = DATA[dtype][:2]
    A = csr_array((xp.asarray(data), xp.asarray([0, 0]), xp.asarray([0, 2])), shape=(1, 1))
    element = to_numpy(A.toarray())
    for other in (OTHER, OTHER[[0]]):
        same(A * csr_array(xp.asarray(other)), element * other, "sparse", to_numpy)
        same(A * xp.asarray(other), element * other, "dense", to_numpy)
    same(csr_array(xp.asarray(OTHER)) * A, OTHER * element, "on the right", to_numpy)


def test_quotients_and_norms(xp, to_numpy, cpu_only):
    A = matrix(xp, "int8")
    dense, divisor = to_numpy(A.toarray()), np.arange(1.0, 13).reshape(4, 3)
    np.testing.assert_allclose(to_numpy(A / csr_array(xp.asarray(divisor)))[dense != 0], (dense / divisor)[dense != 0])
    assert norm(A.astype(float)) == np.linalg.norm(dense.astype(float))


@pytest.mark.parametrize("dtype", ["bool", "int8"])
def test_products_take_the_entries_one_by_one(xp, to_numpy, dtype):
    """As SciPy's: a product is a sum over entries, in the dtype of the result. `sum_duplicates` first gives the other one."""
    A, x = matrix(xp, dtype), np.array([1.0, 10, 100])
    S = sp.csr_array((DATA[dtype], INDICES, INDPTR), shape=(4, 3))
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), S @ x)
    np.testing.assert_array_equal(to_numpy((A @ csr_array(xp.asarray(np.diag(x)))).toarray()), S @ np.diag(x))
    dense = to_numpy(A.toarray())
    A.sum_duplicates()
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), dense @ x)


def test_the_dtype_asked_for_is_that_of_the_entries(xp, to_numpy):
    """Arrays and a dtype make a matrix of that dtype: nothing is summed in another."""
    arrays = xp.asarray([127, 2], dtype=np.int8), xp.asarray([0, 0]), xp.asarray([0, 2])
    A = csr_array(arrays, shape=(1, 1), dtype=float)
    assert (A.nnz, to_numpy(A.toarray()).tolist()) == (2, [[129]])


def test_floats_are_summed_before_they_become_integers(xp, to_numpy):
    A = csr_array((xp.asarray([0.5, 0.5, -1, 1]), xp.asarray([0, 0, 1, 1]), xp.asarray([0, 4])), shape=(1, 2))
    for dtype in (int, bool):
        assert to_numpy(A.astype(dtype).toarray()).tolist() == [[1, 0]]


def test_same_dtype_keeps_entries_apart(xp):
    """Where the dtype stays, or a product of floats is one, nothing is summed: the pattern is kept, and not even looked at."""
    A = csr_array((xp.ones(2), xp.asarray([0, 0]), xp.asarray([0, 2])), shape=(1, 1))
    for B in (A * 2, -A, A.astype(float), A * 2j, A * xp.asarray([[2.0]])):
        assert B.nnz == 2
    assert not A._csr.plans


def test_entries_of_different_places_keep_their_order(xp, to_numpy):
    """Rows that are not sorted: what is known of the entries of one matrix is true of those of the other."""
    A = csr_array((xp.asarray([3, 1, 2], dtype=np.int8), xp.asarray([2, 0, 1]), xp.asarray([0, 2, 3])), shape=(2, 3))
    for B in (A.astype(float), A * 1.0, csr_array(A, dtype=float)):
        assert (B.dtype, to_numpy(B.indices).tolist()) == (float, [2, 0, 1])
        assert to_numpy(B.data).tolist() == [3, 1, 2]


@pytest.mark.parametrize("form", FORMATS)
def test_nonzero_lists_a_place_once(xp, to_numpy, form):
    A = matrix(xp, "int8", form)
    np.testing.assert_array_equal([to_numpy(k) for k in A.nonzero()], to_numpy(A.toarray()).nonzero())
    assert matrix(xp, "int8").nonzero()[0].size == 3


def masks(xp):
    """One of ours and one of SciPy's, with a position that is true twice, and one that is so among false ones."""
    data, indices, indptr = np.array([True, True, False, True, False]), [1, 1, 0, 0, 2], [0, 2, 4, 5]
    yield csr_array((xp.asarray(data), xp.asarray(indices), xp.asarray(indptr)), shape=(3, 3))
    for form in FORMATS:
        yield sp.csr_array((data, indices, indptr), shape=(3, 3)).asformat(form)


def test_a_mask_picks_and_sets_a_place_once(xp, to_numpy):
    dense = np.arange(1.0, 10).reshape(3, 3)
    for mask in masks(xp):
        A, wanted = csr_array(xp.asarray(dense)), dense.copy()
        assert to_numpy(A[mask]).tolist() == [2, 4]
        A[mask] = xp.asarray([-1.0, -2])
        wanted[[0, 1], [1, 0]] = -1, -2
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
    row = sp.coo_array((np.array([True, True, True]), (np.array([2, 0, 2]),)), shape=(3,))
    assert to_numpy(csr_array(xp.asarray(dense))[0][row].toarray()).tolist() == [1, 3]
