"""Where extremes of records stand."""

import numpy as np
import pytest

import battery
from spark_csr._array import SIMULATED
from spark_csr._operations.reduce.extreme_positions import find_extreme_positions


def record(xp, name):
    return battery.build(xp, name)._csr


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("name", ["Nx1", "first row empty" if SIMULATED else "power law"])
def test_positions(xp, to_numpy, name, op):
    csr = record(xp, name)
    dense = to_numpy(battery.build(xp, name).toarray())
    for axis in (0, 1):
        expected = getattr(dense, f"arg{op}")(axis=axis)
        np.testing.assert_array_equal(to_numpy(find_extreme_positions(csr, axis, op, False)), expected)
