"""Items stored past the cache: from anywhere to anywhere, and nothing beside."""

import numpy as np
import pytest
from numba import njit

from spark_csr._array import by_width
from spark_csr._cpu.memory import stream_items
from spark_csr._engine.numba.intrinsics.copies import finish_stores

pytestmark = pytest.mark.usefixtures("cpu_only")


@njit
def _stream(source, start, count, target, place):
    stream_items(source, np.uint64(start), np.uint64(count), target, np.uint64(place))
    finish_stores()


@pytest.mark.parametrize("dtype", ["int8", "float16", "int32", "float64", "complex128"])
def test_from_anywhere_to_anywhere(dtype):
    source = by_width(np.arange(1, 400).astype(dtype))
    for count in (0, 1, 3, 63, 64, 65, 200):
        for place in range(70):
            target = np.zeros(300, source.dtype)
            _stream(source, 5, count, target, place)
            np.testing.assert_array_equal(target[place : place + count], source[5 : 5 + count])
            assert not target[:place].any()
            assert not target[place + count :].any()
