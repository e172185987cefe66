"""Concatenation on every axis, against nested lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nested import array, lists_of, loose, plain
from spark_csr import Ragged

pytestmark = pytest.mark.usefixtures("small_tiles")


def like(lists, ndim, axis, data):
    """Other nested lists that agree with these before an axis."""
    if axis == 0:
        return data.draw(lists_of(ndim))
    return [like(item, ndim - 1, axis - 1, data) for item in lists]


def concatenated(parts, axis):
    if axis == 0:
        return [item for part in parts for item in part]
    return [concatenated(items, axis - 1) for items in zip(*parts, strict=True)]


@given(st.data())
def test_every_axis(xp, data):
    ndim = data.draw(st.integers(1, 4))
    axis = data.draw(st.integers(0, ndim - 1))
    first = data.draw(lists_of(ndim))
    parts = [first, *(like(first, ndim, axis, data) for _ in range(data.draw(st.integers(0, 2))))]
    arrays = [array(xp, part, ndim) for part in parts]
    wanted = concatenated(parts, axis)
    assert plain(Ragged.concatenate(arrays, axis)) == wanted
    assert plain(Ragged.concatenate([loose(x) for x in arrays], axis - ndim)) == wanted


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_three_arrays(xp, axis):
    parts = [[[[1, 2], [3]], [[4]]], [[[5], [6, 7, 8]], [[9]]], [[[], [10]], [[11, 12]]]]
    assert Ragged.concatenate([array(xp, part, 3) for part in parts], axis).to_lists() == concatenated(parts, axis)


def test_values_are_promoted_and_copied(xp):
    R = array(xp, [[1, 2], []], 2, np.int16)
    joined = Ragged.concatenate([R, array(xp, [[0.5]], 2, np.float32)])
    assert (joined.dtype, joined.to_lists()) == (np.float32, [[1, 2], [], [0.5]])
    alone = Ragged.concatenate([R])
    alone.values[0] = 9
    assert R.to_lists() == [[1, 2], []]
    assert joined.offsets[0].dtype == np.int32


def test_many_arrays(xp):
    parts = [[[k, k]] * (k % 3) for k in range(20)]
    arrays = (array(xp, part, 2) for part in parts)
    assert Ragged.concatenate(arrays).to_lists() == concatenated(parts, 0)


def test_arrays_of_one_dimension(xp):
    both = Ragged.concatenate([xp.asarray([1, 2]), array(xp, [3], 1)])
    assert isinstance(both, xp.ndarray)
    assert both.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "parts, axis, error, message",
    [
        ([], 0, ValueError, "nothing to concatenate"),
        ([([[1]], 2), ([1], 1)], 0, ValueError, r"as arrays\[0\]: it has 2, but arrays\[1\] has 1"),
        (
            [([[1]], 2), ([[1], []], 2)],
            1,
            ValueError,
            r"before axis 1, but arrays\[0\] and arrays\[1\] differ: one array has 1 items and the other has 2",
        ),
        ([([[[1]]], 3), ([[]], 3)], 2, ValueError, r"before axis 2, .* list 0 of level 0 has 1 items in one array and 0"),
        ([([[1]], 2)], 2, ValueError, "axis 2 is out of range"),
    ],
)
def test_what_does_not_fit_is_named(xp, parts, axis, error, message):
    with pytest.raises(error, match=message):
        Ragged.concatenate([array(xp, *part) for part in parts], axis)


def test_lists_are_refused():
    with pytest.raises(TypeError, match=r"arrays\[1\] must be a Ragged, got list: use Ragged.from_lists"):
        Ragged.concatenate([Ragged([1], [0, 1]), [[1]]])
