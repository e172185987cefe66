"""Fingerprints of arrays: another number for every change, the same for every number of threads."""

import numpy as np
import pytest

from spark_csr import config
from spark_csr._cpu.fingerprint import ITEMS, fingerprint

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.mark.parametrize("dtype", ["i4", "i8", "i2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size", [1, 2, ITEMS - 1, ITEMS, ITEMS + 1, 3 * ITEMS + 5])
def test_every_change_gives_another_number(dtype, size):
    x = np.random.default_rng(size).integers(0, 9, size).astype(dtype)
    seen = {fingerprint(x)}
    places = sorted({0, size // 2, size - 1})
    for place in places:
        for value in (-1, 9, 0x7FFF):
            y = x.copy()
            y[place] = value
            seen.add(fingerprint(y))
    assert len(seen) == 1 + 3 * len(places)
    assert fingerprint(x.copy()) == fingerprint(x)


def test_elements_that_change_places_give_another_number():
    x = np.arange(2 * ITEMS + 3, dtype=np.int32)
    for first, second in ((0, 1), (3, ITEMS + 3), (ITEMS - 1, ITEMS), (5, x.size - 1)):
        y = x.copy()
        y[[first, second]] = y[[second, first]]
        assert fingerprint(y) != fingerprint(x)
    assert fingerprint(np.zeros(3, np.int32)) != fingerprint(np.zeros(4, np.int32))
    assert fingerprint(x[:0]) == b""


@pytest.mark.parametrize("step", [2, 6, 2 * ITEMS])
@pytest.mark.parametrize("dtype", ["u1", "i4", "f8"])
def test_columns_that_change_places_give_another_number(dtype, step):
    x = np.zeros(2 * step + 4 * 200, dtype)
    for one in range(0, 400, 4):
        for other in range(one + 2, 400, 22):
            before, after = x.copy(), x.copy()
            before[[one, other + step]] = after[[one + step, other]] = 1
            assert fingerprint(after) != fingerprint(before), (one, other)


@pytest.mark.parametrize("place", [0, 77])
def test_any_bit_changes_both_numbers(place):
    x = np.random.default_rng(0).random(100)
    expected = fingerprint(x)
    for bit in range(64):
        y = x.copy()
        y.view("u8")[place] ^= np.uint64(1 << bit)
        numbers, before = np.frombuffer(fingerprint(y), np.uint64), np.frombuffer(expected, np.uint64)
        assert numbers.size == 2
        assert (numbers != before).all()


def test_the_number_does_not_depend_on_threads():
    x = np.random.default_rng(0).integers(0, 2**31, 20 * ITEMS).astype(np.int32)
    expected = fingerprint(x)
    with config(threads=1):
        assert fingerprint(x) == expected
