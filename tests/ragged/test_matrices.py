"""Rows of matrices as ragged arrays, and ragged arrays as patterns."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
from nested import array, loose
from spark_csr import Ragged, coo_array, csc_array, csr_array


@pytest.mark.parametrize("name", battery.FINITE)
def test_rows_there_and_back(xp, to_numpy, name):
    A = battery.build(xp, name)
    R, columns = Ragged.from_csr(A), Ragged.from_csr(A, "indices")
    indptr, indices, data, shape = battery.BATTERY[name]
    cuts = list(itertools.pairwise(indptr))
    assert R.to_lists() == [data[a:b].tolist() for a, b in cuts]
    assert columns.to_lists() == [indices[a:b].tolist() for a, b in cuts]
    again = columns.to_csr(shape[1], R)
    assert again.shape == shape
    for got, wanted in zip((again.indptr, again.indices, again.data), (indptr, indices, data), strict=True):
        np.testing.assert_array_equal(to_numpy(got), wanted)


def test_values_are_not_copied():
    A = csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]]))
    R, columns = Ragged.from_csr(A), Ragged.from_csr(A, "indices")
    B = columns.to_csr(3, R)
    assert np.shares_memory(R.values, A.data)
    assert np.shares_memory(B.data, A.data)
    R[2][0] = 9
    assert A[2, 1] == B[2, 1] == 9
    columns.values[0] = 1
    assert A.indices[0] == 0
    assert columns[::-1].to_lists() == [[1, 2], [], [1, 2]]
    S = sp.csr_array(A.toarray())
    assert np.shares_memory(Ragged.from_csr(S).values, S.data)


def test_other_forms_of_matrices(to_numpy):
    dense = np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]])
    for form in (csc_array, coo_array, sp.csc_array, sp.coo_matrix, sp.lil_array, csr_array):
        assert Ragged.from_csr(form(dense)).to_lists() == [[1, 2], [], [3, 4]]
    assert Ragged.from_csr(csr_array(dense)[0]).to_lists() == [[1, 2]]


@given(st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=5))
def test_patterns_of_ones(xp, to_numpy, lists):
    dense = np.zeros((len(lists), 7))
    for i, columns in enumerate(lists):
        np.add.at(dense[i], np.array(columns, int), 1)
    R = array(xp, lists, 2)
    for x in (R, loose(R), R.astype(np.uint8)):
        A = x.to_csr(7)
        assert (A.shape, A.dtype) == ((len(lists), 7), np.float64)
        np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


def test_values_of_entries(xp, to_numpy):
    R = array(xp, [[0, 2], [], [1]], 2, np.int32)
    wanted = [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
    for data in (xp.asarray([1, 2, 3], dtype=np.float32), loose(array(xp, [[1, 2], [], [3]], 2, np.float32))):
        A = loose(R).to_csr(3, data)
        assert A.dtype == np.float32
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
    assert R.to_csr(3, [1, 2, 3]).dtype == np.int64
    assert to_numpy(R.to_csr(3, 2.5).data).tolist() == [2.5] * 3
    assert R.to_csr(2**40).indices.dtype == np.int64


@pytest.mark.parametrize(
    "lists, ndim, arguments, error, message",
    [
        ([[0, 3], [-1]], 2, (3,), ValueError, r"indices must lie in \[0, 3\), got indices\[1\] = 3"),
        ([[0], [-1]], 2, (3,), ValueError, r"got indices\[1\] = -1"),
        ([[0]], 2, (-1,), ValueError, "shape must not be negative|must lie in"),
        ([[[0]]], 3, (3,), ValueError, r"a matrix has two axes, but this array has 3: use R.flatten\(level\)"),
        ([0], 1, (3,), ValueError, "a matrix has two axes, but this array has 1"),
        ([[0.5]], 2, (3,), TypeError, "columns must be integers, got dtype float64"),
        ([[True]], 2, (3,), TypeError, "columns must be integers, got dtype bool"),
        ([[0, 1]], 2, (3, [1]), ValueError, "indices and data must have equal length, got 2 and 1"),
        ([[0, 1]], 2, (3, [[1, 2]]), ValueError, "data must be one-dimensional"),
        ([[0, 1]], 2, (3, ["a", "b"]), TypeError, "data has dtype <U1"),
        ([[0, 1]], 2, (3, Ragged([1, 2], [0, 1, 2])), ValueError, "they differ: one array has 1 items and the other has 2"),
        ([[0, 1]], 2, (3, Ragged([1, 2])), ValueError, "they differ: data has 1 axes instead of 2"),
        ([[0, 1]], 2, (2.5,), TypeError, "integer"),
    ],
    ids=str,
)
def test_what_is_no_pattern_is_named(lists, ndim, arguments, error, message):
    with pytest.raises(error, match=message):
        array(np, lists, ndim, None).to_csr(*arguments)


def test_what_is_no_matrix_is_named():
    with pytest.raises(TypeError, match="takes a sparse matrix, got ndarray"):
        Ragged.from_csr(np.ones((2, 2)))
    with pytest.raises(ValueError, match="'data' or 'indices', got 'indptr'"):
        Ragged.from_csr(csr_array((2, 2)), "indptr")
