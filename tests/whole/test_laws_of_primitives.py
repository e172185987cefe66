"""Laws that hold for all arrays and segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from spark_csr.primitives import (
    counts_from_offsets,
    exclusive_scan,
    head_flags_from_offsets,
    inclusive_scan,
    load_balance_search,
    offsets_from_counts,
    offsets_from_segment_ids,
    repeat,
    right_flood,
    right_flood_vjp,
    run_length_encode,
    segment_ids,
    segmented_reduce,
    segmented_scan,
)

pytestmark = pytest.mark.usefixtures("small_tiles")

values = st.lists(st.integers(-50, 50), max_size=40).map(lambda x: np.array(x, np.int64))
counts = st.lists(st.sampled_from([0, 0, 0, 1, 2, 5, 9]), max_size=12).map(lambda x: np.array(x, np.int64))


@given(values)
def test_exclusive_is_inclusive_shifted(xp, to_numpy, x):
    inclusive = to_numpy(inclusive_scan(xp.asarray(x)))
    exclusive, total = exclusive_scan(xp.asarray(x), return_total=True)
    whole = np.append(to_numpy(exclusive), to_numpy(total))
    np.testing.assert_array_equal(whole[1:], inclusive)
    np.testing.assert_array_equal(whole[:-1] + x, inclusive)


@given(values)
def test_scans_from_both_sides_meet(xp, to_numpy, x):
    before = to_numpy(exclusive_scan(xp.asarray(x)))
    from_here = to_numpy(inclusive_scan(xp.asarray(x), reverse=True))
    assert (before + from_here == x.sum()).all()


@given(counts, st.data())
def test_segmented_scan_and_totals_make_the_scan(xp, to_numpy, lengths, data):
    """Header and body: scan of each segment + exclusive scan of the segments' sums = scan of everything."""
    n = int(lengths.sum())
    x = np.array(data.draw(st.lists(st.integers(-50, 50), min_size=n, max_size=n)), np.int64)
    offsets = offsets_from_counts(xp.asarray(lengths))
    inside = to_numpy(segmented_scan(xp.asarray(x), offsets))
    carried = to_numpy(exclusive_scan(segmented_reduce(xp.asarray(x), offsets)))
    np.testing.assert_array_equal(inside + carried[to_numpy(segment_ids(offsets))], np.cumsum(x))


@given(counts)
def test_forms_of_segments_there_and_back(xp, to_numpy, lengths):
    offsets = offsets_from_counts(xp.asarray(lengths))
    assert to_numpy(counts_from_offsets(offsets)).tolist() == lengths.tolist()
    ids = segment_ids(offsets)
    assert to_numpy(ids).tolist() == oracles.segment_ids(to_numpy(offsets).tolist())
    assert to_numpy(offsets_from_segment_ids(ids, lengths.size)).tolist() == to_numpy(offsets).tolist()
    assert int(to_numpy(head_flags_from_offsets(offsets)).sum()) == np.count_nonzero(lengths)
    segment, rank = load_balance_search(offsets)
    np.testing.assert_array_equal(to_numpy(offsets)[to_numpy(segment)] + to_numpy(rank), np.arange(lengths.sum()))


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=40), st.none() | st.integers(0, 5))
def test_flood_is_the_loop(xp, to_numpy, pairs, limit):
    x, valid = np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], bool)
    index = np.array(oracles.flood_index(valid, limit=limit), int)
    out, source = right_flood(xp.asarray(x), xp.asarray(valid), initial=99, limit=limit, return_index=True)
    np.testing.assert_array_equal(to_numpy(source), index)
    np.testing.assert_array_equal(to_numpy(out), [x[t] if t >= 0 else 99 for t in index])


@given(counts)
def test_flood_of_scattered_values_is_repeat(xp, to_numpy, lengths):
    """Also where a value is zero: what counts is the mask."""
    x, offsets = np.arange(lengths.size) % 3, offsets_from_counts(xp.asarray(lengths))
    heads = to_numpy(head_flags_from_offsets(offsets)).astype(bool)
    scattered = np.zeros(heads.size, int)
    scattered[to_numpy(offsets)[:-1][lengths > 0]] = x[lengths > 0]
    flooded = to_numpy(right_flood(xp.asarray(scattered), xp.asarray(heads)))
    np.testing.assert_array_equal(flooded, to_numpy(repeat(xp.asarray(x), xp.asarray(lengths))))
    np.testing.assert_array_equal(flooded, np.repeat(x, lengths))


@given(st.lists(st.integers(-2, 2), max_size=40).map(lambda x: np.array(x, np.int64)))
def test_runs_there_and_back(xp, to_numpy, x):
    runs, lengths = run_length_encode(xp.asarray(x))
    np.testing.assert_array_equal(to_numpy(repeat(runs, lengths)), x)
    heads = np.append(True, x[1:] != x[:-1])[: x.size]
    np.testing.assert_array_equal(to_numpy(right_flood(xp.asarray(x * heads), xp.asarray(heads))), x)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.booleans()), max_size=40), st.none() | st.integers(0, 5))
def test_gradient_of_a_flood_is_its_transpose(xp, to_numpy, triples, limit):
    """A flood is linear in what floods: `grad . (flood(x + h) - flood(x)) == vjp(grad) . h` for every step `h`."""
    h, grad = (np.array([t[k] for t in triples], float) for k in (0, 1))
    valid = xp.asarray(np.array([t[2] for t in triples], bool))
    flooded, index = right_flood(xp.asarray(h), valid, initial=0, limit=limit, return_index=True)
    assert grad @ to_numpy(flooded) == to_numpy(right_flood_vjp(xp.asarray(grad), index)) @ h


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=40))
def test_a_flood_changes_nothing_when_repeated(xp, to_numpy, pairs):
    x, valid = (xp.asarray(np.array([p[k] for p in pairs], t)) for k, t in ((0, np.int64), (1, bool)))
    once = right_flood(x, valid, initial=7)
    np.testing.assert_array_equal(to_numpy(right_flood(once, valid, initial=7)), to_numpy(once))


@given(st.lists(st.integers(-5, 60), max_size=9), values)
def test_hostile_offsets_are_refused_or_right(xp, to_numpy, entries, x):
    offsets = np.array(entries, np.int64)
    try:
        got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray(offsets)))
    except ValueError:
        legal = offsets.size and offsets[0] >= 0 and (np.diff(offsets) >= 0).all() and offsets[-1] <= x.size
        assert not legal
    else:
        np.testing.assert_array_equal(got, np.array(oracles.segmented_reduce(x, offsets, np.add, 0), np.int64))
