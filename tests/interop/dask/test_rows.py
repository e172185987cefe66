"""Rows of blocks: selections, and other blocks of the same rows."""

import numpy as np
import pytest

from spark_csr import csr_array, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

from spark_csr.interop.dask import from_csr

pytestmark = pytest.mark.usefixtures("cpu_only")

S = random_array((60, 40), density=0.1, rng=0)
KEYS = {
    "all": slice(None),
    "slice": slice(5, 50),
    "none": slice(30, 10),
    "steps": slice(3, 58, 7),
    "from the end": slice(-25, -1, 2),
    "numbers": np.array([0, 7, 7, 21, 59]),
    "numbers from the end": [2, -3],
    "empty list": [],
    "empty array": np.zeros(0, int),
    "mask": np.arange(60) % 4 == 1,
    "descending": slice(None, None, -1),
    "steps down": slice(50, 3, -7),
    "any order": [21, 3, 3, 59, -60, 20, 21],
    "shuffled": np.random.default_rng(0).permutation(60),
}


@pytest.mark.parametrize("lengths", [[60], [20, 0, 1, 39]])
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_selections(key, lengths):
    A = from_csr(S, lengths)
    found, expected = A[key], S.toarray()[key]
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.compute().toarray(), expected)
    np.testing.assert_allclose((found @ np.ones(40)).compute(), expected.sum(axis=1))
    np.testing.assert_array_equal(A[key, :].compute().toarray(), expected)


@pytest.mark.parametrize(
    "key, words",
    [
        (3, r"for one row use A\[i:i \+ 1\]"),
        ([3, 60], "row 60 is out of range for 60 rows"),
        (np.ones(0, bool), "a mask of rows must have length 60, got 0"),
        (np.ones(7, bool), "a mask of rows must have length 60, got 7"),
        ((slice(None), 3), r"use A\.to_dask_array\(\) for columns"),
    ],
)
def test_bad_keys(key, words):
    with pytest.raises(IndexError, match=words):
        from_csr(S, 2)[key]


@pytest.mark.parametrize("old", [[60], [20, 0, 1, 39]])
@pytest.mark.parametrize("new", [1, 2, 7, [60], [0, 60], [7, 0, 0, 50, 3], [21, 39, 0]])
def test_other_blocks(old, new):
    A = from_csr(S, old).repartition(new)
    assert A.chunks[0] == tuple(new) if np.ndim(new) else len(A.chunks[0]) == new
    np.testing.assert_array_equal(A.compute().toarray(), S.toarray())
    np.testing.assert_allclose((A @ np.ones(40)).compute(), S.toarray().sum(axis=1))


def test_blocks_have_equal_work():
    D = np.zeros((1000, 1000))
    D[:100] = 1
    A = from_csr(csr_array(D), [300, 700])
    assert np.ptp(A.repartition(4, by="rows").chunks[0]) == 0
    nnz = [outline.nnz for outline in A.repartition(4).plan.outlines]
    assert max(nnz) < 1.1 * sum(nnz) / 4


def test_square_matrices_stay_square():
    A = from_csr(poisson((20, 20)), 3).repartition(5)
    assert A.chunks[0] == A.chunks[1]
    assert from_csr(S, 3).repartition(5).chunks[1] == from_csr(S, 3).chunks[1]


def test_bad_blocks():
    A = from_csr(S, 2)
    with pytest.raises(ValueError, match="must sum to the 60 rows of the matrix, got"):
        A.repartition([10, 20])
    with pytest.raises(ValueError, match="blocks must be 1 or more, got 0"):
        A.repartition(0)
    with pytest.raises(ValueError, match="by must be 'nnz' or 'rows', got 'size'"):
        A.repartition(3, by="size")
