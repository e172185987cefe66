"""Sorts of textbooks beside Python's."""

import numpy as np
import pytest

from spark_csr.primitives import textbook


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 13, 16, 17, 33])
@pytest.mark.parametrize("name", ["bitonic_sort", "odd_even_merge_sort", "brick_sort", "radix_sort"])
def test_sorts(name, n):
    rng = np.random.default_rng(n)
    for high in (2, 100):
        x = rng.integers(0, high, n)
        assert getattr(textbook, name)(x).tolist() == sorted(x.tolist())
        if name != "radix_sort":
            assert getattr(textbook, name)(-0.5 * x).tolist() == sorted((-0.5 * x).tolist())
