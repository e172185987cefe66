"""Selection and products of textbooks beside NumPy's and SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr.primitives import textbook


@pytest.mark.parametrize("n", [0, 1, 2, 5, 17])
def test_compact(n):
    rng = np.random.default_rng(n)
    x, mask = rng.integers(-9, 9, n), rng.random(n) < 0.4
    np.testing.assert_array_equal(textbook.compact(x, mask), x[mask])


@pytest.mark.parametrize("shape", [(7, 6), (1, 1), (5, 2), (0, 3), (4, 0)])
def test_spmv(shape):
    A, x = sp.random_array(shape, density=0.4, rng=1, format="csr"), np.arange(float(shape[1]))
    np.testing.assert_allclose(textbook.spmv(A.indptr, A.indices, A.data, x), A @ x)
