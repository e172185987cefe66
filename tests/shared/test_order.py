"""What comes before what, and orders turned round."""

import itertools

import numpy as np
import pytest

from spark_csr._array import DTYPES
from spark_csr._shared.order import as_comparable, flip, is_less, is_more, restore

REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
FLOATS = [-np.inf, -2.5, -1e-7, -0.0, 0.0, 1e-7, 1.0, np.inf, np.nan, -np.nan]


def samples(dtype):
    if dtype.kind == "f":
        return np.array(FLOATS, dtype)
    return np.array([np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max], dtype) if dtype.kind in "iu" else np.array([False, True])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_pairs(dtype):
    x = samples(dtype)
    for (a, p), (b, q) in itertools.product(zip(x, as_comparable(x), strict=True), repeat=2):
        assert is_less(p, q) == bool(a < b or (b != b and a == a))
        assert is_more(p, q) == bool(a > b or (b != b and a == a))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_flipped(dtype):
    x = samples(dtype)
    turned = flip(as_comparable(x))
    for (a, p), (b, q) in itertools.product(zip(x, turned, strict=True), repeat=2):
        assert is_less(p, q) == bool(a > b or (b != b and a == a))
    assert restore(flip(turned, out=turned), dtype).tobytes() == x.tobytes()
