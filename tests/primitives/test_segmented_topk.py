"""The greatest of every segment: against Python's stable sort, and what it refuses."""

import itertools

import numpy as np
import pytest

import oracles
from spark_csr.primitives import segmented_topk

pytestmark = pytest.mark.usefixtures("small_tiles")


OFFSETS = {
    "none": [0],
    "first and last empty": [0, 0, 0, 3, 9, 40, 40, 40],
    "starts above zero, ends before the end": [3, 5, 5, 30, 36],
    "long ones and short ones": [0, 2, 35, 36, 40],
}
X = np.random.default_rng(3).integers(-9, 9, 40)


def check_topk(xp, to_numpy, offsets, k):
    out_offsets, values, index = map(to_numpy, segmented_topk(xp.asarray(X), xp.asarray(offsets), k))
    order = oracles.segmented_argsort(X, offsets, descending=True)
    expected = [order[a:b][:k] for a, b in itertools.pairwise(offsets)]
    assert np.diff(out_offsets).tolist() == [len(part) for part in expected]
    assert out_offsets[0] == 0
    assert index.tolist() == list(itertools.chain.from_iterable(expected))
    np.testing.assert_array_equal(values, X[index])
    assert out_offsets.dtype == index.dtype == np.int32
    assert values.dtype == X.dtype


@pytest.mark.parametrize("k", [0, 1, 3, 16, 17, 100])
def test_topk_of_every_size(xp, to_numpy, k):
    check_topk(xp, to_numpy, OFFSETS["long ones and short ones"], k)


@pytest.mark.parametrize("name", ["none", "first and last empty", "starts above zero, ends before the end"])
def test_topk(xp, to_numpy, name):
    check_topk(xp, to_numpy, OFFSETS[name], 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, bool])
def test_topk_takes_numbers_before_nan(xp, to_numpy, dtype):
    x = np.array([1, np.nan, 0, np.nan, np.nan], dtype)
    _, values, index = segmented_topk(xp.asarray(x), xp.asarray([0, 3, 5]), 2)
    assert to_numpy(index).tolist() == ([0, 1, 3, 4] if dtype is bool else [0, 2, 3, 4])
    np.testing.assert_array_equal(to_numpy(values), x[to_numpy(index)])


@pytest.mark.parametrize("k", [2, 17])
@pytest.mark.parametrize("x", [np.arange(40), np.arange(40)[::-1], np.zeros(40)], ids=["ascending", "descending", "equal"])
def test_topk_of_given_orders(xp, to_numpy, x, k):
    _, values, index = segmented_topk(xp.asarray(x), xp.asarray([0, 3, 40]), k)
    order = oracles.segmented_argsort(x, [0, 3, 40], descending=True)
    assert to_numpy(index).tolist() == [*order[:3][:k], *order[3:][:k]]
    assert to_numpy(values).tolist() == x[to_numpy(index)].tolist()


def test_topk_larger_than_the_dtype_of_the_offsets(xp, to_numpy):
    out_offsets, _, _ = segmented_topk(xp.asarray(X), xp.asarray([0, 3, 30], dtype=np.int8), 10**30)
    assert to_numpy(out_offsets).tolist() == [0, 3, 30]


@pytest.mark.parametrize("k, error, message", [(-1, ValueError, "k must be 0 or above, got -1"), (1.5, TypeError, "float")])
def test_topk_refuses(k, error, message):
    with pytest.raises(error, match=message):
        segmented_topk(np.arange(5), np.array([0, 5]), k)
