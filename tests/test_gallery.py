"""The generated matrices: their values, their seeds, and what all of them refuse."""

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import banded, one_dense_row, poisson, rmat, uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


MAKERS = {
    "rmat": lambda **options: rmat(5, 4, **options),
    "uniform": lambda **options: uniform(20, 30, 3, **options),
    "banded": lambda **options: banded(20, 4, **options),
    "one_dense_row": lambda **options: one_dense_row(20, 30, **options),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", dtypes.each())
def test_every_dtype(name, dtype):
    A = MAKERS[name](dtype=dtype)
    assert A.dtype == np.dtype(dtype)
    assert np.isfinite(A.data).all()


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    first, again, other = (MAKERS[name](seed=seed) for seed in (1, 1, 2))
    first, again, other = (A.to_scipy().toarray() for A in (first, again, other))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", MAKERS)
def test_a_generator_is_a_seed(name):
    assert isinstance(MAKERS[name](seed=np.random.default_rng(5)), csr_array)


@pytest.mark.parametrize("name", MAKERS)
def test_products_agree_with_scipy(name):
    A = MAKERS[name]()
    x = np.arange(A.shape[1], dtype=float)
    assert np.allclose(A @ x, sp.csr_array(A.to_scipy()) @ x)


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(TypeError, match="int8 cannot hold the counts of edges"):
        rmat(2, 1000, dtype=np.int8)
    with pytest.raises(TypeError, match="dtype must hold 140"):
        poisson((1,) * 70, np.int8)
    assert rmat(2, 1000, dtype=bool).data.all()


def test_unsigned_values_are_not_zero():
    assert uniform(20, 30, 3, dtype=np.uint64).data.all()
