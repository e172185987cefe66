"""Atomic functions: what many calls at once leave in a slot, and what each of them is told."""

import numpy as np
import pytest

import dtypes
from spark_csr._array import SIMULATED
from spark_csr._shared.atomics import DTYPES, atomic_add, atomic_max, atomic_min
from spark_csr.graph import Frontier, for_each

N = 97 if SIMULATED else 100_000


def change(item, slots, total, least, most):
    atomic_add(total, item % slots, 1)
    atomic_min(least, item % slots, item)
    atomic_max(most, item % slots, item)


@pytest.mark.parametrize("dtype", dtypes.each(DTYPES, "id"))
def test_no_call_is_lost(xp, to_numpy, dtype):
    slots = 3
    items = xp.asarray(np.random.default_rng(0).permutation(N))
    total, least, most = xp.zeros(slots, dtype), xp.full(slots, N, dtype), xp.zeros(slots, dtype)
    for_each(Frontier("vertex", items, n=N), change, (slots, total, least, most))
    assert to_numpy(total).tolist() == [len(range(slot, N, slots)) for slot in range(slots)]
    assert to_numpy(least).tolist() == list(range(slots))
    assert to_numpy(most).tolist() == [range(slot, N, slots)[-1] for slot in range(slots)]


@pytest.mark.parametrize("dtype", dtypes.each(["int32", "int64", "float32", "float64"], "id"))
def test_order_of_negative_values(xp, to_numpy, dtype):
    def push(item, least, most):
        atomic_min(least, 0, -item)
        atomic_max(most, 0, -item)

    least, most = xp.full(1, 5, dtype), xp.full(1, -10 * N, dtype)
    for_each(Frontier("vertex", xp.arange(1, N), n=N), push, (least, most))
    assert (to_numpy(least)[0], to_numpy(most)[0]) == (1 - N, -1)


def take(item, counter, ticket):
    ticket[item] = atomic_add(counter, 0, 1)


def test_every_call_is_told_another_value(xp, to_numpy):
    counter, ticket = xp.zeros(1, np.int64), xp.full(N, -1, np.int64)
    for_each(Frontier("vertex", xp.arange(N), n=N), take, (counter, ticket))
    assert sorted(to_numpy(ticket)) == list(range(N))


@pytest.mark.skipif(SIMULATED, reason="the simulator compiles nothing")
@pytest.mark.parametrize("dtype", ["int8", "bool", "complex128"])
def test_other_dtypes_are_named(dtype):
    with pytest.raises(TypeError, match="atomic functions take an array of one axis of int32"):
        for_each(Frontier("vertex", np.arange(4), n=4), take, (np.zeros(1, dtype), np.zeros(4, np.int64)))


def lower(item, values, least, told):
    told[item] = atomic_min(least, 0, values[item])


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_no_two_calls_replace_the_same_value(xp, to_numpy, dtype):
    values = np.random.default_rng(0).permutation(N).astype(dtype)
    least, told = xp.full(1, N, dtype), xp.full(N, -1, dtype)
    for_each(Frontier("vertex", xp.arange(N), n=N), lower, (xp.asarray(values), least, told))
    told = to_numpy(told)
    replaced = told[told > values]
    assert len(np.unique(replaced)) == len(replaced)
    assert to_numpy(least)[0] == 0


def lift(item, values, greatest):
    atomic_max(greatest, 0, values[item])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_counts_as_absent(xp, to_numpy, dtype):
    values = np.array([np.nan, 1, np.nan, 3, 2], dtype)
    greatest = xp.full(1, np.nan, dtype)
    for_each(Frontier("vertex", xp.arange(5), n=5), lift, (xp.asarray(values), greatest))
    if not SIMULATED:  # there `max` decides, which depends on the order
        assert to_numpy(greatest)[0] == 3


def push_far(item, least, most):
    far = np.uint64(2**63) + np.uint64(item)
    atomic_min(least, 0, far)
    atomic_max(most, 0, far)


def test_order_of_values_beyond_int64(xp, to_numpy):
    least, most = xp.full(1, 2**64 - 1, np.uint64), xp.full(1, 5, np.uint64)
    for_each(Frontier("vertex", xp.arange(1, N), n=N), push_far, (least, most))
    assert (int(to_numpy(least)[0]), int(to_numpy(most)[0])) == (2**63 + 1, 2**63 + N - 1)
