"""Nested lists in and out, and the text of a ragged array."""

import xml.etree.ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nested import ELEMENTS, EXAMPLES, INNER, OFFSETS, OUTER, ROWS, SECTIONS, array, joined, loose, plain, ragged_lists
from spark_csr import Ragged
from spark_csr._ragged import lists as module


@given(ragged_lists())
def test_there_and_back(xp, drawn):
    ndim, lists = drawn
    R = array(xp, lists, ndim)
    assert (R.ndim, R.to_lists()) == (ndim, lists)
    assert loose(R).to_lists() == lists
    assert Ragged.from_lists(lists).to_lists() == lists


@given(ragged_lists(st.floats(allow_nan=False) | st.booleans()))
def test_values_are_numpys(drawn):
    ndim, lists = drawn
    R, flat = Ragged.from_lists(lists, ndim=ndim), np.asarray(joined(lists, ndim - 1))
    assert R.dtype == flat.dtype
    np.testing.assert_array_equal(R.flatten(), flat)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_items_one_by_one(xp, ndim, lists):
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        assert [plain(item) for item in R] == lists
        assert len(R) == len(lists)


def test_how_deep_empty_lists_are(xp):
    assert [Ragged.from_lists(x).ndim for x in ([], [[]], [[], [[]]], [[], [[]], [[[]]]])] == [1, 2, 3, 4]
    for lists, ndim in (([], 4), ([[]], 5), ([[], [[]]], 3)):
        R = Ragged.from_lists(lists, ndim=ndim)
        assert (R.ndim, R.to_lists(), R.dtype) == (ndim, lists, np.float64)


def test_lists_of_arrays(xp, to_numpy):
    x, y, none = xp.asarray([1, 2], dtype=np.int16), xp.asarray([3], dtype=np.int16), xp.asarray([], dtype=np.int16)
    R = Ragged.from_lists([x, none, y])
    assert (R.dtype, R.to_lists()) == (np.int16, [[1, 2], [], [3]])
    assert Ragged.from_lists([[none], [], [x, y]]).to_lists() == [[[]], [], [[1, 2], [3]]]
    assert Ragged.from_lists([none, none]).dtype == np.int16
    assert Ragged.from_lists([x, xp.asarray([0.5])]).dtype == np.float64
    assert Ragged.from_lists(x).to_lists() == [1, 2]
    R = Ragged.from_lists([x])
    R.values[0] = 7
    assert x[0] == 1
    R = Ragged.from_lists(x)
    R.values[0] = 7
    assert x[0] == 1


def test_arrays_beside_lists_and_numbers_of_numpy():
    assert Ragged.from_lists([np.array([1, 2]), [3], (), range(2)]).to_lists() == [[1, 2], [3], [], [0, 1]]
    assert Ragged.from_lists([np.float32(1), np.float32(2)]).dtype == np.float32
    assert Ragged.from_lists([[np.array(1), np.array(2)], [3]]).to_lists() == [[1, 2], [3]]


def test_arrays_without_dimensions(xp):
    R = Ragged.from_lists([[xp.asarray(1), xp.asarray(2)], [xp.asarray(3)]])
    assert (R.device, R.to_lists()) == ("cpu" if xp is np else "cuda:0", [[1, 2], [3]])


def test_lists_of_ragged_arrays(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    assert Ragged.from_lists([R, R[1:], R[:0]]).to_lists() == [[[1, 2], [], [3]], [[], [3]], []]


def test_dtype_ndim_and_device():
    assert Ragged.from_lists([[1], [2]], dtype=np.float16).dtype == np.float16
    assert Ragged.from_lists([[], []], dtype=bool).dtype == np.bool_
    assert Ragged.from_lists([[1], [2]], ndim=2, device="cpu").device == "cpu"


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (([1, [2]],), ValueError, r"depth 1 item 0 is not a list \(1\) and item 1 is a list \(\[2\]\)"),
        (([[1], 2],), ValueError, r"depth 1 item 0 is a list \(\[1\]\) and item 1 is not a list \(2\)"),
        (([[1], [2, [3]]],), ValueError, r"depth 2 item 0 is not a list \(1\) and item 2 is a list \(\[3\]\)"),
        ((3,), TypeError, "takes nested lists, got int"),
        (({1: 2},), TypeError, "takes nested lists, got dict"),
        ((["ab", "c"],), TypeError, "values has dtype <U2"),
        (([[1, 2], [None]],), TypeError, "values has dtype object: value 2 is of type NoneType, not a number$"),
        (([[2**64]],), TypeError, "values has dtype object: give numbers of at most 64 bits, such as"),
        ((np.ones((2, 2)),), ValueError, "must have one dimension, got 2: use Ragged.from_padded"),
        ((np.ones((2, 2)),), ValueError, "must have one dimension, got 2"),
        (([[1], [2]], 1), ValueError, "ndim is 1, but the lists have 2 axes"),
        (([[1], [2]], 3), ValueError, "ndim is 3, but the lists have 2 axes"),
        (([[], []], 1), ValueError, "ndim is 1, but the lists have 2 axes"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        Ragged.from_lists(arguments[0], ndim=dict(enumerate(arguments)).get(1))


def test_unknown_devices_and_dtypes():
    with pytest.raises(ValueError, match="device must be"):
        Ragged.from_lists([[1]], device="tpu")
    with pytest.raises(TypeError, match="dtype"):
        Ragged.from_lists([[1]], dtype="datetime64[s]")


@pytest.mark.parametrize(
    "lists, ndim, text",
    [
        ([], 1, "[]"),
        ([], 3, "[]"),
        ([1, 2], 1, "[1, 2]"),
        ([[], []], 2, "[[], []]"),
        ([[[1], []], []], 3, "[[[1], []], []]"),
        ([list(range(100))], 2, "[[0, 1, 2, ..., 97, 98, 99]]"),
        ([[1]] * 100, 2, "[[1], [1], [1], ..., [1], [1], [1]]"),
        ([[]] * 7, 2, "[[], [], [], [], [], [], []]"),
    ],
)
def test_text(lists, ndim, text):
    R = array(np, lists, ndim)
    assert repr(R) == repr(loose(R)) == f"Ragged({text}, dtype=int64)"


def test_text_shows_all_of_a_short_part():
    assert repr(Ragged(np.arange(100), [3, 11])) == "Ragged([[3, 4, 5, 6, 7, 8, 9, 10]], dtype=int64)"


def test_text_of_many_lines():
    R = array(np, [[[10**12, 5]] * 2, [], [[7] * 2] * 2] * 2, 3)
    assert repr(R) == (
        "Ragged([[[1000000000000, 5],\n"
        "         [1000000000000, 5]],\n"
        "        [],\n"
        "        [[7, 7],\n"
        "         [7, 7]],\n"
        "        [[1000000000000, 5],\n"
        "         [1000000000000, 5]],\n"
        "        [],\n"
        "        [[7, 7],\n"
        "         [7, 7]]], dtype=int64)"
    )
    assert len(repr(array(np, [[10**12] * 7] * 2, 2)).splitlines()) == 2


def test_text_of_a_million_values_is_short(cpu_only):
    R = Ragged(np.zeros(10**6), np.arange(0, 10**6 + 1, 1000))
    assert max(map(len, repr(R).splitlines())) <= module.LINE + 20
    assert "..." in repr(R)
    assert repr(Ragged(np.zeros(0), np.zeros(100_001, int))) == "Ragged([[], [], [], ..., [], [], []], dtype=float64)"
    assert repr(array(np, [[[]] * 100], 3)) == "Ragged([[[], [], [], ..., [], [], []]], dtype=int64)"


@pytest.mark.parametrize(
    "values, dtype, named",
    [
        ([1, 300], "i1", "300 as value 1"),
        ([0, -1], "u1", "-1 as value 1"),
        ([2.0, 1.5], "i8", "1.5 as value 1"),
        ([0, 2], bool, "2 as value 1"),
        ([1.0, np.nan], "i4", "nan as value 1"),
        ([0.0, 1e300], "f4", r"1e\+300 as value 1"),
        ([1j, 0], float, "1j as value 0"),
        ([0, 2**63], "i8", r"9.223372036854776e\+18 as value 1"),
    ],
)
def test_values_that_do_not_fit_the_dtype_are_named(values, dtype, named):
    for lists in ([[], values], [np.array(values)]):
        with pytest.raises(TypeError, match=f"values must fit the dtype {np.dtype(dtype)}, got {named}"):
            Ragged.from_lists(lists, dtype=dtype)


def test_values_that_fit_the_dtype(xp):
    for values, dtype in (
        ([1.0, -3.0], "i1"),
        ([0, 1], bool),
        ([0.1, np.nan, np.inf], "f4"),
        ([2**53 + 1], "f8"),
        ([1, 2.5], "D"),
    ):
        R = Ragged.from_lists([xp.asarray(values), xp.asarray(values)[:0]], dtype=dtype)
        assert R.dtype == dtype
        np.testing.assert_array_equal(R.to_lists()[0], np.asarray(values).astype(dtype))
    assert Ragged.from_lists([[], []], dtype="i4").dtype == np.int32
    assert Ragged.from_lists([[0], [2**64 - 1]], dtype="u8").to_lists() == [[0], [2**64 - 1]]


def of_itself(wide):
    lists = [1]
    lists[:] = [lists] * wide
    return lists


@pytest.mark.parametrize("lists", [of_itself(1), of_itself(1000), [of_itself(2)] * 2, [(of_itself(1),)]])
def test_a_list_that_contains_itself_is_refused_at_once(lists):
    with pytest.raises(ValueError, match="contains itself"):
        Ragged.from_lists(lists)


def test_two_lists_that_contain_each_other_are_refused():
    left, right = [], []
    left.append(right)
    right.append(left)
    with pytest.raises(ValueError, match="contains itself"):
        Ragged.from_lists([left, right])


def test_one_list_in_several_places():
    """An empty one may even stand at several depths."""
    numbers, empty = [1, 2], []
    assert Ragged.from_lists([[numbers, numbers], [], [numbers]]).to_lists() == [[[1, 2], [1, 2]], [], [[1, 2]]]
    assert Ragged.from_lists([empty, [empty]]).to_lists() == [[], [[]]]
    assert Ragged.from_lists([[empty], [[empty]]]).to_lists() == [[[]], [[[]]]]


def test_worked_example_and_its_text(xp, to_numpy):
    R = Ragged.from_lists(ROWS)
    assert (R.values.tolist(), R.offsets[0].tolist()) == (ELEMENTS, OFFSETS)
    assert repr(R) == "Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)"


def test_worked_example_of_three_axes(xp):
    R = Ragged.from_lists(SECTIONS)
    assert [x.tolist() for x in R.offsets] == [OUTER, INNER]
    assert R.values.tolist() == list(range(1, 16))
    assert Ragged(xp.arange(1, 16), xp.asarray(OUTER), xp.asarray(INNER)).to_lists() == SECTIONS


def test_html(xp):
    R = Ragged(xp.asarray([1.0, 2, 3]), xp.asarray([0, 2, 2, 3]))
    html = R._repr_html_()
    xml.etree.ElementTree.fromstring(html)
    for word in ("Ragged", "float64", "3 of 0 to 2 items, 1 on average", "[[1.0, 2.0], [], [3.0]]", R.device):
        assert word in html
    assert "none" in Ragged(xp.empty(0), xp.asarray([0]))._repr_html_()
    assert "length" in Ragged(xp.arange(3))._repr_html_()


@pytest.mark.parametrize("ndim, lists", [x for x in EXAMPLES if x[0] > 1])
def test_counts_in(xp, ndim, lists):
    R = array(xp, lists, ndim)
    made = Ragged.from_counts(R.flatten(), *(R.counts(level) for level in range(ndim - 1)))
    assert made.to_lists() == lists
    assert [x.dtype for x in made.offsets] == [x.dtype for x in R.offsets]


@pytest.mark.parametrize(
    "values, counts, message",
    [
        ([1, 2, 3], [[2, 2]], "sum is 4, but there are 3 values"),
        ([1, 2, 3], [[2, 1], [3]], r"its sum is 3, but counts\[1\] describes 1 lists"),
        ([1, 2, 3], [[4, -1]], "-1"),
    ],
)
def test_counts_that_do_not_fit(cpu_only, values, counts, message):
    with pytest.raises(ValueError, match=message):
        Ragged.from_counts(values, *counts)


def test_counts_given_as_offsets_are_told(cpu_only):
    with pytest.raises(ValueError, match=r"must not decrease.* if these are lengths, use Ragged\.from_counts"):
        Ragged([1, 2, 3], [2, 0, 1])


MASKED = np.ma.array([1.0, 2], mask=[0, 1])


@pytest.mark.parametrize("lists", [MASKED, [MASKED, [1]], [[MASKED], [[1]]], [np.arange(2.0), MASKED]])
def test_masked_lists_are_refused(cpu_only, lists):
    with pytest.raises(TypeError, match="is a masked array, whose mask would be lost"):
        Ragged.from_lists(lists)


def test_one_count_for_all_lists_is_refused(cpu_only):
    with pytest.raises(TypeError, match=r"counts\[0\] must be an array of the lengths of lists, got 2"):
        Ragged.from_counts([1, 2], 2)


def test_no_counts():
    assert Ragged.from_counts([], []).to_lists() == []
    assert Ragged.from_counts([], [], []).ndim == 3
    assert Ragged.from_counts([1, 2]).to_lists() == [1, 2]
