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


def test_narrow_dtypes_lose_neither_digits_nor_range(xp, to_numpy):
    R = array(xp, [[400, -400, 400, -400], [0.1] * 3], 2, np.float64)
    deviations = to_numpy(R.astype(np.float16).std(axis=1)).tolist()
    assert deviations == [400, 0]
    assert to_numpy((R.astype(np.float32) * np.float32(1e30)).std(axis=1))[0] == np.float32(4e32)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "float32", "complex64", "bool"])
def test_values_are_cast_before_they_are_reduced(xp, to_numpy, dtype):
    lists = [[1.5, 2.5], [3.75], [9.9, 0.25, 7]]
    R = array(xp, lists, 2, np.float64)
    for function in (np.sum, np.mean, np.var, np.std):
        if function in (np.var, np.std) and np.dtype(dtype).kind not in "fc":
            with pytest.raises(TypeError, match=f"dtype must be floating or complex, got {dtype}"):
                function(R, -1, dtype)
            continue
        want = np.array([function(np.array(x).astype(dtype), dtype=dtype) for x in lists])
        got = function(R, -1, dtype)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(to_numpy(got), want, rtol=2e-3 if dtype == "float16" else 1e-6, atol=1e-6)
        want = function(np.concatenate(lists).astype(dtype), dtype=dtype)
        np.testing.assert_allclose(
            to_numpy(xp.asarray(function(R, None, dtype))), want, rtol=2e-3 if dtype == "float16" else 1e-6
        )


def test_keepdims(xp, to_numpy):
    R = array(xp, [[3, 1], [2], []], 2, np.float64)
    scaled = (R - R.mean(axis=-1, keepdims=True)) / np.maximum(R.std(axis=-1, keepdims=True), 1)
    assert scaled.to_lists() == [[1, -1], [0], []]
