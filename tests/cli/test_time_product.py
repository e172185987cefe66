"""A product that is checked and timed: the formula of its bytes, which results agree."""

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._cli.time_product import agree, bytes_moved, make_operand, measure_product
from spark_csr.gallery import uniform

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


def test_bytes_moved_is_the_formula():
    A = csr_array(([1.0, 2, 3], [0, 1, 0], [0, 2, 3]), shape=(2, 5))
    assert bytes_moved(A) == 3 * (8 + 4) + 2 * (4 + 8) + 5 * 8
    assert bytes_moved(A, columns=4) == 3 * (8 + 4) + 2 * (4 + 4 * 8) + 5 * 4 * 8


def test_agrees_allows_rounding_and_nothing_else():
    A = uniform(50, 50, 10)
    S, x = A.to_scipy(), make_operand(A)
    expected = S @ x
    assert agree(expected.copy(), expected, S, x)
    assert agree(expected * (1 + 1e-15), expected, S, x)
    assert not agree(expected * (1 + 1e-10), expected, S, x)
    assert not agree(expected[:-1], expected, S, x)
    assert not agree(expected.astype(np.float32), expected, S, x)
    wrong = expected.copy()
    wrong[7] = np.nan
    assert not agree(wrong, expected, S, x)
    assert agree(wrong, wrong.copy(), S, x)
    assert not agree(expected, wrong, S, x)


def test_agrees_is_exact_for_integers():
    A = uniform(10, 10, 3, dtype=np.int64)
    S, x = A.to_scipy(), make_operand(A)
    assert agree(S @ x, S @ x, S, x)
    assert not agree(S @ x + 1, S @ x, S, x)


def test_measured_ticks_once_for_the_check_and_once_a_round():
    ticks = []
    result = measure_product("a", uniform(30, 30, 3), "cpu", 1e9, lambda: ticks.append(1), rounds=3)
    assert len(ticks) == 4
    assert result.agrees
    assert result.bandwidth == pytest.approx(result.share_of_copy * 1e9)
