"""Reductions of records: what the methods rely on."""

import itertools

import numpy as np
import pytest

import battery
from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._operations.reduce.extreme_positions import extreme_positions
from spark_csr._operations.reduce.extremes import as_vector, extremes
from spark_csr._operations.reduce.sums import combined, counts_of_nonzeros, sums
from spark_csr._ops import MONOIDS


def record(xp, name):
    return battery.build(xp, name)._csr


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", ["Nx0", "0xN", "middle rows empty", "one dense row"])
def test_rows_without_entries_give_the_identity(xp, to_numpy, name):
    csr = record(xp, name)
    indptr, _, data, _ = battery.BATTERY[name]
    expected = [max(data[a:b], default=-np.inf) for a, b in itertools.pairwise(indptr)]
    np.testing.assert_array_equal(to_numpy(combined(csr, 1, MONOIDS["max"], csr.data.dtype)), expected)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_same_bits_for_any_number_of_threads(cpu_only, axis):
    csr = battery.csr_array((40_000, 300))._csr
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 20, 40_000)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    csr = type(csr)(offsets, rng.integers(0, 300, offsets[-1], np.int32), rng.standard_normal(offsets[-1]), csr.shape)
    with config(threads=1):
        one = sums(csr, axis)
    np.testing.assert_array_equal(sums(csr, axis), one)


def test_pattern_is_read_once(xp, to_numpy):
    """What rows lack is kept with the pattern, and holds for other values on it."""
    csr = record(xp, "band")
    extremes(csr, 1, "max", False)
    plans = dict(csr.plans)
    other = csr.with_data(-csr.data)
    greatest = to_numpy(battery.csr_array(to_numpy(extremes(other, 1, "max", False).data)[None]).toarray())
    assert other.plans.keys() == plans.keys()
    assert greatest.min() > 0


def test_vector_of_what_is_not_zero(xp, to_numpy):
    vector = as_vector(xp.asarray([0.0, np.nan, -0.0, 2]))
    assert to_numpy(vector.indices).tolist() == [1, 3]
    assert to_numpy(vector.indptr).tolist() == [0, 2]
    np.testing.assert_array_equal(to_numpy(vector.data), [np.nan, 2])
    assert vector.shape == (1, 4)


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("name", ["Nx1", "first row empty" if SIMULATED else "power law"])
def test_positions(xp, to_numpy, name, op):
    csr = record(xp, name)
    dense = to_numpy(battery.build(xp, name).toarray())
    for axis in (0, 1):
        expected = getattr(dense, f"arg{op}")(axis=axis)
        np.testing.assert_array_equal(to_numpy(extreme_positions(csr, axis, op, False)), expected)


def test_counts_are_not_the_pattern_itself(xp, to_numpy):
    csr = record(xp, "band")
    counts = counts_of_nonzeros(csr, 1)
    counts[...] = 0
    assert to_numpy(counts_of_nonzeros(csr, 1)).sum() == csr.data.size
