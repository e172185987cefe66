"""How many digits are sorted before the rest is inserted."""

import numpy as np
import pytest

from spark_csr._cpu.digits import _lowest_digit

ALL, N = np.uint64(2**64 - 1), 30_000


def order(keys, name):
    """Return the keys in some order."""
    ascending = np.sort(keys)
    turned = np.concatenate([ascending[N // 3 :], ascending[: N // 3]])
    return {"random": keys, "ascending": ascending, "descending": ascending[::-1].copy(), "turned": turned}[name]


@pytest.mark.parametrize("name", ["random", "ascending", "descending", "turned"])
def test_digits_do_not_depend_on_the_order(name):
    """Of 30,000 random keys, 117 agree in 8 bits, and one or none in 16: those of any order are sorted by 16 and inserted."""
    keys = order(np.random.default_rng(0).integers(0, 2**64, N, dtype=np.uint64), name)
    assert _lowest_digit(keys, np.uint64(0), np.uint64(N), ALL) == 48


def test_keys_between_those_at_even_distances_are_seen():
    keys = np.random.default_rng(1).integers(0, 2**32, N, dtype=np.uint64)
    keys[:: N // 64] <<= np.uint64(32)
    assert _lowest_digit(keys, np.uint64(0), np.uint64(N), ALL) < 32


def test_equal_keys_do_not_count_as_different():
    """The other half of the keys is as dense as all would be: 59 agree in 8 bits."""
    keys = np.random.default_rng(2).integers(0, 2**64, N, dtype=np.uint64)
    keys[::2] = keys[0]
    assert _lowest_digit(keys, np.uint64(0), np.uint64(N), ALL) <= 48
