"""Coordinates of values, and functions of value and position, beside nested loops."""

import itertools
import math

import numba
import numpy as np
import pytest
from hypothesis import given

from nested import ELEMENTS, EXAMPLES, INNER, OFFSETS, OUTER, array, each, joined, loose, ragged_lists
from spark_csr import Ragged
from spark_csr._array import SIMULATED
from spark_csr.primitives import _functions, for_each, load_balance_search, segment_ids

pytestmark = pytest.mark.usefixtures("small_tiles")

every_example = pytest.mark.parametrize("ndim, lists", EXAMPLES, ids=str)


def places(lists, ndim):
    """The position of every value, by loops in loops."""
    if ndim == 1:
        return [(i,) for i in range(len(lists))]
    return [(i, *rest) for i, item in enumerate(lists) for rest in places(item, ndim - 1)]


def random_lists(seed, *counts):
    """Offsets of random lists, some of them empty; `counts` bounds the items of the array and of the lists of every level."""
    rng = np.random.default_rng(seed)
    offsets, size = [], counts[0]
    for most in counts[1:]:
        offsets.append(np.concatenate([[0], np.cumsum(rng.integers(0, most, size) * rng.integers(0, 2, size))]))
        size = int(offsets[-1][-1])
    return offsets


def place_2(value, i, j):
    return 100 * i + j - value


PLACE = {  # a number that tells the value and every index apart
    1: lambda value, i: 100 * i - value,
    2: place_2,
    3: lambda value, i, j, k: 100 * (100 * i + j) + k - value,
    4: lambda value, i, j, k, m: 100 * (100 * (100 * i + j) + k) + m - value,
    5: lambda value, i, j, k, m, n: 100 * (100 * (100 * (100 * i + j) + k) + m) + n - value,
}


def expected(values, coordinates):
    """What `PLACE` is, from the coordinates."""
    total = 0
    for index in coordinates:
        total = 100 * total + index.astype(np.int64)
    return total - values


@every_example
@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_coordinates_are_those_of_nested_loops(xp, to_numpy, ndim, lists, form):
    found = form(array(xp, lists, ndim)).coordinates()
    assert len(found) == ndim
    assert {x.dtype for x in found} == {np.dtype(np.int32)}
    assert list(zip(*(to_numpy(x).tolist() for x in found), strict=True)) == places(lists, ndim)


@given(ragged_lists())
def test_coordinates_find_every_value_again(drawn):
    ndim, lists = drawn
    R = Ragged.from_lists(lists, ndim=ndim)
    for k, place in enumerate(zip(*R.coordinates(), strict=True)):
        item = lists
        for index in place:
            item = item[index]
        assert item == R.values[k]


@every_example
@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_map_knows_value_and_place(xp, ndim, lists, form):
    got = form(array(xp, lists, ndim)).map(PLACE[ndim])
    values = joined(lists, ndim - 1)
    numbers = iter([PLACE[ndim](value, *place) for value, place in zip(values, places(lists, ndim), strict=True)])
    assert got.to_lists() == each(lists, ndim, lambda _: next(numbers))
    assert got.dtype == np.int64


@pytest.mark.parametrize(
    "offsets",
    [
        [np.array([0, 200])],
        [np.array([0] * 100 + [1] * 50 + [90] * 100)],
        [np.arange(0, 65, 4)],
        [np.array([0, 15])],
        [np.array([0, 16])],
        [np.array([0, 17])],
        random_lists(0, 40, 9),
        random_lists(1, 9, 9, 9),
        random_lists(2, 5, 5, 5, 5),
    ],
    ids=lambda offsets: f"{len(offsets) + 1} axes, {offsets[-1][-1]} values",
)
def test_lists_over_many_tiles(xp, to_numpy, offsets):
    values = np.arange(offsets[-1][-1]) % 7
    R = Ragged(xp.asarray(values), *(xp.asarray(x) for x in offsets))
    coordinates = [to_numpy(x) for x in R.coordinates()]
    inner = offsets[-1]
    row = np.searchsorted(inner, np.arange(values.size), "right") - 1
    np.testing.assert_array_equal(coordinates[-1], np.arange(values.size) - inner[row])
    for level in reversed(range(len(offsets) - 1)):
        outer = np.searchsorted(offsets[level], row, "right") - 1
        np.testing.assert_array_equal(coordinates[level + 1], row - offsets[level][outer])
        row = outer
    np.testing.assert_array_equal(coordinates[0], row)
    np.testing.assert_array_equal(to_numpy(R.map(PLACE[R.ndim]).values), expected(values, coordinates))


def doubled(value, i, j):
    return value + value


@pytest.mark.parametrize(
    "dtype, returned", [("bool", "int64"), ("float16", "float32"), ("float32", "float32"), ("complex64", "complex64")]
)
def test_map_gives_the_dtype_of_the_function(xp, to_numpy, dtype, returned):
    """Numba's rules: integers become 64 bits wide, and float16 is computed as float32; also where there are no values."""
    R = Ragged(xp.asarray(np.array([0, 1, 1], dtype)), xp.asarray([0, 2, 2, 3]))
    got = R.map(doubled)
    if not SIMULATED:  # there NumPy's scalars compute
        assert to_numpy(got.values).tolist() == [0, 2, 2]
        assert got.dtype == returned
    np.testing.assert_array_equal(to_numpy(got.values) != 0, [False, True, True])


def test_a_function_of_no_values_is_typed_and_not_run(xp):
    R = Ragged(xp.zeros(0, np.int32), xp.asarray([0, 0, 0]))
    assert R.map(lambda value, i, j: value / 2).dtype == np.float64
    assert R.map(lambda value, i, j: i < j).to_lists() == [[], []]


FACTOR = 3


@numba.njit
def compiled_function(value, i, j):
    return FACTOR * value + j


def with_a_function_inside(value, i, j):
    def weight(rank):
        return 10 * rank

    return weight(j) + math.floor(value)


SOURCE = "def typed_in(value, i, j):\n    return value - j\n"


def typed_in():
    """A function that stands in no file."""
    names = {"__name__": "__main__"}
    exec(SOURCE, names)
    return names["typed_in"]


@pytest.mark.parametrize(
    "func, wanted",
    [
        (compiled_function, [[18, 16, 17], [6], [27, 28]]),
        (with_a_function_inside, [[6, 15, 25], [2], [9, 19]]),
        (typed_in(), [[6, 4, 3], [2], [9, 8]]),
        (lambda value, i, j, shift=2: value + shift, [[8, 7, 7], [4], [11, 11]]),
        (lambda value, *place: place[0], [[0, 0, 0], [1], [2, 2]]),
    ],
    ids=["njit", "a function inside", "no file", "a default", "any number of indices"],
)
def test_kinds_of_functions(xp, func, wanted):
    assert array(xp, [[6, 5, 5], [2], [9, 9]], 2).map(func).to_lists() == wanted


def test_functions_of_the_same_code_are_compiled_once(cpu_only):
    R = Ragged(np.arange(3), np.array([0, 3]))
    before = len(_functions._compiled)
    got = [R.map(lambda value, i, j: value + 2 * j + 7).to_lists() for _ in range(3)]
    assert got == [[[7, 10, 13]]] * 3
    assert len(_functions._compiled) == before + 1


def test_a_constant_that_changed_is_seen(xp, monkeypatch):
    R = array(xp, [[6, 5, 5], [2]], 2)
    monkeypatch.setitem(globals(), "FACTOR", 5)
    assert R.map(lambda value, i, j: FACTOR * value).to_lists() == [[30, 25, 25], [10]]
    monkeypatch.setitem(globals(), "FACTOR", 7)
    assert R.map(lambda value, i, j: FACTOR * value).to_lists() == [[42, 35, 35], [14]]


def test_division_by_zero_is_that_of_numpy(xp, to_numpy):
    got = to_numpy(array(xp, [[1, 4], [0]], 2, np.float64).map(lambda value, i, j: value / j).values)
    np.testing.assert_array_equal(got, [np.inf, 4, np.nan])


def test_map_changes_nothing(xp, to_numpy):
    values = np.arange(20.0)
    values.flags.writeable = False
    R = Ragged(xp.asarray(values[::2]), xp.asarray([1, 3, 3, 8]))
    got = R.map(doubled)
    assert got.to_lists() == [[4, 8], [], [12, 16, 20, 24, 28]]
    assert to_numpy(R.values).tolist() == list(range(0, 20, 2))
    assert to_numpy(R.offsets[0]).tolist() == [1, 3, 3, 8]


def keyword_only(v, *, k=3):
    return v + k


def closing_over(factor):
    return lambda value, i, j: factor * value


@pytest.mark.parametrize(
    "func, message",
    [
        (lambda value, i, j, k: value, "missing a required argument: 'k'"),
        (keyword_only, "no keyword-only arguments, which Numba does not compile, got 'keyword_only'"),
        (closing_over(3), "close over variables, got 'closing_over.<locals>.<lambda>' with factor: .* defaults"),
        (abs, r"a Python function of \(value, i, j\), got <built-in function abs>"),
        (None, "got None"),
    ],
    ids=["too many", "keyword", "closure", "built-in", "none"],
)
def test_refuses_functions(xp, func, message):
    with pytest.raises(TypeError, match=message):
        array(xp, [[1]], 2).map(func)


@pytest.mark.parametrize(
    "func, message",
    [
        (lambda value, i, j: value.foo, r"must take \(int64 value, i, j\) and return a number: Unknown attribute 'foo'"),
        (lambda value, i, j: len(value), r"len.*found for signature: len\(int64\)"),
        (lambda value, i, j: undefined + 1, "undefined"),  # noqa: F821
        (lambda value, i, j: None, "none cannot be represented"),
        (lambda value, i, j: (value, i), "UniTuple"),
        (lambda value, i, j: "text", "unicode_type"),
        (lambda value, i, j: EXAMPLES, "EXAMPLES"),
    ],
    ids=["attribute", "call", "name", "nothing", "tuple", "text", "global"],
)
def test_says_why_a_function_does_not_compile(cpu_only, func, message):
    for lists in ([[1]], []):
        with pytest.raises(TypeError, match=message):
            array(np, lists, 2).map(func)


@pytest.mark.parametrize(
    "func, wanted",
    [
        (lambda value: value * value, [[36, 25, 25], [4], [81, 81]]),
        (lambda value, i: value + 10 * i, [[6, 5, 5], [12], [29, 29]]),
        (lambda value, factor=2: value * factor, [[12, 10, 10], [4], [18, 18]]),
        (lambda value, i=5, j=7: i + j, [[12, 12, 12], [12], [12, 12]]),
    ],
    ids=["value", "one index", "a default", "two defaults"],
)
def test_a_function_takes_as_many_arguments_as_it_requires(xp, func, wanted):
    assert array(xp, [[6, 5, 5], [2], [9, 9]], 2).map(func).to_lists() == wanted


def test_map_of_several_arrays(xp):
    R, S = array(xp, [[6, 5, 5], [], [9, 1]], 2), loose(array(xp, [[1, 2, 3], [], [4, 5]], 2, np.float64))
    assert R.map(lambda a, b: a * b, S).to_lists() == [[6, 10, 15], [], [36, 5]]
    assert R.map(lambda a, b, c, d, i, j: a + b + c + d + 100 * i + 10 * j, [1, 2, 3], S, 0.5).to_lists() == [
        [8.5, 18.5, 29.5],
        [],
        [216.5, 219.5],
    ]
    assert R.map(lambda a, b, scale=2: a + scale, S).to_lists() == [[8, 7, 7], [], [11, 3]]
    deep = array(xp, [[[1], [2, 3]], []], 3)
    assert deep.map(lambda a, b, i, j, k: a + 10 * b + 1000 * k, [4, 5]).to_lists() == [[[41], [42, 1043]], []]
    assert Ragged(xp.asarray([4, 5])).map(lambda a, b: a + b, deep).to_lists() == [[[5], [6, 7]], []]
    assert array(xp, [[], []], 2).map(lambda a, b: a / b, 2).dtype == np.float64


@pytest.mark.parametrize(
    "func, others, error, message",
    [
        (lambda a: a, [1], TypeError, r"must take \(value, other\), got '<lambda>': too many"),
        (lambda a, b, i, j, k: a, [1], TypeError, "missing a required argument: 'k'"),
        (lambda a, b: a, ["text"], TypeError, "map takes ragged arrays, arrays and numbers behind the function, got str"),
        (lambda a, b: a, [Ragged.from_lists([[1], [2]])], ValueError, "differ: list 0 of level 0 has 2 items"),
        (lambda a, b: a.foo + b, [0.5], TypeError, r"must take \(int64 value, float64 other\) and return a number"),
    ],
    ids=["too few", "too many", "text", "lists", "attribute"],
)
def test_several_arrays_refused(cpu_only, func, others, error, message):
    with pytest.raises(error, match=message):
        array(np, [[1, 2], [3]], 2).map(func, *others)


@pytest.fixture
def example(xp):
    """Lists of three elements, one and two."""
    return Ragged(xp.asarray(ELEMENTS), xp.asarray(OFFSETS))


def distance(value, i, j):
    return abs(i - j)


def test_row_and_start_of_every_element(example, to_numpy):
    i, j = map(to_numpy, example.coordinates())
    assert i.tolist() == [0, 0, 0, 1, 2, 2]
    assert (np.arange(6) - j).tolist() == [0, 0, 0, 3, 4, 4]


def test_one_call_an_element(example):
    """Every element knows its row and its position in it."""
    got = example.map(distance)
    assert got.values.tolist() == [0, 1, 2, 1, 2, 1]
    assert got.to_lists() == [[0, 1, 2], [1], [2, 1]]


@numba.njit
def distances_of_row(i, offsets, out):
    for k in range(offsets[i], offsets[i + 1]):
        out[k] = abs(i - (k - offsets[i]))


def test_one_call_a_row(xp, to_numpy):
    """A loop for every row gives the same."""
    out = xp.full(6, -1)
    for_each(3, distances_of_row, xp.asarray(OFFSETS), out)
    assert to_numpy(out).tolist() == [0, 1, 2, 1, 2, 1]


def test_worked_example_of_three_axes(xp, to_numpy):
    """Three indices of every element; `[i][j][k]` is `values[inner[outer[i] + j] + k]`."""
    sections = Ragged(xp.arange(1, 16), xp.asarray(OUTER), xp.asarray(INNER))
    i, j, l = map(to_numpy, sections.coordinates())  # noqa: E741
    assert i.tolist() == [0] * 5 + [1] * 10
    assert j.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2, 2, 3, 3, 3]
    assert l.tolist() == [0, 1, 2, 0, 1, 0, 1, 2, 3, 0, 0, 1, 0, 1, 2]
    offsets, inner = np.array(OUTER), np.array(INNER)
    assert inner[offsets[i] + j].tolist() == (np.arange(15) - l).tolist()
    assert to_numpy(sections.flatten(1).offsets[0]).tolist() == [0, 5, 15]
    assert sections.map(lambda value, i, j, l: value - 1).values.tolist() == list(range(15))  # noqa: E741


DEEP = {
    "depth 4": [[[[1, 2], [3]], [[4]]], [[[5, 6, 7], [8]]]],
    "empty lists at every level": [[], [[], [[], [1, 2]]], [[[]]], [[], [[3], []]], [], [[[4, 5], [], [6]], []], []],
    "nothing but empty lists": [[], [[], [[], []]], [[[]]], []],
    "no items": [],
}


@pytest.mark.parametrize("lists", DEEP.values(), ids=DEEP)
def test_depth_four(xp, to_numpy, lists):
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


def test_rows_of_any_length_take_equal_steps(xp, to_numpy, small_tiles):
    """A row of many elements beside many of one, and of none, in tiles of equal work."""
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
def test_empty_rows(xp, to_numpy, offsets, rows, starts):
    """Marks that are added up give 0 0 3 3 for the first, 3 3 for the second, and write out of bounds for the third."""
    R = Ragged(xp.zeros(offsets[-1]), xp.asarray(offsets))
    i, j = map(to_numpy, R.coordinates())
    assert i.tolist() == rows == to_numpy(segment_ids(xp.asarray(offsets))).tolist()
    assert (np.arange(offsets[-1]) - j).tolist() == starts
    assert R.map(lambda value, i, j: i).values.tolist() == rows


def test_zero_is_a_row_and_a_value(xp, to_numpy):
    """Neither row 0 nor a value of 0 means that something is missing."""
    R = Ragged(xp.asarray([0, 0, 1, 0]), xp.asarray([0, 0, 2, 3, 4]))
    assert to_numpy(R.coordinates()[0]).tolist() == [1, 1, 2, 3]
    assert R.map(lambda value, i, j: value + 10 * i).to_lists() == [[], [10, 10], [21], [30]]


@pytest.mark.parametrize("dtype", [np.float16, np.int8, bool])
def test_indices_do_not_take_the_dtype_of_the_values(xp, to_numpy, dtype):
    """Indices beyond what an int8 or a float16 can count."""
    R = Ragged(xp.zeros(5000, dtype), xp.asarray([0, 1, 4999, 5000]))
    i, j = R.coordinates()
    assert i.dtype == j.dtype == np.int32
    assert to_numpy(j).tolist() == [0, *range(4998), 0]


def test_one_search_gives_both(example, xp, to_numpy):
    """One search over the offsets finds row and position: no two floods."""
    for one, other in zip(example.coordinates(), load_balance_search(xp.asarray(OFFSETS)), strict=True):
        assert to_numpy(one).tolist() == to_numpy(other).tolist()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 511, 512, 513])
def test_every_element_once_for_any_size(xp, to_numpy, n):
    """Nothing is launched for nothing; blocks are counted in whole numbers, the last one is not full."""
    R = Ragged(xp.arange(n), xp.asarray([0, n // 3, n // 3, n]))
    assert to_numpy(R.map(lambda value, i, j: value + 1).values).tolist() == list(range(1, n + 1))
    assert [x.size for x in R.coordinates()] == [n, n]


def test_the_definition_in_loops(example):
    """What all of it means: `for i, row: for j, value`."""
    visited = [(i, j) for i, (start, stop) in enumerate(itertools.pairwise(OFFSETS)) for j in range(stop - start)]
    assert list(zip(*(x.tolist() for x in example.coordinates()), strict=True)) == visited
