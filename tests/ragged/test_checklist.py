"""The first source document, on arrays of rows of differing length: each of its operations, examples, open ends and errors."""

import itertools

import numba
import numpy as np
import pytest

from spark_csr import Ragged
from spark_csr.primitives import for_each, load_balance_search, right_flood, segment_ids

L, D = [0, 3, 4, 6], [6, 5, 5, 2, 9, 9]
ROWS = [[6, 5, 5], [2], [9, 9]]
THREE = [[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]
L0, L1 = [0, 2, 6], [0, 3, 5, 9, 10, 12, 15]


def distance(value, i, j):
    return abs(i - j)


@pytest.fixture
def two(xp):
    return Ragged(xp.asarray(D), xp.asarray(L))


@pytest.fixture
def three(xp):
    return Ragged(xp.arange(1, 16), xp.asarray(L0), xp.asarray(L1))


def test_d01_values_and_offsets(two, to_numpy):
    """D0.1: C[i][j] = D[L[i] + j]; T0.1: row lengths 3, 1, 2."""
    assert [to_numpy(two[i]).tolist() for i in range(3)] == ROWS
    assert to_numpy(two.counts()).tolist() == [3, 1, 2]
    assert all(int(two[i][j]) == D[L[i] + j] for i, row in enumerate(ROWS) for j in range(len(row)))


def test_o01_o06_flattened_and_printed(xp, to_numpy):
    """O0.1: nested lists to (D, L); O0.6: printed as nested lists."""
    R = Ragged.from_lists(ROWS)
    assert (R.values.tolist(), R.offsets[0].tolist()) == (D, L)
    assert repr(R) == "Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)"


def test_d02_o02_row_and_start_of_every_element(two, to_numpy):
    """D0.2: I and S, as long as D; O0.2: k to (i, j); T0.2: I = 0 0 0 1 2 2; T0.3: S = 0 0 0 3 4 4."""
    i, j = map(to_numpy, two.coordinates())
    assert i.tolist() == [0, 0, 0, 1, 2, 2]
    assert (np.arange(6) - j).tolist() == [0, 0, 0, 3, 4, 4]


def test_o03_o04_scatter_and_right_flood(xp, to_numpy):
    """O0.3, O0.4: i and L[i], written where rows begin, flow to the right; T0.2, T0.3: before and after the flood."""
    starts = xp.asarray(L[:-1])
    heads = xp.zeros(6, bool)
    heads[starts] = True
    for written, scattered, flooded in (
        (xp.arange(3), [0, 0, 0, 1, 2, 0], [0, 0, 0, 1, 2, 2]),
        (starts, [0, 0, 0, 3, 4, 0], [0, 0, 0, 3, 4, 4]),
    ):
        x = xp.zeros(6, int)
        x[starts] = written
        assert to_numpy(x).tolist() == scattered
        assert to_numpy(right_flood(x, heads)).tolist() == flooded


def test_o05_v02_t04_one_call_an_element(two):
    """O0.5, V0.2: every element knows (i, j); T0.4: C[i][j] <- |i - j| is [[0 1 2], [1], [2 1]]."""
    got = two.map(distance)
    assert got.values.tolist() == [0, 1, 2, 1, 2, 1]
    assert got.to_lists() == [[0, 1, 2], [1], [2, 1]]


@numba.njit
def distances_of_row(i, offsets, out):
    for k in range(offsets[i], offsets[i + 1]):
        out[k] = abs(i - (k - offsets[i]))


def test_v01_one_call_a_row(xp, to_numpy):
    """V0.1: a loop for every row gives the same."""
    out = xp.full(6, -1)
    for_each(3, distances_of_row, xp.asarray(L), out)
    assert to_numpy(out).tolist() == [0, 1, 2, 1, 2, 1]


def test_d03_t05_three_levels(three, to_numpy):
    """D0.3, T0.5: L0 = 0 2 6, L1 = 0 3 5 9 10 12 15, D = 1..15."""
    R = Ragged.from_lists(THREE)
    assert [x.tolist() for x in R.offsets] == [L0, L1]
    assert R.values.tolist() == list(range(1, 16))
    assert three.to_lists() == THREE


def test_x01_traversal_of_three_levels(xp, three, to_numpy):
    """X0.1, the empty section: i, j, l of every element, C[i][j][l] = D[L1[L0[i] + j] + l], and L1[L0] = 0 5 15."""
    i, j, l = map(to_numpy, three.coordinates())  # noqa: E741
    assert i.tolist() == [0] * 5 + [1] * 10
    assert j.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2, 2, 3, 3, 3]
    assert l.tolist() == [0, 1, 2, 0, 1, 0, 1, 2, 3, 0, 0, 1, 0, 1, 2]
    offsets, inner = np.array(L0), np.array(L1)
    assert inner[offsets[i] + j].tolist() == (np.arange(15) - l).tolist()
    assert to_numpy(three.flatten(1).offsets[0]).tolist() == [0, 5, 15]
    assert three.map(lambda value, i, j, l: value - 1).values.tolist() == list(range(15))  # noqa: E741


DEEP = {
    "depth 4": [[[[1, 2], [3]], [[4]]], [[[5, 6, 7], [8]]]],
    "empty lists at every level": [[], [[], [[], [1, 2]]], [[[]]], [[], [[3], []]], [], [[[4, 5], [], [6]], []], []],
    "nothing but empty lists": [[], [[], [[], []]], [[[]]], []],
    "no items": [],
}


@pytest.mark.parametrize("lists", DEEP.values(), ids=DEEP)
def test_x01_at_depth_four(xp, to_numpy, lists):
    """X0.1 for any depth."""
    R = Ragged.from_lists(lists, ndim=4, dtype=int)
    R = R if xp is np else R.to_device("cuda")
    found = list(zip(*(to_numpy(x).tolist() for x in R.coordinates()), strict=True))
    wanted = [
        (i, j, k, m)
        for i, item in enumerate(lists)
        for j, outer in enumerate(item)
        for k, inner in enumerate(outer)
        for m in range(len(inner))
    ]
    assert found == wanted
    assert [lists[i][j][k][m] for i, j, k, m in found] == to_numpy(R.flatten()).tolist()
    assert R.map(lambda value, i, j, k, m: 1000 * i + 100 * j + 10 * k + m).flatten().tolist() == [
        1000 * i + 100 * j + 10 * k + m for i, j, k, m in wanted
    ]


def test_c01_rows_of_any_length_take_equal_steps(xp, to_numpy, small_tiles):
    """C0.1: a row of many elements beside many of one, and of none, in tiles of equal work."""
    offsets = np.concatenate([[0] * 20, 100 + np.arange(50), [149] * 20])
    R = Ragged(xp.zeros(149), xp.asarray(offsets))
    i, j = map(to_numpy, R.coordinates())
    np.testing.assert_array_equal(i, np.repeat(np.arange(offsets.size - 1), np.diff(offsets)))
    np.testing.assert_array_equal(j, np.arange(149) - offsets[i])
    assert R.map(distance).values.tolist() == abs(i.astype(int) - j).tolist()


@pytest.mark.parametrize(
    "offsets, rows, starts",
    [
        ([0, 2, 2, 4], [0, 0, 2, 2], [0, 0, 2, 2]),
        ([0, 0, 0, 2], [2, 2], [0, 0]),
        ([0, 2, 2], [0, 0], [0, 0]),
    ],
    ids=["empty in the middle", "leading", "trailing"],
)
def test_e01_empty_rows(xp, to_numpy, offsets, rows, starts):
    """E0.1: marks that are added up give 0 0 3 3 for the first, 3 3 for the second, and write out of bounds for the third."""
    R = Ragged(xp.zeros(offsets[-1]), xp.asarray(offsets))
    i, j = map(to_numpy, R.coordinates())
    assert i.tolist() == rows == to_numpy(segment_ids(xp.asarray(offsets))).tolist()
    assert (np.arange(offsets[-1]) - j).tolist() == starts
    assert R.map(lambda value, i, j: i).values.tolist() == rows


def test_e02_zero_is_a_row_and_a_value(xp, to_numpy):
    """E0.2: neither row 0 nor a value of 0 means that something is missing."""
    R = Ragged(xp.asarray([0, 0, 1, 0]), xp.asarray([0, 0, 2, 3, 4]))
    assert to_numpy(R.coordinates()[0]).tolist() == [1, 1, 2, 3]
    assert R.map(lambda value, i, j: value + 10 * i).to_lists() == [[], [10, 10], [21], [30]]


@pytest.mark.parametrize("dtype", [np.float16, np.int8, bool])
def test_e03_indices_do_not_take_the_dtype_of_the_values(xp, to_numpy, dtype):
    """E0.3: indices beyond what an int8 or a float16 can count."""
    R = Ragged(xp.zeros(5000, dtype), xp.asarray([0, 1, 4999, 5000]))
    i, j = R.coordinates()
    assert i.dtype == j.dtype == np.int32
    assert to_numpy(j).tolist() == [0, *range(4998), 0]


def test_e04_one_search_gives_both(two, xp, to_numpy):
    """E0.4: no two floods: one search over the offsets finds i and j."""
    for one, other in zip(two.coordinates(), load_balance_search(xp.asarray(L)), strict=True):
        assert to_numpy(one).tolist() == to_numpy(other).tolist()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 511, 512, 513])
def test_e05_e06_every_element_once_for_any_size(xp, to_numpy, n):
    """E0.5: nothing is launched for nothing; E0.6: blocks are counted in whole numbers, the last one is not full."""
    R = Ragged(xp.arange(n), xp.asarray([0, n // 3, n // 3, n]))
    assert to_numpy(R.map(lambda value, i, j: value + 1).values).tolist() == list(range(1, n + 1))
    assert [x.size for x in R.coordinates()] == [n, n]


def test_the_definition_in_loops(two):
    """What all of it means: `for i, row: for j, value`."""
    visited = [(i, j) for i, (start, stop) in enumerate(itertools.pairwise(L)) for j in range(stop - start)]
    assert list(zip(*(x.tolist() for x in two.coordinates()), strict=True)) == visited
