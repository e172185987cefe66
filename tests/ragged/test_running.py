"""Running sums and products against nested loops."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given

from nested import EXAMPLES, array, joined, loose, plain, ragged_lists

pytestmark = pytest.mark.usefixtures("small_tiles")


def running(lists, ndim, axis, func):
    """Nested lists of what `func` makes of every value and those before it along an axis."""
    if axis:
        return [running(item, ndim - 1, axis - 1, func) for item in lists]
    if ndim == 1:
        return list(itertools.accumulate(lists, func))
    before = {}
    return [go_on(item, ndim - 1, (), before, func) for item in lists]


def go_on(item, ndim, place, before, func):
    """What comes of one item; `before` holds the last result at every place."""
    if ndim == 0:
        before[place] = func(before[place], item) if place in before else item
        return before[place]
    return [go_on(part, ndim - 1, (*place, j), before, func) for j, part in enumerate(item)]


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_axis(xp, ndim, lists):
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        assert plain(R.cumsum()) == list(itertools.accumulate(joined(lists, ndim - 1)))
        for axis in range(ndim):
            assert plain(R.cumsum(axis=axis)) == running(lists, ndim, axis, operator.add)
            assert plain(R.cumsum(axis=axis - ndim)) == plain(R.cumsum(axis=axis))
    assert plain(array(xp, lists, ndim).cumprod(axis=-1)) == running(lists, ndim, ndim - 1, operator.mul)


@given(ragged_lists())
def test_every_axis_of_any_lists(xp, drawn):
    ndim, lists = drawn
    for axis in range(ndim):
        assert plain(array(xp, lists, ndim).cumsum(axis=axis)) == running(lists, ndim, axis, operator.add)


def test_last_of_a_list_is_its_sum(xp, to_numpy):
    rng = np.random.default_rng(1)
    R = array(xp, [rng.integers(-9, 9, n).tolist() for n in (40, 3, 0, 700, 1)], 2)
    kept = R.cumsum(axis=-1)
    assert kept[R.counts() > 0][:, -1].tolist() == R.sum(axis=-1)[R.counts() > 0].tolist()
    assert kept.packed().offsets[0] is R.packed().offsets[0]


def test_dtypes_are_those_of_numpy(xp):
    R = array(xp, [[1, 2], [3]], 2)
    assert R.astype(np.int8).cumsum(axis=1).dtype == np.int64
    assert R.astype(np.float32).cumsum(axis=0).dtype == np.float32


def test_refuses_what_is_no_axis(xp):
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        array(xp, [[1], []], 2).cumsum(axis=2)
