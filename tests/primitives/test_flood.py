"""Right and left flood: worked examples, zeros as values, segments, limits, the index map."""

import numpy as np
import pytest

import dtypes
import oracles
from spark_csr import Monoid
from spark_csr.primitives import (
    counts_from_offsets,
    exclusive_scan,
    head_flags_from_offsets,
    inclusive_scan,
    left_flood,
    right_flood,
    right_flood_vjp,
)

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize(
    "x, flooded, index",
    [
        ([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2], [1, 1, 1, 1, 3, 3, 2, 2, 2, 5, 2], [0, 0, 0, 0, 4, 4, 6, 6, 6, 9, 10]),
        ([0, 0, 3, 0, 3], [0, 0, 3, 3, 3], [-1, -1, 2, 2, 4]),
        ([1, 0, 0, 3, 0, 6, 0, 0], [1, 1, 1, 3, 3, 6, 6, 6], [0, 0, 0, 3, 3, 5, 5, 5]),
        ([], [], []),
        ([0], [0], [-1]),
        ([4], [4], [0]),
    ],
)
def test_worked_examples(xp, to_numpy, x, flooded, index):
    out, source = right_flood(xp.asarray(x, dtype=np.int64), return_index=True)
    assert to_numpy(out).tolist() == flooded
    assert to_numpy(source).tolist() == index
    assert source.dtype == np.int32


def test_values_and_counts_are_decoded(xp, to_numpy):
    """values [1, 3, 6] x counts [3, 2, 3]: scattered at the starts, which a scan finds, then flooded."""
    starts, scattered = exclusive_scan(xp.asarray([3, 2, 3])), xp.zeros(8, int)
    assert to_numpy(starts).tolist() == [0, 3, 5]
    scattered[starts] = xp.asarray([1, 3, 6])
    assert to_numpy(scattered).tolist() == [1, 0, 0, 3, 0, 6, 0, 0]
    assert to_numpy(right_flood(scattered)).tolist() == [1, 1, 1, 3, 3, 6, 6, 6]


@pytest.mark.parametrize(
    "of_rows, scattered, flooded",
    [([0, 1, 2], [0, 0, 0, 1, 2, 0], [0, 0, 0, 1, 2, 2]), ([0, 3, 4], [0, 0, 0, 3, 4, 0], [0, 0, 0, 3, 4, 4])],
    ids=["numbers", "starts"],
)
def test_rows_of_ragged_data(xp, to_numpy, of_rows, scattered, flooded):
    """[[6, 5, 5], [2], [9, 9]]: what belongs to a row is written at its first element, and floods to the others."""
    offsets = xp.asarray([0, 3, 4, 6])
    assert to_numpy(counts_from_offsets(offsets)).tolist() == [3, 1, 2]
    at_heads = xp.zeros(6, int)
    at_heads[offsets[:-1]] = xp.asarray(of_rows)
    assert to_numpy(at_heads).tolist() == scattered
    assert to_numpy(right_flood(at_heads, head_flags_from_offsets(offsets))).tolist() == flooded


def last_nonzero(a, b):
    """Associative, with identity 0; has no inverse."""
    return b if b != 0 else a


@pytest.mark.parametrize("n", [0, 1, 5, 16, 33])
def test_is_a_scan_with_an_operator_of_ones_own(xp, to_numpy, n):
    rng = np.random.default_rng(n)
    x = xp.asarray(rng.integers(1, 9, n) * (rng.random(n) < 0.3))
    np.testing.assert_array_equal(to_numpy(inclusive_scan(x, Monoid(last_nonzero, 0))), to_numpy(right_flood(x)))


@pytest.mark.parametrize("dtype", [np.int8, np.float64])
@pytest.mark.parametrize("flood", [right_flood, left_flood])
def test_positions_are_integers_whatever_the_elements_are(xp, to_numpy, flood, dtype):
    """Also those beyond what the dtype of the elements holds."""
    x = np.zeros(140, dtype)
    x[130] = 1
    _, index = flood(xp.asarray(x), return_index=True)
    assert index.dtype == np.int32
    reached = np.arange(140) >= 130 if flood is right_flood else np.arange(140) <= 130
    np.testing.assert_array_equal(to_numpy(index), np.where(reached, 130, -1))


def test_reading_changes_nothing(xp, to_numpy):
    x, valid, grad = np.array([0.0, 3, 0, 5]), np.array([False, True, False, True]), np.ones(4)
    given = [xp.asarray(array.copy()) for array in (x, valid, grad)]
    for flood in (right_flood, left_flood):
        _, index = flood(*given[:2], initial=7, return_index=True)
        source = to_numpy(index).copy()
        right_flood_vjp(given[2], index)
        np.testing.assert_array_equal(to_numpy(index), source)
    for array, before in zip(given, (x, valid, grad), strict=True):
        np.testing.assert_array_equal(to_numpy(array), before)


def test_a_zero_is_a_value(xp, to_numpy):
    valid = xp.asarray([True, False, False, True, False, True])
    out = right_flood(xp.asarray([0, 9, 9, 3, 9, 6]), valid)
    assert to_numpy(out).tolist() == [0, 0, 0, 3, 3, 6]


def test_negative_zero_and_nan_are_kept(xp, to_numpy):
    valid = xp.asarray([True, False, True, False])
    out = to_numpy(right_flood(xp.asarray([-0.0, 1, np.nan, 1]), valid))
    assert np.signbit(out[:2]).all()
    assert np.isnan(out[2:]).all()


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 13, 33])
@pytest.mark.parametrize("limit", [None, 0, 2])
def test_against_a_loop(xp, to_numpy, n, limit):
    rng = np.random.default_rng(n)
    x, valid = rng.integers(1, 99, n), rng.random(n) < 0.3
    index = np.array(oracles.flood_index(valid, limit=limit), int)
    out, source = right_flood(xp.asarray(x), xp.asarray(valid), initial=-7, limit=limit, return_index=True)
    np.testing.assert_array_equal(to_numpy(source), index)
    np.testing.assert_array_equal(to_numpy(out), np.where(index >= 0, x[index] if n else x, -7))


@pytest.mark.parametrize("offsets", [[0, 0, 3, 3, 9, 20], [2, 5, 5, 18], [0, 20], [7, 7], [20, 20]])
@pytest.mark.parametrize("limit", [None, 1])
def test_does_not_cross_segments(xp, to_numpy, offsets, limit):
    x = np.resize([0, 0, 5, 0, 0, 0, 2], 20)
    expected = oracles.flood_index(x != 0, offsets, limit)
    out, source = right_flood(xp.asarray(x), offsets=xp.asarray(offsets), limit=limit, return_index=True)
    np.testing.assert_array_equal(to_numpy(source), expected)
    np.testing.assert_array_equal(to_numpy(out), [x[t] if t >= 0 else 0 for t in expected])


@pytest.mark.parametrize("offsets", [None, [0, 3, 3, 9, 21], [4, 18]])
@pytest.mark.parametrize("limit", [None, 2])
def test_left_flood_is_the_mirror(xp, to_numpy, offsets, limit):
    x = np.resize([0, 5, 0, 0, 0, 2, 0, 0], 21)
    mirrored = None if offsets is None else xp.asarray([21 - i for i in reversed(offsets)])
    out, source = left_flood(
        xp.asarray(x), offsets=None if offsets is None else xp.asarray(offsets), limit=limit, initial=1, return_index=True
    )
    right, right_source = right_flood(xp.asarray(x[::-1].copy()), offsets=mirrored, limit=limit, initial=1, return_index=True)
    np.testing.assert_array_equal(to_numpy(out), to_numpy(right)[::-1])
    position = to_numpy(right_source)[::-1]
    np.testing.assert_array_equal(to_numpy(source), np.where(position >= 0, 20 - position, -1))


@pytest.mark.parametrize("dtype", dtypes.each())
def test_keeps_the_dtype(xp, to_numpy, dtype):
    out = to_numpy(right_flood(xp.asarray(np.array([0, 1, 0]).astype(dtype))))
    assert out.dtype == dtype
    assert out.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "dtype, initial",
    [(np.int8, -5), (np.uint8, 5), (np.uint64, 2**63), (bool, True), (np.float32, 1), (float, np.nan), (complex, 1j)],
)
def test_initial_in_every_kind_of_dtype(xp, to_numpy, dtype, initial):
    out = to_numpy(right_flood(xp.asarray(np.zeros(2, dtype)), initial=initial))
    np.testing.assert_array_equal(out, np.array([initial] * 2, dtype))


@pytest.mark.parametrize("dtype, initial", [(np.int8, 300), (np.uint8, -1), (np.int32, 1.5), (float, 1j), (int, np.nan)])
def test_initial_that_does_not_fit(xp, dtype, initial):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        right_flood(xp.zeros(2, dtype), initial=initial)


def test_strided_operands(xp, to_numpy):
    x, valid = np.arange(12), np.resize([True, False, False], 12)
    out = right_flood(xp.asarray(x)[::2], xp.asarray(valid)[::2])
    np.testing.assert_array_equal(to_numpy(out), x[::2][oracles.flood_index(valid[::2])])


@pytest.mark.parametrize("flood", [right_flood, left_flood])
@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"valid": np.ones(2, bool)}, ValueError, "valid must have 3 elements, got 2"),
        ({"valid": np.ones(3, int)}, TypeError, "valid must have dtype bool, got int64"),
        ({"valid": {True}}, TypeError, "valid must be .* got set"),
        ({"limit": -1}, ValueError, "limit must be 0 or above, got -1"),
        ({"offsets": np.array([0, 2, 1])}, ValueError, r"offsets\[1\] = 2 > offsets\[2\] = 1"),
        ({"offsets": np.array([0, 4])}, ValueError, r"offsets\[1\] = 4"),
        ({"offsets": np.array([-1, 3])}, ValueError, r"offsets\[0\] = -1"),
    ],
)
def test_refuses(flood, arguments, error, message):
    with pytest.raises(error, match=message):
        flood(np.arange(3), **arguments)


@pytest.mark.parametrize("flood", [right_flood, left_flood])
@pytest.mark.parametrize("limit", [None, 2])
@pytest.mark.parametrize("n", [0, 1, 9, 17, 49])
def test_gradient(xp, to_numpy, flood, limit, n):
    rng = np.random.default_rng(n)
    valid, grad = rng.random(n) < 0.3, rng.integers(1, 9, n).astype(np.float64)
    offsets = np.array([0, n // 3, n // 3, n])
    _, index = flood(xp.zeros(n), xp.asarray(valid), offsets=xp.asarray(offsets), limit=limit, return_index=True)
    expected = np.zeros(n)
    for i, source in enumerate(to_numpy(index)):
        if source >= 0:
            expected[source] += grad[i]
    np.testing.assert_array_equal(to_numpy(right_flood_vjp(xp.asarray(grad), index)), expected)


def test_gradient_of_the_worked_example(xp, to_numpy):
    x = xp.asarray([1.0, 0, 0, 3, 0, 6, 0, 0])
    _, index = right_flood(x, return_index=True)
    assert to_numpy(right_flood_vjp(xp.ones(8), index)).tolist() == [3, 0, 0, 2, 0, 3, 0, 0]


@pytest.mark.parametrize("dtype", dtypes.each(["e", "f", "d", "F", "D"], "eD"))
def test_gradient_matches_finite_differences(xp, to_numpy, dtype):
    valid, weights = np.array([0, 1, 0, 0, 1, 0], bool), np.arange(1.0, 7).astype(dtype)
    x = np.array([5, 2, 0, 0, 3, 0], dtype)
    _, index = right_flood(xp.asarray(x), xp.asarray(valid), return_index=True)
    got = to_numpy(right_flood_vjp(xp.asarray(weights), index))
    assert got.dtype == np.dtype(dtype)
    for j in range(6):
        step = np.zeros(6, dtype)
        step[j] = 1  # the flood is linear in x
        moved = to_numpy(right_flood(xp.asarray(x + step), xp.asarray(valid)) - right_flood(xp.asarray(x), xp.asarray(valid)))
        np.testing.assert_allclose(got[j], (moved * weights).sum(), rtol=1e-2)


@pytest.mark.parametrize(
    "grad, index, error, message",
    [
        (np.ones(3), [0, 0], ValueError, "same length"),
        (np.ones(3, int), [0, 0, 0], TypeError, "floating or complex"),
        (np.ones(3), [0, 3, 0], ValueError, r"got index\[1\] = 3"),
        (np.ones(3), [0, 1, 0], ValueError, r"got index\[2\] = 0"),
        (np.ones(3), [1, 2, 2], ValueError, r"got index\[0\] = 1"),
        (np.ones(3), [0.0, 0, 0], TypeError, "must hold integers"),
    ],
)
def test_gradient_refuses(grad, index, error, message):
    with pytest.raises(error, match=message):
        right_flood_vjp(grad, np.array(index))


@pytest.mark.parametrize("limit, error", [(-1, ValueError), (1.7, TypeError)])
def test_limit_is_a_count(limit, error):
    with pytest.raises(error):
        right_flood(np.array([1, 0]), limit=limit)


def test_limit_beyond_everything(xp, to_numpy):
    assert to_numpy(right_flood(xp.asarray([1, 0, 0]), limit=2**70)).tolist() == [1, 1, 1]
