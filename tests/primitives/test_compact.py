"""Selection by a mask against NumPy: sizes around the tile, dtypes, layouts, and what is refused."""

import numpy as np
import pytest
from numba import njit

import dtypes
from spark_csr import config
from spark_csr.primitives import compact, exclusive_scan, inclusive_scan, map_where, partition
from spark_csr.primitives.compact import count_selected_before, write_selected

pytestmark = pytest.mark.usefixtures("small_tiles")

SHAPES = [(n, 0.5) for n in (0, 1, 3, 5, 15, 16, 17, 49)] + [(33, density) for density in (0, 0.1, 0.9, 1)]


def sample(n, density, dtype=float):
    rng = np.random.default_rng(n)
    return rng.integers(-9, 9, n).astype(dtype), rng.random(n) < density


@njit
def square(v):
    return v * v


@pytest.mark.parametrize("n, density", SHAPES)
def test_compact_and_partition(xp, to_numpy, n, density):
    x, mask = sample(n, density)
    out, index = compact(xp.asarray(x), xp.asarray(mask), return_index=True)
    np.testing.assert_array_equal(to_numpy(out), x[mask])
    np.testing.assert_array_equal(to_numpy(index), np.flatnonzero(mask))
    assert index.dtype == np.int32
    out, n_true = partition(xp.asarray(x), xp.asarray(mask))
    np.testing.assert_array_equal(to_numpy(out), np.concatenate([x[mask], x[~mask]]))
    assert type(n_true) is int
    assert n_true == mask.sum()


@pytest.mark.parametrize("dtype", dtypes.each())
def test_every_dtype(xp, to_numpy, dtype):
    x, mask = sample(17, 0.5, dtype)
    out = compact(xp.asarray(x), xp.asarray(mask))
    assert out.dtype == dtype
    np.testing.assert_array_equal(to_numpy(out), x[mask])
    sparse = compact(xp.asarray(x), xp.asarray(mask), layout="sparse", fill_value=1)
    assert sparse.dtype == dtype
    np.testing.assert_array_equal(to_numpy(sparse), np.where(mask, x, dtype.type(1)))
    both, _ = partition(xp.asarray(x), xp.asarray(mask))
    assert both.dtype == dtype
    np.testing.assert_array_equal(to_numpy(both), np.concatenate([x[mask], x[~mask]]))


def test_elements_keep_their_places_or_close_up(xp, to_numpy):
    """S0..S4 where T, F, T, F, T."""
    x, mask = xp.asarray([10, 11, 12, 13, 14]), xp.asarray([True, False, True, False, True])
    assert to_numpy(compact(x, mask)).tolist() == [10, 12, 14]
    assert to_numpy(compact(x, mask, layout="sparse", fill_value=-1)).tolist() == [10, -1, 12, -1, 14]


def test_the_even_ones_in_order(xp, to_numpy):
    x = xp.asarray([-2, 0, -1, 0, 1, 2])
    assert to_numpy(compact(x, x % 2 == 0)).tolist() == [-2, 0, 0, 2]


def test_duplicates_removed_by_scan_and_scatter_or_at_once(xp, to_numpy):
    """The exclusive scan of the flags is one less than the inclusive one only at flags: it counts those *before*."""
    x = xp.asarray([1, 1, 1, 3, 3, 6, 6, 6])
    flags = xp.asarray([1, 0, 0, 1, 0, 1, 0, 0])
    places, size = exclusive_scan(flags, return_total=True)
    assert to_numpy(places).tolist() == [0, 1, 1, 1, 2, 2, 3, 3]
    assert (to_numpy(inclusive_scan(flags)) - 1).tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    by_hand = np.empty(int(to_numpy(size)), int)
    heads = to_numpy(flags) != 0
    by_hand[to_numpy(places)[heads]] = to_numpy(x)[heads]
    assert by_hand.tolist() == [1, 3, 6]
    assert to_numpy(compact(x, flags != 0)).tolist() == [1, 3, 6]


def test_the_size_of_the_result_is_found_not_presumed(xp, to_numpy):
    x = xp.arange(20)
    for kept in (0, 4, 20):
        assert to_numpy(compact(x, x < kept)).tolist() == list(range(kept))


def test_size_from_a_caller_who_knows(xp, to_numpy):
    x, mask = sample(20, 0.5)
    size = int(mask.sum())
    for validate in (True, False):
        with config(validate=validate):
            out, index = compact(xp.asarray(x), xp.asarray(mask), size=size, return_index=True)
        np.testing.assert_array_equal(to_numpy(out), x[mask])
        np.testing.assert_array_equal(to_numpy(index), np.flatnonzero(mask))


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("wrong", [-1, 1])
def test_wrong_size_is_refused(xp, layout, wrong):
    x, mask = sample(20, 0.5)
    size = int(mask.sum())
    with pytest.raises(ValueError, match=f"true elements of mask, {size}, got {size + wrong}"):
        compact(xp.asarray(x), xp.asarray(mask), layout=layout, size=size + wrong)


@pytest.mark.parametrize("n", [15, 33])
def test_too_small_a_size_that_nobody_checks_stays_within_the_result(xp, to_numpy, n):
    x, mask = sample(n, 0.5)
    x, mask = xp.asarray(x), xp.asarray(mask)
    with config(validate=False):
        out = compact(x, mask, size=5)
    np.testing.assert_array_equal(to_numpy(out), to_numpy(x)[to_numpy(mask)][:5])
    guarded = xp.full(n, 77.0)
    write_selected(x, mask.view(np.uint8), count_selected_before(mask.view(np.uint8)), guarded[:5])
    assert to_numpy(guarded)[5:].tolist() == [77.0] * (n - 5)


def test_zeros_nan_and_signs_are_elements_like_any_other(xp, to_numpy):
    x = np.array([0.0, -0.0, np.nan, 1, -np.inf, 0, 0, 0, -0.0])
    mask = np.array([1, 1, 1, 0, 1, 0, 1, 0, 1], bool)
    for got in (compact(xp.asarray(x), xp.asarray(mask)), partition(xp.asarray(x), xp.asarray(mask))[0][:6]):
        assert to_numpy(got).tobytes() == x[mask].tobytes()


def test_a_true_byte_may_be_any_but_zero(xp, to_numpy):
    mask = np.resize([0, 1, 2, 255, 0], 19).astype(np.uint8)
    x = np.arange(19)
    kept = xp.asarray(mask).view(bool)
    np.testing.assert_array_equal(to_numpy(compact(xp.asarray(x), kept)), x[mask != 0])
    np.testing.assert_array_equal(to_numpy(partition(xp.asarray(x), kept)[0][:12]), x[mask != 0])


def test_strided_and_reversed_views(xp, to_numpy):
    x, mask = sample(40, 0.5)
    for view in (slice(None, None, 3), slice(None, None, -1), slice(1, None)):
        np.testing.assert_array_equal(to_numpy(compact(xp.asarray(x)[view], xp.asarray(mask)[view])), x[view][mask[view]])


def test_reading_changes_nothing(xp, to_numpy):
    x, mask = sample(17, 0.5)
    given, chosen = xp.asarray(x.copy()), xp.asarray(mask.copy())
    compact(given, chosen, return_index=True)
    partition(given, chosen)
    map_where(square, given, chosen)
    np.testing.assert_array_equal(to_numpy(given), x)
    np.testing.assert_array_equal(to_numpy(chosen), mask)


ONE = np.ones(1)
YES = np.ones(1, bool)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: compact({1}, YES), TypeError, "x must be a NumPy or CuPy array, got set"),
        (lambda: compact(ONE, {True}), TypeError, "mask must be a NumPy or CuPy array, got set"),
        (lambda: compact(ONE, np.ones(1, np.uint8)), TypeError, "mask must have dtype bool, got uint8"),
        (lambda: compact(ONE, np.ones(2, bool)), ValueError, "mask must have 1 elements, got 2"),
        (lambda: compact(np.ones(()), YES), ValueError, "x must be one-dimensional"),
        (lambda: compact(ONE, YES, layout="csr"), ValueError, "layout must be 'dense' or 'sparse', got 'csr'"),
        (lambda: compact(np.ones(1, int), YES, layout="sparse", fill_value=0.5), TypeError, "fill_value"),
        (lambda: compact(np.ones(1, bool), YES, layout="sparse", fill_value=np.nan), TypeError, "fit the dtype bool, got nan"),
        (lambda: compact(ONE, YES, size=2), ValueError, r"size must lie in \[0, 1\], got 2"),
        (lambda: compact(ONE, YES, size=-1), ValueError, r"size must lie in \[0, 1\], got -1"),
        (lambda: compact(ONE, YES, size=1.0), TypeError, "float"),
        (lambda: partition(ONE, np.ones(2, bool)), ValueError, "mask must have 1 elements, got 2"),
        (lambda: partition(ONE, ONE), TypeError, "mask must have dtype bool, got float64"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_same_result_for_any_number_of_threads(cpu_only):
    x, mask = sample(5000, 0.5)
    runs = set()
    for threads in (1, 2):
        with config(threads=threads):
            runs.add((compact(x, mask).tobytes(), partition(x, mask)[0].tobytes()))
    assert len(runs) == 1
