"""Cartesian products against itertools; the worked examples and every known way to get them wrong."""

import importlib
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._dispatch import backend_of
from spark_csr.primitives import _tuples, cartesian_product, offsets_from_counts, segment_ids

pytestmark = pytest.mark.usefixtures("small_tiles")

compiled = pytest.mark.skipif(SIMULATED, reason="slow under the simulator")

TILE = backend_of(np.empty(0)).tile_size(1 << 10) if SIMULATED else 4


def offsets_of(counts, base=0):
    return base + np.concatenate([[0], np.cumsum(counts)]).astype(int)


def expected(factors, index="global"):
    """All tuples of `[(starts, stops), ...]`: offsets, then one list for each factor."""
    out_offsets, tuples = [0], []
    for segment in zip(*(list(zip(*pair, strict=True)) for pair in factors), strict=True):
        here = [range(start, stop) if index == "global" else range(stop - start) for start, stop in segment]
        tuples += itertools.product(*here)
        out_offsets.append(len(tuples))
    return out_offsets, *([t[f] for t in tuples] for f in range(len(factors)))


def as_pairs(offsets):
    return [(x[:-1], x[1:]) for x in offsets]


def assert_product(result, factors, to_numpy, index="global"):
    want = expected(factors, index)
    assert len(result) == len(want)
    for got, list_of in zip(result, want, strict=True):
        assert got.dtype == np.int32
        assert to_numpy(got).tolist() == list_of


def test_three_by_two(xp, to_numpy):
    """[a, b, c] x [1, 2]"""
    out_offsets, first, second = cartesian_product(xp.asarray([0, 3]), xp.asarray([0, 2]))
    assert to_numpy(out_offsets).tolist() == [0, 6]
    assert to_numpy(first).tolist() == [0, 0, 1, 1, 2, 2]
    assert to_numpy(second).tolist() == [0, 1, 0, 1, 0, 1]


def test_parents_are_the_segment_ids(xp, to_numpy):
    """Events of (2, 1, 3) and (1, 2, 0): the pairs' parents, and where each event's pairs begin."""
    out_offsets, first, second = cartesian_product(xp.asarray([0, 2, 3, 6]), xp.asarray([0, 1, 3, 3]))
    assert to_numpy(out_offsets).tolist() == [0, 2, 4, 4]
    assert to_numpy(segment_ids(out_offsets)).tolist() == [0, 0, 1, 1]
    assert to_numpy(first).tolist() == [0, 1, 2, 2]
    assert to_numpy(second).tolist() == [0, 0, 1, 2]


COUNTS = [
    [[], []],
    [[0], [3]],
    [[3], [0]],
    [[0] * 12, [0] * 12],
    [[2, 0, 0], [1, 5, 0]],
    [[0, 0, 4], [0, 3, 5]],
    [[1], [20]],
    [[20], [1]],
    [[1] * 12, [1] * 12],
    [[7, 0, 1, 3], [2, 9, 11, 3]],
    [[3, 0, 1, 2]],
    [[2, 1, 0, 3], [1, 3, 2, 2], [2, 2, 2, 3]],
    [[1, 2, 3], [2, 1, 0], [2, 2, 2], [1, 3, 1], [2, 1, 2]],
]


@pytest.mark.parametrize("index", ["global", "local"])
@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_is_itertools_product(xp, to_numpy, counts, index):
    offsets = [offsets_of(c, base) for base, c in enumerate(counts)]
    result = cartesian_product(*map(xp.asarray, offsets), index=index)
    assert_product(result, as_pairs(offsets), to_numpy, index)


@pytest.mark.parametrize("pairs", [0, 1, TILE - 2, TILE - 1, TILE, TILE + 1, 3 * TILE + 1])
def test_around_a_tile(xp, to_numpy, pairs):
    """A segment and its end fill `pairs + 1` entries of a tile."""
    offsets = offsets_of([1, 1]), offsets_of([pairs, 2])
    assert_product(cartesian_product(*map(xp.asarray, offsets)), as_pairs(offsets), to_numpy)


def test_many_tiles_on_all_cores(cpu_only):
    counts = np.random.default_rng(0).poisson(9, (2, 300))
    offsets = [offsets_of(c) for c in counts]
    assert_product(cartesian_product(*offsets), as_pairs(offsets), np.asarray)


def test_same_for_any_number_of_threads(cpu_only):
    offsets = [offsets_of(c) for c in np.random.default_rng(1).poisson(20, (3, 40))]
    results = []
    for threads in (1, 2):
        with config(threads=threads):
            results.append(cartesian_product(*offsets))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_gaps_overlaps_and_any_order(xp, to_numpy):
    pairs = [([7, 0, 3, 3], [9, 3, 3, 5]), ([0, 0, 5, 2], [3, 2, 9, 4])]
    arrays = [tuple(xp.asarray(x) for x in pair) for pair in pairs]
    assert_product(cartesian_product(*arrays), pairs, to_numpy)
    mixed = [pairs[0], ([0, 1, 1, 4], [1, 1, 4, 6])]
    assert_product(cartesian_product(arrays[0], xp.asarray([0, 1, 1, 4, 6])), mixed, to_numpy)


@pytest.mark.parametrize("dtypes", [(np.int8, np.uint64), (np.uint16, np.int32), (np.uint64, np.int64)], ids=str)
def test_dtypes_of_arguments(xp, to_numpy, dtypes):
    offsets = [np.array(x, t) for x, t in zip(([0, 2, 5], [1, 3, 4]), dtypes, strict=True)]
    assert_product(cartesian_product(*map(xp.asarray, offsets)), as_pairs(offsets), to_numpy)
    pair = tuple(xp.asarray(np.array(x, t)) for x, t in zip(([4, 0], [6, 3]), dtypes, strict=True))
    assert_product(cartesian_product(pair, xp.asarray([0, 1, 2])), [([4, 0], [6, 3]), ([0, 1], [1, 2])], to_numpy)


def test_arguments_with_strides_are_read_as_they_are(xp, to_numpy):
    table = xp.asarray([[0, 2], [2, 3], [3, 7]])
    want = [([0, 2, 3], [2, 3, 7]), ([0, 1, 3], [1, 3, 4])]
    assert_product(cartesian_product((table[:, 0], table[:, 1]), xp.asarray([0, 1, 3, 4])), want, to_numpy)


def test_positions_beyond_int32_need_int64(xp, to_numpy):
    """Indices that are wide, of segments that are not."""
    far = 2**31 + 5
    starts, stops = xp.asarray([far, 0]), xp.asarray([far + 2, 1])
    out_offsets, first, second = cartesian_product((starts, stops), xp.asarray([0, 2, 3]))
    assert first.dtype == second.dtype == np.int64
    assert out_offsets.dtype == np.int32
    assert to_numpy(first).tolist() == [far, far, far + 1, far + 1, 0]
    assert to_numpy(second).tolist() == [0, 1, 0, 1, 2]
    _, first, _ = cartesian_product((starts, stops), xp.asarray([0, 2, 3]), index="local")
    assert first.dtype == np.int32
    assert to_numpy(first).tolist() == [0, 0, 1, 1, 0]


def test_an_empty_factor_makes_nothing_of_huge_ones(xp, to_numpy):
    huge = (xp.asarray([0, 0]), xp.asarray([2**62, 1]))
    result = cartesian_product(*[huge] * 20, xp.asarray([0, 0, 2]))
    assert to_numpy(result[0]).tolist() == [0, 0, 2]
    assert to_numpy(result[-1]).tolist() == [0, 1]


@pytest.mark.parametrize("count", [41, 49, pytest.param(1 << 20, marks=compiled)])
def test_division_is_exact(xp, to_numpy, count):
    """Where a reciprocal goes wrong: k * (1 / k) is below 1 for 41 in single and 49 in double precision."""
    _, first, second = cartesian_product(xp.asarray([0, 3]), xp.asarray([0, count]))
    np.testing.assert_array_equal(to_numpy(first), np.repeat(np.arange(3), count))
    np.testing.assert_array_equal(to_numpy(second), np.tile(np.arange(count), 3))


def test_total_is_the_sum_of_products(xp):
    """Not the product of the two last stops."""
    result = cartesian_product(xp.asarray([0, 1, 3]), xp.asarray([0, 2, 3]))
    assert [x.size for x in result[1:]] == [4, 4]


def test_totals_beyond_int32_need_int64(xp, to_numpy):
    out_offsets, total = _tuples.scan_sizes(xp.asarray([2**30, 0, 2**30, 5]), "tuples")
    assert out_offsets.dtype == np.int64
    assert to_numpy(out_offsets).tolist() == [0, 2**30, 2**30, 2**31, 2**31 + 5]
    assert total == 2**31 + 5


@pytest.mark.parametrize("total, error", [(-1, ValueError), (4.0, TypeError), ("4", TypeError)])
def test_a_total_is_a_count(total, error):
    with pytest.raises(error):
        cartesian_product(np.array([0, 4]), total=total)


def test_given_total(xp, to_numpy):
    offsets = [0, 2, 5], [0, 3, 4]
    arrays = [xp.asarray(np.array(x, np.int32)) for x in offsets]
    want = [(x[:-1], x[1:]) for x in offsets]
    assert_product(cartesian_product(*arrays, total=9), want, to_numpy)
    with pytest.raises(ValueError, match="total must be 9, the number of tuples, got 8"):
        cartesian_product(*arrays, total=8)


def test_given_total_reads_nothing_from_the_device(xp, to_numpy, monkeypatch):
    read = []
    for name in ("_check", "_tuples", "offsets", "search"):
        module = importlib.import_module(f"spark_csr.primitives.{name}")
        monkeypatch.setattr(module, "to_host_scalar", lambda x: read.append(x) or x.item())
    arrays = [xp.asarray(np.array(x, np.int32)) for x in ([0, 2, 5], [0, 3, 4])]
    with config(validate=False):
        result = cartesian_product(*arrays, total=9)
    assert not read
    assert_product(result, [([0, 2], [2, 5]), ([0, 3], [3, 4])], to_numpy)
    cartesian_product(*arrays)
    assert read


def test_refuses_more_than_can_be_stored(xp):
    counts = xp.asarray([0, 2**21])
    with pytest.raises(MemoryError, match=r"segment 0 has more than 2\*\*62 tuples"):
        cartesian_product(counts, counts, counts)
    halves = (xp.zeros(8, np.int64), xp.full(8, 2**30))
    with pytest.raises(MemoryError, match=r"9.223e\+18 tuples"):
        cartesian_product(halves, halves)
    with pytest.raises(MemoryError, match=r"1152921504606846976 tuples of 2 indices need .* GiB"):
        cartesian_product(xp.asarray([0, 2**30]), xp.asarray([0, 2**30]))


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((), TypeError, "at least one factor"),
        (({0, 3},), TypeError, "offsets0 must be a NumPy or CuPy array, got set"),
        ((np.array([0, 3]), np.array([0.0, 1])), TypeError, "offsets1 must hold integers, got dtype float64"),
        ((np.array([0, 3]), np.array([0, 1, 2])), ValueError, "argument 1 has 2 segments, argument 0 has 1"),
        ((np.array([0, 3]), np.array([5, 1])), ValueError, r"offsets1\[0\] = 5 > offsets1\[1\] = 1"),
        ((np.array([-1, 3]),), ValueError, r"offsets0\[0\] = -1"),
        ((np.array([], int),), ValueError, "offsets0 must have one element more"),
        (((np.array([0, 4]), np.array([2, 3])),), ValueError, r"starts0\[1\] = 4 > stops0\[1\] = 3"),
        (((np.array([0, -4]), np.array([2, 3])),), ValueError, r"starts0\[1\] = -4"),
        (((np.array([0]), np.array([2, 3])),), ValueError, "starts0 and stops0 must be equally long, got 1 and 2"),
        (((np.array([0]), np.array([2.5])),), TypeError, "stops0 must hold integers"),
        (((np.array([0]),),), TypeError, "a pair"),
        ((np.array([0, 2**63], np.uint64),), ValueError, r"offsets0\[1\] = 9223372036854775808"),
    ],
)
def test_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        cartesian_product(*arguments)


def test_refuses_another_index():
    with pytest.raises(ValueError, match="'global' or 'local', got 'both'"):
        cartesian_product(np.array([0, 1]), index="both")


def test_reading_leaves_arguments_alone(xp, to_numpy):
    starts, stops = np.array([4, 0]), np.array([6, 3])
    a, b = xp.asarray(starts.copy()), xp.asarray(stops.copy())
    cartesian_product((a, b), (a, b))
    np.testing.assert_array_equal(to_numpy(a), starts)
    np.testing.assert_array_equal(to_numpy(b), stops)


few = st.integers(0, 3)


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.lists(st.tuples(*[few] * k), max_size=3 if SIMULATED else 8).map(lambda rows: (k, rows))
    )
)
def test_every_tuple_once_and_in_order(xp, to_numpy, case):
    k, rows = case
    counts = [np.array([row[f] for row in rows], np.int64) for f in range(k)]
    out_offsets, *columns = cartesian_product(*(offsets_from_counts(xp.asarray(c)) for c in counts), index="local")
    parents = oracles.segment_ids(to_numpy(out_offsets).tolist())
    found = list(zip(parents, *(to_numpy(c).tolist() for c in columns), strict=True))
    assert len(found) == sum(math.prod(row) for row in rows)
    assert found == sorted(set(found))
    assert all(digit < count for i, *digits in found for digit, count in zip(digits, rows[i], strict=True))
