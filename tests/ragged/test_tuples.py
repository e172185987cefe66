"""Pairs and combinations against itertools, and against the forms that products took in awkward-array's first GPU prototypes
(2018), with the errors that were made there."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nested import SMALL, array, each, lists_of, loose, plain
from spark_csr import Ragged
from spark_csr._array import SIMULATED
from spark_csr.primitives import segment_ids

pytestmark = pytest.mark.usefixtures("small_tiles")

FORMS = {
    "cartesian": lambda a, b: [list(itertools.product(x, y)) for x, y in zip(a, b, strict=True)],
    "combinations": lambda a, n: [list(itertools.combinations(x, n)) for x in a],
    "with_replacement": lambda a, n: [list(itertools.combinations_with_replacement(x, n)) for x in a],
}


def assert_tuples(got, want):
    """A tuple of arrays is as lists of tuples."""
    for f, part in enumerate(got):
        assert plain(part) == [[t[f] for t in item] for item in want]


def positions(lists):
    return [range(len(item)) for item in lists]


PAIRS = [
    ([], []),
    ([[]], [[1, 2]]),
    ([[], [], []], [[], [3], []]),
    ([[7, 8, 9]], [[1, 2]]),
    ([[1, 2], [3], [4, 5, 6]], [[7], [8, 9], []]),
    ([[], [1, 2, 3], [], [4], [5, 6], []], [[1], [2, 3], [], [4, 5, 6], [7], [8]]),
    ([[1] * 20, [2]], [[3], list(range(20))]),
]


@pytest.mark.parametrize("left, right", PAIRS)
def test_cartesian(xp, left, right):
    a, b = array(xp, left, 2), loose(array(xp, right, 2, np.float64))
    assert_tuples(a.cartesian(b), FORMS["cartesian"](left, right))
    assert_tuples(a.cartesian(b, index=True), FORMS["cartesian"](positions(left), positions(right)))
    assert [x.dtype for x in a.cartesian(b)] == [np.int64, np.float64]


@pytest.mark.parametrize("left, right", PAIRS)
def test_nested_cartesian(xp, left, right):
    a, b = array(xp, left, 2), loose(array(xp, right, 2))
    first, second = a.cartesian(b, nested=True)
    assert first.to_lists() == [[[x for _ in others] for x in item] for item, others in zip(left, right, strict=True)]
    assert second.to_lists() == [[others for _ in item] for item, others in zip(left, right, strict=True)]
    i, j = a.cartesian(b, nested=True, index=True)
    assert i.to_lists() == [[[k] * len(others) for k, _ in enumerate(item)] for item, others in zip(left, right, strict=True)]
    assert j.to_lists() == [[[*range(len(others))] for _ in item] for item, others in zip(left, right, strict=True)]


def test_nested_cartesian_of_lists(xp):
    first, second = array(xp, [[[1], [2, 3]]], 3).cartesian(array(xp, [[[4, 5], []]], 3), nested=True)
    assert first.to_lists() == [[[[1], [1]], [[2, 3], [2, 3]]]]
    assert second.to_lists() == [[[[4, 5], []], [[4, 5], []]]]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("lists", [pair[1] for pair in PAIRS])
def test_combinations(xp, lists, n):
    R = loose(array(xp, lists, 2))
    for replacement, form in ((False, "combinations"), (True, "with_replacement")):
        if math.comb(max(map(len, lists), default=0), n) < 300:
            assert_tuples(R.combinations(n, replacement=replacement), FORMS[form](lists, n))
            assert_tuples(R.combinations(n, replacement=replacement, index=True), FORMS[form](positions(lists), n))


DEEP = [[[1, 2], [], [3]], [], [[4, 5, 6]], [[], [7]]]


def test_lists_are_paired_where_they_are_the_elements(xp):
    """Also with values, and lists of another depth."""
    deeper, flat = [[[x], []] for x in DEEP], [[1, 2], [3], [], [4, 5]]
    for left, right in itertools.product(((3, DEEP), (5, deeper), (2, flat)), repeat=2):
        a, b = (loose(array(xp, lists, ndim)) for ndim, lists in (left, right))
        assert_tuples(a.cartesian(b), FORMS["cartesian"](left[1], right[1]))
    assert_tuples(loose(array(xp, DEEP, 3)).combinations(2), FORMS["combinations"](DEEP, 2))
    assert_tuples(array(xp, DEEP, 3).combinations(2, replacement=True), FORMS["with_replacement"](DEEP, 2))


@given(st.lists(st.tuples(lists_of(1), lists_of(1)), max_size=4 if SIMULATED else 8))
def test_any_pairs(xp, drawn):
    left, right = ([item[f] for item in drawn] for f in (0, 1))
    assert_tuples(array(xp, left, 2).cartesian(array(xp, right, 2)), FORMS["cartesian"](left, right))
    assert_tuples(array(xp, left, 2).combinations(), FORMS["combinations"](left, 2))


def test_every_width_of_values(xp):
    lists = [[1, 0, 1], [], [0, 1]]
    for dtype in (bool, np.float16, np.float32, np.complex128):
        R = array(xp, lists, 2).astype(dtype)
        assert_tuples(R.cartesian(R), FORMS["cartesian"](R.to_lists(), R.to_lists()))
        assert_tuples(R.combinations(), FORMS["combinations"](R.to_lists(), 2))


def test_three_letters_and_two_numbers(xp):
    """[a, b, c] x [1, 2]: two index arrays emulate tuples, as many as the product of the lengths."""
    first, second = array(xp, [[10, 20, 30]], 2).cartesian(array(xp, [[1, 2]], 2), index=True)
    assert plain(first) == [[0, 0, 1, 1, 2, 2]]
    assert plain(second) == [[0, 1, 0, 1, 0, 1]]
    assert first.size == second.size == 3 * 2


EVENTS = [[1, 2], [3], [4, 5, 6]], [[7], [8, 9], []]


def test_starts_parents_and_first_pairs(xp, to_numpy):
    """The event of each pair and the first pair of each event are offsets and their segment ids."""
    left, _ = pairs_of_events(xp)
    assert to_numpy(left.offsets[0]).tolist() == [0, 2, 4, 4]
    assert to_numpy(segment_ids(left.packed().offsets[0])).tolist() == [0, 0, 1, 1]


def pairs_of_events(xp):
    return array(xp, EVENTS[0], 2).cartesian(array(xp, EVENTS[1], 2))


def sequential(left, right):
    """A double loop in a loop over events."""
    first, second = [], []
    for x, y in zip(left, right, strict=True):
        first.append([a for a in x for _ in y])
        second.append([b for _ in x for b in y])
    return first, second


def vectorised(left, right):
    """Whole division by the number of right elements, in NumPy."""
    counts1, counts2 = (np.array([len(x) for x in z]) for z in (left, right))
    flat1, flat2 = np.concatenate(left), np.concatenate(right)
    sizes = counts1 * counts2
    starts1, starts2, first_pair = (np.cumsum(c) - c for c in (counts1, counts2, sizes))
    parents = np.repeat(np.arange(sizes.size), sizes)
    rank = np.arange(sizes.sum()) - first_pair[parents]
    return flat1[starts1[parents] + rank // counts2[parents]], flat2[starts2[parents] + rank % counts2[parents]]


def test_all_forms_agree(xp, to_numpy):
    """Loops, whole division, and a kernel with a thread for each pair, which is ours on a GPU."""
    rng = np.random.default_rng(2018)
    left, right = ([rng.integers(0, 99, c).tolist() for c in rng.poisson(3, 12)] for _ in range(2))
    got = array(xp, left, 2).cartesian(array(xp, right, 2))
    assert tuple(map(plain, got)) == sequential(left, right)
    for ours, theirs in zip(got, vectorised(left, right), strict=True):
        np.testing.assert_array_equal(to_numpy(ours.values), theirs)


def test_events_of_a_hundred_elements(cpu_only):
    """Poisson(100) elements on both sides of 50 events."""
    counts = np.random.default_rng(0).poisson(100, (2, 50))
    a, b = (Ragged(np.arange(c.sum(), dtype=float), np.concatenate([[0], np.cumsum(c)])) for c in counts)
    left, right = a.cartesian(b)
    assert left.size == right.size == (counts[0] * counts[1]).sum()
    np.testing.assert_array_equal(left.values, np.concatenate([np.repeat(x, y.size) for x, y in zip(a, b, strict=True)]))
    np.testing.assert_array_equal(right.values, np.concatenate([np.tile(y, x.size) for x, y in zip(a, b, strict=True)]))


def test_pairs_are_written_side_by_side(xp):
    """Event after event; there are four of them, not nine."""
    left, right = pairs_of_events(xp)
    assert (plain(left), plain(right)) == ([[1, 2], [3, 3], []], [[7, 7], [8, 9], []])
    assert left.size == 4


def test_positions_are_whole_numbers(xp):
    assert all(x.dtype == np.int32 for x in array(xp, [[1, 2], []], 2).cartesian(array(xp, [[3], [4]], 2), index=True))


def test_no_pair_behind_the_last(xp):
    """As many pairs as fill a block of a kernel, one less and one more."""
    for count in (511, 512, 513) if not SIMULATED else (15, 16, 17):
        left, right = array(xp, [[1]], 2).cartesian(array(xp, [list(range(count))], 2))
        assert plain(left) == [[1] * count]
        assert plain(right) == [list(range(count))]


@pytest.mark.parametrize("count", [41, 49])
def test_whole_division(xp, count):
    """By a reciprocal rounding goes wrong from 41 right elements on in single precision, from 49 in double."""
    left, right = array(xp, [[1, 2, 3]], 2).cartesian(array(xp, [list(range(count))], 2))
    assert plain(left) == [[1] * count + [2] * count + [3] * count]
    assert plain(right) == [list(range(count)) * 3]


def test_an_empty_side_has_no_pairs(xp):
    left, right = array(xp, [[1, 2], []], 2).cartesian(array(xp, [[], [3, 4]], 2))
    assert plain(left) == plain(right) == [[], []]


def test_triangles_of_pairs(xp, to_numpy):
    """With the diagonal, [a, b, c, d]; a square root in single precision goes wrong at 4097 elements."""
    first, second = array(xp, [[0, 1, 2, 3]], 2).combinations(replacement=True)
    assert plain(first) == [[0, 0, 0, 0, 1, 1, 1, 2, 2, 3]]
    assert plain(second) == [[0, 1, 2, 3, 1, 2, 3, 2, 3, 3]]
    if not SIMULATED:
        x = xp.arange(4097, dtype=np.int32)
        first, second = Ragged(x, xp.asarray([0, 4097])).combinations(index=True)
        rows, columns = np.triu_indices(4097, 1)
        np.testing.assert_array_equal(to_numpy(first.values), rows)
        np.testing.assert_array_equal(to_numpy(second.values), columns)


def test_best_pair_of_every_event(xp):
    """The pair of each event with the least difference."""
    left, right = pairs_of_events(xp)
    distance = left._with(abs(left.values - right.values))
    assert distance.argmin(axis=1).tolist() == [1, 0, -1]
    assert distance.min(axis=1, initial=99).tolist() == [5, 5, 99]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda R: R.cartesian([[1]]), TypeError, "cartesian takes a Ragged, got list"),
        (lambda R: R.cartesian(Ragged.from_lists([[1]])), ValueError, "same number of items, got 2 and 1"),
        (lambda R: R.cartesian(Ragged.from_lists([1, 2])), ValueError, "an array of one axis has no lists"),
        (lambda R: Ragged.from_lists([1, 2]).combinations(), ValueError, "an array of one axis has no lists"),
        (lambda R: R.combinations(0), ValueError, "n must be 1 or above, got 0"),
        (lambda R: R.combinations(1.5), TypeError, "integer"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(Ragged.from_lists([[1, 2], []]))


@given(st.lists(st.lists(lists_of(1, SMALL), max_size=3), max_size=3))
def test_products_with_itself_are_pairs_twice_and_the_diagonal(xp, lists):
    """Of lists, too; counted."""
    R = array(xp, lists, 3)
    sizes = [len(item) for item in lists]
    assert each(plain(R.cartesian(R)[0]), 1, len) == [n * n for n in sizes]
    assert each(plain(R.combinations()[0]), 1, len) == [n * (n - 1) // 2 for n in sizes]
