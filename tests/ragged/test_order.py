"""Sorts of innermost lists against Python's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from nested import EXAMPLES, array, each, loose, plain, ragged_lists

pytestmark = pytest.mark.usefixtures("small_tiles")

FLOATS = st.sampled_from([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -2.5, 3.0])


def ranks(values, descending=False):
    return sorted(range(len(values)), key=lambda i: oracles.sort_key(values[i], descending))


def assert_sorted(R, lists, ndim):
    for descending in (False, True):
        order = each(lists, ndim - 1, lambda x: ranks(x, descending))  # noqa: B023
        np.testing.assert_equal(plain(R.argsort(descending=descending)), order)
        want = each(lists, ndim - 1, lambda x: [x[i] for i in ranks(x, descending)])  # noqa: B023
        np.testing.assert_equal(plain(R.sort(descending=descending)), want)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_depth(xp, ndim, lists):
    R = array(xp, lists, ndim)
    assert_sorted(R, lists, ndim)
    assert_sorted(loose(R), lists, ndim)


@given(ragged_lists(FLOATS, most=3))
def test_nan_come_last(xp, drawn):
    ndim, lists = drawn
    assert_sorted(array(xp, lists, ndim, np.float64), lists, ndim)


@pytest.mark.parametrize("k", [0, 1, 2, 20])
@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_topk(xp, ndim, lists, k):
    R = loose(array(xp, lists, ndim))
    order = each(lists, ndim - 1, lambda x: ranks(x, True)[:k])
    assert plain(R.topk(k, index=True)) == order
    assert plain(R.topk(k)) == each(lists, ndim - 1, lambda x: sorted(x, reverse=True)[:k])


def test_order_picks_what_is_sorted(xp):
    lists = [[6, 5, 7], [], [9, 1, 9]]
    R = array(xp, lists, 2)
    assert plain(R[R.argsort(descending=True)]) == plain(R.sort(descending=True)) == [[7, 6, 5], [], [9, 9, 1]]
    assert plain(R[R.topk(2, index=True)]) == plain(R.topk(2)) == [[7, 6], [], [9, 9]]


def test_halves_and_bools(xp):
    R = array(xp, [[2, 0, 1], [], [1, 0]], 2)
    assert plain(R.astype(np.float16).sort()) == [[0, 1, 2], [], [0, 1]]
    assert plain(R.astype(bool).sort(descending=True)) == [[True, True, False], [], [True, False]]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda R: R.sort(axis=0), ValueError, r"axis must be -1 \(or 1\), got 0: lists are sorted along the innermost"),
        (lambda R: R.argsort(axis=2), ValueError, "axis 2 is out of range"),
        (lambda R: R.sort(axis="1"), TypeError, "integer"),
        (lambda R: R.topk(-1), ValueError, "k must be 0 or above, got -1"),
        (lambda R: R.topk(1.5), TypeError, "integer"),
        (lambda R: R.astype(np.complex128).sort(), TypeError, "no order"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(array(np, [[1, 2], []], 2))
