"""Laws that hold for all matrices, and hostile index arrays."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from spark_csr import csr_array, spmv_composed
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.usefixtures("small_tiles")

LARGEST = 6 if SIMULATED else 9


@st.composite
def coordinates(draw):
    """Entries in any order, with duplicates, of a matrix of any small shape; values are small integers."""
    rows, columns = draw(st.integers(0, LARGEST)), draw(st.integers(0, LARGEST))
    entry = st.tuples(st.integers(0, max(rows - 1, 0)), st.integers(0, max(columns - 1, 0)), st.integers(-9, 9))
    entries = draw(st.lists(entry, max_size=40)) if rows and columns else []
    i, j, data = (np.array([e[k] for e in entries], np.int64) for k in range(3))
    return data.astype(float), i, j, (rows, columns)


@given(coordinates())
def test_coordinates_as_scipy(xp, to_numpy, matrix):
    data, i, j, shape = matrix
    A = csr_array((xp.asarray(data), (xp.asarray(i), xp.asarray(j))), shape=shape)
    dense = np.zeros(shape)
    np.add.at(dense, (i, j), data)
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)
    assert A.nnz == len(set(zip(i.tolist(), j.tolist(), strict=True)))


@given(coordinates(), st.data())
def test_products_as_dense(xp, to_numpy, matrix, data):
    """By rows, entries of one position kept apart, columns in any order."""
    values, i, j, shape = matrix
    order = np.argsort(i, kind="stable")
    indptr = np.searchsorted(i[order], np.arange(shape[0] + 1))
    A = csr_array((xp.asarray(values[order]), xp.asarray(j[order]), xp.asarray(indptr)), shape=shape)
    dense = np.zeros(shape)
    np.add.at(dense, (i, j), values)
    x = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=shape[1], max_size=shape[1])), float)
    left = np.arange(1.0, shape[0] + 1)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(x)), dense @ x)
    np.testing.assert_array_equal(to_numpy(spmv_composed(A, xp.asarray(x))), dense @ x)
    np.testing.assert_array_equal(to_numpy(A.T @ xp.asarray(left)), dense.T @ left)
    X = np.stack([x, -x], axis=1)
    np.testing.assert_array_equal(to_numpy(A @ xp.asarray(X)), dense @ X)


HOSTILE = st.one_of(st.integers(-3, 12), st.sampled_from([2**31 - 1, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1]))


@given(
    st.lists(HOSTILE, max_size=6).map(lambda x: [0, *sorted(abs(v) % 7 for v in x)]) | st.lists(HOSTILE, max_size=6),
    st.lists(HOSTILE | st.integers(0, 3), max_size=6),
    st.sampled_from([(3, 4), (0, 0), (5, 1), None]),
    st.sampled_from([np.int64, np.uint64, np.int32]),
)
def test_hostile_rows_are_refused_or_right(indptr, indices, shape, dtype):
    with np.errstate(over="ignore"):
        indptr, indices = np.array(indptr, np.int64).astype(dtype), np.array(indices, np.int64).astype(dtype)
    data = np.arange(1.0, indices.size + 1)
    try:
        A = csr_array((data, indices, indptr), shape=shape)
    except ValueError:
        return
    assert A.indptr[0] == 0
    assert (np.diff(A.indptr) >= 0).all()
    assert A.indptr[-1] == A.nnz <= indices.size
    if A.shape[1] < 100:
        assert ((A.indices >= 0) & (A.indices < A.shape[1])).all()
        x = np.arange(1.0, A.shape[1] + 1)
        expected = [(data[a:b] * x[indices[a:b].astype(int)]).sum() for a, b in zip(A.indptr, A.indptr[1:], strict=False)]
        np.testing.assert_array_equal(A @ x, expected)


@given(
    st.lists(st.tuples(HOSTILE, HOSTILE | st.integers(0, 3)), max_size=5)
    | st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3))),
    st.sampled_from([(3, 4), (0, 0), (5, 2**62)]),
)
def test_hostile_coordinates_are_refused_or_right(entries, shape):
    i, j = (np.array([e[k] for e in entries], np.int64) for k in range(2))
    data = np.ones(i.size)
    legal = ((i >= 0) & (i < shape[0]) & (j >= 0) & (j < shape[1])).all()
    if not legal:
        with pytest.raises(ValueError, match=r"(row|col) must lie in \[0, "):
            csr_array((data, (i, j)), shape=shape)
        return
    A = csr_array((data, (i, j)), shape=shape)
    expected = sp.coo_array((data, (i, j)), shape=shape).tocsr() if i.size else sp.csr_array(shape)
    assert A.data.sum() == i.size
    np.testing.assert_array_equal(np.diff(A.indptr), np.diff(expected.indptr))
    assert A.has_canonical_format
