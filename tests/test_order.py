"""What comes before what, and orders turned round."""

import itertools

import numpy as np
import pytest

from spark_csr._array import DTYPES
from spark_csr.order import comes_before, comes_before_numbers, comparable, flip

REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
FLOATS = [-np.inf, -2.5, -1e-7, -0.0, 0.0, 1e-7, 1.0, np.inf, np.nan, -np.nan]


def samples(dtype):
    if dtype.kind == "f":
        return np.array(FLOATS, dtype)
    return np.array([np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max], dtype) if dtype.kind in "iu" else np.array([False, True])


def expected(a, b):
    return bool(a < b or (b != b and a == a))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_pairs(dtype):
    x = samples(dtype)
    before, (before_numbers, is_nan) = comes_before(dtype), comes_before_numbers(dtype)
    for (a, p), (b, q) in itertools.product(zip(x, comparable(x), strict=True), repeat=2):
        assert before(p, q) == expected(a, b)
        if not (is_nan(p) or is_nan(q)):
            assert before_numbers(p, q) == expected(a, b)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_flipped(dtype):
    x, before = samples(dtype), comes_before(dtype)
    turned = flip(comparable(x), dtype)
    for (a, p), (b, q) in itertools.product(zip(x, turned, strict=True), repeat=2):
        assert before(p, q) == bool(a > b or (b != b and a == a))
    assert flip(turned, dtype, out=turned).tobytes() == x.tobytes()
