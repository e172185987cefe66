"""The comparison sorts as kernels: keys of every width, payloads, sizes around tiles, stability, the known worst cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING, Tuning
from spark_csr._dispatch import backend_of

pytestmark = pytest.mark.usefixtures("small_tiles")

SORTS = ["merge_sort", "bitonic_sort", "odd_even_sort"]
every_sort = pytest.mark.parametrize("name", SORTS)
SIZES = [0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 49]


def run(xp, name, keys, payload=None):
    """Sort copies; nothing is returned by the kernels."""
    keys = xp.array(keys)
    payload = None if payload is None else xp.array(payload)
    assert getattr(backend_of(keys), name)(keys, payload) is None
    return keys, payload


def check(xp, to_numpy, name, keys, payload_dtype=None):
    """Against NumPy; a payload goes with its key, and for equal keys keeps its order where the sort is stable."""
    payload = None if payload_dtype is None else np.arange(keys.size, dtype=payload_dtype)
    got, moved = run(xp, name, keys, payload)
    np.testing.assert_array_equal(to_numpy(got), np.sort(keys))
    if payload is not None:
        order = to_numpy(moved)
        assert order.dtype == payload_dtype
        np.testing.assert_array_equal(keys[order], np.sort(keys))
        np.testing.assert_array_equal(np.sort(order), payload)
        if name != "bitonic_sort":
            np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))


@every_sort
@pytest.mark.parametrize("n", SIZES)
def test_sizes_around_the_tile(xp, to_numpy, name, n):
    keys = np.random.default_rng(n).integers(0, 40, n).astype(np.uint32)
    check(xp, to_numpy, name, keys, np.uint32)


@every_sort
@pytest.mark.parametrize(
    "dtype, payload",
    [
        pytest.param(np.uint8, None, marks=pytest.mark.exhaustive),
        (np.uint16, np.uint64),
        pytest.param(np.uint64, np.uint32, marks=pytest.mark.exhaustive),
        pytest.param(np.uint32, np.uint32, marks=pytest.mark.exhaustive),
        pytest.param(np.uint64, None, marks=pytest.mark.exhaustive),
    ],
)
def test_every_width(xp, to_numpy, name, dtype, payload):
    top = np.iinfo(dtype).max
    keys = np.random.default_rng(0).integers(0, top, 20, dtype=dtype, endpoint=True)
    keys[[3, 17]] = top  # nothing may be taken for padding
    keys[[5, 18]] = 0
    check(xp, to_numpy, name, keys, payload)


@every_sort
@pytest.mark.parametrize(
    "keys",
    [np.arange(34), np.arange(34)[::-1], np.zeros(34), np.r_[33, np.arange(33)], np.r_[np.arange(1, 34), 0], np.arange(34) % 2],
    ids=["sorted", "reversed", "equal", "greatest first", "least last", "alternating"],
)
def test_patterns(xp, to_numpy, name, keys):
    check(xp, to_numpy, name, keys.astype(np.uint32), np.uint32)


@every_sort
@given(st.lists(st.integers(0, 5), max_size=30 if SIMULATED else 100))
def test_is_numpy_sort(xp, to_numpy, name, keys):
    check(xp, to_numpy, name, np.array(keys, np.uint8), np.int32)


@every_sort
def test_zeros_and_ones_in_every_order(xp, to_numpy, cpu_only, name):
    """A network that sorts every sequence of zeros and ones sorts everything: lengths that are no powers of two."""
    for n in (3, 5, 6, 7, 9, 10):
        for bits in range(2**n):
            keys = np.array([bits >> i & 1 for i in range(n)], np.uint8)
            np.testing.assert_array_equal(run(np, name, keys)[0], np.sort(keys))


@pytest.mark.parametrize(
    "name, n", [("merge_sort", 16385), ("merge_sort", 70_001), ("bitonic_sort", 70_001), ("odd_even_sort", 2500)]
)
def test_tiles_of_their_usual_size(cpu_only, monkeypatch, to_numpy, name, n):
    usual = Tuning()
    for field in ("merge_sort_tile", "bitonic_tile", "odd_even_tile"):
        monkeypatch.setattr(TUNING, field, getattr(usual, field))
    check(np, to_numpy, name, np.random.default_rng(n).integers(0, 2**40, n).astype(np.uint64), np.int64)


@every_sort
def test_same_result_for_every_number_of_threads(cpu_only, name):
    keys, payload = np.random.default_rng(1).integers(0, 9, 300).astype(np.uint64), np.arange(300)
    with config(threads=1):
        one = run(np, name, keys, payload)
    many = run(np, name, keys, payload)
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)
