"""How long calls take: rounds, until their ratios are clear."""

import itertools
import time

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import measure

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


def test_time_rounds_and_speedup():
    seconds = measure.time_rounds([lambda: None, lambda: sum(range(1000))], rounds=3, block=1e-4)
    assert seconds.shape == (3, 2)
    assert (seconds > 0).all()
    assert measure.speedup(np.array([[1.0, 2], [2, 6], [1, 4]]), of=0, over=1) == 3


def test_rounds_go_on_until_ratios_are_clear():
    waits = itertools.cycle((0.0, 0.0, 0.002))

    def uneven():
        time.sleep(next(waits))

    seconds = measure.time_rounds([lambda: time.sleep(0.001), uneven], rounds=3, block=1e-6, pause=0, most=9)
    assert seconds.shape == (9, 2)
    assert measure.time_rounds([lambda: None], rounds=3, block=1e-4, most=9).shape == (3, 1)
    steady = np.array([[1.0, 2.0], [2.0, 4.0], [1.0, 2.1]])
    assert measure.are_clear(steady)
    assert not measure.are_clear(np.vstack([steady, [[1.0, 3.0], [1.0, 3.0]]]))
