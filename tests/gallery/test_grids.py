"""Matrices of grids: their definition, and what they refuse."""

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.gallery import poisson

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


def laplacian(shape):
    """The definition: a sum of Kronecker products."""
    total, before = np.zeros((1, 1)), 1
    for extent in shape:
        line = 2 * np.eye(extent) - np.eye(extent, k=1) - np.eye(extent, k=-1)
        total = np.kron(total, np.eye(extent)) + np.kron(np.eye(before), line)
        before *= extent
    return total


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (3, 4), (1, 4), (4, 1), (1, 1, 1), (2, 3, 4), (3, 1, 2), (2, 2, 3, 2)])
def test_poisson_is_the_sum_of_kronecker_products(shape):
    A = poisson(shape)
    assert np.array_equal(A.toarray(), laplacian(shape))
    assert A.has_canonical_format
    assert np.count_nonzero(A.data) == A.nnz


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128])
def test_poisson_dtype(dtype):
    A = poisson((3, 3), dtype)
    assert A.dtype == dtype
    assert A.indices.dtype == A.indptr.dtype == np.int32


def test_poisson_without_points():
    assert poisson((3, 0)).shape == (0, 0)


@pytest.mark.parametrize(
    "shape, error, message",
    [
        ((), ValueError, "at least one axis"),
        ((3, -1), ValueError, r"shape\[1\] must be 0 or above, got -1"),
        ((2.5,), TypeError, r"shape\[0\] must be an integer"),
        (3, TypeError, "must be a tuple"),
    ],
)
def test_poisson_refuses(shape, error, message):
    with pytest.raises(error, match=message):
        poisson(shape)


def test_poisson_needs_a_sign():
    with pytest.raises(TypeError, match="must hold -1, got uint8"):
        poisson((3,), np.uint8)
