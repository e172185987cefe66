"""The transpose of a matrix in blocks of rows."""

import numpy as np
import pytest

from spark_csr import csr_array, random_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

from spark_csr.interop.dask import from_csr

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.mark.parametrize("columns", [None, [40], [0, 3, 30, 0, 7]])
@pytest.mark.parametrize("density", [0, 0.01, 0.3])
@pytest.mark.parametrize("lengths", [[60], [20, 0, 1, 39]])
def test_blocks_of_the_transpose(lengths, density, columns):
    S = random_array((60, 40), density=density, rng=0)
    A = from_csr(S, lengths, columns)
    T = A.T.to_blocks()
    assert (T.shape, T.chunks, T.dtype) == (A.T.shape, A.T.chunks, A.T.dtype) == ((40, 60), A.chunks[::-1], A.dtype)
    np.testing.assert_array_equal(T.compute().toarray(), S.toarray().T)
    np.testing.assert_allclose((T @ np.ones(60)).compute(), S.toarray().sum(axis=0))
    assert A.T.T is A


def test_products():
    S = random_array((50, 50), density=0.1, rng=0)
    A, D, x = from_csr(S, 3), S.toarray(), np.arange(50.0)
    np.testing.assert_allclose((A.T @ x).compute(), D.T @ x)
    np.testing.assert_allclose((x @ A.T).compute(), D @ x)
    for found, expected in ((A.T @ A, D.T @ D), (A @ A.T, D @ D.T), (A.T @ A.T, D.T @ D.T)):
        np.testing.assert_allclose(found.compute().toarray(), expected)
    assert repr(A.T) == "<transpose of <csr_blocks of dtype 'float64', shape (50, 50), in 3 blocks of rows>>"


def test_the_pattern_is_kept():
    S = csr_array(([0.0, 5, 0], ([0, 1, 1], [1, 0, 2])), shape=(2, 3))
    assert from_csr(S, 2).T.to_blocks().nnz == S.nnz
