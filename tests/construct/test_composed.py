"""`spmv_composed`, the definition: right on the battery, and what it refuses."""

import importlib

import numpy as np
import pytest

import battery
import dtypes
import oracles
from spark_csr import csr_array, spmv_composed
from spark_csr.primitives import head_flags_from_offsets, right_flood, segmented_reduce, segmented_scan

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery(xp, to_numpy, name):
    A = battery.build(xp, name)
    x = battery.operand(A.shape[1])
    with np.errstate(invalid="ignore"):
        got = to_numpy(spmv_composed(A, xp.asarray(x)))
    np.testing.assert_array_equal(got, oracles.product(battery.BATTERY[name], x))


def test_worked_example(xp, to_numpy):
    """[[a, 0, b], [c, d, e], [0, 0, f]] @ [x, y, z] is [ax + bz, cx + dy + ez, fz]; offsets end in the number of entries."""
    a, b, c, d, e, f, x, y, z = 2, 3, 5, 7, 11, 13, 17, 19, 23
    A = csr_array(xp.asarray([[a, 0, b], [c, d, e], [0, 0, f]]))
    assert to_numpy(A.indptr).tolist() == [0, 2, 5, 6]
    assert to_numpy(spmv_composed(A, xp.asarray([x, y, z]))).tolist() == [a * x + b * z, c * x + d * y + e * z, f * z]


def test_worked_example_step_by_step(xp, to_numpy):
    """Rows, gather, products, running sums, the last of each row: an exclusive sum there would lose the last product."""
    a, b, c, d, e, f, x, y, z = 2, 3, 5, 7, 11, 13, 17, 19, 23
    data, indices, indptr = (xp.asarray(v) for v in ([a, b, c, d, e, f], [0, 2, 0, 1, 2, 2], [0, 2, 5, 6]))
    starts = xp.asarray([0, 0, 1, 0, 0, 2])
    assert to_numpy(right_flood(starts, head_flags_from_offsets(indptr))).tolist() == [0, 0, 1, 1, 1, 2]
    gathered = xp.asarray([x, y, z])[indices]
    assert to_numpy(gathered).tolist() == [x, z, x, y, z, z]
    products = data * gathered
    sums = segmented_scan(products, indptr)
    expected = [a * x, a * x + b * z, c * x, c * x + d * y, c * x + d * y + e * z, f * z]
    assert to_numpy(sums).tolist() == expected
    assert to_numpy(sums[indptr[1:] - 1]).tolist() == [expected[1], expected[4], expected[5]]
    assert to_numpy(segmented_reduce(products, indptr)).tolist() == [expected[1], expected[4], expected[5]]


@pytest.mark.parametrize("name", ["first row empty", "middle rows empty", "all rows empty", "many empty rows"])
def test_rows_may_be_visited_in_any_order(monkeypatch, name):
    """An empty row starts where the next one does: it must not be the one that is remembered."""

    def backwards(n, body, *arrays):
        for i in reversed(range(n)):
            getattr(body, "py_func", body)(i, *arrays)

    monkeypatch.setattr(importlib.import_module("spark_csr._construct.composed"), "for_each", backwards)
    x = battery.operand(battery.BATTERY[name][3][1])
    np.testing.assert_array_equal(spmv_composed(battery.build(np, name), x), oracles.product(battery.BATTERY[name], x))


@pytest.mark.parametrize("dtype", dtypes.each(usual="?eD"))
def test_agrees_with_the_fused_product(xp, to_numpy, dtype):
    A = battery.build(xp, "middle rows empty", dtype)
    x = xp.asarray(battery.operand(A.shape[1], dtype=dtype))
    composed = spmv_composed(A, x)
    assert composed.dtype == dtype
    np.testing.assert_array_equal(to_numpy(composed), to_numpy(A @ x))


def test_wide_indices(xp, to_numpy):
    A = battery.build(xp, "middle rows empty", index=np.int64)
    x = battery.operand(A.shape[1])
    np.testing.assert_array_equal(
        to_numpy(spmv_composed(A, xp.asarray(x))), oracles.product(battery.BATTERY["middle rows empty"], x)
    )


@pytest.mark.parametrize(
    "x, error",
    [(np.ones(19), ValueError), (np.ones((20, 1)), ValueError), (np.array(["a"] * 20), TypeError), ([1] * 20, TypeError)],
)
def test_refuses(x, error):
    with pytest.raises(error):
        spmv_composed(battery.build(np, "power law"), x)


def test_other_formats_are_refused():
    with pytest.raises(TypeError, match=r"got csc_array: use A\.tocsr"):
        spmv_composed(csr_array([[1.0, 2], [3, 4]]).T, np.ones(2))
