"""Matrices of graphs: how their entries are spread, and what they refuse."""

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.gallery import rmat

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


def test_rmat_counts_every_edge_once():
    A = rmat(8, 5, seed=3)
    assert A.shape == (256, 256)
    assert A.has_canonical_format
    assert A.data.sum() == 256 * 5
    assert A.data.min() >= 1


def test_rmat_falls_into_the_quarters_as_asked():
    A = rmat(10, 32, seed=1).to_scipy().toarray()
    quarters = np.array([A[:512, :512].sum(), A[:512, 512:].sum(), A[512:, :512].sum(), A[512:, 512:].sum()])
    assert np.allclose(quarters / quarters.sum(), (0.57, 0.19, 0.19, 0.05), atol=0.01)


def test_rmat_with_one_quarter_is_one_entry():
    A = rmat(4, 2, probabilities=(0, 0, 0, 1))
    assert A.nnz == 1
    assert A.toarray()[15, 15] == 32


def test_rmat_is_skewed_where_uniform_is_not():
    degrees = np.diff(rmat(10).indptr)
    assert degrees.max() > 10 * degrees.mean()


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((32,), {}, "scale must be at most 31, got 32"),
        ((-1,), {}, "scale must be 0 or above"),
        ((4, -1), {}, "edge_factor must be 0 or above"),
        ((4,), {"probabilities": (0.5, 0.5, 0.5, 0.5)}, "add up to 1"),
        ((4,), {"probabilities": (1.5, -0.5, 0, 0)}, "add up to 1"),
        ((4,), {"probabilities": (1, 0)}, "four numbers"),
    ],
)
def test_rmat_refuses(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        rmat(*arguments, **options)
