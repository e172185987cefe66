"""Variances and standard deviations beside NumPy's."""

import numpy as np
import pytest

from nested import EXAMPLES, array, joined, loose, plain

pytestmark = pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning", "ignore:invalid value:RuntimeWarning")


def variances(lists, ndim, axis, ddof=0):
    """NumPy's variance of the values along an axis; lists are aligned at their starts."""
    if axis is None:
        return np.var(joined(lists, ndim - 1), ddof=ddof).tolist()
    if axis:
        return [variances(item, ndim - 1, axis - 1, ddof) for item in lists]
    return merged(lists, ndim, ddof)


def merged(parts, ndim, ddof):
    if ndim == 1:
        return np.var(parts, ddof=ddof).tolist()
    longest = max(map(len, parts), default=0)
    return [merged([item[j] for item in parts if j < len(item)], ndim - 1, ddof) for j in range(longest)]


def assert_close(got, want):
    """Nested lists of floats."""
    if isinstance(want, list):
        assert len(got) == len(want)
        for x, y in zip(got, want, strict=True):
            assert_close(x, y)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_axis(xp, ndim, lists):
    R = loose(array(xp, lists, ndim, np.float64))
    for axis in (None, *range(ndim)):
        assert_close(plain(R.var(axis=axis)), variances(lists, ndim, axis))
        assert_close(plain(R.std(axis=axis) ** 2), variances(lists, ndim, axis))


def test_degrees_of_freedom(xp, to_numpy):
    lists = [[4, 8, 1.5], [], [7], [2, 2]]
    R = array(xp, lists, 2, np.float64)
    for ddof in (1, 2):
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(to_numpy(R.var(axis=1, ddof=ddof)), [np.var(x, ddof=ddof) for x in lists], rtol=1e-13)


def test_a_large_mean_costs_no_digits(xp, to_numpy):
    R = array(xp, [[1e9 + 1, 1e9 + 2, 1e9 + 3], [1e9, 1e9]], 2, np.float64)
    np.testing.assert_allclose(to_numpy(R.var(axis=1)), [2 / 3, 0])


def test_dtypes(xp, to_numpy):
    R = array(xp, [[3, 1], [2]], 2)
    assert R.var(axis=1).dtype == R.std(axis=0).dtype == np.float64
    halves = R.astype(np.float16) * np.float16(1000)
    assert halves.std(axis=1).dtype == np.float16
    assert to_numpy(halves.std(axis=1)).tolist() == [1000, 0]
    complexes = R.astype(np.complex128) * 1j + R.astype(np.complex128)
    assert complexes.var(axis=1).dtype == np.float64
    assert to_numpy(complexes.var(axis=1)).tolist() == [2, 0]


def test_keepdims(xp, to_numpy):
    R = array(xp, [[3, 1], [2], []], 2, np.float64)
    scaled = (R - R.mean(axis=-1, keepdims=True)) / np.maximum(R.std(axis=-1, keepdims=True), 1)
    assert scaled.to_lists() == [[1, -1], [0], []]
