"""What comes before what, and orders turned round."""

import itertools

import numpy as np
import pytest

from spark_csr._array import DTYPES
from spark_csr._shared.order import comparable, flip, less, more, restored

REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
FLOATS = [-np.inf, -2.5, -1e-7, -0.0, 0.0, 1e-7, 1.0, np.inf, np.nan, -np.nan]


def samples(dtype):
    if dtype.kind == "f":
        return np.array(FLOATS, dtype)
    return np.array([np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max], dtype) if dtype.kind in "iu" else np.array([False, True])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_pairs(dtype):
    x = samples(dtype)
    for (a, p), (b, q) in itertools.product(zip(x, comparable(x), strict=True), repeat=2):
        assert less(p, q) == bool(a < b or (b != b and a == a))
        assert more(p, q) == bool(a > b or (b != b and a == a))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_flipped(dtype):
    x = samples(dtype)
    turned = flip(comparable(x))
    for (a, p), (b, q) in itertools.product(zip(x, turned, strict=True), repeat=2):
        assert less(p, q) == bool(a > b or (b != b and a == a))
    assert restored(flip(turned, out=turned), dtype).tobytes() == x.tobytes()
