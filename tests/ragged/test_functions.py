"""NumPy's functions on ragged arrays beside NumPy's on every list, and those that are refused."""

import numpy as np
import pytest

from nested import EXAMPLES, array, each, joined, loose
from spark_csr import Ragged

pytestmark = pytest.mark.usefixtures("small_tiles")

LISTS = [[6.5, 5, -5, 0], [], [9, 1.25]]

ALONG_LISTS = {
    "sum": np.sum,
    "prod": np.prod,
    "any": np.any,
    "all": np.all,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "sort": np.sort,
    "argsort": np.argsort,
    "round": np.round,
    "clip": lambda x, **options: np.clip(x, -1, 6),
    "isclose": lambda x, **options: np.isclose(x, 5 + 1e-7),
    "count_nonzero": np.count_nonzero,
    "copy": lambda x, **options: np.copy(x),
    "zeros_like": lambda x, **options: np.zeros_like(x),
    "full_like": lambda x, **options: np.full_like(x, 7, dtype=int),
}


@pytest.mark.parametrize("name", ALONG_LISTS)
def test_innermost_axis(xp, name):
    function, options = ALONG_LISTS[name], {} if name == "round" else {"axis": -1}
    for form in (lambda R: R, loose):
        got = function(form(array(xp, LISTS, 2, np.float64)), **options)
        wanted = [function(np.array(x, float), **options).tolist() for x in LISTS]
        assert (got.to_lists() if isinstance(got, Ragged) else got.tolist()) == wanted


@pytest.mark.parametrize("function", [np.min, np.max, np.amin, np.amax, np.mean, np.std, np.var, np.argmin, np.argmax])
def test_lists_that_are_not_empty(xp, to_numpy, function):
    lists = [x for x in LISTS if x]
    R = array(xp, lists, 2, np.float64)
    np.testing.assert_allclose(to_numpy(function(R, axis=1)), [function(x) for x in lists])
    np.testing.assert_allclose(float(function(R)), function(joined(lists)))
    kept = function(R, axis=-1, keepdims=True)
    np.testing.assert_allclose(to_numpy(kept.flatten()), [function(x) for x in lists])
    assert kept.counts().tolist() == [1, 1]


def test_options_that_numpy_has(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    assert np.sum(R, -1, np.float32).dtype == np.float32
    assert np.sum(R, -1, None, None, True).to_lists() == [[3], [0], [3]]
    assert int(np.sum(R, axis=(0, 1))) == 6
    assert np.sum(R, axis=(-1,)).tolist() == [3, 0, 3]
    assert np.sum(R, axis=-1, initial=10).tolist() == [13, 10, 13]
    assert np.min(R, axis=-1, initial=9).tolist() == [1, 9, 3]
    assert np.std(R, axis=-1, ddof=1).tolist()[0] == np.std([1, 2], ddof=1)
    assert np.cumsum(R, axis=-1, dtype=np.float64).to_lists() == [[1, 3], [], [3]]
    assert np.sort(R, kind="stable", axis=1).to_lists() == [[1, 2], [], [3]]
    assert np.around(R / 4, 1).to_lists() == [[0.2, 0.5], [], [0.8]]


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_where(xp, ndim, lists):
    R = loose(array(xp, lists, ndim))
    assert np.where(R > 3, R, -1).to_lists() == each(lists, ndim, lambda v: v if v > 3 else -1)
    assert np.where(R > 3, 1.5, -R).to_lists() == each(lists, ndim, lambda v: 1.5 if v > 3 else -v)
    found = np.where(R > 3)
    assert len(found) == ndim
    assert [x.tolist() for x in found] == [x.tolist() for x in np.nonzero(R > 3)]
    assert len(found[0]) == sum(v > 3 for v in joined(lists, ndim - 1))


def test_where_by_items(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    assert np.where(xp.asarray([True, False, False]), R, 0).to_lists() == [[1, 2], [], [0]]
    assert np.where(R > 1, [10, 20, 30], R).to_lists() == [[1, 10], [], [30]]
    with pytest.raises(ValueError, match="lists of the ragged arrays differ"):
        np.where(R > 1, R, array(xp, [[1], [2], [3]], 2))
    with pytest.raises(TypeError, match=r"numpy\.where takes ragged arrays, arrays and numbers, got str"):
        np.where(R > 1, R, "a")


def test_clip(xp):
    R = array(xp, [[1, 2, 9], [], [3]], 2)
    assert R.clip(2).to_lists() == [[2, 2, 9], [], [3]]
    assert np.clip(R, None, [5, 5, 2]).to_lists() == [[1, 2, 5], [], [2]]
    assert R.clip(min=R + 1, max=4).to_lists() == [[2, 3, 4], [], [4]]
    same = R.clip()
    assert same.to_lists() == R.to_lists()
    assert same.values is not R.values


def test_close_and_equal(xp):
    R = array(xp, [[1, np.nan], [], [np.inf]], 2, np.float64)
    assert np.isclose(R, R).to_lists() == [[True, False], [], [True]]
    assert np.isclose(R, R, equal_nan=True).to_lists() == [[True, True], [], [True]]
    assert np.isclose(R, [1.001, 0, 0], rtol=0.01).to_lists() == [[True, False], [], [False]]
    assert np.allclose(R, R, equal_nan=True)
    assert not np.allclose(R, R + 1)
    assert np.array_equal(R[2:], R[2:])
    assert not np.array_equal(R, R)
    assert np.array_equal(R, R, equal_nan=True)
    assert not np.array_equal(R, R[:2])
    assert not np.array_equal(R, R.values)


def test_concatenate(xp):
    R, S = array(xp, [[1, 2], []], 2), array(xp, [[3], [4]], 2)
    assert np.concatenate([R, S]).to_lists() == [[1, 2], [], [3], [4]]
    assert np.concatenate((R, S), axis=1).to_lists() == [[1, 2, 3], [4]]
    assert np.concatenate([R, S], axis=None).tolist() == [1, 2, 3, 4]
    assert np.concatenate([R, S], dtype=np.float64).dtype == np.float64
    with pytest.raises(TypeError, match="cannot cast"):
        np.concatenate([R / 2, S], dtype=np.int64)


def test_fill(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    R[2:].fill(7)
    assert R.to_lists() == [[1, 2], [], [7]]
    np.ones_like(R).fill(5)
    assert R.to_lists() == [[1, 2], [], [7]]
    with pytest.raises(TypeError, match="value must fit the dtype int64, got 0.5"):
        R.fill(0.5)


def test_what_is_asked_of_an_array(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    assert (np.ndim(R), np.size(R), np.isrealobj(R), np.iscomplexobj(R * 1j)) == (2, 3, True, True)
    assert np.empty_like(R, dtype=np.float32).dtype == np.float32
    assert np.take_along_axis(R, np.argsort(-R), axis=-1).to_lists() == [[2, 1], [], [3]]


@pytest.mark.parametrize(
    "call, message",
    [
        (np.median, r"numpy\.median is not defined for ragged arrays: use R.values, R.to_padded"),
        (np.linalg.norm, r"numpy\.norm is not defined"),
        (lambda R: np.sum(R, axis=-1, out=np.zeros(2)), r"numpy\.sum does not take out= for ragged arrays"),
        (lambda R: np.sum(R, where=R > 1), r"numpy\.sum does not take where="),
        (lambda R: np.sort(R, order="x"), r"numpy\.sort does not take order="),
        (lambda R: np.zeros_like(R, shape=3), "takes no shape="),
        (lambda R: np.take_along_axis(R, R, axis=0), "the innermost axis"),
        (lambda R: np.size(R, 1), "has no axis, got 1"),
        (lambda R: np.sum(array(np, [[[1]]], 3), axis=(0, 1)), r"one axis, or None for all axes, got \(0, 1\)"),
        (lambda R: np.sum(np.ones(2), out=R), "does not take out="),
    ],
    ids=["median", "norm", "out", "where", "order", "shape", "axis", "size", "two axes", "out of an array"],
)
def test_refuses(cpu_only, call, message):
    with pytest.raises(TypeError, match=message):
        call(array(np, [[1, 2], [3]], 2))
