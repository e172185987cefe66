"""The sampled product: elements of a dense product where a matrix stores an entry."""

import math

import numpy as np
import pytest

import battery
import dtypes
from spark_csr import config, csr_array
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.product import sampled
from spark_csr._operations.product.sampled import multiply_sampled

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.fixture(autouse=True)
def tiles_of_three(monkeypatch):
    """Tiles that begin and end inside of rows."""
    monkeypatch.setattr(sampled, "TILE", 3)


def factors(shape, columns, dtype=np.float64):
    return battery.operand(shape[0], columns, dtype), battery.operand(shape[1] + 1, columns, dtype)[1:]


def expected(A, left, right, to_numpy):
    rows, indices = to_numpy(rows_of_entries(A._csr)), to_numpy(A.indices)
    return (
        (left[rows] * right[indices])
        .reshape(indices.size, math.prod(left.shape[1:]))
        .sum(1)
        .astype(np.result_type(left, right))
    )


@pytest.mark.parametrize("columns", [None, 3])
@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery(xp, to_numpy, name, columns):
    A = battery.build(xp, name)
    left, right = factors(A.shape, columns)
    got = multiply_sampled(A._csr, xp.asarray(left), xp.asarray(right))
    np.testing.assert_array_equal(to_numpy(got), expected(A, left, right, to_numpy))


@pytest.mark.parametrize("columns", [0, 1, 2, 8, 33])
def test_numbers_of_columns(xp, to_numpy, columns):
    A = battery.build(xp, "power law")
    left, right = factors(A.shape, columns)
    got = multiply_sampled(A._csr, xp.asarray(left), xp.asarray(right))
    np.testing.assert_array_equal(to_numpy(got), expected(A, left, right, to_numpy))


@pytest.mark.parametrize("dtype", dtypes.each([np.float32, np.complex128, np.bool_, np.float16], "De"))
def test_dtypes(xp, to_numpy, dtype):
    A = battery.build(xp, "row of several tiles")
    left, right = factors(A.shape, 2, dtype)
    got = to_numpy(multiply_sampled(A._csr, xp.asarray(left), xp.asarray(right)))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, expected(A, left, right, to_numpy))


def test_wide_indices_and_mixed_dtypes(xp, to_numpy):
    A = battery.build(xp, "power law", index=np.int64)
    left, right = factors(A.shape, 2)
    got = to_numpy(multiply_sampled(A._csr, xp.asarray(left.astype(np.float32)), xp.asarray(right)))
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, expected(A, left, right, to_numpy))


def test_layouts_are_read_as_they_are(xp, to_numpy):
    A = battery.build(xp, "unsorted")
    left, right = factors(A.shape, 4)
    given = xp.asarray(np.asfortranarray(left)), xp.asarray(np.repeat(right, 2, axis=0))[::2]
    np.testing.assert_array_equal(to_numpy(multiply_sampled(A._csr, *given)), expected(A, left, right, to_numpy))


def test_infinities_stay_in_their_entries(xp, to_numpy):
    A = csr_array(xp.asarray([[1.0, 1, 0], [0, 1, 1]]))
    left, right = np.array([[np.inf, 1], [2, np.nan]]), np.array([[1.0, 1], [0, 2], [3, 4]])
    got = to_numpy(multiply_sampled(A._csr, xp.asarray(left), xp.asarray(right)))
    np.testing.assert_array_equal(got, [np.inf, np.nan, np.nan, np.nan])


def test_same_bits_every_run_and_for_any_number_of_threads(xp, to_numpy):
    A = battery.build(xp, "power law")
    rng = np.random.default_rng(0)
    given = [xp.asarray(rng.random((n, 13))) for n in A.shape]
    first = to_numpy(multiply_sampled(A._csr, *given)).tobytes()
    with config(threads=1):
        assert to_numpy(multiply_sampled(A._csr, *given)).tobytes() == first


def test_shapes_that_do_not_fit(xp):
    A = battery.build(xp, "band")
    for left, right in ((11, 12), (12, 13)):
        with pytest.raises(ValueError, match=r"shape \(12, 12\)"):
            multiply_sampled(A._csr, xp.ones((left, 2)), xp.ones((right, 2)))
    with pytest.raises(ValueError, match="got \\(12, 2\\) and \\(12, 3\\)"):
        multiply_sampled(A._csr, xp.ones((12, 2)), xp.ones((12, 3)))


def test_sums_of_booleans_do_not_wrap(xp, to_numpy):
    ones = xp.ones((1, 256), bool)
    assert to_numpy(multiply_sampled(csr_array(xp.ones((1, 1)))._csr, ones, ones)).tolist() == [True]
