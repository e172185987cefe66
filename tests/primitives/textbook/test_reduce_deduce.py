"""The flood by reduce and deduce gives the map of the flood by scan."""

import numpy as np
import pytest

from spark_csr.primitives import flood_by_reduce_deduce, right_flood


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33])
def test_same_map_as_the_scan(xp, to_numpy, n):
    rng = np.random.default_rng(n)
    for share in (0, 0.2, 0.7, 1):
        valid = xp.asarray(rng.random(n) < share)
        _, index = right_flood(xp.zeros(n), valid, return_index=True)
        found = flood_by_reduce_deduce(valid)
        assert found.dtype == index.dtype
        np.testing.assert_array_equal(to_numpy(found), to_numpy(index))


def test_refuses_what_is_no_mask():
    with pytest.raises(TypeError, match="must have dtype bool"):
        flood_by_reduce_deduce(np.array([1, 0]))
    with pytest.raises(ValueError, match="one-dimensional"):
        flood_by_reduce_deduce(np.zeros((2, 2), bool))
