"""float16 bits to float32: every one of them."""

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr._shared.half import half_to_float


@pytest.mark.parametrize("step", [97 if SIMULATED else 1])
def test_every_bit_pattern(step):
    bits = np.arange(0, 2**16, step, dtype=np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        got = np.array([half_to_float(b) for b in bits], np.float32)
        expected = bits.view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    finite = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[finite]), np.signbit(expected[finite]))


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -2.5, 6e-8, -6e-8, 65504.0, np.inf, -np.inf])
def test_special_values(value):
    half = np.float16(value)
    got = half_to_float(half.view(np.uint16))
    assert got == np.float32(half)
    assert np.signbit(got) == np.signbit(half)
