"""Bits of a word."""

import numpy as np
import pytest
from numba import njit

from spark_csr._engine.numba.intrinsics import bits

pytestmark = pytest.mark.usefixtures("cpu_only")


def test_bits_are_counted():
    count_bits = njit(lambda word: bits.count_bits(word))
    assert [count_bits(np.uint64(n)) for n in (0, 1, 255, 2**64 - 1)] == [0, 1, 8, 64]


def test_the_lowest_bit_is_found():
    lowest_bit = njit(lambda word: bits.lowest_bit(word))
    assert [lowest_bit(np.uint64(n)) for n in (1, 6, 2**63, 2**64 - 1)] == [0, 1, 63, 0]
