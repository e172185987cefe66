"""Matrices as plain tuples, for functions that Numba compiles."""

import numba
import numpy as np
import pytest
import scipy.sparse

from spark_csr import coo_array, csc_array, csr_array
from spark_csr._array import SIMULATED

S = scipy.sparse.random_array((50, 40), density=0.1, rng=1, format="csr")


@numba.njit
def multiply_rows(A, x):
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            y[i] += A.data[k] * x[A.indices[k]]
    return y


@numba.njit
def multiply_coordinates(A, x):
    y = np.zeros(A.shape[0])
    for i, j, value in zip(A.row, A.col, A.data):  # noqa: B905 - Numba does not take `strict`
        y[i] += value * x[j]
    return y


def test_in_compiled_functions(cpu_only):
    x, y = np.arange(40.0), np.arange(50.0)
    np.testing.assert_allclose(multiply_rows(csr_array(S).to_tuple(), x), S @ x)
    np.testing.assert_allclose(multiply_rows(csc_array(S.T).to_tuple()._replace(shape=(50, 40)), x), S @ x)
    np.testing.assert_allclose(multiply_coordinates(coo_array(S).to_tuple(), x), S @ x)
    np.testing.assert_allclose(multiply_rows(csr_array(S.T).to_tuple(), y), S.T @ y)


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_arrays_are_those_of_the_matrix(xp, to_numpy, form):
    A = form(xp.asarray(S.toarray()))
    found, expected = A.to_tuple(), getattr(scipy.sparse, form.__name__)(S)
    assert (type(found).__name__, found.shape) == (A.format.upper(), (50, 40))
    for name in found._fields[:3]:
        np.testing.assert_array_equal(to_numpy(getattr(found, name)), getattr(expected, name))
    if xp is np:
        assert np.shares_memory(found.data, A.data)
        assert not any(x.flags.writeable for x in found[:3])


def test_entries_stay_while_the_matrix_changes(cpu_only):
    A = csr_array(S)
    found = A.to_tuple()
    A[A.nonzero()[0][:1], A.nonzero()[1][:1]] = 0
    A.eliminate_zeros()
    A.sum_duplicates()
    np.testing.assert_array_equal(found.indices, S.indices)
    np.testing.assert_array_equal(found.indptr, S.indptr)


def test_given_order_and_vectors():
    rows, columns = [1, 0, 1], [2, 2, 2]
    found = coo_array(([1.0, 2, 3], (rows, columns)), shape=(3, 4)).to_tuple()
    assert (found.row.tolist(), found.col.tolist(), found.data.tolist()) == (rows, columns, [1, 2, 3])
    found = csr_array([1, 0, 2]).to_tuple()
    assert (found.indptr.tolist(), found.indices.tolist(), found.shape) == ([0, 2], [0, 2], (3,))


@pytest.mark.skipif(SIMULATED, reason="njit leaves functions as they are")
def test_numba_sees_that_arrays_are_read_only():
    assert not numba.typeof(csr_array(S).to_tuple()).types[2].mutable
