"""Random patterns: which positions are taken, and what they refuse."""

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.gallery import banded, one_dense_row, uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


@pytest.mark.parametrize("rows, columns, per_row", [(50, 40, 5), (10, 6, 6), (10, 5, 0), (0, 5, 2), (0, 0, 0)])
def test_uniform_has_as_many_entries_in_every_row(rows, columns, per_row):
    A = uniform(rows, columns, per_row, seed=2)
    assert A.shape == (rows, columns)
    assert (np.diff(A.indptr) == per_row).all()
    assert A.has_canonical_format


def test_uniform_reaches_all_columns():
    assert np.unique(uniform(500, 20, 4).indices).size == 20


def test_uniform_refuses_more_than_a_full_row():
    with pytest.raises(ValueError, match="per_row must be at most columns = 3, got 4"):
        uniform(5, 3, 4)


@pytest.mark.parametrize("rows, per_row", [(9, 3), (9, 4), (3, 9), (5, 1), (5, 0), (0, 3)])
def test_banded_lies_around_the_diagonal(rows, per_row):
    distance = np.arange(rows)[None, :] - np.arange(rows)[:, None]
    band = (distance >= -((per_row - 1) // 2)) & (distance <= per_row // 2) & (per_row > 0)
    A = banded(rows, per_row, dtype=np.int64)
    assert np.array_equal(A.to_scipy().toarray() != 0, band)
    assert A.has_canonical_format


def test_one_dense_row():
    A = one_dense_row(9, 30, 2, row=4)
    assert np.array_equal(np.diff(A.indptr), [2, 2, 2, 2, 30, 2, 2, 2, 2])
    assert A.has_canonical_format
    assert one_dense_row(0, 30).shape == (0, 30)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"per_row": 31}, "per_row must be at most columns = 30"),
        ({"row": 9}, "row must be one of the 9 rows, got 9"),
    ],
)
def test_one_dense_row_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        one_dense_row(9, 30, **options)
