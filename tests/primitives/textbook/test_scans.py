"""Scans of textbooks beside NumPy's."""

import numpy as np
import pytest

from spark_csr.primitives import textbook


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 13, 16, 17, 33])
def test_scans(n):
    rng = np.random.default_rng(n)
    x, mask = rng.integers(-9, 9, n), rng.random(n) < 0.4
    np.testing.assert_array_equal(textbook.hillis_steele_scan(x), np.cumsum(x))
    np.testing.assert_array_equal(textbook.blelloch_scan(x)[:n], np.cumsum(x) - x)
    last = np.maximum.accumulate(np.where(mask, np.arange(n), -1)) if n else []
    np.testing.assert_array_equal(textbook.right_flood(mask), last)
    sums = []
    for value, begins in zip(x, mask, strict=True):
        sums.append(value if begins or not sums else sums[-1] + value)
    np.testing.assert_array_equal(textbook.segmented_scan(x, mask), sums)
