"""Segment ids, ranks and load-balancing search; the cuts of segments into equal tiles."""

import itertools

import numpy as np
import pytest

import oracles
from spark_csr.primitives import head_flags_from_offsets, load_balance_search, local_index, segment_ids
from spark_csr.primitives.search import merge_path_tiles

pytestmark = pytest.mark.usefixtures("small_tiles")

OFFSETS = [
    [0],
    [0, 0],
    [0] * 30,
    [0, 3, 4, 6],
    [0, 2, 2, 4],
    [0, 0, 0, 2],
    [0, 2, 2],
    [5, 5, 8, 8, 40],
    [0, 70, 70, 71],
    list(range(0, 60, 3)),
]
every_offsets = pytest.mark.parametrize("offsets", OFFSETS, ids=str)


@every_offsets
def test_every_item(xp, to_numpy, offsets):
    ids = oracles.segment_ids(offsets)
    ranks = [k for start, stop in itertools.pairwise(offsets) for k in range(stop - start)]
    array = xp.asarray(offsets)
    assert to_numpy(segment_ids(array)).tolist() == ids
    assert to_numpy(local_index(array)).tolist() == ranks
    segment, rank = load_balance_search(array)
    assert to_numpy(segment).tolist() == ids
    assert to_numpy(rank).tolist() == ranks
    assert segment.dtype == rank.dtype == segment_ids(array).dtype == np.int32


def test_long_segments(xp, to_numpy, larger_tiles):
    """Items written by eights: segments of 0, 1, 7, 8, 9, ... over the ends of tiles, and what comes after the last."""
    counts = np.tile([0, 1, 7, 8, 9, 0, 0, 15, 16, 17, 31, 100, 0, 3], 9)
    offsets = np.concatenate([[5], 5 + np.cumsum(counts)])
    ids = np.repeat(np.arange(counts.size), counts)
    ranks = np.arange(counts.sum()) - (offsets[:-1] - 5)[ids]
    array = xp.asarray(offsets)
    np.testing.assert_array_equal(to_numpy(segment_ids(array)), ids)
    np.testing.assert_array_equal(to_numpy(local_index(array)), ranks)
    for found, wanted in zip(load_balance_search(array), (ids, ranks), strict=True):
        np.testing.assert_array_equal(to_numpy(found), wanted)


def test_rows_and_columns_of_ragged_data(xp, to_numpy):
    """[[6, 5, 5], [2], [9, 9]], visited element by element: |i - j| at each position."""
    i, j = (to_numpy(x) for x in load_balance_search(xp.asarray([0, 3, 4, 6])))
    assert abs(i - j).tolist() == [0, 1, 2, 1, 2, 1]


def test_three_levels_by_two_searches(xp, to_numpy):
    """[[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]"""
    outer, inner = xp.asarray([0, 2, 6]), xp.asarray([0, 3, 5, 9, 10, 12, 15])
    i = segment_ids(inner[outer])
    row, k = load_balance_search(inner)
    j = row - outer[i]
    assert to_numpy(inner[outer]).tolist() == [0, 5, 15]
    assert to_numpy(i).tolist() == [0] * 5 + [1] * 10
    assert to_numpy(j).tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2, 2, 3, 3, 3]
    assert to_numpy(k).tolist() == [0, 1, 2, 0, 1, 0, 1, 2, 3, 0, 0, 1, 0, 1, 2]
    assert to_numpy(inner[outer[i] + j] + k).tolist() == list(range(15))


def test_any_depth(xp, to_numpy):
    """A search for every level, from the innermost outwards: the coordinates that nested loops visit."""
    levels = [[0, 2, 3], [0, 1, 3, 3], [0, 2, 2, 5], [0, 1, 4, 4, 6, 7]]

    def visited(i, depth):
        if depth == len(levels):
            return [()]
        children = range(levels[depth][i], levels[depth][i + 1])
        return [(rank, *rest) for rank, child in enumerate(children) for rest in visited(child, depth + 1)]

    row, columns = slice(None), []
    for offsets in reversed(levels):
        segment, rank = load_balance_search(xp.asarray(offsets))
        row, columns = segment[row], [rank[row], *columns]
    found = zip(*(to_numpy(column).tolist() for column in (row, *columns)), strict=True)
    assert list(found) == [(i, *rest) for i in range(2) for rest in visited(i, 0)]


@pytest.mark.parametrize("function", [segment_ids, local_index, head_flags_from_offsets])
def test_more_items_than_memory(xp, function):
    with pytest.raises(MemoryError, match=r"of 4611686018427387904 items need .* GiB"):
        function(xp.asarray([0, 2**62]))


@every_offsets
def test_some_items(xp, to_numpy, offsets):
    k = np.arange(offsets[0], offsets[-1])[::-3].copy()
    segment, rank = (to_numpy(x) for x in load_balance_search(xp.asarray(offsets), xp.asarray(k)))
    ids = np.array(oracles.segment_ids(offsets), int)
    np.testing.assert_array_equal(segment, ids[k - offsets[0]])
    np.testing.assert_array_equal(rank, k - np.array(offsets)[segment])


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.uint64])
def test_offsets_of_other_dtypes(xp, to_numpy, dtype):
    offsets = xp.asarray(np.array([0, 2, 2, 30], dtype))
    assert to_numpy(segment_ids(offsets)).tolist() == [0, 0] + [2] * 28
    assert to_numpy(local_index(offsets)).tolist() == [0, 1, *range(28)]
    assert to_numpy(load_balance_search(offsets, xp.asarray([29]))[1]).tolist() == [27]


@every_offsets
def test_tiles_take_equal_shares(xp, to_numpy, offsets):
    tiles = merge_path_tiles(xp.asarray(offsets))
    rows = to_numpy(tiles.rows)
    ends = [end - offsets[0] + i for i, end in enumerate(offsets[1:])]  # positions of row ends in the list of items and ends
    assert tiles.entries == offsets[-1] - offsets[0] + len(offsets) - 1
    cuts = np.minimum(np.arange(rows.size) * tiles.items, tiles.entries)
    assert rows.tolist() == [sum(end < cut for end in ends) for cut in cuts]
    assert cuts[-1] == tiles.entries


@pytest.mark.parametrize("function", [segment_ids, local_index, load_balance_search])
@pytest.mark.parametrize(
    "offsets, error, message",
    [
        (np.array([0, 5, 3]), ValueError, r"offsets\[1\] = 5 > offsets\[2\] = 3"),
        (np.array([-1, 5]), ValueError, r"offsets\[0\] = -1"),
        (np.array([], int), ValueError, "one element more"),
        (np.array([0, 2**63 + 2], np.uint64), ValueError, r"below 2\*\*63, got offsets\[1\] = 9223372036854775810"),
        (np.array([0.5]), TypeError, "float64"),
        ({0, 5}, TypeError, "set"),
    ],
)
def test_refuses_offsets(function, offsets, error, message):
    with pytest.raises(error, match=message):
        function(offsets)


@pytest.mark.parametrize("k, place", [([2, 6, 7], r"k\[1\] = 6"), ([-1], r"k\[0\] = -1"), ([0, 1], r"k\[0\] = 0")])
def test_refuses_positions_in_no_segment(xp, k, place):
    with pytest.raises(ValueError, match=place):
        load_balance_search(xp.asarray([1, 3, 6]), xp.asarray(k))


def test_refuses_positions_that_are_no_integers(xp):
    with pytest.raises(TypeError, match="k must hold integers"):
        load_balance_search(xp.asarray([1, 3, 6]), xp.asarray([1.0]))
