"""Ragged arrays to and from awkward-array: nothing is copied, nothing is lost, what cannot be held is said."""

import numpy as np
import pytest

import dtypes
from spark_csr import Ragged

pytest.importorskip("awkward", reason="needs awkward-array: pip install awkward")

import awkward

from spark_csr.interop.awkward import from_awkward, to_awkward

pytestmark = pytest.mark.usefixtures("cpu_only")

NESTED = [[], [[]], [1, 2], [[1, 2], [], [3]], [[[1], []], [], [[2, 3]]], [[[[[]]]], [[[[1.5]]], []]]]


@pytest.mark.parametrize("lists", NESTED, ids=str)
def test_there_and_back(lists):
    ragged = Ragged.from_lists(lists)
    array = to_awkward(ragged)
    assert array.to_list() == lists
    back = from_awkward(array)
    assert back.to_lists() == lists
    assert back.dtype == ragged.dtype
    assert from_awkward(awkward.Array(lists)).to_lists() == lists


def test_memory_is_shared():
    values, offsets = np.arange(10.0), np.array([1, 4, 4, 9])
    array = to_awkward(Ragged(values, offsets))
    values[2] = 100
    assert array.to_list() == [[1, 100, 3], [], [4, 5, 6, 7, 8]]
    back = from_awkward(array)
    assert np.shares_memory(back.values, values)
    assert awkward.sort(array, axis=-1, ascending=False).to_list() == [[100, 3, 1], [], [8, 7, 6, 5, 4]]
    assert back.offsets[0].tolist() == [1, 4, 4, 9]


@pytest.mark.parametrize("dtype", dtypes.each(["bool", "int8", "uint16", "int32", "uint64", "float32", "complex128"]))
def test_dtypes(dtype):
    ragged = Ragged(np.array([0, 1, 1]).astype(dtype), [0, 2, 3])
    back = from_awkward(to_awkward(ragged))
    assert (back.dtype, back.to_lists()) == (ragged.dtype, ragged.to_lists())


def test_every_layout_of_lists():
    some = awkward.Array([[1, 2, 3], [], [4, 5]])
    for array in (
        some[[2, 0]],
        some[:, ::-1],
        some[1:],
        awkward.to_regular(some[[0, 0]], 1),
        awkward.Array(np.ones((2, 3, 2))),
    ):
        assert from_awkward(array).to_lists() == array.to_list()
        assert from_awkward(array.layout).to_lists() == array.to_list()
    narrow = awkward.contents.ListOffsetArray(awkward.index.IndexU32(np.array([0, 1, 3], np.uint32)), some.layout.content)
    assert from_awkward(narrow).to_lists() == [[1], [2, 3]]
    picked = awkward.contents.IndexedArray(awkward.index.Index64(np.array([2, 0])), some.layout)
    assert from_awkward(picked).to_lists() == [[4, 5], [1, 2, 3]]


def test_optional_types_without_missing_values():
    numbers = awkward.contents.NumpyArray(np.array([1.5, 2.0, 3.0]))
    whole = awkward.contents.UnmaskedArray(numbers)
    masked = awkward.contents.ByteMaskedArray(awkward.index.Index8(np.ones(3, np.int8)), numbers, True)
    ordered = awkward.contents.IndexedOptionArray(awkward.index.Index64(np.arange(3)), numbers)
    for content in (whole, masked, ordered):
        lists = awkward.contents.ListOffsetArray(awkward.index.Index64(np.array([0, 2, 2, 3])), content)
        assert from_awkward(lists).to_lists() == [[1.5, 2.0], [], [3.0]]
        assert from_awkward(awkward.contents.UnmaskedArray(lists)).to_lists() == [[1.5, 2.0], [], [3.0]]
    assert np.shares_memory(from_awkward(whole).values, numbers.data)


@pytest.mark.parametrize(
    "array, what",
    [
        ([[1, None]], "missing values"),
        ([None, [1]], "missing values"),
        ([{"x": 1, "y": 2}], r"records.*\['x', 'y'\]"),
        ([["text"]], "strings"),
        ([1, [2]], "several types"),
    ],
)
def test_what_it_cannot_hold(array, what):
    with pytest.raises(TypeError, match=what):
        from_awkward(awkward.Array(array))


def test_missing_values_outside_of_a_slice():
    array = awkward.Array([[1.0, 2], [None], [3]])
    assert from_awkward(array[:1]).to_lists() == [[1.0, 2.0]]
    assert from_awkward(array[2:]).to_lists() == [[3.0]]
    with pytest.raises(TypeError, match="missing values"):
        from_awkward(array[1:])
